// What a cloud function finds around itself. Use it with "lib": ["ES2023"] and
// without "DOM" or @types/node, e.g. by a first line
//   /// <reference path="./baas.d.ts" />

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

  /** A request as axios has it. */
  interface RequestConfig {
    /** http or https; private addresses are refused. */
    url?: string;
    baseURL?: string;
    /** Default GET. */
    method?: string;
    headers?: Record<string, any>;
    /** Become the query. */
    params?: any;
    paramsSerializer?: ((params: any) => string) | { serialize: (params: any) => string };
    /**
     * For GET and HEAD it becomes the query. Else the body: bytes and strings
     * as they are, URLSearchParams as a form, anything else as JSON.
     */
    data?: any;
    /** Milliseconds, at most 60,000. */
    timeout?: number;
    /** Default: text that is JSON is parsed, other text is a string, bytes are a Buffer. */
    responseType?: "json" | "text" | "arraybuffer";
    /** Default 5, at most 20. */
    maxRedirects?: number;
    maxContentLength?: number;
    /** Default 200 to 299; other statuses reject. */
    validateStatus?: ((status: number) => boolean) | null;
    auth?: { username: string; password: string };
    signal?: AbortSignal;
    cancelToken?: CancelToken;
    transformRequest?: ((data: any, headers: Record<string, string>) => any) | ((data: any, headers: Record<string, string>) => any)[];
    transformResponse?: ((data: any, headers?: Record<string, string>, status?: number) => any) | ((data: any, headers?: Record<string, string>, status?: number) => any)[];
  }

  /** Why a request failed: "Request failed with status code 404" and the like. */
  interface RequestError extends Error {
    /** ERR_BAD_REQUEST, ERR_BAD_RESPONSE, ECONNABORTED, ENOTFOUND, ECONNREFUSED, ERR_BLOCKED_ADDRESS … */
    code?: string;
    isAxiosError: true;
    /** Absent when there was no answer. */
    response?: Answer;
    status?: number;
    config: RequestConfig;
  }

  interface CancelToken {
    readonly promise: Promise<any>;
    readonly reason?: Error;
    throwIfRequested(): void;
  }

  interface Interceptors<Value> {
    use(fulfilled?: (value: Value) => any, rejected?: (error: any) => any): number;
    eject(id: number): void;
    clear(): void;
  }

  interface Requester {
    <Data = any>(config: RequestConfig): Promise<Answer<Data>>;
    <Data = any>(url: string, config?: RequestConfig): Promise<Answer<Data>>;
    request<Data = any>(config: RequestConfig): Promise<Answer<Data>>;
    get<Data = any>(url: string, config?: RequestConfig): Promise<Answer<Data>>;
    delete<Data = any>(url: string, config?: RequestConfig): Promise<Answer<Data>>;
    head<Data = any>(url: string, config?: RequestConfig): Promise<Answer<Data>>;
    options<Data = any>(url: string, config?: RequestConfig): Promise<Answer<Data>>;
    post<Data = any>(url: string, data?: any, config?: RequestConfig): Promise<Answer<Data>>;
    put<Data = any>(url: string, data?: any, config?: RequestConfig): Promise<Answer<Data>>;
    patch<Data = any>(url: string, data?: any, config?: RequestConfig): Promise<Answer<Data>>;
    getUri(config?: RequestConfig): string;
    create(config?: RequestConfig): Requester;
    defaults: RequestConfig;
    interceptors: { request: Interceptors<RequestConfig>; response: Interceptors<Answer> };
    isAxiosError(error: any): error is RequestError;
    isCancel(error: any): boolean;
    all<T>(values: (T | Promise<T>)[]): Promise<T[]>;
    spread<T, R>(f: (...values: T[]) => R): (values: T[]) => R;
    CancelToken: { new (executor: (cancel: (message?: string) => void) => void): CancelToken; source(): { token: CancelToken; cancel(message?: string): void } };
  }

  /** The only way to the network, with the manners of axios; at most 50 at once. */
  const request: Requester;

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

  class GeoPoint {
    constructor(longitude: number, latitude: number);
    toGeoJSON(): object;
  }
  class GeoPolygon {
    /** At least 4 points, the last the same as the first. */
    constructor(points: ([longitude: number, latitude: number] | GeoPoint)[]);
    toGeoJSON(): object;
  }

  /** Conditions on rows; they hold all together. A Date is sent as ISO text. */
  class Query {
    static and(...queries: Query[]): Query;
    static or(...queries: Query[]): Query;
    compare(field: string, operator: "=" | "!=" | "<" | "<=" | ">" | ">=", value: any): this;
    /** The text occurs in the field, case-sensitive. */
    contains(field: string, text: string): this;
    /** Flags i, m and s count; look-around and back-references are refused. */
    matches(field: string, pattern: RegExp): this;
    in(field: string, values: any[]): this;
    notIn(field: string, values: any[]): this;
    /** The array column holds all of them. */
    arrayContains(field: string, values: any[]): this;
    /** from ≤ value < to */
    range(field: string, bounds: [from: any, to: any]): this;
    isNull(...fields: (string | string[])[]): this;
    isNotNull(...fields: (string | string[])[]): this;
    exists(...fields: (string | string[])[]): this;
    notExists(...fields: (string | string[])[]): this;
    hasKey(field: string, key: string): this;
    /** The shape holds the point. */
    include(field: string, point: GeoPoint): this;
    within(field: string, polygon: GeoPolygon): this;
    withinCircle(field: string, point: GeoPoint, kilometres: number): this;
    /** Nearest first. */
    withinRegion(field: string, point: GeoPoint, maxMetres?: number, minMetres?: number): this;
    /** The `where` of the HTTP interface. */
    readonly queryObject: object;
    toJSON(): object;
  }

  /** Changes to one record, or to all that a query selects; empty again when they were sent. */
  interface Record {
    readonly id: any;
    /** A record becomes what a pointer to it holds, in created_by its id. */
    set(field: string, value: any): this;
    set(fields: { [field: string]: any }): this;
    unset(...fields: (string | string[] | object)[]): this;
    /** Atomic, as all that follow. */
    incrementBy(field: string, n: number): this;
    append(field: string, items: any): this;
    /** Appends what is not there yet. */
    uAppend(field: string, items: any): this;
    /** Of objects, shapes and files only the first item. */
    remove(field: string, items: any): this;
    patchObject(field: string, values: object): this;
    /** Takes the last item away, shift the first. */
    pop(field: string): this;
    shift(field: string): this;
  }
  interface WriteOptions {
    /** false = without firing triggers. */
    enableTrigger?: boolean;
    /** Of many records: also count all that match. */
    withCount?: boolean;
  }
  interface NewRow extends Record {
    save(options?: WriteOptions): Promise<Answer>;
  }
  interface StoredRow extends Record {
    update(options?: WriteOptions): Promise<Answer>;
  }

  /** What lists take; the settings hold for the next request only. */
  class Selection {
    setQuery(query: Query): this;
    /** Default 20, at most 1000. */
    limit(n: number): this;
    offset(n: number): this;
    /** A leading minus descends. */
    orderBy(fields: string | string[]): this;
    /** Fields to show, or with a leading minus those not to. */
    select(fields: string | string[]): this;
    /** Puts records in the place of pointers to them, and of created_by; select("ptr.field") shows parts of them. */
    expand(fields: string | string[]): this;
  }

  /** Rows of a table. In answers _id is id, and read_perm and write_perm are there, too. */
  class TableObject extends Selection {
    constructor(table: string | number);
    get(id: string | number): Promise<Answer>;
    find(options?: { withCount?: boolean }): Promise<Answer<Page>>;
    count(): Promise<number>;
    create(): NewRow;
    /** At most 1000 rows. */
    createMany(rows: object[], options?: WriteOptions): Promise<Answer>;
    /**
     * The row of that id, or the rows of the query, to be changed unread: 1000 of them, limit() says fewer. With
     * enableTrigger false and no limit all are changed; of more than 1000 the answer is then {status, operation_id},
     * see getAsyncJobResult.
     */
    getWithoutData(target: string | number | Query): StoredRow;
    delete(target: string | number | Query, options?: WriteOptions): Promise<Answer>;
  }

  /** Tables themselves. */
  class TableSchema {
    /** {name, schema: {fields}, row_read_perm, row_write_perm, write_perm} */
    createSchema(info: object): Promise<Answer>;
    getSchema(id: string | number): Promise<Answer>;
    getSchemaList(options?: { offset?: number; limit?: number }): Promise<Answer<Page>>;
    updateSchema(id: string | number, info: object): Promise<Answer>;
    deleteSchema(id: string | number): Promise<Answer>;
  }

  interface NewUser extends Record {
    /** Needs _username, _phone, _email or _provider; _password needs a name or an email. */
    save(): Promise<Answer>;
  }
  interface StoredUser extends Record {
    update(options?: WriteOptions): Promise<Answer>;
    /** How the user logs in; null resets. */
    setAccount(account: { username?: string | null; email?: string | null; phone?: string | null; password?: string }): Promise<Answer>;
  }

  /** Users of the application. */
  class User extends Selection {
    get(id: number): Promise<Answer>;
    find(options?: { withCount?: boolean }): Promise<Answer<Page>>;
    count(): Promise<number>;
    create(): NewUser;
    /** Custom fields, nickname gender country province city language avatar. */
    getWithoutData(target: number | Query): StoredUser;
    delete(id: number): Promise<Answer>;
  }

  class UserGroup {
    get(id: number): Promise<Answer>;
    getUserGroupList(options?: { parentID?: number; offset?: number; limit?: number }): Promise<Answer<Page>>;
    create(group: { name: string; parent?: number }): Promise<Answer>;
    update(id: number, group: { name: string }): Promise<Answer>;
    delete(ids: number | number[]): Promise<Answer>;
    addUserIntoGroup(users: any, groups: number | number[]): Promise<Answer>;
    removeUserFromGroup(users: any, groups: number | number[]): Promise<Answer>;
  }
  /** Rejects with 611: groups have no groups yet. */
  class UserSuperGroup {
    get(id: number): Promise<Answer>;
    getUserSuperGroupList(options?: { offset?: number; limit?: number }): Promise<Answer<Page>>;
    create(group: object): Promise<Answer>;
    update(id: number, group: object): Promise<Answer>;
    delete(ids: number | number[]): Promise<Answer>;
  }

  interface OrderFilters {
    id?: number;
    status?: "pending" | "success";
    refund_status?: "complete" | "partial" | "failed" | "";
    trade_no?: string;
    transaction_no?: string;
    gateway_type?: "chatpay" | "altpay";
    merchandise_record_id?: string;
    merchandise_schema_id?: number;
    created_by_id?: number;
    /** Unix seconds, as the next two. */
    created_at?: number;
    paid_at__gte?: number;
    paid_at__lte?: number;
    limit?: number;
    offset?: number;
  }

  /** Payment orders. */
  class Order {
    getOrderList(filters?: OrderFilters): Promise<Answer<Page>>;
    /** The same. */
    find(filters?: OrderFilters): Promise<Answer<Page>>;
    /** Rejects with 611, as chatPay and alt do. */
    refund(options: any): Promise<never>;
  }
  function getOrderList(filters?: OrderFilters): Promise<Answer<Page>>;

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

  function getServerDate(): Promise<Answer<{ time: string }>>;
  /** What became of a change of more than 1000 records. */
  function getAsyncJobResult(id: number): Promise<Answer>;

  /** Calls onCreate, onBulkUpdate … by event.data.event; what nobody handles is valid. */
  class Validator {
    constructor(handlers: { [name: string]: (event: any) => any });
    validate(event: any): any;
  }

  // What follows rejects with code 611: it is there so that code that names it loads.
  function sendSmsCode(options: any): Promise<never>;
  function verifySmsCode(options: any): Promise<never>;
  function sendSmsMessage(options: any): Promise<never>;
  function sendTemplateMessage(options: any): Promise<never>;
  function getTemplateMsgTicketCount(options: any): Promise<never>;
  function chatAccessToken(...options: any[]): Promise<never>;
  function chatCensorImage(...options: any[]): Promise<never>;
  function chatCensorText(...options: any[]): Promise<never>;
  function getChatCode(...options: any[]): Promise<never>;
  function chatPromotionTransfer(...options: any[]): Promise<never>;
  function RedPack(...options: any[]): Promise<never>;
  function censorText(...options: any[]): Promise<never>;
  const chat: { [name: string]: (...options: any[]) => Promise<never> };
  const alt: { [name: string]: (...options: any[]) => Promise<never> };
  const tpay: { [name: string]: (...options: any[]) => Promise<never> };
  class File { [name: string]: any }
  class FileCategory { [name: string]: any }
  class Content { [name: string]: any }
  class ContentGroup { [name: string]: any }
  class ContentCategory { [name: string]: any }
}

