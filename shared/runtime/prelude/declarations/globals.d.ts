// console, timers, process and CommonJS.

/** Writes to the log of the run; objects are shown as Node shows them, but to depth 4. */
interface Console {
  log(...values: any[]): void;
  info(...values: any[]): void;
  warn(...values: any[]): void;
  error(...values: any[]): void;
  /** As log. */
  debug(...values: any[]): void;
  /** Writes the stack at level ERROR. */
  trace(...values: any[]): void;
  dir(value: any, options?: InspectOptions): void;
  dirxml(...values: any[]): void;
  table(data: any, columns?: readonly string[]): void;
  assert(condition?: any, ...values: any[]): void;
  count(label?: string): void;
  countReset(label?: string): void;
  time(label?: string): void;
  timeLog(label?: string, ...values: any[]): void;
  timeEnd(label?: string): void;
  group(...values: any[]): void;
  groupCollapsed(...values: any[]): void;
  groupEnd(): void;
}
declare var console: Console;

interface InspectOptions {
  depth?: number | null;
  compact?: boolean | number;
  breakLength?: number;
  maxArrayLength?: number | null;
  maxStringLength?: number | null;
  showHidden?: boolean;
  sorted?: boolean | ((a: string, b: string) => number);
  getters?: boolean | "get" | "set";
  colors?: boolean;
}

interface ErrorConstructor {
  /** Gives an object the `stack` of here, without the frames from the function on. */
  captureStackTrace(target: object, from?: Function): void;
}
interface ArrayConstructor {
  fromAsync<T>(items: AsyncIterable<T> | Iterable<T | PromiseLike<T>> | ArrayLike<T | PromiseLike<T>>): Promise<T[]>;
  fromAsync<T, U>(
    items: AsyncIterable<T> | Iterable<T> | ArrayLike<T>, map: (value: Awaited<T>, index: number) => U, self?: any,
  ): Promise<Awaited<U>[]>;
}
interface SymbolConstructor {
  readonly dispose: unique symbol;
  readonly asyncDispose: unique symbol;
}

interface Timeout {
  ref(): this;
  /** The run does not wait for it any more. */
  unref(): this;
  hasRef(): boolean;
  refresh(): this;
  close(): this;
}
/**
 * At most 100,000 timers wait. The run ends when no timer, call or promise job is left, or its time is up; a timer
 * after unref() does not count.
 */
declare function setTimeout<A extends any[]>(callback: (...args: A) => void, ms?: number, ...args: A): Timeout;
declare function setInterval<A extends any[]>(callback: (...args: A) => void, ms?: number, ...args: A): Timeout;
declare function setImmediate<A extends any[]>(callback: (...args: A) => void, ...args: A): Timeout;
declare function clearTimeout(timeout?: Timeout | number | null): void;
declare function clearInterval(timeout?: Timeout | number | null): void;
declare function clearImmediate(immediate?: Timeout | number | null): void;
declare function queueMicrotask(callback: () => void): void;

interface Performance {
  /** Milliseconds since the run began. */
  now(): number;
  readonly timeOrigin: number;
}
declare var performance: Performance;

type Listener = (...args: any[]) => void;
/** What is written is logged, line by line. */
interface LogStream {
  readonly fd: number;
  readonly isTTY: boolean;
  readonly writable: boolean;
  readonly columns: number;
  readonly rows: number;
  write(text: string | Uint8Array, encoding?: BufferEncoding | (() => void), callback?: () => void): boolean;
  end(text?: string | Uint8Array): this;
  on(event: string | symbol, listener: Listener): this;
  once(event: string | symbol, listener: Listener): this;
}
/**
 * The function's variables, a clock, and what packages ask of a process; there is none. It emits nothing by itself.
 */
interface Process {
  /** Variables and secrets of the function in this environment; logs show the secrets as ******. */
  readonly env: { [name: string]: string | undefined };
  readonly stdout: LogStream;
  readonly stderr: LogStream;
  readonly argv: string[];
  readonly argv0: string;
  readonly execArgv: string[];
  readonly execPath: string;
  title: string;
  /** "v20.0.0" */
  readonly version: string;
  readonly versions: { readonly [name: string]: string };
  readonly release: { readonly name: string };
  readonly platform: "linux";
  readonly arch: string;
  readonly pid: number;
  readonly ppid: number;
  exitCode: number | undefined;
  /** [seconds, nanoseconds] since the run began. */
  hrtime: { (before?: [number, number]): [number, number]; bigint(): bigint };
  /** Seconds since the run began. */
  uptime(): number;
  memoryUsage: {
    (): { heapUsed: number; heapTotal: number; rss: number; external: number; arrayBuffers: number };
    rss(): number;
  };
  /** Bytes of heap that this run may have. */
  constrainedMemory(): number;
  availableMemory(): number;
  /** Microseconds. */
  cpuUsage(): { user: number; system: number };
  resourceUsage(): { userCPUTime: number; systemCPUTime: number; maxRSS: number; [name: string]: number };
  cwd(): string;
  umask(): number;
  nextTick<A extends any[]>(callback: (...args: A) => void, ...args: A): void;
  /** Logs it at level WARN. */
  emitWarning(warning: string | Error, type?: string | { type?: string; code?: string }, code?: string): void;
  getBuiltinModule(name: string): any;
  on(event: string | symbol, listener: Listener): this;
  once(event: string | symbol, listener: Listener): this;
  off(event: string | symbol, listener: Listener): this;
  addListener(event: string | symbol, listener: Listener): this;
  removeListener(event: string | symbol, listener: Listener): this;
  removeAllListeners(event?: string | symbol): this;
  emit(event: string | symbol, ...args: any[]): boolean;
  listeners(event: string | symbol): Function[];
  listenerCount(event: string | symbol): number;
  /** Throws. @deprecated a run ends when nothing is left to do; return from main or throw */
  exit(code?: number): never;
  /** Throws. @deprecated */
  kill(pid: number, signal?: string | number): never;
  /** Throws. @deprecated there is one folder, /tmp */
  chdir(folder: string): never;
}
declare var process: Process;

declare var exports: { main?: CloudFunctionMain; [name: string]: any };
declare var module: {
  exports: any;
  readonly id: string;
  readonly filename: string;
  readonly loaded: boolean;
  readonly children: any[];
  readonly paths: string[];
  readonly parent: any;
  readonly path: string;
  require(name: string): any;
};
declare var __filename: string;
declare var __dirname: string;
declare var global: typeof globalThis;
declare var self: typeof globalThis;

/**
 * DateTimeFormat, NumberFormat, Collator, PluralRules, RelativeTimeFormat and ListFormat of en-US and zh-CN (other
 * languages are answered as en-US), in every time zone; the default zone is the application's. Chinese sorts by
 * pinyin.
 */
declare namespace Intl {}
