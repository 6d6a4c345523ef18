// What is sent to people.
declare namespace BaaS {
  /**
   * Sends a mail in the name that the mail-setting of the application has; without one it rejects with 400. One call,
   * with all functions it starts, sends at most 200.
   */
  function sendEmail(mail: {
    recipient: string;
    subject: string;
    /** At most 256 KB. */
    body: string;
    /** Of the body, default text. */
    format?: "text" | "html";
  }): Promise<Answer<{ status: "ok" }>>;
}