/** Writes to the log of the run; objects are shown to depth 4. */
declare const console: {
  log(...values: any[]): void;
  info(...values: any[]): void;
  warn(...values: any[]): void;
  error(...values: any[]): void;
  /** As log. */
  debug(...values: any[]): void;
  /** Writes the stack at level ERROR. */
  trace(...values: any[]): void;
  dir(value: any, options?: InspectOptions): void;
  table(data: any, columns?: string[]): void;
  assert(condition: any, ...values: any[]): void;
  count(label?: string): void;
  countReset(label?: string): void;
  time(label?: string): void;
  timeLog(label?: string, ...values: any[]): void;
  timeEnd(label?: string): void;
  group(...values: any[]): void;
  groupCollapsed(...values: any[]): void;
  groupEnd(): void;
};

interface InspectOptions { depth?: number | null; compact?: boolean | number; breakLength?: number; maxArrayLength?: number | null; maxStringLength?: number | null; showHidden?: boolean }

interface ErrorConstructor {
  /** Gives an object the `stack` of here, without the frames from the function on. */
  captureStackTrace(target: object, from?: Function): void;
}
interface ArrayConstructor {
  fromAsync<T>(items: AsyncIterable<T> | Iterable<T | PromiseLike<T>> | ArrayLike<T | PromiseLike<T>>): Promise<T[]>;
  fromAsync<T, U>(items: AsyncIterable<T> | Iterable<T> | ArrayLike<T>, map: (value: Awaited<T>, index: number) => U, self?: any): Promise<Awaited<U>[]>;
}

