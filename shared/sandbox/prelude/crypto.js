// crypto of the web: random values, digests, HMAC. The arithmetic is the
// host's; here are the shapes.
(function (host, load) {
  "use strict";
  const { toLatin1, fromLatin1, view } = load("bytes");
  const TypedArray = Object.getPrototypeOf(Uint8Array);
  const integers = new Set(["Int8Array", "Uint8Array", "Uint8ClampedArray", "Int16Array", "Uint16Array", "Int32Array", "Uint32Array", "BigInt64Array", "BigUint64Array"]);
  const algorithms = { __proto__: null, "SHA-1": 20, "SHA-256": 32, "SHA-384": 48, "SHA-512": 64 };
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

  // ---- subtle

  let material; // the bytes of a key, for this file only
  const secret = Symbol("made by importKey");

  class CryptoKey {
    #type; #extractable; #algorithm; #usages; #bytes;
    static { material = (key) => key.#bytes; }
    constructor(made, extractable, algorithm, usages, bytes) {
      if (made !== secret) throw new TypeError("Illegal constructor");
      this.#type = "secret";
      this.#extractable = extractable;
      this.#algorithm = algorithm;
      this.#usages = usages;
      this.#bytes = bytes;
    }
    get type() { return this.#type; }
    get extractable() { return this.#extractable; }
    get algorithm() { return this.#algorithm; }
    get usages() { return [...this.#usages]; }
    get [Symbol.toStringTag]() { return "CryptoKey"; }
  }

  const nameOf = (algorithm) => `${typeof algorithm === "object" && algorithm !== null ? algorithm.name : algorithm}`.toUpperCase();

  function hashOf(algorithm) {
    const name = nameOf(algorithm);
    if (!(name in algorithms)) fail("NotSupportedError", `Unrecognized algorithm name "${name}": digests are SHA-1, SHA-256, SHA-384 and SHA-512`);
    return name;
  }

  function needHMAC(algorithm) {
    if (nameOf(algorithm) !== "HMAC") fail("NotSupportedError", `Unrecognized algorithm name "${nameOf(algorithm)}": keys are for HMAC`);
  }

  function bytesOf(data) {
    const bytes = view(data);
    if (bytes === undefined) throw new TypeError("the data must be an ArrayBuffer or a view of one");
    return toLatin1(bytes);
  }

  const bufferOf = (latin1) => fromLatin1(latin1).buffer;
  const mac = (key, data) => toLatin1(new Uint8Array(load("crypto_args").call("hmac.once", material(key).hash, fromLatin1(material(key).bytes), fromLatin1(bytesOf(data)))));

  function needUsage(key, usage) {
    if (!(key instanceof CryptoKey)) throw new TypeError(`${usage} needs a CryptoKey`);
    if (!key.usages.includes(usage)) fail("InvalidAccessError", `The key may not be used to ${usage}`);
  }

  function makeKey(bytes, hash, extractable, usages) {
    usages = [...usages];
    if (usages.length === 0 || usages.some((u) => u !== "sign" && u !== "verify")) fail("SyntaxError", "The usages of an HMAC key are sign and verify");
    const algorithm = { name: "HMAC", hash: { name: hash }, length: bytes.length * 8 };
    return new CryptoKey(secret, Boolean(extractable), algorithm, usages, { bytes, hash });
  }

  class SubtleCrypto {
    constructor(made) { if (made !== secret) throw new TypeError("Illegal constructor"); }
    async digest(algorithm, data) { return load("crypto_args").call("hash.once", hashOf(algorithm), fromLatin1(bytesOf(data))); }
    async importKey(format, data, algorithm, extractable, usages) {
      needHMAC(algorithm);
      const hash = hashOf(algorithm.hash);
      if (format === "raw") return makeKey(bytesOf(data), hash, extractable, usages);
      if (format === "jwk") return makeKey(load("base64").decode(`${data.k}`), hash, extractable, usages);
      return fail("NotSupportedError", `Keys are imported as "raw" or "jwk", not as "${format}"`);
    }
    async exportKey(format, key) {
      if (!key.extractable) fail("InvalidAccessError", "The key is not extractable");
      if (format === "raw") return bufferOf(material(key).bytes);
      if (format !== "jwk") fail("NotSupportedError", `Keys are exported as "raw" or "jwk", not as "${format}"`);
      return { kty: "oct", k: load("base64").encode(material(key).bytes, true), alg: "HS" + material(key).hash.slice(4), key_ops: key.usages, ext: true };
    }
    async generateKey(algorithm, extractable, usages) {
      needHMAC(algorithm);
      const hash = hashOf(algorithm.hash);
      const length = algorithm.length === undefined ? (algorithms[hash] > 32 ? 128 : 64) : Math.ceil(algorithm.length / 8);
      return makeKey(host.random(+length), hash, extractable, usages);
    }
    async sign(algorithm, key, data) {
      needHMAC(algorithm);
      needUsage(key, "sign");
      return bufferOf(mac(key, data));
    }
    async verify(algorithm, key, signature, data) {
      needHMAC(algorithm);
      needUsage(key, "verify");
      return equal(bytesOf(signature), mac(key, data));
    }
    get [Symbol.toStringTag]() { return "SubtleCrypto"; }
  }
  for (const name of ["encrypt", "decrypt", "deriveKey", "deriveBits", "wrapKey", "unwrapKey"]) {
    Object.defineProperty(SubtleCrypto.prototype, name, {
      value: async () => fail("NotSupportedError", `crypto.subtle.${name} is not available in cloud functions: there are digest and HMAC`), writable: true, configurable: true,
    });
  }

  // equal takes the same time wherever two equally long strings differ.
  function equal(a, b) {
    if (a.length !== b.length) return false;
    let difference = 0;
    for (let i = 0; i < a.length; i++) difference |= a.charCodeAt(i) ^ b.charCodeAt(i);
    return difference === 0;
  }

  class Crypto {
    #subtle = new SubtleCrypto(secret);
    constructor(made) { if (made !== secret) throw new TypeError("Illegal constructor"); }
    get subtle() { return this.#subtle; }
    getRandomValues(array) { return getRandomValues(array); }
    randomUUID() { return randomUUID(); }
    get [Symbol.toStringTag]() { return "Crypto"; }
  }

  return { __proto__: null, crypto: new Crypto(secret), randomBytes, randomUUID, getRandomValues, equal, CryptoKey };
});
