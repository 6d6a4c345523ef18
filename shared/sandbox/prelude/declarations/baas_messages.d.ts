// What is sent to people.

declare namespace BaaS {
  interface Sent {
    status: "ok";
  }

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
  }): Promise<Answer<Sent>>;

  /** Sends a code to a phone: one a minute, ten a day. */
  function sendSmsCode(options: { phone: string; userID?: number; signatureID?: number }): Promise<Answer<Sent>>;
  /** Rejects with 400 when the code is not the one that was sent, or too old. */
  function verifySmsCode(options: { phone: string; code: string | number; userID?: number }): Promise<Answer<Sent>>;

  /** Users by ids (1,000 at most), by the name of a group, or by the table that has them and a where. */
  type UserRecipients =
    | { recipient_type: "user_list"; user_list: number[] }
    | { recipient_type: "user_group"; user_group_name: string }
    | { recipient_type: "schema_user"; schema_name: string; user_profile_filters?: object };
  type SmsRecipients = UserRecipients | { recipient_type: "phone_number"; phone_number: string };
  type MessageRecipients = UserRecipients | { recipient_type: "user_id"; user_id: number };

  function sendSmsMessage(message: SmsRecipients & {
    template_name: string;
    keywords?: { [name: string]: string };
    [member: string]: any;
  }): Promise<Answer<Sent>>;

  /** A message by a template of the vendor. */
  type TemplateMessage = MessageRecipients & {
    template_id: string;
    keywords: { [name: string]: { value: any } };
    /** The page of the mini program that it opens. */
    page?: string;
    [member: string]: any;
  };
  type FormMessage = TemplateMessage & { submission_type: string };

  function sendTemplateMessage(message: FormMessage): Promise<Answer<Sent>>;
  /** How many messages may still be sent to a user. */
  function getTemplateMsgTicketCount(options: { userID: number; submissionType?: string }): Promise<number>;

  interface VendorMessages {
    sendTemplateMessage(message: FormMessage): Promise<Answer<Sent>>;
    getTemplateMsgTicketCount(options: { userID: number; submissionType?: string }): Promise<number>;
    getSubscribeMsgTicketCount(options: { userID: number; templateID: string }): Promise<number>;
  }
}
