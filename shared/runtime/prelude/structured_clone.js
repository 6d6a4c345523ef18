// structuredClone: a deep copy with the types and cycles JSON loses.
(function (host, load) {
  "use strict";
  const TypedArray = Object.getPrototypeOf(Uint8Array);
  const errors = { Error, EvalError, RangeError, ReferenceError, SyntaxError, TypeError, URIError };

  function fail(value) {
    const text = typeof value === "object" ? `#<${value.constructor?.name ?? "Object"}>` : String(value);
    throw new (load("dom_exception").DOMException)(`${text} could not be cloned.`, "DataCloneError");
  }

  function structuredClone(value, options) {
    if (arguments.length === 0) throw new TypeError("structuredClone needs an argument");
    const transfer = options?.transfer === undefined ? [] : [...options.transfer];
    for (const item of transfer) if (!(item instanceof ArrayBuffer)) fail(item);
    const seen = new Map();
    const copy = clone(value, seen);
    for (const item of transfer) item.transfer(0);
    return copy;
  }

  function clone(v, seen) {
    if (typeof v === "symbol" || typeof v === "function") fail(v);
    if (typeof v !== "object" || v === null) return v;
    const known = seen.get(v);
    if (known !== undefined) return known;
    const keep = (copy) => { seen.set(v, copy); return copy; };
    if (Array.isArray(v)) {
      const copy = keep([]);
      copy.length = v.length;
      return properties(v, copy, seen);
    }
    const builtin = cloneBuiltin(v, seen, keep);
    return builtin ?? properties(v, keep({}), seen);
  }

  function properties(v, copy, seen) {
    for (const key of Object.keys(v)) {
      Object.defineProperty(copy, key, { value: clone(v[key], seen), writable: true, enumerable: true, configurable: true });
    }
    return copy;
  }

  // cloneBuiltin copies what has hidden state; undefined for plain objects.
  function cloneBuiltin(v, seen, keep) {
    if (v instanceof Date) return keep(new Date(v.getTime()));
    if (v instanceof RegExp) return keep(new RegExp(v.source, v.flags));
    if (v instanceof Map) {
      const copy = keep(new Map());
      for (const [key, value] of [...v]) copy.set(clone(key, seen), clone(value, seen));
      return copy;
    }
    if (v instanceof Set) {
      const copy = keep(new Set());
      for (const value of [...v]) copy.add(clone(value, seen));
      return copy;
    }
    if (v instanceof ArrayBuffer) return keep(v.slice(0));
    if (v instanceof TypedArray) return keep(new (globalThis[v[Symbol.toStringTag]])(clone(v.buffer, seen), v.byteOffset, v.length));
    if (v instanceof DataView) return keep(new DataView(clone(v.buffer, seen), v.byteOffset, v.byteLength));
    if (v instanceof Error) return cloneError(v, seen, keep);
    if (v instanceof Number || v instanceof String || v instanceof Boolean || v instanceof BigInt) return keep(Object(v.valueOf()));
    if (v instanceof Symbol || v instanceof WeakMap || v instanceof WeakSet || v instanceof WeakRef || v instanceof Promise) fail(v);
    return undefined;
  }

  function cloneError(v, seen, keep) {
    const copy = keep(new (errors[v.name] ?? Error)());
    const set = (key, value) => Object.defineProperty(copy, key, { value, writable: true, configurable: true, enumerable: false });
    const message = Object.getOwnPropertyDescriptor(v, "message");
    if (message !== undefined && "value" in message) set("message", String(message.value));
    if (typeof v.stack === "string") set("stack", v.stack);
    if (Object.hasOwn(v, "cause")) set("cause", clone(v.cause, seen));
    return copy;
  }

  return { __proto__: null, structuredClone };
});
