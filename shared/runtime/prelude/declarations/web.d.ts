// What browsers have, too: addresses, texts, events.

declare class URL {
  constructor(url: string | URL, base?: string | URL);
  static canParse(url: string | URL, base?: string | URL): boolean;
  static parse(url: string | URL, base?: string | URL): URL | null;
  href: string;
  protocol: string;
  username: string;
  password: string;
  host: string;
  hostname: string;
  port: string;
  pathname: string;
  search: string;
  hash: string;
  readonly origin: string;
  readonly searchParams: URLSearchParams;
  toString(): string;
  toJSON(): string;
}
declare class URLSearchParams implements Iterable<[string, string]> {
  constructor(init?: string | { [name: string]: any } | Iterable<[string, any]>);
  readonly size: number;
  append(name: string, value: any): void;
  delete(name: string, value?: any): void;
  get(name: string): string | null;
  getAll(name: string): string[];
  has(name: string, value?: any): boolean;
  set(name: string, value: any): void;
  sort(): void;
  forEach(callback: (value: string, name: string, params: URLSearchParams) => void, self?: any): void;
  entries(): IterableIterator<[string, string]>;
  keys(): IterableIterator<string>;
  values(): IterableIterator<string>;
  [Symbol.iterator](): IterableIterator<[string, string]>;
  toString(): string;
}

declare class TextEncoder {
  readonly encoding: "utf-8";
  encode(text?: string): Uint8Array<ArrayBuffer>;
  encodeInto(text: string, target: Uint8Array): { read: number; written: number };
}
/**
 * utf-8, utf-16le and -16be, windows-1252 (latin1, ascii), gbk, gb18030, big5, shift_jis, euc-kr and others of the
 * web.
 */
declare class TextDecoder {
  constructor(encoding?: string, options?: { fatal?: boolean; ignoreBOM?: boolean });
  readonly encoding: string;
  readonly fatal: boolean;
  readonly ignoreBOM: boolean;
  decode(bytes?: Bytes, options?: { stream?: boolean }): string;
}
/** Base64 of a string of bytes, and back. */
declare function btoa(bytes: string): string;
declare function atob(base64: string): string;
/** A deep copy, also of Map, Set, Date, typed arrays, errors and cycles. */
declare function structuredClone<T>(value: T, options?: { transfer?: ArrayBuffer[] }): T;

interface EventOptions {
  bubbles?: boolean;
  cancelable?: boolean;
  composed?: boolean;
}
declare class Event {
  constructor(type: string, options?: EventOptions);
  readonly type: string;
  readonly target: EventTarget | null;
  readonly currentTarget: EventTarget | null;
  readonly defaultPrevented: boolean;
  readonly bubbles: boolean;
  readonly cancelable: boolean;
  readonly composed: boolean;
  readonly isTrusted: false;
  readonly timeStamp: number;
  preventDefault(): void;
  stopPropagation(): void;
  stopImmediatePropagation(): void;
  composedPath(): EventTarget[];
}
type EventListener = ((event: Event) => void) | { handleEvent(event: Event): void } | null;
declare class CustomEvent<Detail = any> extends Event {
  constructor(type: string, init?: { detail?: Detail; bubbles?: boolean; cancelable?: boolean; composed?: boolean });
  readonly detail: Detail;
}
declare class EventTarget {
  addEventListener(type: string, listener: EventListener, options?: { once?: boolean; signal?: AbortSignal }): void;
  removeEventListener(type: string, listener: EventListener): void;
  dispatchEvent(event: Event): boolean;
}
declare class AbortSignal extends EventTarget {
  private constructor();
  static abort(reason?: any): AbortSignal;
  static timeout(ms: number): AbortSignal;
  static any(signals: AbortSignal[]): AbortSignal;
  readonly aborted: boolean;
  readonly reason: any;
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

type URLClass = typeof URL;
type URLSearchParamsClass = typeof URLSearchParams;
type TextEncoderClass = typeof TextEncoder;
type TextDecoderClass = typeof TextDecoder;
