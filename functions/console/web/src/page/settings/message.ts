/** A message that a local cloud keeps instead of sending it. */
export type Message = { at: string; kind: Kind; sent: unknown };

/** The kinds of messages. */
export const KINDS = ["email", "sms", "template_message", "webhook"] as const;

/** The kind of a message. */
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

/** A webhook as it came. */
export type Call = { method: string; path: string; headers: Record<string, string>; body: string; base64?: string };

/** The claims of a JWT as indented JSON; any other body stays unchanged. */
function claimsOf({ body, base64 }: Call): string {
  try {
    const part = body.split(".")[1]!.replaceAll("-", "+").replaceAll("_", "/");
    const bytes = Uint8Array.from(atob(part), (letter) => letter.charCodeAt(0));
    return JSON.stringify(JSON.parse(new TextDecoder().decode(bytes)), null, 2);
  } catch {
    return body || base64 || "";
  }
}

/** Whether one of the signatures of Standard Webhooks is of this key. */
export async function signedBy({ headers, body }: Call, key: string): Promise<boolean> {
  const bytes = (text: string) => new TextEncoder().encode(text);
  const secret = await crypto.subtle.importKey("raw", bytes(key), { name: "HMAC", hash: "SHA-256" }, false, ["sign"]);
  const signed = bytes(`${headers["webhook-id"]}.${headers["webhook-timestamp"]}.${body}`);
  const sum = new Uint8Array(await crypto.subtle.sign("HMAC", secret, signed));
  return (headers["webhook-signature"] ?? "").split(" ").includes("v1," + btoa(String.fromCharCode(...sum)));
}

/** Reads a message in the words of the service that it was for. */
export function read({ kind, sent }: Message): Seen {
  switch (kind) {
    case "email":
      return readEmail(sent as Email);
    case "sms": {
      const { PhoneNumber = "", Message = "" } = sent as SMS;
      return { from: "", to: PhoneNumber, subject: "", text: Message };
    }
    case "webhook": {
      const call = sent as Call;
      return { from: call.headers["x-service-trigger-event"] ?? "", to: call.path, subject: `${call.method} ${call.path}`, text: claimsOf(call) };
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
