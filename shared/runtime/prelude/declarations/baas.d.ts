// What a cloud function finds around itself, for editors and for TypeScript 5.7 or later. It stands in for
// @types/node and for the DOM: use it with "lib": ["ESNext"] and "types": [], or by a first line
//   /// <reference path="./baas.d.ts" />

/** The platform. Calls have the administrator's rights in the environment of the run. */
declare namespace BaaS {
  /** "3.20.0" */
  const VERSION: string;
  /** Accepts 2 to 3.20 without effect: the newest behaviour always applies. A later version throws. */
  function useVersion(version: string | number): void;

  /**
   * Why a call to the platform failed. An argument of a wrong type throws it at once with code 605, and nothing was
   * sent; whatever else goes wrong rejects with it. The message is `<code>: <text>`.
   */
  class BaaSError extends Error {
    constructor(code: number, text: string, request?: { method: string; path: string });
    /**
     * The HTTP status of the answer, from 400 on. Or: 600 the platform was not reachable, 601 it took longer than 60
     * s, 604 the user has no session, 605 an argument has a wrong type, 609 save() of a user who is there already,
     * 611 this cannot be done here (the message says what to do instead), 617 the second step of an upload failed.
     */
    readonly code: number;
    /** HTTP status of the answer; undefined without an answer. */
    readonly status: number | undefined;
    readonly request: { method: string; path: string } | undefined;
  }

  /** An answer of the platform or of another server. Header names are lower-case. */
  interface Answer<Data = any> {
    status: number;
    /** "OK", "Created" … */
    statusText: string;
    headers: { [name: string]: string };
    data: Data;
    /** Former name of status. @deprecated use status */
    statusCode: number;
  }

  /** A page of a list. */
  interface Page<Item = any> {
    meta: {
      limit: number;
      offset: number;
      /** Path of the next page; null on the last page. */
      next: string | null;
      previous: string | null;
      /** Only with `withCount: true`. */
      total_count?: number;
    };
    objects: Item[];
  }
  interface CountedPage<Item = any> extends Page<Item> {
    meta: Page["meta"] & { total_count: number };
  }

  /** Result of a synchronous run. Check `code` before you use `data`. */
  type InvokeResult<Result = any> =
    | { code: 0; data: Result; error: { message?: undefined; type?: undefined } }
    | { code: 1; data: null; error: { message: string; type: string } };
  interface InvokeStarted {
    status: "ok";
    job_id: number;
  }

  /**
   * Runs another function of this application and environment. A function that fails does not reject: `code` is 1
   * then, with the error type RejectedError for the ninth function in a chain of calls. It rejects with BaaSError
   * when there is no such function (404). @param data an object of JSON; {} when absent @param sync false = do not
   * wait; gives the id of the job
   */
  function invoke<Result = any>(name: string, data?: object, sync?: true): Promise<InvokeResult<Result>>;
  function invoke(name: string, data: object | undefined, sync: false): Promise<InvokeStarted>;
  /** The same, but resolves with the whole answer. */
  function invokeFunction<Result = any>(
    name: string, data?: object, sync?: true,
  ): Promise<Answer<InvokeResult<Result>>>;
  function invokeFunction(name: string, data: object | undefined, sync: false): Promise<Answer<InvokeStarted>>;

  /** The platform's clock, as ISO text. */
  function getServerDate(): Promise<Answer<{ time: string }>>;

  /** A change of more than 1,000 records that runs in the background. */
  interface BulkOperation {
    id: number;
    status: string;
    /** 0 to 1. */
    progress: number;
    total_count: number | null;
    succeed: number;
    failed: number;
    errors: any[];
    error_msg?: string;
    /** Unix seconds, like the next two. */
    created_at: number;
    updated_at: number;
    finished_at: number | null;
  }
  /** Result of a change of more than 1,000 records. */
  function getAsyncJobResult(id: number): Promise<Answer<BulkOperation>>;

  /** The input of a table's validator. */
  interface Validation {
    event: "create" | "bulk_create" | "update" | "bulk_update" | "delete" | "bulk_delete";
    schema_id: number;
    schema_name: string;
    user_id: number | null;
    payload?: any;
    before?: any;
    filter?: any;
  }
  type ValidationHandler = (event: CloudFunctionEvent<Validation>) => any;
  /**
   * Calls onCreate, onBulkUpdate … by event.data.event and gives what the handler gives; what nobody handles is
   * valid.
   */
  class Validator {
    constructor(handlers: {
      onCreate?: ValidationHandler;
      onBulkCreate?: ValidationHandler;
      onUpdate?: ValidationHandler;
      onBulkUpdate?: ValidationHandler;
      onDelete?: ValidationHandler;
      onBulkDelete?: ValidationHandler;
    });
    validate(event: CloudFunctionEvent<Validation>): any;
  }
}