interface Timeout { ref(): this; unref(): this; hasRef(): boolean; refresh(): this; close(): this }
/** The run ends when no timer, call or promise job is left, or its time is up; a timer after unref() does not count. */
declare function setTimeout<A extends any[]>(callback: (...args: A) => void, ms?: number, ...args: A): Timeout;
declare function setInterval<A extends any[]>(callback: (...args: A) => void, ms?: number, ...args: A): Timeout;
declare function setImmediate<A extends any[]>(callback: (...args: A) => void, ...args: A): Timeout;
declare function clearTimeout(timeout?: Timeout | number): void;
declare function clearInterval(timeout?: Timeout | number): void;
declare function clearImmediate(immediate?: Timeout | number): void;
declare function queueMicrotask(callback: () => void): void;
/** now: milliseconds since the run began. */
declare const performance: { now(): number; readonly timeOrigin: number };

/** The function's variables, a clock, and what packages ask of a process; there is none. */
declare const process: {
  /** Variables and secrets of the function in this environment. */
  readonly env: Record<string, string | undefined>;
  nextTick<A extends any[]>(callback: (...args: A) => void, ...args: A): void;
  /** What is written is logged, line by line. */
  readonly stdout: { write(text: string | Uint8Array): boolean; readonly isTTY: false };
  readonly stderr: { write(text: string | Uint8Array): boolean; readonly isTTY: false };
  /** [seconds, nanoseconds] since the run began. */
  hrtime: { (before?: [number, number]): [number, number]; bigint(): bigint };
  /** Seconds since the run began. */
  uptime(): number;
  memoryUsage(): { heapUsed: number; heapTotal: number; rss: number; external: number; arrayBuffers: number };
  cwd(): string;
  readonly argv: string[];
  readonly version: string;
  readonly versions: Record<string, string>;
  readonly platform: string;
  readonly arch: string;
  readonly pid: number;
  emitWarning(warning: string | Error, type?: string | object, code?: string): void;
  on(event: string | symbol, listener: (...args: any[]) => void): any;
  once(event: string | symbol, listener: (...args: any[]) => void): any;
  off(event: string | symbol, listener: (...args: any[]) => void): any;
  emit(event: string | symbol, ...args: any[]): boolean;
  readonly [name: string]: any;
};

