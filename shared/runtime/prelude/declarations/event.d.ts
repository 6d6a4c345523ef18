// What main is called with, and what it is.

/** What started a run. */
type EventType =
  | "sdk" | "open_api" | "cloud_function" | "flex_schema" | "timer" | "file_operation"
  | "chat_pay_success" | "alt_pay_success" | "tpay_success" | "incoming_webhook" | "chat_message";

/** What main is called with. */
interface CloudFunctionEvent<Data = any> {
  /** The input: what the caller sent as `data`, or what the trigger carries. */
  readonly data: Data;
  /** What started the run; in a debug run its `subject`. */
  readonly eventType: EventType;
  /** Id of the run. */
  readonly jobId: string;
  /** Memory of the plan in megabytes: 128 or 256. */
  readonly memoryLimitInMB: number;
  /** Wall time that is left to the run in milliseconds: 5,000 at most, or 300,000 when nobody waits. */
  readonly timeLimitInMS: number;
  /** Id of the application. */
  readonly miniappId: number;
  /** Of whoever called; without members for triggers. */
  readonly request: CloudFunctionRequest;
  /** The test environment; absent in production. */
  readonly env?: { readonly id: string; readonly name: string };
  /** Name of the table, for table triggers. */
  readonly flex_schema_name?: string;
  /** Time zone of the application, "Asia/Shanghai". */
  readonly timezone: string;
  /** Always empty. @deprecated */
  readonly signKey?: string;
}

interface CloudFunctionRequest {
  readonly meta?: { readonly ip_address?: string; readonly user_agent?: string };
  /** The end user who called. */
  readonly user?: {
    readonly id: number;
    readonly nickname?: string;
    readonly avatar_url?: string;
    readonly openid?: string;
    readonly unionid?: string;
  } | null;
}

/** A call of the HTTP interface, of a client or of another function. */
interface CallEvent<Data = any> extends CloudFunctionEvent<Data> {
  readonly eventType: "sdk" | "open_api" | "cloud_function";
}
interface TimerEvent extends CloudFunctionEvent<{}> {
  readonly eventType: "timer";
}
/** A row was created, updated or deleted: dates are ISO texts, geometries JSON texts, pointers `{_table, id}`. */
interface TableEvent<Columns = any> extends CloudFunctionEvent<BaaS.Row<Columns>> {
  readonly eventType: "flex_schema";
  readonly flex_schema_name: string;
}
interface PaymentEvent extends CloudFunctionEvent<PaidOrder> {
  readonly eventType: "chat_pay_success" | "alt_pay_success" | "tpay_success";
}
interface FileEvent extends CloudFunctionEvent<FileRecord> {
  readonly eventType: "file_operation";
}
interface WebhookEvent<Payload = any> extends CloudFunctionEvent<IncomingWebhook<Payload>> {
  readonly eventType: "incoming_webhook";
}
interface ChatMessageEvent extends CloudFunctionEvent<ChatMessage> {
  readonly eventType: "chat_message";
}
/** Any event that a trigger carries; `event.eventType` tells them apart. */
type TriggerEvent = TimerEvent | TableEvent | PaymentEvent | FileEvent | WebhookEvent | ChatMessageEvent;

/** The order of a payment trigger. */
interface PaidOrder {
  id: number;
  miniapp: number;
  gateway_type: "chatpay" | "altpay" | "tpay";
  currency_type: string;
  /** Order number of the vendor. */
  trade_no: string;
  /** Order number of the platform. */
  transaction_no: string;
  status: string;
  refund_status: BaaS.RefundStatus;
  merchandise_schema_id: number | null;
  merchandise_record_id: string | null;
  merchandise_description: string;
  merchandise_snapshot: any;
  /** Amount in units of the currency: 9.9 is ¥9.90. */
  total_cost: number;
  ip_address: string;
  /** Unix seconds. */
  paid_at: number;
  created_by: number;
  created_at: number;
  updated_at: number;
}

/** The file of a file trigger. */
interface FileRecord {
  id: string;
  name: string;
  status: string;
  categories: any[];
  /** Bytes. */
  size: number;
  media_type: string;
  mime_type: string;
  reference: string;
  cdn_path: string;
  /** Its address. */
  path: string;
  created_at: number;
  updated_at: number;
  created_by: number;
}

/** A call of a trigger's own address. */
interface IncomingWebhook<Payload = any> {
  _id: string;
  meta: { headers: { [name: string]: string }; remote_address: string; request_method: string };
  payload: Payload;
}

/** A message that a user sent to the chat vendor's account. */
interface ChatMessage {
  _AppId: string;
  ToUserName?: string;
  FromUserName?: string;
  CreateTime?: number | string;
  MsgType?: string;
  Content?: string;
  MsgId?: number | string;
  Event?: string;
  [member: string]: any;
}

/**
 * The callback of `exports.main = function (event, callback)`. The first callback, promise or throw decides the
 * result; an error may be a text or an Error, and null, undefined, false, "" and 0 are none.
 */
type CloudFunctionCallback<Result = any> = (error: unknown, data?: Result) => undefined;

/**
 * The entry of a function: `exports.main = …`, or `export function main` in an ES module. In JavaScript a comment of
 * two stars before it, with `@type {CloudFunctionMain}`, tells the editor what `event` is.
 *
 * What a plain function returns is ignored. `undefined` is no result: where nothing is left that could give one the
 * run ends with NoResultError; null says "nothing".
 */
type CloudFunctionMain<Data = any, Result = any> = CloudFunctionHandler<CloudFunctionEvent<Data>, Result>;
/** main for an event of one kind: `CloudFunctionHandler<TableEvent<{ name: string }>>`. */
type CloudFunctionHandler<Event extends CloudFunctionEvent = CloudFunctionEvent, Result = any> =
  | ((event: Event, callback: CloudFunctionCallback<Result>) => Promise<Result>)
  | ((event: Event, callback: CloudFunctionCallback<Result>) => undefined);
