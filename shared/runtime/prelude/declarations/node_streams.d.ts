// Events and streams.

declare module "events" {
  type Name = string | symbol;
  class EventEmitter {
    constructor(options?: { captureRejections?: boolean });
    on(name: Name, listener: Listener): this;
    once(name: Name, listener: Listener): this;
    off(name: Name, listener: Listener): this;
    addListener(name: Name, listener: Listener): this;
    removeListener(name: Name, listener: Listener): this;
    removeAllListeners(name?: Name): this;
    prependListener(name: Name, listener: Listener): this;
    prependOnceListener(name: Name, listener: Listener): this;
    /** true when somebody listened; "error" without a listener throws. */
    emit(name: Name, ...args: any[]): boolean;
    listeners(name: Name): Function[];
    rawListeners(name: Name): Function[];
    listenerCount(name: Name): number;
    eventNames(): Name[];
    setMaxListeners(n: number): this;
    getMaxListeners(): number;
  }
  namespace EventEmitter {
    export { EventEmitter };
    export const errorMonitor: unique symbol;
    export const captureRejectionSymbol: unique symbol;
    export let captureRejections: boolean;
    export let defaultMaxListeners: number;
    export type Emitter = EventEmitter | EventTarget;
    /** The arguments of the next event of that name; rejects when "error" comes first. */
    export function once(emitter: Emitter, name: Name, options?: { signal?: AbortSignal }): Promise<any[]>;
    /** The arguments of all events of that name. */
    export function on(emitter: Emitter, name: Name, options?: { signal?: AbortSignal }): AsyncIterableIterator<any[]>;
    export function listenerCount(emitter: Emitter, name: Name): number;
    export function getEventListeners(emitter: Emitter, name: Name): Function[];
    export function getMaxListeners(emitter: Emitter): number;
    export function setMaxListeners(n?: number, ...emitters: Emitter[]): void;
    export function addAbortListener(signal: AbortSignal, listener: (event: Event) => void): object;
  }
  export = EventEmitter;
}

/** Node's own streams. */
declare module "stream" {
  import EventEmitter = require("events");

  type Chunk = any;
  type Done = (error?: Error | null) => void;
  interface StreamOptions {
    highWaterMark?: number;
    objectMode?: boolean;
    emitClose?: boolean;
    autoDestroy?: boolean;
    signal?: AbortSignal;
    destroy?(this: any, error: Error | null, done: Done): void;
    construct?(this: any, done: Done): void;
  }
  interface ReadableOptions extends StreamOptions {
    encoding?: BufferEncoding;
    read?(this: Readable, size: number): void;
  }
  interface WritableOptions extends StreamOptions {
    decodeStrings?: boolean;
    defaultEncoding?: BufferEncoding;
    write?(this: any, chunk: Chunk, encoding: BufferEncoding, done: Done): void;
    writev?(this: any, chunks: { chunk: Chunk; encoding: BufferEncoding }[], done: Done): void;
    final?(this: any, done: Done): void;
  }
  interface DuplexOptions extends Omit<ReadableOptions, "read">, WritableOptions {
    read?(this: any, size: number): void;
    allowHalfOpen?: boolean;
    readableObjectMode?: boolean;
    writableObjectMode?: boolean;
  }
  interface TransformOptions extends DuplexOptions {
    transform?(
      this: any, chunk: Chunk, encoding: BufferEncoding, done: (error?: Error | null, chunk?: Chunk) => void,
    ): void;
    flush?(this: any, done: (error?: Error | null, chunk?: Chunk) => void): void;
  }