/**
 * Every module of Node loads, with or without "node:"; what it cannot do here throws when it is called.
 * These work: assert, assert/strict, async_hooks, buffer, console, constants, crypto, diagnostics_channel, events,
 * fs, fs/promises (in memory, below /tmp), module, os, path, path/posix, perf_hooks, process, punycode, querystring, stream, stream/consumers,
 * stream/promises, string_decoder, sys, timers, timers/promises, tty, url, util, util/types, v8, zlib (no brotli).
 * These only load: child_process, cluster, dgram, dns, dns/promises, domain, http, http2, https,
 * inspector, inspector/promises, net, path/win32, readline, readline/promises, repl, stream/web, tls,
 * trace_events, vm, wasi, worker_threads.
 * Packages are bundled into the function with esbuild; any other module throws an error that says how.
 */
declare function require(name: "crypto" | "node:crypto"): typeof import("crypto");
declare function require(name: string): any;
declare const exports: { main?: CloudFunctionMain; [name: string]: any };
declare const module: { exports: any };
/**
 * DateTimeFormat, NumberFormat, Collator, PluralRules, RelativeTimeFormat and ListFormat of en-US and zh-CN (other
 * languages are answered as en-US), in every time zone; the default zone is the application's.
 */
declare namespace Intl {}
declare const global: typeof globalThis;
declare const self: typeof globalThis;

