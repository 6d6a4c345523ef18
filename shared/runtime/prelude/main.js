// The part of the prelude that every run pays for: it must stay tiny. It
// captures what user code could patch, and hangs lazy getters for all globals
// on a prototype of globalThis; the parts behind them are loaded on first use.
(function install(host) {
  "use strict";
  const { apply, ownKeys, defineProperty, getPrototypeOf, setPrototypeOf } = Reflect;
  const { stringify, parse } = JSON;
  const { then } = Promise.prototype;
  const global = globalThis;
  const { prototype: string } = String;
  const { prototype: date } = Date;
  // A descriptor that inherits nothing: "get" on Object.prototype is no getter.
  const describe = Reflect.getOwnPropertyDescriptor;
  const getOwnPropertyDescriptor = (object, key) => {
    const descriptor = describe(object, key);
    if (descriptor !== undefined) setPrototypeOf(descriptor, null);
    return descriptor;
  };
  // What begin is given; parts read it when a run first loads them.
  const run = { __proto__: null, file: "", variables: "{}", event: undefined, bind: undefined };
  // What parts that must withstand hostile user code need of the language.
  const primordials = {
    __proto__: null,
    run, apply, ownKeys, getOwnPropertyDescriptor, defineProperty, getPrototypeOf, stringify, parse, then, parseInt, parseFloat,
    Promise, Error, TypeError, String, Number, Map, Set, Date, RegExp, WeakMap, WeakSet, WeakRef, ArrayBuffer, DataView, Uint8Array,
    inspectSymbol: Symbol.for("nodejs.util.inspect.custom"),
    promisifySymbol: Symbol.for("nodejs.util.promisify.custom"),
    toStringTag: Symbol.toStringTag,
    toPrimitive: Symbol.toPrimitive,
    TypedArray: getPrototypeOf(Uint8Array),
    resolvedPromise: Promise.resolve(),
    isArray: Array.isArray,
    slice: string.slice,
    indexOf: string.indexOf,
    charCodeAt: string.charCodeAt,
    objectToString: Object.prototype.toString,
    functionToString: Function.prototype.toString,
    regExpToString: RegExp.prototype.toString,
    mapForEach: Map.prototype.forEach,
    setForEach: Set.prototype.forEach,
    getTime: date.getTime,
    toISOString: date.toISOString,
    deref: WeakRef.prototype.deref,
    valueOf: {
      __proto__: null,
      Number: Number.prototype.valueOf,
      String: string.valueOf,
      Boolean: Boolean.prototype.valueOf,
      Symbol: Symbol.prototype.valueOf,
      BigInt: BigInt.prototype.valueOf,
    },
  };
  // QuickJS does not have them yet (F9).
  for (const name of ["dispose", "asyncDispose"]) {
    if (Symbol[name] === undefined) defineProperty(Symbol, name, { __proto__: null, value: Symbol("Symbol." + name), writable: false, enumerable: false, configurable: false });
  }
  const exports = { __proto__: null };
  const load = (name) => exports[name] ??= host.load(name)(host, load, primordials);
  const method = (object, name, value) => defineProperty(object, name, { __proto__: null, value, writable: true, enumerable: false, configurable: true });
  const own = (name, value) => {
    method(global, name, value);
    return value;
  };
  const use = (name, part) => own(name, load(part)[name]);

  // The real modules are behind this function, which every run has.
  function require(name) { return load("require").require(name); }
  require.resolve = (name) => load("require").resolve(name);
  require.main = undefined;
  require.cache = { __proto__: null };
  require.extensions = { __proto__: null };

  class Globals {
    get console() { return use("console", "console"); }
    set console(v) { own("console", v); }
    get setTimeout() { return use("setTimeout", "timers"); }
    set setTimeout(v) { own("setTimeout", v); }
    get setInterval() { return use("setInterval", "timers"); }
    set setInterval(v) { own("setInterval", v); }
    get setImmediate() { return use("setImmediate", "timers"); }
    set setImmediate(v) { own("setImmediate", v); }
    get clearTimeout() { return use("clearTimeout", "timers"); }
    set clearTimeout(v) { own("clearTimeout", v); }
    get clearInterval() { return use("clearInterval", "timers"); }
    set clearInterval(v) { own("clearInterval", v); }
    get clearImmediate() { return use("clearImmediate", "timers"); }
    set clearImmediate(v) { own("clearImmediate", v); }
    get queueMicrotask() { return use("queueMicrotask", "timers"); }
    set queueMicrotask(v) { own("queueMicrotask", v); }
    get performance() { return use("performance", "timers"); }
    set performance(v) { own("performance", v); }
    get process() { return use("process", "process"); }
    set process(v) { own("process", v); }
    get require() { return own("require", require); }
    set require(v) { own("require", v); }
    get BaaS() { return use("BaaS", "baas"); }
    set BaaS(v) { own("BaaS", v); }
    get Buffer() { return use("Buffer", "buffer"); }
    set Buffer(v) { own("Buffer", v); }
    get URL() { return use("URL", "url"); }
    set URL(v) { own("URL", v); }
    get URLSearchParams() { return use("URLSearchParams", "url"); }
    set URLSearchParams(v) { own("URLSearchParams", v); }
    get TextEncoder() { return use("TextEncoder", "encoding"); }
    set TextEncoder(v) { own("TextEncoder", v); }
    get TextDecoder() { return use("TextDecoder", "encoding"); }
    set TextDecoder(v) { own("TextDecoder", v); }
    get atob() { return use("atob", "base64"); }
    set atob(v) { own("atob", v); }
    get btoa() { return use("btoa", "base64"); }
    set btoa(v) { own("btoa", v); }
    get crypto() { return use("crypto", "crypto"); }
    set crypto(v) { own("crypto", v); }
    get CryptoKey() { return use("CryptoKey", "crypto_secret"); }
    set CryptoKey(v) { own("CryptoKey", v); }
    get structuredClone() { return use("structuredClone", "structured_clone"); }
    set structuredClone(v) { own("structuredClone", v); }
    get DOMException() { return use("DOMException", "dom_exception"); }
    set DOMException(v) { own("DOMException", v); }
    get Event() { return use("Event", "event_target"); }
    set Event(v) { own("Event", v); }
    get CustomEvent() { return use("CustomEvent", "event_target"); }
    set CustomEvent(v) { own("CustomEvent", v); }
    get EventTarget() { return use("EventTarget", "event_target"); }
    set EventTarget(v) { own("EventTarget", v); }
    get AbortController() { return use("AbortController", "event_target"); }
    set AbortController(v) { own("AbortController", v); }
    get AbortSignal() { return use("AbortSignal", "event_target"); }
    set AbortSignal(v) { own("AbortSignal", v); }
    get fetch() { return use("fetch", "fetch"); }
    set fetch(v) { own("fetch", v); }
    get Request() { return use("Request", "fetch"); }
    set Request(v) { own("Request", v); }
    get Response() { return use("Response", "fetch"); }
    set Response(v) { own("Response", v); }
    get Headers() { return use("Headers", "headers"); }
    set Headers(v) { own("Headers", v); }
    get FormData() { return use("FormData", "form_data"); }
    set FormData(v) { own("FormData", v); }
    get Blob() { return use("Blob", "blob"); }
    set Blob(v) { own("Blob", v); }
    get File() { return use("File", "blob"); }
    set File(v) { own("File", v); }
    get Intl() { return use("Intl", "intl/intl"); }
    set Intl(v) { own("Intl", v); }
    get global() { return own("global", global); }
    set global(v) { own("global", v); }
    get self() { return own("self", global); }
    set self(v) { own("self", v); }
  }
  delete Globals.prototype.constructor;
  delete global.queueMicrotask; // the engine's own checks nothing and knows no AsyncLocalStorage
  setPrototypeOf(global, Globals.prototype);

  // The engine keeps its frames to itself: error.stack is what Node's is.
  if (host.stack !== undefined) {
    defineProperty(Error.prototype, "stack", {
      __proto__: null, enumerable: false, configurable: true,
      get: function () { return load("describe_error").stackOf(this); },
      set: function (value) { method(this, "stack", value); },
    });
    delete Error.prepareStackTrace; // the engine's would be given frames and functions of this prelude
    method(Error, "captureStackTrace", { captureStackTrace(target, from) { load("describe_error").capture(target, from); } }.captureStackTrace);
  }
  // What the language's own methods ask Intl is asked here.
  const { valueOf } = primordials;
  const methods = (object, list) => { for (const name in list) method(object, name, list[name]); };
  methods(Number.prototype, { __proto__: null, toLocaleString(locales, options) { return load("intl/number_format").toLocale(apply(valueOf.Number, this, []), locales, options); } });
  methods(BigInt.prototype, { __proto__: null, toLocaleString(locales, options) { return load("intl/number_format").toLocale(apply(valueOf.BigInt, this, []), locales, options); } });
  methods(date, {
    __proto__: null,
    toLocaleString(locales, options) { return load("intl/date_time_format").toLocale("any", this, locales, options); },
    toLocaleDateString(locales, options) { return load("intl/date_time_format").toLocale("date", this, locales, options); },
    toLocaleTimeString(locales, options) { return load("intl/date_time_format").toLocale("time", this, locales, options); },
  });
  if (host.collate !== undefined) {
    let locale, language = "en"; // of the call before: whoever sorts names the same again
    methods(string, {
      __proto__: null,
      localeCompare(other, locales, options) {
        if (this === undefined || this === null) throw new primordials.TypeError("String.prototype.localeCompare called on null or undefined");
        if (options !== undefined) return load("intl/collator").localeCompare("" + this, "" + other, locales, options);
        if (locales === undefined) return host.collate("" + this, "" + other);
        if (locales !== locale || typeof locales !== "string") {
          language = load("intl/locale").resolve(locales).language;
          locale = locales;
        }
        return host.collate("" + this, "" + other, false, "variant", language);
      },
    });
  }
  method(Array, "fromAsync", { fromAsync(items, map, self) { return load("from_async").fromAsync(this, items, map, self); } }.fromAsync);

  const fire = (id) => load("timers").fire(id);
  host.onTimer?.(fire);
  return {
    __proto__: null,
    fire,
    settle: (id, ok, text) => load("baas").settle(id, ok, text),
    format: (...args) => load("format").format(args),
    describeError: (error) => load("describe_error").describe(error),
    stringify,
    preload: (...names) => { for (let i = 0; i < names.length; i++) load(names[i]); },
    begin: (file, variables, event) => { run.file = file; run.variables = variables; run.event = event; },
    require,
  };
});
