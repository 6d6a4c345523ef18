// Deep equality as Node's assert and util.isDeepStrictEqual define it.
(function () {
  "use strict";
  const same = Object.is;
  const loose = (a, b) => a == b || (a !== a && b !== b); // eslint-disable-line eqeqeq
  const tag = (v) => Object.prototype.toString.call(v);
  const isObject = (v) => typeof v === "object" && v !== null;

  // equal compares a and b; seen maps objects of a to their partner in b, so
  // that cycles end.
  function equal(a, b, strict, seen = new Map()) {
    if (a === b) return a !== 0 || !strict || same(a, b);
    if (!isObject(a) || !isObject(b)) {
      if (strict) return typeof a === "function" || typeof b === "function" ? false : same(a, b);
      return isObject(a) || isObject(b) ? false : loose(a, b);
    }
    if (strict && Object.getPrototypeOf(a) !== Object.getPrototypeOf(b)) return false;
    if (tag(a) !== tag(b) || Array.isArray(a) !== Array.isArray(b)) return false;
    if (seen.has(a)) return seen.get(a) === b;
    seen.set(a, b);
    const result = contents(a, b, strict, seen) && properties(a, b, strict, seen);
    seen.delete(a);
    return result;
  }

  function contents(a, b, strict, seen) {
    if (Array.isArray(a)) return a.length === b.length;
    if (a instanceof Date) return b instanceof Date && same(a.getTime(), b.getTime());
    if (a instanceof RegExp) return b instanceof RegExp && a.source === b.source && a.flags === b.flags && a.lastIndex === b.lastIndex;
    if (a instanceof Error) return b instanceof Error && a.message === b.message && a.name === b.name && equal(a.cause, b.cause, strict, seen) && equal(a.errors, b.errors, strict, seen);
    if (a instanceof Map) return b instanceof Map && a.size === b.size && maps(a, b, strict, seen);
    if (a instanceof Set) return b instanceof Set && a.size === b.size && sets(a, b, strict, seen);
    if (ArrayBuffer.isView(a)) return ArrayBuffer.isView(b) && bytes(a, b);
    if (a instanceof ArrayBuffer) return b instanceof ArrayBuffer && bytes(new Uint8Array(a), new Uint8Array(b));
    if (a instanceof WeakMap || a instanceof WeakSet || a instanceof Promise || a instanceof WeakRef) return false;
    if (a instanceof Number || a instanceof String || a instanceof Boolean || a instanceof BigInt || a instanceof Symbol) return same(a.valueOf(), b.valueOf());
    return true;
  }

  function bytes(a, b) {
    if (a instanceof DataView) {
      a = new Uint8Array(a.buffer, a.byteOffset, a.byteLength);
      b = new Uint8Array(b.buffer, b.byteOffset, b.byteLength);
    }
    if (a.length !== b.length) return false;
    for (let i = 0; i < a.length; i++) if (!same(a[i], b[i])) return false;
    return true;
  }

  function sets(a, b, strict, seen) {
    const left = [];
    for (const v of a) if (!b.has(v)) left.push(v);
    const right = new Set([...b].filter((v) => !a.has(v)));
    return left.every((v) => {
      for (const w of right) {
        if (!equal(v, w, strict, seen)) continue;
        right.delete(w);
        return true;
      }
      return false;
    });
  }

  function maps(a, b, strict, seen) {
    const right = new Set(b.keys());
    for (const [key, value] of a) {
      if (b.has(key) && equal(value, b.get(key), strict, seen)) {
        right.delete(key);
        continue;
      }
      let found = false;
      for (const other of right) {
        if (!equal(key, other, strict, seen) || !equal(value, b.get(other), strict, seen)) continue;
        right.delete(other);
        found = true;
        break;
      }
      if (!found) return false;
    }
    return true;
  }

  function properties(a, b, strict, seen) {
    if (ArrayBuffer.isView(a)) return true;
    const own = (o) => Reflect.ownKeys(o).filter((k) => (strict || typeof k === "string") && Object.prototype.propertyIsEnumerable.call(o, k));
    const keys = own(a);
    if (keys.length !== own(b).length) return false;
    return keys.every((k) => Object.hasOwn(b, k) && equal(a[k], b[k], strict, seen));
  }

  return { __proto__: null, equal };
});