declare class URL {
  constructor(url: string | URL, base?: string | URL);
  static canParse(url: string | URL, base?: string | URL): boolean;
  static parse(url: string | URL, base?: string | URL): URL | null;
  href: string; protocol: string; username: string; password: string; host: string; hostname: string; port: string; pathname: string; search: string; hash: string;
  readonly origin: string;
  readonly searchParams: URLSearchParams;
  toString(): string;
  toJSON(): string;
}
declare class URLSearchParams implements Iterable<[string, string]> {
  constructor(init?: string | Record<string, any> | Iterable<[string, string]>);
  readonly size: number;
  append(name: string, value: any): void;
  delete(name: string, value?: any): void;
  get(name: string): string | null;
  getAll(name: string): string[];
  has(name: string, value?: any): boolean;
  set(name: string, value: any): void;
  sort(): void;
  forEach(callback: (value: string, name: string, params: URLSearchParams) => void, thisArg?: any): void;
  entries(): IterableIterator<[string, string]>;
  keys(): IterableIterator<string>;
  values(): IterableIterator<string>;
  [Symbol.iterator](): IterableIterator<[string, string]>;
  toString(): string;
}

declare class TextEncoder {
  readonly encoding: "utf-8";
  encode(text?: string): Uint8Array;
  encodeInto(text: string, target: Uint8Array): { read: number; written: number };
}
/** utf-8, utf-16le and windows-1252 (latin1, ascii). */
declare class TextDecoder {
  constructor(encoding?: string, options?: { fatal?: boolean; ignoreBOM?: boolean });
  readonly encoding: string; readonly fatal: boolean; readonly ignoreBOM: boolean;
  decode(bytes?: ArrayBuffer | ArrayBufferView, options?: { stream?: boolean }): string;
}
/** Base64 of a string of bytes, and back. */
declare function btoa(bytes: string): string;
declare function atob(base64: string): string;
/** A deep copy, also of Map, Set, Date, typed arrays, errors and cycles. */
declare function structuredClone<T>(value: T, options?: { transfer?: ArrayBuffer[] }): T;

