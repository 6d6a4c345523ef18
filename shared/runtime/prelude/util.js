// The util module of Node.
(function (host, load) {
  "use strict";
  const { inspect } = load("inspect");
  const { formatWithOptions } = load("format");
  const promisified = Symbol.for("nodejs.util.promisify.custom");
  const tag = (v) => Object.prototype.toString.call(v).slice(8, -1);
  const TypedArray = Object.getPrototypeOf(Uint8Array);
  const typedName = Object.getOwnPropertyDescriptor(TypedArray.prototype, Symbol.toStringTag).get;

  function needFunction(v) {
    if (typeof v !== "function") throw load("node/errors").wrongType("original", "function", v);
  }

  function promisify(original) {
    needFunction(original);
    if (original[promisified]) return original[promisified];
    function f(...args) {
      return new Promise((resolve, reject) => {
        original.call(this, ...args, (error, value) => (error ? reject(error) : resolve(value)));
      });
    }
    Object.setPrototypeOf(f, Object.getPrototypeOf(original));
    Object.defineProperty(f, promisified, { value: f, configurable: true });
    return Object.defineProperties(f, Object.getOwnPropertyDescriptors(original));
  }
  promisify.custom = promisified;

  function callbackify(original) {
    needFunction(original);
    return function (...args) {
      const callback = args.pop();
      if (typeof callback !== "function") throw load("node/errors").coded(TypeError, "ERR_INVALID_ARG_TYPE", `The last argument must be of type function. Received ${load("node/errors").received(callback)}`);
      const later = (...results) => load("process").process.nextTick(callback, ...results);
      original.apply(this, args).then((value) => later(null, value), (error) => later(error || Object.assign(load("node/errors").coded(Error, "ERR_FALSY_VALUE_REJECTION", "Promise was rejected with falsy value"), { reason: error })));
    };
  }

  function inherits(constructor, parent) {
    const { wrongType } = load("node/errors");
    if (constructor === undefined || constructor === null) throw wrongType("ctor", "function", constructor);
    if (parent === undefined || parent === null) throw wrongType("superCtor", "function", parent);
    if (parent.prototype === undefined) throw wrongType("superCtor.prototype", "object", parent.prototype);
    Object.defineProperty(constructor, "super_", { value: parent, writable: true, configurable: true });
    Object.setPrototypeOf(constructor.prototype, parent.prototype);
  }

  function deprecate(f, message, code) {
    if (typeof f !== "function") throw load("node/errors").wrongType("fn", "function", f);
    let warned = false;
    return function (...args) {
      if (!warned) console.warn(`DeprecationWarning: ${code ? `[${code}] ` : ""}${message}`);
      warned = true;
      return new.target ? Reflect.construct(f, args, new.target) : f.apply(this, args);
    };
  }

  // brand makes a test from a method that only the real thing survives.
  const brand = (method, ...args) => (v) => {
    try {
      method.call(v, ...args);
      return true;
    } catch (error) {
      return false;
    }
  };
  const typed = (name) => (v) => ArrayBuffer.isView(v) && !(v instanceof DataView) && typedName.call(v) === name;
  const getter = (proto, key) => Object.getOwnPropertyDescriptor(proto, key).get;

  const types = {
    isDate: brand(Date.prototype.getTime), isRegExp: (v) => v instanceof RegExp, isMap: brand(Map.prototype.has), isSet: brand(Set.prototype.has),
    isWeakMap: brand(WeakMap.prototype.has), isWeakSet: brand(WeakSet.prototype.has), isPromise: (v) => v instanceof Promise,
    isNativeError: (v) => v instanceof Error, isArrayBuffer: brand(getter(ArrayBuffer.prototype, "byteLength")), isDataView: brand(getter(DataView.prototype, "byteLength")),
    isSharedArrayBuffer: () => false, // there are none
    isAnyArrayBuffer: (v) => types.isArrayBuffer(v),
    isArrayBufferView: (v) => ArrayBuffer.isView(v), isTypedArray: (v) => ArrayBuffer.isView(v) && typedName.call(v) !== undefined,
    isUint8Array: typed("Uint8Array"), isUint8ClampedArray: typed("Uint8ClampedArray"), isUint16Array: typed("Uint16Array"), isUint32Array: typed("Uint32Array"),
    isInt8Array: typed("Int8Array"), isInt16Array: typed("Int16Array"), isInt32Array: typed("Int32Array"), isFloat32Array: typed("Float32Array"),
    isFloat64Array: typed("Float64Array"), isBigInt64Array: typed("BigInt64Array"), isBigUint64Array: typed("BigUint64Array"),
    isAsyncFunction: (v) => typeof v === "function" && tag(v).startsWith("Async"), isGeneratorFunction: (v) => typeof v === "function" && tag(v).includes("Generator"),
    isGeneratorObject: (v) => tag(v) === "Generator" || tag(v) === "AsyncGenerator", isMapIterator: (v) => tag(v) === "Map Iterator", isSetIterator: (v) => tag(v) === "Set Iterator",
    isArgumentsObject: (v) => tag(v) === "Arguments", isModuleNamespaceObject: (v) => tag(v) === "Module", isProxy: (v) => host.proxy?.(v) !== undefined, isExternal: () => false,
    isKeyObject: (v) => load("crypto_secret").isKeyObject(v), isCryptoKey: (v) => load("crypto_secret").isCryptoKey(v),
    isNumberObject: (v) => typeof v === "object" && brand(Number.prototype.valueOf)(v), isStringObject: (v) => typeof v === "object" && brand(String.prototype.valueOf)(v),
    isBooleanObject: (v) => typeof v === "object" && brand(Boolean.prototype.valueOf)(v), isSymbolObject: (v) => typeof v === "object" && brand(Symbol.prototype.valueOf)(v),
    isBigIntObject: (v) => typeof v === "object" && brand(BigInt.prototype.valueOf)(v),
    isBoxedPrimitive: (v) => types.isNumberObject(v) || types.isStringObject(v) || types.isBooleanObject(v) || types.isSymbolObject(v) || types.isBigIntObject(v),
  };

  const util = {
    inspect, types, promisify, callbackify, inherits, deprecate,
    format: (...args) => formatWithOptions(args),
    formatWithOptions: (options, ...args) => formatWithOptions(args, options),
    isDeepStrictEqual: (a, b) => load("deep_equal").equal(a, b, true),
    debuglog: () => Object.assign(() => {}, { enabled: false }),
    toUSVString: (s) => `${s}`.toWellFormed(),
    stripVTControlCharacters: (s) => { load("node/errors").needText(s, "str"); return s.replace(/[\u001b\u009b][[\]()#;?]*(?:(?:(?:;[-a-zA-Z\d/#&.:=?%@~_]+)*|[a-zA-Z\d]+(?:;[-a-zA-Z\d/#&.:=?%@~_]*)*)?(?:\u0007|\u001b\u005c|\u009c)|(?:\d{1,4}(?:;\d{0,4})*)?[\dA-PR-TZcf-ntqry=><~])/g, ""); },
    isArray: Array.isArray,
    isBoolean: (v) => typeof v === "boolean", isNull: (v) => v === null, isNullOrUndefined: (v) => v === null || v === undefined,
    isNumber: (v) => typeof v === "number", isString: (v) => typeof v === "string", isSymbol: (v) => typeof v === "symbol",
    isUndefined: (v) => v === undefined, isObject: (v) => v !== null && typeof v === "object", isFunction: (v) => typeof v === "function",
    isRegExp: types.isRegExp, isDate: types.isDate, isError: (v) => v instanceof Error,
    isPrimitive: (v) => v === null || (typeof v !== "object" && typeof v !== "function"),
    get TextEncoder() { return load("encoding").TextEncoder; },
    get TextDecoder() { return load("encoding").TextDecoder; },
  };
  util.debug = util.debuglog;

  // What few functions ask for is a part of its own.
  for (const name of ["_extend", "aborted", "getSystemErrorMap", "getSystemErrorName", "isBuffer", "log", "MIMEParams", "MIMEType", "parseArgs", "parseEnv", "styleText", "transferableAbortController", "transferableAbortSignal"]) {
    const set = (value) => { Object.defineProperty(util, name, { value, writable: true, enumerable: true, configurable: true }); };
    Object.defineProperty(util, name, {
      enumerable: true, configurable: true, set,
      get() {
        set(load("node/util_more").members[name]);
        return util[name];
      },
    });
  }
  return { __proto__: null, util };
});
