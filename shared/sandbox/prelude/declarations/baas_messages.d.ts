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

  /**
   * Sends a code of 6 digits, good for 10 minutes, in place of any before: one a minute, ten a day. signatureID is the
   * name of a signature of the sms-setting or its number from 1, default the last approved one.
   */
  function sendSmsCode(options: {
    phone: string;
    userID?: number;
    signatureID?: number | string;
  }): Promise<Answer<Sent>>;
  /** Takes a code once. Rejects with 400 when it is not the one that was sent, too old, or was tried 5 times. */
  function verifySmsCode(options: { phone: string; code: string | number; userID?: number }): Promise<Answer<Sent>>;

  /** Users by ids (1,000 at most), by the name of a group, or by a where on their fields, in one of these groups. */
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

  /** Accepts a text message by a template of the sms-setting: it goes out in the background, to each number once. */
  function sendSmsMessage(message: SmsRecipients & {
    template_name: string;
    keywords?: { [name: string]: string | number };
    [member: string]: any;
  }): Promise<Answer<Sent>>;

  /** A message by a template of the vendor. */
  type TemplateMessage = MessageRecipients & {
    template_id: string;
    keywords?: { [name: string]: string | number | { value: string | number } };
    /** The page of the mini program that it opens. */
    page?: string;
    [member: string]: any;
  };
  type FormMessage = TemplateMessage & { submission_type?: "form_id" | "prepay_id" | "trade_no" | "all" };

  function sendTemplateMessage(message: FormMessage): Promise<Answer<Sent>>;
  /** How many messages may still be sent to a user. */
  function getTemplateMsgTicketCount(options: { userID: number; submissionType?: string }): Promise<number>;

  interface VendorMessages {
    sendTemplateMessage(message: FormMessage): Promise<Answer<Sent>>;
    getTemplateMsgTicketCount(options: { userID: number; submissionType?: string }): Promise<number>;
    /** As was reported; without templateID of all templates. */
    getSubscribeMsgTicketCount(options: { userID: number; templateID?: string }): Promise<number>;
  }
}
