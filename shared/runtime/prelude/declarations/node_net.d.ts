// Addresses and requests.

declare module "url" {
  const URL: URLClass;
  const URLSearchParams: URLSearchParamsClass;
  interface UrlParts {
    protocol?: string | null;
    slashes?: boolean | null;
    auth?: string | null;
    host?: string | null;
    port?: string | number | null;
    hostname?: string | null;
    hash?: string | null;
    search?: string | null;
    query?: any;
    pathname?: string | null;
    path?: string | null;
    href?: string;
  }
  /** @deprecated use new URL(text) */
  function parse(text: string, parseQuery?: boolean, slashesDenoteHost?: boolean): UrlParts;
  function format(
    url: URL, options?: { auth?: boolean; fragment?: boolean; search?: boolean; unicode?: boolean },
  ): string;
  function format(url: UrlParts | string): string;
  /** @deprecated use new URL(to, from) */
  function resolve(from: string, to: string): string;
  function urlToHttpOptions(url: URL): object;
  function domainToASCII(name: string): string;
  function domainToUnicode(name: string): string;
  function fileURLToPath(url: string | URL): string;
  function pathToFileURL(path: string): URL;
}
declare module "querystring" {
  type Values = { [name: string]: string | string[] | undefined };
  function parse(
    text: string, between?: string, equals?: string,
    options?: { maxKeys?: number; decodeURIComponent?: (text: string) => string },
  ): Values;
  function stringify(
    values?: object, between?: string, equals?: string, options?: { encodeURIComponent?: (text: string) => string },
  ): string;
  function escape(text: string): string;
  function unescape(text: string): string;
  const decode: typeof parse;
  const encode: typeof stringify;
}
declare module "punycode" {
  const version: string;
  function encode(text: string): string;
  function decode(text: string): string;
  function toASCII(name: string): string;
  function toUnicode(name: string): string;
  const ucs2: { encode(codes: number[]): string; decode(text: string): number[] };
}

declare module "http" {
  import { Readable, Writable } from "stream";
  interface RequestOptions {
    protocol?: string;
    host?: string;
    hostname?: string;
    port?: string | number;
    path?: string;
    method?: string;
    headers?: { [name: string]: any };
    auth?: string;
    timeout?: number;
    signal?: AbortSignal;
    agent?: Agent | boolean;
    [option: string]: any;
  }
  class Agent {
    constructor(options?: object);
  }
  class IncomingMessage extends Readable {
    private constructor();
    readonly statusCode?: number;
    readonly statusMessage?: string;
    readonly headers: { [name: string]: any };
    readonly rawHeaders: string[];
    readonly url?: string;
    readonly method?: string;
  }
  class OutgoingMessage extends Writable {
    readonly headersSent: boolean;
    setHeader(name: string, value: any): this;
    getHeader(name: string): any;
    getHeaders(): { [name: string]: any };
    getHeaderNames(): string[];
    hasHeader(name: string): boolean;
    removeHeader(name: string): void;
  }
  /** The request goes out whole at end(). */
  class ClientRequest extends OutgoingMessage {
    readonly method: string;
    readonly path: string;
    readonly host: string;
    readonly protocol: string;
    setTimeout(ms: number, listener?: () => void): this;
    /** @deprecated use destroy */
    abort(): void;
  }
  type Listener = (response: IncomingMessage) => void;
  /** By the door of BaaS.request: the same addresses, 60 s, 5 MB; bodies are whole. */
  function request(url: string | URL, listener?: Listener): ClientRequest;
  function request(url: string | URL, options: RequestOptions, listener?: Listener): ClientRequest;
  function request(options: RequestOptions, listener?: Listener): ClientRequest;
  function get(url: string | URL, listener?: Listener): ClientRequest;
  function get(url: string | URL, options: RequestOptions, listener?: Listener): ClientRequest;
  function get(options: RequestOptions, listener?: Listener): ClientRequest;
  const STATUS_CODES: { readonly [code: number]: string | undefined };
  const METHODS: string[];
  const globalAgent: Agent;
  const maxHeaderSize: number;
  function validateHeaderName(name: string): void;
  function validateHeaderValue(name: string, value: any): void;
}
declare module "https" {
  import { Agent, ClientRequest, IncomingMessage, RequestOptions, get, request } from "http";
  export { Agent, get, request };
  export const globalAgent: Agent;
}
/** There are no sockets: every other member throws when it is called. */
declare module "net" {
  /** 4, 6, or 0 when it is no address. */
  function isIP(text: string): 0 | 4 | 6;
  function isIPv4(text: string): boolean;
  function isIPv6(text: string): boolean;
}
