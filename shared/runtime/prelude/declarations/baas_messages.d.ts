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
    /** Format of the body; the default is text. */
    format?: "text" | "html";
  }): Promise<Answer<Sent>>;

  /**
   * Sends a code of 6 digits, good for 10 minutes, in place of any before: one a minute, ten a day. signatureID is the
   * name of a signature of the sms-setting or its number from 1, default the last approved one.
   */
  function sendSmsCode(options: {
    phone: string;
    userID?: number;
    signatureID?: number | string;
  }): Promise<Answer<Sent>>;
  /** Verifies a code once. Rejects with 400 if the code is wrong or expired, or after 5 attempts. */
  function verifySmsCode(options: { phone: string; code: string | number; userID?: number }): Promise<Answer<Sent>>;

  /** Users by ids (at most 1,000), by group names, or by a filter on their fields, optionally within groups. */
  type UserRecipients =
    | { recipient_type: "user_list"; user_list: number[] }
    | { recipient_type: "user_group"; user_group_name: string | string[] }
    | {
        recipient_type: "schema_user";
        schema_name?: "_userprofile";
        user_profile_filters: Query | { [field: string]: any };
        user_group_name?: string | string[];
      };
  type SmsRecipients = UserRecipients | { recipient_type: "phone_number"; phone_number: string };
  type MessageRecipients = UserRecipients | { recipient_type: "user_id"; user_id: number };

  /** Queues an SMS with a template of the sms-setting. It is sent in the background, once to each number. */
  function sendSmsMessage(message: SmsRecipients & {
    template_name: string;
    keywords?: { [name: string]: string | number };
    [member: string]: any;
  }): Promise<Answer<Sent>>;

  /** A message with a template of the vendor. */
  type TemplateMessage = MessageRecipients & {
    template_id: string;
    keywords?: { [name: string]: string | number | { value: string | number } };
    /** The page of the mini program to open. */
    page?: string;
    [member: string]: any;
  };
  type FormMessage = TemplateMessage & { submission_type?: "form_id" | "prepay_id" | "trade_no" | "all" };

  function sendTemplateMessage(message: FormMessage): Promise<Answer<Sent>>;
  /** Number of messages that can still be sent to a user. */
  function getTemplateMsgTicketCount(options: { userID: number; submissionType?: string }): Promise<number>;

  interface VendorMessages {
    sendTemplateMessage(message: FormMessage): Promise<Answer<Sent>>;
    getTemplateMsgTicketCount(options: { userID: number; submissionType?: string }): Promise<number>;
    /** The counts as reported; without templateID for all templates. */
    getSubscribeMsgTicketCount(options: { userID: number; templateID?: string }): Promise<number>;
  }
}