  /** What can be piped into: a Writable, or a hash or cipher of crypto. */
  interface Target {
    on(name: string, listener: Listener): any;
    write(chunk: Chunk, ...more: any[]): boolean;
    end(...last: any[]): any;
  }
  class Stream extends EventEmitter {
    pipe<T extends Target>(target: T, options?: { end?: boolean }): T;
  }
  interface Ending {
    readonly destroyed: boolean;
    readonly errored: Error | null;
    readonly closed: boolean;
    destroy(error?: Error | null): this;
  }
  interface Readable extends Ending {}
  class Readable extends Stream implements AsyncIterable<Chunk> {
    constructor(options?: ReadableOptions);
    static from(source: Iterable<Chunk> | AsyncIterable<Chunk>, options?: ReadableOptions): Readable;
    static isDisturbed(stream: Readable): boolean;
    readonly readable: boolean;
    readonly readableEnded: boolean;
    readonly readableFlowing: boolean | null;
    readonly readableLength: number;
    readonly readableHighWaterMark: number;
    readonly readableObjectMode: boolean;
    read(size?: number): Chunk;
    push(chunk: Chunk, encoding?: BufferEncoding): boolean;
    unshift(chunk: Chunk, encoding?: BufferEncoding): void;
    setEncoding(encoding: BufferEncoding): this;
    pause(): this;
    resume(): this;
    isPaused(): boolean;
    unpipe(target?: Target): this;
    map(f: (chunk: Chunk) => any): Readable;
    filter(f: (chunk: Chunk) => any): Readable;
    forEach(f: (chunk: Chunk) => any): Promise<void>;
    toArray(): Promise<Chunk[]>;
    take(n: number): Readable;
    drop(n: number): Readable;
    reduce(f: (sum: any, chunk: Chunk) => any, initial?: any): Promise<any>;
    [Symbol.asyncIterator](): AsyncIterableIterator<Chunk>;
  }
  interface Writing extends Ending {
    readonly writable: boolean;
    readonly writableEnded: boolean;
    readonly writableFinished: boolean;
    readonly writableLength: number;
    readonly writableHighWaterMark: number;
    readonly writableObjectMode: boolean;
    readonly writableNeedDrain: boolean;
    write(chunk: Chunk, done?: Done): boolean;
    write(chunk: Chunk, encoding: BufferEncoding, done?: Done): boolean;
    end(done?: () => void): this;
    end(chunk: Chunk, done?: () => void): this;
    end(chunk: Chunk, encoding: BufferEncoding, done?: () => void): this;
    cork(): void;
    uncork(): void;
    setDefaultEncoding(encoding: BufferEncoding): this;
  }
  class Writable extends Stream {
    constructor(options?: WritableOptions);
  }
  interface Writable extends Writing {}
  class Duplex extends Readable {
    constructor(options?: DuplexOptions);
  }
  interface Duplex extends Writing {}
  class Transform extends Duplex {
    constructor(options?: TransformOptions);
  }
  class PassThrough extends Transform {}

  type Source = Readable | Iterable<Chunk> | AsyncIterable<Chunk>;
  type Step = Target | ((source: AsyncIterable<Chunk>) => AsyncIterable<Chunk> | Promise<any>);
  /** Reads the first into the next and so on; all are destroyed when one fails. */
  function pipeline(source: Source, ...steps: [...Step[], (error: Error | null) => void]): any;
  function finished(stream: Stream, done: (error?: Error | null) => void): () => void;
  function addAbortSignal<T extends Stream>(signal: AbortSignal, stream: T): T;
  function compose(...streams: (Stream | Step)[]): Duplex;
  function destroy(stream: Stream, error?: Error): void;
  function isReadable(stream: Stream): boolean;
  function isWritable(stream: Stream): boolean;
  function isErrored(stream: Stream): boolean;
  function isDisturbed(stream: Stream): boolean;
  function isDestroyed(stream: Stream): boolean;
  function getDefaultHighWaterMark(objectMode: boolean): number;
  function setDefaultHighWaterMark(objectMode: boolean, value: number): void;
  const promises: typeof import("stream/promises");
}
declare module "stream/promises" {
  import { Source, Step, Stream } from "stream";
  function pipeline(source: Source, ...steps: Step[]): Promise<any>;
  function finished(stream: Stream): Promise<void>;
}
/** Whole streams. */
declare module "stream/consumers" {
  type Source = AsyncIterable<any>;
  function buffer(stream: Source): Promise<Buffer>;
  function text(stream: Source): Promise<string>;
  function json(stream: Source): Promise<any>;
  function arrayBuffer(stream: Source): Promise<ArrayBuffer>;
}
declare module "string_decoder" {
  class StringDecoder {
    constructor(encoding?: BufferEncoding);
    readonly encoding: BufferEncoding;
    write(bytes: Uint8Array): string;
    end(bytes?: Uint8Array): string;
  }
}
