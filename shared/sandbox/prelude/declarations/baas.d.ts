// What a cloud function finds around itself. Use it with "lib": ["ES2023"] and
// without "DOM" or @types/node, e.g. by a first line
//   /// <reference path="./baas.d.ts" />

/** The platform. */
declare namespace BaaS {
  const VERSION: string;
  /** Accepts 2 to 3.20 and changes nothing; a later version throws. */
  function useVersion(version: string): void;

  /**
   * Why a call to the platform failed. An argument of a wrong type throws it at
   * once, with code 605; what cannot be done here rejects with 611.
   */
  class BaaSError extends Error {
    /** HTTP status of the answer, or 600 to 617. */
    readonly code: number;
    /** HTTP status of the answer; undefined when there was none. */
    readonly status?: number;
    readonly request?: { method: string; path: string };
  }

  /** Result of a function that was waited for. */
  interface InvokeResult<Result = any> {
    /** 0 = it succeeded, 1 = it failed. */
    code: number;
    /** What it gave; null when it failed. */
    data: Result;
    /** Empty when it succeeded. */
    error: { message?: string; type?: string };
  }

  /**
   * Runs another function of this application and environment. A function that
   * fails does not reject: look at `code`, which is 1 with the error type
   * RejectedError for the ninth function in a chain of calls. It rejects with
   * BaaSError when there is no such function.
   * @param data an object of JSON; {} when absent
   * @param sync false = do not wait; gives the id of the job
   */
  function invoke<Result = any>(name: string, data?: object, sync?: true): Promise<InvokeResult<Result>>;
  function invoke(name: string, data: object, sync: false): Promise<{ status: "ok"; job_id: number }>;
  /** The same, with the answer around it. */
  function invokeFunction<Result = any>(name: string, data?: object, sync?: true): Promise<Answer<InvokeResult<Result>>>;
  function invokeFunction(name: string, data: object, sync: false): Promise<Answer<{ status: "ok"; job_id: number }>>;

  /** An answer. Statuses outside of 200 to 299 reject. Header names are lower-case. */
  interface Answer<Data = any> {
    status: number;
    statusText: string;
    headers: Record<string, string>;
    data: Data;
    /** Its former name. */
    readonly statusCode: number;
  }

  /** A page of a list. */
  interface Page<Item = any> {
    meta: { limit: number; offset: number; next: string | null; previous: string | null; total_count?: number };
    objects: Item[];
  }

  function getServerDate(): Promise<Answer<{ time: string }>>;
  /** What became of a change of more than 1000 records. */
  function getAsyncJobResult(id: number): Promise<Answer>;

  /** Calls onCreate, onBulkUpdate … by event.data.event; what nobody handles is valid. */
  class Validator {
    constructor(handlers: { [name: string]: (event: any) => any });
    validate(event: any): any;
  }
}
