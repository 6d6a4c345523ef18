/** What a local cloud keeps instead of sending it. */
export type Message = { at: string; kind: Kind; sent: unknown };

/** The kinds of what is sent to people. */
export const KINDS = ["email", "sms", "template_message"] as const;

/** One of KINDS. */
export type Kind = (typeof KINDS)[number];

/** A message as its receiver would see it. */
export type Seen = { from: string; to: string; subject: string; text: string };

type Email = {
  FromEmailAddress?: string;
  Destination?: { ToAddresses?: string[]; CcAddresses?: string[] };
  Content?: { Simple?: { Subject?: { Data?: string }; Body?: { Html?: { Data?: string }; Text?: { Data?: string } } } };
};
type SMS = { PhoneNumber?: string; Message?: string };
type Template = { vendor?: string; message?: { touser?: string; to_user_id?: string; template_id?: string; user_template_id?: string } };

/** Reads a message in the words of the service that it was for. */
export function read({ kind, sent }: Message): Seen {
  switch (kind) {
    case "email":
      return readEmail(sent as Email);
    case "sms": {
      const { PhoneNumber = "", Message = "" } = sent as SMS;
      return { from: "", to: PhoneNumber, subject: "", text: Message };
    }
    default: {
      const { vendor = "", message = {} } = sent as Template;
      const subject = message.template_id ?? message.user_template_id ?? "";
      return { from: vendor, to: message.touser ?? message.to_user_id ?? "", subject, text: JSON.stringify(message, null, 2) };
    }
  }
}

function readEmail({ FromEmailAddress = "", Destination = {}, Content = {} }: Email): Seen {
  const to = [...(Destination.ToAddresses ?? []), ...(Destination.CcAddresses ?? [])].join(", ");
  const { Subject, Body } = Content.Simple ?? {};
  const text = Body?.Html?.Data === undefined ? (Body?.Text?.Data ?? "") : textOf(Body.Html.Data);
  return { from: FromEmailAddress, to, subject: Subject?.Data ?? "", text };
}

const ENTITIES: Record<string, string> = { amp: "&", lt: "<", gt: ">", quot: '"', "#39": "'", nbsp: " " };

/** The text of HTML, near enough to read it. Parsing it would have the browser look at its handlers and complain of them. */
function textOf(html: string): string {
  return html
    .replace(/<(script|style)\b[\s\S]*?<\/\1\s*>/gi, "")
    .replace(/<(br|\/p|\/div|\/tr|\/h\d|\/li)\b[^>]*>/gi, "\n")
    .replace(/<[^>]*>/g, "")
    .replace(/&(#39|\w+);/g, (whole, name: string) => ENTITIES[name] ?? whole)
    .trim();
}
