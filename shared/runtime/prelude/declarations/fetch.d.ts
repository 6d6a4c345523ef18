// fetch and what goes with it.

/** fetch with the addresses and limits of BaaS.request; bodies are whole, there is no ReadableStream. */
declare function fetch(input: string | URL | Request, init?: RequestInit): Promise<Response>;
type BodyInit = string | Bytes | Blob | FormData | URLSearchParams | AsyncIterable<Uint8Array | string>;
type HeadersInit = Headers | Record<string, string> | Iterable<readonly [string, string]>;
interface RequestInit {
  method?: string;
  headers?: HeadersInit;
  body?: BodyInit | null;
  signal?: AbortSignal | null;
  redirect?: "follow" | "error" | "manual";
  duplex?: "half";
  [unused: string]: any;
}
interface Body {
  /** Its bytes in one piece, by for await. */
  readonly body: AsyncIterable<Uint8Array> | null;
  readonly bodyUsed: boolean;
  arrayBuffer(): Promise<ArrayBuffer>;
  bytes(): Promise<Uint8Array>;
  text(): Promise<string>;
  json(): Promise<any>;
  blob(): Promise<Blob>;
  formData(): Promise<FormData>;
}
interface Request extends Body {}
declare class Request {
  constructor(input: string | URL | Request, init?: RequestInit);
  readonly method: string;
  readonly url: string;
  readonly headers: Headers;
  readonly signal: AbortSignal;
  readonly redirect: "follow" | "error" | "manual";
  clone(): Request;
}
interface Response extends Body {}
declare class Response {
  constructor(body?: BodyInit | null, init?: { status?: number; statusText?: string; headers?: HeadersInit });
  readonly status: number;
  readonly ok: boolean;
  readonly statusText: string;
  readonly headers: Headers;
  readonly url: string;
  readonly redirected: boolean;
  readonly type: string;
  clone(): Response;
  static json(data: any, init?: { status?: number; statusText?: string; headers?: HeadersInit }): Response;
  static error(): Response;
  static redirect(url: string | URL, status?: 301 | 302 | 303 | 307 | 308): Response;
}
declare class Headers implements Iterable<[string, string]> {
  constructor(init?: HeadersInit);
  append(name: string, value: string): void;
  set(name: string, value: string): void;
  delete(name: string): void;
  get(name: string): string | null;
  has(name: string): boolean;
  getSetCookie(): string[];
  forEach(f: (value: string, name: string, headers: Headers) => void, self?: any): void;
  entries(): IterableIterator<[string, string]>;
  keys(): IterableIterator<string>;
  values(): IterableIterator<string>;
  [Symbol.iterator](): IterableIterator<[string, string]>;
}
declare class FormData implements Iterable<[string, string | File]> {
  append(name: string, value: string | number | boolean | Blob, filename?: string): void;
  set(name: string, value: string | number | boolean | Blob, filename?: string): void;
  delete(name: string): void;
  get(name: string): string | File | null;
  getAll(name: string): (string | File)[];
  has(name: string): boolean;
  forEach(f: (value: string | File, name: string, form: FormData) => void, self?: any): void;
  entries(): IterableIterator<[string, string | File]>;
  keys(): IterableIterator<string>;
  values(): IterableIterator<string | File>;
  [Symbol.iterator](): IterableIterator<[string, string | File]>;
}
/** Bytes with a type. */
declare class Blob {
  constructor(
    parts?: Iterable<string | Bytes | Blob>, options?: { type?: string; endings?: "transparent" | "native" },
  );
  readonly size: number;
  readonly type: string;
  slice(start?: number, end?: number, type?: string): Blob;
  arrayBuffer(): Promise<ArrayBuffer>;
  text(): Promise<string>;
}
declare class File extends Blob {
  constructor(
    parts: Iterable<string | Bytes | Blob>, name: string, options?: { type?: string; lastModified?: number },
  );
  readonly name: string;
  readonly lastModified: number;
}

type BlobClass = typeof Blob;
type FileClass = typeof File;
