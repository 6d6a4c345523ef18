// What main is called with, and what it is.

/** What main is called with. */
interface CloudFunctionEvent<Data = any> {
  /** The input: what the caller sent as `data`, or what the trigger carries. */
  readonly data: Data;
  /** What started the run. */
  readonly eventType: "sdk" | "open_api" | "cloud_function" | "flex_schema" | "timer" | "file_operation" | "chat_pay_success" | "alt_pay_success" | "tpay_success" | "incoming_webhook" | "chat_message";
  readonly jobId: string;
  /** Memory of the plan in megabytes: 128 or 256. */
  readonly memoryLimitInMB: number;
  /** Wall time of the run in milliseconds: 5000, or 300000 when nobody waits. */
  readonly timeLimitInMS: number;
  /** Id of the application. */
  readonly miniappId: number;
  readonly request?: { readonly meta: { readonly ip_address?: string; readonly user_agent?: string }; readonly user?: any };
  /** The test environment; absent in production. */
  readonly env?: { readonly id: string; readonly name: string };
  /** Name of the table, for table triggers. */
  readonly flex_schema_name?: string;
  readonly timezone?: string;
}

/**
 * The callback of `exports.main = function (event, callback)`. The first call
 * decides the result; an error may be a string or an Error.
 */
type CloudFunctionCallback<Result = any> = (error: unknown, data?: Result) => void;

/**
 * The entry of a function: `exports.main = …`, or `export function main` in an
 * ES module. An async main that resolves undefined and never calls back runs
 * to its time limit; resolve null instead.
 */
type CloudFunctionMain<Data = any, Result = any> = (event: CloudFunctionEvent<Data>, callback: CloudFunctionCallback<Result>) => Promise<Result> | void;
