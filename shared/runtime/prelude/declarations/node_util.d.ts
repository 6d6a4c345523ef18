// util and assert.

declare module "util" {
  /** A value as console.log shows it. */
  const inspect: {
    (value: any, options?: InspectOptions): string;
    (value: any, showHidden?: boolean, depth?: number | null, colors?: boolean): string;
    /** The method of an object that says how it is shown. */
    readonly custom: unique symbol;
    defaultOptions: InspectOptions;
  };
  function format(text: any, ...values: any[]): string;
  function formatWithOptions(options: InspectOptions, text: any, ...values: any[]): string;
  type Callback<Value> = (error: any, value: Value) => void;
  /** A function whose last argument is a callback as one that gives a promise. */
  const promisify: {
    <P>(f: { __promisify__: P }): P;
    <A extends any[], R = any>(f: (...args: [...A, Callback<R>]) => void): (...args: A) => Promise<R>;
    (f: Function): (...args: any[]) => Promise<any>;
    readonly custom: unique symbol;
  };
  function callbackify<A extends any[], R>(f: (...args: A) => Promise<R>): (...args: [...A, Callback<R>]) => void;
  function inherits(constructor: Function, parent: Function): void;
  function deprecate<F extends Function>(f: F, message: string, code?: string): F;
  function isDeepStrictEqual(a: any, b: any): boolean;
  /** A function that writes nothing. */
  function debuglog(section: string): ((...args: any[]) => void) & { enabled: boolean };
  const debug: typeof debuglog;
  function stripVTControlCharacters(text: string): string;
  function toUSVString(text: string): string;
  function styleText(format: string | string[], text: string): string;
  function parseEnv(content: string): { [name: string]: string };
  interface ParseArgsConfig {
    args?: string[];
    options?: { [name: string]: { type: "boolean" | "string"; multiple?: boolean; short?: string; default?: any } };
    strict?: boolean;
    allowPositionals?: boolean;
    tokens?: boolean;
  }
  function parseArgs(config?: ParseArgsConfig): {
    values: { [name: string]: any };
    positionals: string[];
    tokens?: any[];
  };
  function aborted(signal: AbortSignal, resource: object): Promise<void>;
  function getSystemErrorName(number: number): string;
  function getSystemErrorMap(): Map<number, [name: string, text: string]>;
  function transferableAbortController(): AbortController;
  function transferableAbortSignal(signal: AbortSignal): AbortSignal;
  class MIMEType {
    constructor(text: string);
    type: string;
    subtype: string;
    readonly essence: string;
    readonly params: MIMEParams;
    toString(): string;
    toJSON(): string;
  }
  class MIMEParams implements Iterable<[string, string]> {
    get(name: string): string | null;
    set(name: string, value: string): void;
    has(name: string): boolean;
    delete(name: string): void;
    entries(): IterableIterator<[string, string]>;
    keys(): IterableIterator<string>;
    values(): IterableIterator<string>;
    [Symbol.iterator](): IterableIterator<[string, string]>;
    toString(): string;
  }
  const TextEncoder: TextEncoderClass;
  const TextDecoder: TextDecoderClass;
  /** @deprecated use Array.isArray */
  function isArray(value: any): value is any[];
  const types: typeof import("util/types");
}
declare module "sys" {
  export * from "util";
}
declare module "util/types" {
  function isDate(value: any): value is Date;
  function isRegExp(value: any): value is RegExp;
  function isMap(value: any): value is Map<any, any>;
  function isSet(value: any): value is Set<any>;
  function isWeakMap(value: any): value is WeakMap<any, any>;
  function isWeakSet(value: any): value is WeakSet<any>;
  function isPromise(value: any): value is Promise<any>;
  function isNativeError(value: any): value is Error;
  function isArrayBuffer(value: any): value is ArrayBuffer;
  function isDataView(value: any): value is DataView;
  function isAnyArrayBuffer(value: any): value is ArrayBuffer;
  function isArrayBufferView(value: any): value is ArrayBufferView;
  function isUint8Array(value: any): value is Uint8Array;
  function isUint8ClampedArray(value: any): value is Uint8ClampedArray;
  function isUint16Array(value: any): value is Uint16Array;
  function isUint32Array(value: any): value is Uint32Array;
  function isInt8Array(value: any): value is Int8Array;
  function isInt16Array(value: any): value is Int16Array;
  function isInt32Array(value: any): value is Int32Array;
  function isFloat32Array(value: any): value is Float32Array;
  function isFloat64Array(value: any): value is Float64Array;
  function isBigInt64Array(value: any): value is BigInt64Array;
  function isBigUint64Array(value: any): value is BigUint64Array;
  function isTypedArray(value: any): boolean;
  function isSharedArrayBuffer(value: any): boolean;
  function isAsyncFunction(value: any): boolean;
  function isGeneratorFunction(value: any): boolean;
  function isGeneratorObject(value: any): boolean;
  function isMapIterator(value: any): boolean;
  function isSetIterator(value: any): boolean;
  function isArgumentsObject(value: any): boolean;
  function isModuleNamespaceObject(value: any): boolean;
  function isKeyObject(value: any): boolean;
  function isCryptoKey(value: any): value is CryptoKey;
  function isProxy(value: any): boolean;
  function isExternal(value: any): boolean;
  function isNumberObject(value: any): boolean;
  function isStringObject(value: any): boolean;
  function isBooleanObject(value: any): boolean;
  function isSymbolObject(value: any): boolean;
  function isBigIntObject(value: any): boolean;
  function isBoxedPrimitive(value: any): boolean;
}

/** Throws AssertionError with Node's messages. */
declare module "assert" {
  type Thrown = RegExp | Function | object | Error;
  function assert(value: any, message?: string | Error): asserts value;
  namespace assert {
    class AssertionError extends Error {
      constructor(options: { message?: string; actual?: any; expected?: any; operator?: string });
      readonly actual: any;
      readonly expected: any;
      readonly operator: string;
      readonly generatedMessage: boolean;
      readonly code: "ERR_ASSERTION";
    }
    function ok(value: any, message?: string | Error): asserts value;
    function equal(actual: any, expected: any, message?: string | Error): void;
    function notEqual(actual: any, expected: any, message?: string | Error): void;
    function strictEqual<T>(actual: any, expected: T, message?: string | Error): asserts actual is T;
    function notStrictEqual(actual: any, expected: any, message?: string | Error): void;
    function deepEqual(actual: any, expected: any, message?: string | Error): void;
    function notDeepEqual(actual: any, expected: any, message?: string | Error): void;
    function deepStrictEqual<T>(actual: any, expected: T, message?: string | Error): asserts actual is T;
    function notDeepStrictEqual(actual: any, expected: any, message?: string | Error): void;
    function match(text: string, pattern: RegExp, message?: string | Error): void;
    function doesNotMatch(text: string, pattern: RegExp, message?: string | Error): void;
    function throws(f: () => any, expected?: Thrown, message?: string | Error): void;
    function doesNotThrow(f: () => any, message?: string | Error): void;
    function rejects(
      f: Promise<any> | (() => Promise<any>), expected?: Thrown, message?: string | Error,
    ): Promise<void>;
    function doesNotReject(f: Promise<any> | (() => Promise<any>), message?: string | Error): Promise<void>;
    function fail(message?: string | Error): never;
    function ifError(value: any): void;
    const strict: typeof assert;
  }
  export = assert;
}
declare module "assert/strict" {
  import { strict } from "assert";
  export = strict;
}
