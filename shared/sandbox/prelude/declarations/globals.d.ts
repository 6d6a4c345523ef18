// console, timers, process and CommonJS.

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