type DigestName = "SHA-1" | "SHA-256" | "SHA-384" | "SHA-512";
type Bytes = ArrayBuffer | ArrayBufferView;
declare class CryptoKey { private constructor(); readonly type: "secret" | "public" | "private"; readonly extractable: boolean; readonly algorithm: any; readonly usages: string[] }
/** AES-CBC, AES-CTR, AES-GCM, HMAC, RSASSA-PKCS1-v1_5, RSA-PSS, RSA-OAEP, ECDSA, ECDH, Ed25519, X25519, PBKDF2, HKDF; keys as raw, pkcs8, spki, jwk. */
interface SubtleCrypto {
  digest(algorithm: DigestName | { name: DigestName }, data: Bytes): Promise<ArrayBuffer>;
  encrypt(algorithm: any, key: CryptoKey, data: Bytes): Promise<ArrayBuffer>;
  decrypt(algorithm: any, key: CryptoKey, data: Bytes): Promise<ArrayBuffer>;
  sign(algorithm: any, key: CryptoKey, data: Bytes): Promise<ArrayBuffer>;
  verify(algorithm: any, key: CryptoKey, signature: Bytes, data: Bytes): Promise<boolean>;
  deriveBits(algorithm: any, key: CryptoKey, length: number | null): Promise<ArrayBuffer>;
  deriveKey(algorithm: any, key: CryptoKey, derived: any, extractable: boolean, usages: string[]): Promise<CryptoKey>;
  importKey(format: "raw" | "pkcs8" | "spki" | "jwk", key: any, algorithm: any, extractable: boolean, usages: string[]): Promise<CryptoKey>;
  exportKey(format: "raw" | "pkcs8" | "spki" | "jwk", key: CryptoKey): Promise<any>;
  generateKey(algorithm: any, extractable: boolean, usages: string[]): Promise<any>;
  wrapKey(format: string, key: CryptoKey, wrappingKey: CryptoKey, algorithm: any): Promise<ArrayBuffer>;
  unwrapKey(format: string, wrapped: Bytes, key: CryptoKey, algorithm: any, keyAlgorithm: any, extractable: boolean, usages: string[]): Promise<CryptoKey>;
}
declare const crypto: {
  randomUUID(): string;
  /** At most 65536 bytes. */
  getRandomValues<T extends ArrayBufferView>(array: T): T;
  readonly subtle: SubtleCrypto;
};

