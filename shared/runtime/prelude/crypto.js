// crypto of the web: random values here, crypto.subtle in its own part.
(function (host, load) {
  "use strict";
  const { fromLatin1 } = load("bytes");
  const TypedArray = Object.getPrototypeOf(Uint8Array);
  const integers = new Set(["Int8Array", "Uint8Array", "Uint8ClampedArray", "Int16Array", "Uint16Array", "Int32Array", "Uint32Array", "BigInt64Array", "BigUint64Array"]);
  const secret = Symbol("made here");
  const fail = (name, message) => { throw new (load("dom_exception").DOMException)(message, name); };

  function getRandomValues(array) {
    if (!(array instanceof TypedArray) || !integers.has(array[Symbol.toStringTag])) fail("TypeMismatchError", "The data argument must be an integer-type TypedArray");
    if (array.byteLength > 65536) fail("QuotaExceededError", `The requested length exceeds 65,536 bytes`);
    new Uint8Array(array.buffer, array.byteOffset, array.byteLength).set(randomBytes(array.byteLength));
    return array;
  }

  const randomBytes = (n) => fromLatin1(host.random(n));

  function randomUUID() {
    const bytes = randomBytes(16);
    bytes[6] = (bytes[6] & 0x0f) | 0x40;
    bytes[8] = (bytes[8] & 0x3f) | 0x80;
    const hex = Array.from(bytes, (b) => (b < 16 ? "0" : "") + b.toString(16)).join("");
    return `${hex.slice(0, 8)}-${hex.slice(8, 12)}-${hex.slice(12, 16)}-${hex.slice(16, 20)}-${hex.slice(20)}`;
  }

  class Crypto {
    constructor(made) { if (made !== secret) throw load("node/errors").coded(TypeError, "ERR_ILLEGAL_CONSTRUCTOR", "Illegal constructor"); }
    get subtle() { return load("crypto_subtle").subtle; }
    getRandomValues(array) { return getRandomValues(array); }
    randomUUID() { return randomUUID(); }
    get [Symbol.toStringTag]() { return "Crypto"; }
  }

  return { __proto__: null, crypto: new Crypto(secret), randomUUID, getRandomValues };
});
