// The machine and the run.

/** A small Linux machine. */
declare module "os" {
  const EOL: "\n";
  const devNull: string;
  const constants: any;
  function arch(): string;
  function platform(): "linux";
  function type(): string;
  function machine(): string;
  function endianness(): "LE";
  function release(): string;
  function version(): string;
  function hostname(): string;
  function homedir(): string;
  /** "/tmp" */
  function tmpdir(): string;
  function uptime(): number;
  function loadavg(): number[];
  function networkInterfaces(): {};
  function availableParallelism(): number;
  function cpus(): { model: string; speed: number; times: { [name: string]: number } }[];
  /** Bytes of heap that this run may have. */
  function totalmem(): number;
  function freemem(): number;
  function getPriority(): number;
  function setPriority(...args: number[]): void;
  function userInfo(options?: { encoding?: BufferEncoding | "buffer" }): {
    uid: number;
    gid: number;
    username: any;
    homedir: any;
    shell: any;
  };
}
declare module "process" {
  namespace process {}
  const process: typeof globalThis.process;
  export = process;
}
declare module "console" {
  namespace console {}
  const console: typeof globalThis.console;
  export = console;
}
declare module "buffer" {
  const Buffer: typeof globalThis.Buffer;
  const Blob: BlobClass;
  const File: FileClass;
  const atob: typeof globalThis.atob;
  const btoa: typeof globalThis.btoa;
  const constants: { readonly MAX_LENGTH: number; readonly MAX_STRING_LENGTH: number };
  const kMaxLength: number;
  let INSPECT_MAX_BYTES: number;
  function isUtf8(bytes: Bytes): boolean;
  function isAscii(bytes: Bytes): boolean;
}
declare module "timers" {
  const setTimeout: typeof globalThis.setTimeout;
  const setInterval: typeof globalThis.setInterval;
  const setImmediate: typeof globalThis.setImmediate;
  const clearTimeout: typeof globalThis.clearTimeout;
  const clearInterval: typeof globalThis.clearInterval;
  const clearImmediate: typeof globalThis.clearImmediate;
  const promises: typeof import("timers/promises");
}
declare module "timers/promises" {
  function setTimeout<T = void>(ms?: number, value?: T): Promise<T>;
  function setImmediate<T = void>(value?: T): Promise<T>;
  function setInterval<T = void>(ms?: number, value?: T): AsyncIterableIterator<T>;
  const scheduler: { wait(ms: number): Promise<void>; yield(): Promise<void> };
}
declare module "perf_hooks" {
  const performance: typeof globalThis.performance;
  const constants: object;
}
declare module "tty" {
  /** false: nobody is at a terminal. */
  function isatty(fd: number): false;
}
declare module "v8" {
  function getHeapStatistics(): { used_heap_size: number; heap_size_limit: number; [name: string]: number };
  function getHeapSpaceStatistics(): any[];
  function cachedDataVersionTag(): number;
  function setFlagsFromString(flags: string): void;
}
declare module "constants" {
  const constants: { readonly [name: string]: number };
  export = constants;
}
declare module "module" {
  class Module {
    constructor(id?: string, parent?: Module);
    id: string;
    path: string;
    exports: any;
    filename: string | null;
    loaded: boolean;
    children: Module[];
    require(name: string): any;
  }
  namespace Module {
    export { Module };
    export const builtinModules: string[];
    export function createRequire(from: string | URL): Require;
    export function isBuiltin(name: string): boolean;
  }
  export = Module;
}
declare module "async_hooks" {
  /** A value that the calls below run(), their promises and timers see. */
  class AsyncLocalStorage<Store = any> {
    static bind<F extends Function>(f: F): F;
    static snapshot(): <A extends any[], R>(f: (...args: A) => R, ...args: A) => R;
    run<A extends any[], R>(store: Store, f: (...args: A) => R, ...args: A): R;
    exit<A extends any[], R>(f: (...args: A) => R, ...args: A): R;
    enterWith(store: Store): void;
    getStore(): Store | undefined;
    disable(): void;
  }
  class AsyncResource {
    constructor(type: string, options?: object | number);
    static bind<F extends Function>(f: F, type?: string, self?: any): F;
    bind<F extends Function>(f: F, self?: any): F;
    runInAsyncScope<A extends any[], R>(f: (...args: A) => R, self?: any, ...args: A): R;
    emitDestroy(): this;
    asyncId(): number;
    triggerAsyncId(): number;
  }
  /** Hooks are never called. @deprecated */
  function createHook(callbacks: object): { enable(): any; disable(): any };
  function executionAsyncId(): number;
  function triggerAsyncId(): number;
  function executionAsyncResource(): object;
}
declare module "diagnostics_channel" {
  type Subscriber = (message: any, name: string | symbol) => void;
  class Channel {
    readonly name: string | symbol;
    readonly hasSubscribers: boolean;
    subscribe(subscriber: Subscriber): void;
    unsubscribe(subscriber: Subscriber): boolean;
    publish(message: any): void;
    bindStore(store: any, transform?: (data: any) => any): void;
    unbindStore(store: any): boolean;
    runStores(data: any, f: (...args: any[]) => any, self?: any, ...args: any[]): any;
  }
  function channel(name: string | symbol): Channel;
  function hasSubscribers(name: string | symbol): boolean;
  function subscribe(name: string | symbol, subscriber: Subscriber): void;
  function unsubscribe(name: string | symbol, subscriber: Subscriber): boolean;
  function tracingChannel(name: string | object): any;
}