/** Node's crypto, computed by the platform: hashes, AES, RSA, ECDSA, Ed25519, key derivation, certificates. No DSA, no classical Diffie-Hellman. */
declare module "crypto" {
  type Data = string | Bytes;
  type Key = KeyObject | CryptoKey | Data | { key: Data | KeyObject | object; format?: "pem" | "der" | "jwk"; type?: "pkcs1" | "pkcs8" | "spki" | "sec1"; passphrase?: Data; padding?: number; saltLength?: number; dsaEncoding?: "der" | "ieee-p1363"; oaepHash?: string; oaepLabel?: Data };
  interface Output { (): Buffer; (encoding: BufferEncoding): string }
  /** As a stream too: source.pipe(hash). */
  interface Hash { update(data: Data, encoding?: BufferEncoding): this; digest: Output; copy(): Hash }
  interface Hmac { update(data: Data, encoding?: BufferEncoding): this; digest: Output }
  interface Cipher { update(data: Data, inputEncoding?: BufferEncoding | null): Buffer; update(data: Data, inputEncoding: BufferEncoding | null | undefined, outputEncoding: BufferEncoding): string; final: Output; setAutoPadding(on?: boolean): this; setAAD(data: Bytes): this }
  interface Cipheriv extends Cipher { getAuthTag(): Buffer }
  interface Decipheriv extends Cipher { setAuthTag(tag: Data, encoding?: BufferEncoding): this }
  interface Sign { update(data: Data, encoding?: BufferEncoding): this; sign(key: Key): Buffer; sign(key: Key, encoding: BufferEncoding): string }
  interface Verify { update(data: Data, encoding?: BufferEncoding): this; verify(key: Key, signature: Data, encoding?: BufferEncoding): boolean }
  interface KeyObject { readonly type: "secret" | "public" | "private"; readonly asymmetricKeyType?: string; readonly asymmetricKeyDetails?: any; readonly symmetricKeySize?: number; export(options?: any): any; equals(other: KeyObject): boolean }
  interface ECDH { generateKeys(encoding?: BufferEncoding, format?: string): any; computeSecret(other: Data, inputEncoding?: BufferEncoding, outputEncoding?: BufferEncoding): any; getPublicKey(encoding?: BufferEncoding | null, format?: string): any; getPrivateKey(encoding?: BufferEncoding): any; setPrivateKey(key: Data, encoding?: BufferEncoding): this }
  class X509Certificate {
    constructor(certificate: Data);
    readonly subject: string; readonly issuer: string; readonly subjectAltName?: string; readonly infoAccess?: string; readonly validFrom: string; readonly validTo: string; readonly fingerprint: string; readonly fingerprint256: string; readonly fingerprint512: string; readonly keyUsage?: string[]; readonly serialNumber: string; readonly ca: boolean; readonly raw: Buffer; readonly publicKey: KeyObject;
    checkHost(name: string, options?: any): string | undefined; checkEmail(email: string): string | undefined; checkIP(ip: string): string | undefined;
    checkIssued(other: X509Certificate): boolean; checkPrivateKey(key: KeyObject): boolean; verify(key: KeyObject): boolean; toString(): string;
  }
  const constants: Record<"RSA_PKCS1_PADDING" | "RSA_NO_PADDING" | "RSA_PKCS1_OAEP_PADDING" | "RSA_PKCS1_PSS_PADDING" | "RSA_PSS_SALTLEN_DIGEST" | "RSA_PSS_SALTLEN_MAX_SIGN" | "RSA_PSS_SALTLEN_AUTO", number>;
  const subtle: SubtleCrypto, webcrypto: typeof globalThis.crypto;
  /** md5, sha1, sha224, sha256, sha384, sha512, sha3-256 …, also as RSA-SHA256. */
  function createHash(algorithm: string): Hash;
  function createHmac(algorithm: string, key: Data | KeyObject | CryptoKey): Hmac;
  function hash(algorithm: string, data: Data, encoding?: BufferEncoding | "buffer"): any;
  /** aes-128, 192 or 256 with cbc, ecb, ctr or gcm; des-ede3-cbc. */
  function createCipheriv(algorithm: string, key: Data | KeyObject, iv: Data | null, options?: { authTagLength?: number }): Cipheriv;
  function createDecipheriv(algorithm: string, key: Data | KeyObject, iv: Data | null, options?: { authTagLength?: number }): Decipheriv;
  function createSign(algorithm: string): Sign;
  function createVerify(algorithm: string): Verify;
  function sign(algorithm: string | null | undefined, data: Bytes, key: Key): Buffer;
  function verify(algorithm: string | null | undefined, data: Bytes, key: Key, signature: Bytes): boolean;
  function publicEncrypt(key: Key, data: Data): Buffer;
  function privateDecrypt(key: Key, data: Data): Buffer;
  function privateEncrypt(key: Key, data: Data): Buffer;
  function publicDecrypt(key: Key, data: Data): Buffer;
  function createPublicKey(key: Key): KeyObject;
  function createPrivateKey(key: Key): KeyObject;
  function createSecretKey(key: Data, encoding?: BufferEncoding): KeyObject;
  function generateKeyPairSync(type: "rsa" | "ec" | "ed25519" | "x25519", options?: any): { publicKey: any; privateKey: any };
  function generateKeyPair(type: "rsa" | "ec" | "ed25519" | "x25519", options: any, callback: (error: Error | null, publicKey: any, privateKey: any) => void): void;
  function generateKeySync(type: "hmac" | "aes", options: { length: number }): KeyObject;
  function createECDH(curve: string): ECDH;
  function diffieHellman(keys: { privateKey: KeyObject; publicKey: KeyObject }): Buffer;
  function pbkdf2Sync(password: Data, salt: Data, iterations: number, length: number, digest: string): Buffer;
  function pbkdf2(password: Data, salt: Data, iterations: number, length: number, digest: string, callback: (error: Error | null, key: Buffer) => void): void;
  function scryptSync(password: Data, salt: Data, length: number, options?: { N?: number; r?: number; p?: number; maxmem?: number }): Buffer;
  function hkdfSync(digest: string, key: Data | KeyObject, salt: Data, info: Data, length: number): ArrayBuffer;
  function randomBytes(size: number): Buffer;
  function randomInt(max: number): number;
  function randomInt(min: number, max: number): number;
  function randomFillSync<T extends Bytes>(target: T, offset?: number, size?: number): T;
  function randomUUID(): string;
  function timingSafeEqual(a: Bytes, b: Bytes): boolean;
  function getHashes(): string[];
  function getCiphers(): string[];
  function getCurves(): string[];
}
declare module "node:crypto" { export * from "crypto"; }

type BufferEncoding = "utf8" | "utf-8" | "hex" | "base64" | "base64url" | "latin1" | "binary" | "ascii" | "utf16le" | "ucs2";
/** Node's Buffer: a Uint8Array with text and numbers. */
declare const Buffer: {
  from(value: string | ArrayBuffer | ArrayLike<number> | { type: "Buffer"; data: number[] }, encodingOrOffset?: BufferEncoding | number, length?: number): Buffer;
  alloc(size: number, fill?: string | number | Uint8Array, encoding?: BufferEncoding): Buffer;
  allocUnsafe(size: number): Buffer;
  concat(list: Uint8Array[], length?: number): Buffer;
  byteLength(value: string | ArrayBuffer | ArrayBufferView, encoding?: BufferEncoding): number;
  compare(a: Uint8Array, b: Uint8Array): -1 | 0 | 1;
  isBuffer(value: any): value is Buffer;
  isEncoding(name: string): name is BufferEncoding;
};
interface Buffer extends Omit<Uint8Array, "slice" | "subarray" | "toString"> {
  toString(encoding?: BufferEncoding, start?: number, end?: number): string;
  write(text: string, offset?: number, length?: number, encoding?: BufferEncoding): number;
  equals(other: Uint8Array): boolean;
  compare(target: Uint8Array, targetStart?: number, targetEnd?: number, start?: number, end?: number): -1 | 0 | 1;
  copy(target: Uint8Array, targetStart?: number, start?: number, end?: number): number;
  /** Shares memory, unlike Array's slice. */
  slice(start?: number, end?: number): Buffer;
  subarray(start?: number, end?: number): Buffer;
  /** readUInt8 … writeDoubleBE, also with BigInt and 1 to 6 bytes, as in Node. */
  [readOrWrite: `${"read" | "write"}${string}`]: (...args: any[]) => any;
}

declare class Event {
  constructor(type: string, options?: { bubbles?: boolean; cancelable?: boolean; composed?: boolean });
  readonly type: string; readonly target: EventTarget | null; readonly currentTarget: EventTarget | null; readonly defaultPrevented: boolean; readonly cancelable: boolean; readonly timeStamp: number;
  preventDefault(): void;
  stopImmediatePropagation(): void;
}
declare class EventTarget {
  addEventListener(type: string, listener: ((event: Event) => void) | { handleEvent(event: Event): void } | null, options?: { once?: boolean; signal?: AbortSignal }): void;
  removeEventListener(type: string, listener: any): void;
  dispatchEvent(event: Event): boolean;
}
declare class AbortSignal extends EventTarget {
  static abort(reason?: any): AbortSignal;
  static timeout(ms: number): AbortSignal;
  static any(signals: AbortSignal[]): AbortSignal;
  readonly aborted: boolean; readonly reason: any;
  onabort: ((event: Event) => void) | null;
  throwIfAborted(): void;
}
declare class AbortController {
  readonly signal: AbortSignal;
  abort(reason?: any): void;
}
declare class DOMException extends Error {
  constructor(message?: string, name?: string | { name?: string; cause?: unknown });
  readonly code: number;
}
