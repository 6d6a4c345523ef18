// crypto.subtle: the operations. Their arithmetic is the host's, their keys are
// those of crypto_web_keys.
(function (host, load) {
  "use strict";
  const { call, fail, nameOf, hashOf, bytesOf, operate, keyFor, curveBytes } = load("crypto_web");
  const { partsOf, handleOf, isCryptoKey } = load("crypto_secret");
  const keys = load("crypto_web_keys");
  const made = Symbol("made here");

  const joined = (...parts) => {
    const views = parts.map((part) => (ArrayBuffer.isView(part) ? new Uint8Array(part.buffer, part.byteOffset, part.byteLength) : new Uint8Array(part)));
    const all = new Uint8Array(views.reduce((n, view) => n + view.length, 0));
    let at = 0;
    for (const view of views) {
      all.set(view, at);
      at += view.length;
    }
    return all.buffer;
  };

  // ---- encrypt and decrypt

  const suite = (handle, mode) => `aes-${call("key.size", handle) * 8}-${mode}`;

  function cbc(algorithm, handle, data, encrypt) {
    const iv = bytesOf(algorithm.iv, "algorithm.iv");
    if (iv.byteLength !== 16) fail("OperationError", "algorithm.iv must contain exactly 16 bytes");
    const state = call("cipher.new", suite(handle, "cbc"), handle, iv, encrypt);
    return joined(call("cipher.update", state, data), call("cipher.final", state));
  }

  // ctr counts in the last bits of the block only: past their end they start
  // again at zero, and the rest of the block stays.
  function ctr(algorithm, handle, data) {
    const counter = new Uint8Array(joined(bytesOf(algorithm.counter, "algorithm.counter")));
    const { length } = algorithm;
    if (counter.length !== 16) fail("OperationError", "algorithm.counter must contain exactly 16 bytes");
    if (!(length >= 1 && length <= 128)) fail("OperationError", "AES-CTR algorithm.length must be between 1 and 128");
    const run = (block, part) => call("cipher.update", call("cipher.new", suite(handle, "ctr"), handle, block, true), part);
    const blocks = Math.ceil(data.byteLength / 16);
    let count = 0n;
    for (const byte of counter) count = (count << 8n) | BigInt(byte);
    const span = 1n << BigInt(length), left = span - (count & (span - 1n));
    if (BigInt(blocks) > span) fail("OperationError", "the counter would repeat");
    if (BigInt(blocks) <= left) return run(counter, data);
    const bytes = new Uint8Array(joined(data)), first = Number(left) * 16;
    let start = count - (count & (span - 1n));
    for (let i = 15; i >= 0; i--, start >>= 8n) counter[i] = Number(start & 255n);
    return joined(run(joined(bytesOf(algorithm.counter)), bytes.subarray(0, first)), run(counter, bytes.subarray(first)));
  }

  function gcm(algorithm, handle, data, encrypt) {
    const iv = bytesOf(algorithm.iv, "algorithm.iv"), bits = algorithm.tagLength ?? 128;
    if (![32, 64, 96, 104, 112, 120, 128].includes(bits)) fail("OperationError", `${bits} is not a valid AES-GCM tag length`);
    const state = call("cipher.new", suite(handle, "gcm"), handle, iv, encrypt, bits / 8);
    if (algorithm.additionalData !== undefined) call("cipher.aad", state, bytesOf(algorithm.additionalData, "algorithm.additionalData"));
    if (encrypt) {
      const text = call("cipher.update", state, data);
      call("cipher.final", state);
      return joined(text, call("cipher.tag", state));
    }
    const all = new Uint8Array(joined(data)), end = all.length - bits / 8;
    if (end < 0) fail("OperationError", "The provided data is too small.");
    call("cipher.setTag", state, all.subarray(end));
    const text = call("cipher.update", state, all.subarray(0, end));
    call("cipher.final", state);
    return text;
  }

  function oaep(algorithm, handle, data, encrypt, key) {
    const label = algorithm.label === undefined ? undefined : bytesOf(algorithm.label, "algorithm.label");
    return call(encrypt ? "rsa.publicEncrypt" : "rsa.privateDecrypt", handle, data, 4, partsOf(key).algorithm.hash.name, label);
  }

  const ciphers = { __proto__: null, "AES-CBC": cbc, "AES-CTR": ctr, "AES-GCM": gcm, "RSA-OAEP": oaep };

  function crypt(algorithm, key, data, usage, encrypt) {
    const name = nameOf(algorithm);
    const cipher = ciphers[name] ?? fail("NotSupportedError", "Unrecognized algorithm name");
    const handle = keyFor(key, name, usage), bytes = bytesOf(data);
    return operate(() => cipher(typeof algorithm === "object" ? algorithm : {}, handle, bytes, encrypt, key));
  }

  // ---- sign and verify

  function signing(algorithm, key, name) {
    if (name === "Ed25519") return [undefined];
    if (name === "RSASSA-PKCS1-v1_5") return [partsOf(key).algorithm.hash.name, 1];
    if (name === "RSA-PSS") return [partsOf(key).algorithm.hash.name, 6, +algorithm.saltLength];
    if (name === "ECDSA") return [hashOf(algorithm.hash), undefined, undefined, "ieee-p1363"];
    return fail("NotSupportedError", "Unrecognized algorithm name");
  }

  async function sign(algorithm, key, data) {
    const name = nameOf(algorithm), handle = keyFor(key, name, "sign"), bytes = bytesOf(data);
    if (name === "HMAC") return call("hmac.once", partsOf(key).algorithm.hash.name, handle, bytes);
    const { 0: hash, 1: padding, 2: salt, 3: encoding } = signing(algorithm, key, name);
    return operate(() => call("sign", hash, bytes, handle, padding, salt, encoding));
  }

  async function verify(algorithm, key, signature, data) {
    const name = nameOf(algorithm), handle = keyFor(key, name, "verify"), bytes = bytesOf(data), given = bytesOf(signature, "signature");
    if (name === "HMAC") {
      const sum = call("hmac.once", partsOf(key).algorithm.hash.name, handle, bytes);
      return given.byteLength === sum.byteLength && call("equal", given, sum);
    }
    const { 0: hash, 1: padding, 2: salt, 3: encoding } = signing(algorithm, key, name);
    return operate(() => call("verify", hash, bytes, handle, padding, salt, encoding, given));
  }

  // ---- derive

  function bitsOf(algorithm, key, length, usage) {
    const name = nameOf(algorithm), handle = keyFor(key, name, usage);
    if (name === "ECDH" || name === "X25519") return agreed(algorithm, key, handle, length);
    if (name !== "PBKDF2" && name !== "HKDF") fail("NotSupportedError", "Unrecognized algorithm name");
    if (length === null || length === undefined) fail("OperationError", "length cannot be null");
    if (length % 8 !== 0) fail("OperationError", "length must be a multiple of 8");
    const hash = hashOf(algorithm.hash), salt = bytesOf(algorithm.salt, "algorithm.salt");
    if (name === "HKDF") return operate(() => call("hkdf", hash, handle, salt, bytesOf(algorithm.info, "algorithm.info"), length / 8));
    const { iterations } = algorithm;
    if (iterations === 0) fail("OperationError", "iterations cannot be zero");
    return operate(() => call("pbkdf2", hash, call("key.bytes", handle), salt, iterations, length / 8));
  }

  function agreed(algorithm, key, handle, length) {
    const other = algorithm.public, { name, namedCurve } = partsOf(key).algorithm;
    if (!isCryptoKey(other)) throw new TypeError("algorithm.public must be a CryptoKey");
    const parts = partsOf(other);
    if (parts.type !== "public" || partsOf(key).type !== "private") fail("InvalidAccessError", "algorithm.public must be a public key");
    if (parts.algorithm.name !== name || parts.algorithm.namedCurve !== namedCurve) fail("InvalidAccessError", "the keys must be of the same curve");
    const bits = operate(() => call("key.agree", handle, handleOf(other)));
    if (length === null || length === undefined) return bits;
    if (length > bits.byteLength * 8 || length > (curveBytes[namedCurve] ?? 32) * 8) fail("OperationError", "derived bit length is too small");
    const cut = new Uint8Array(bits.slice(0, Math.ceil(length / 8)));
    if (length % 8 !== 0) cut[cut.length - 1] &= 256 - (1 << (8 - (length % 8)));
    return cut.buffer;
  }

  async function deriveKey(algorithm, baseKey, derived, extractable, usages) {
    const name = nameOf(derived);
    const length = name === "PBKDF2" || name === "HKDF" ? null : keys.lengthOf(derived, name);
    const bits = bitsOf(algorithm, baseKey, length, "deriveKey");
    return keys.importKey("raw", bits, derived, extractable, usages);
  }

  // ---- wrap

  const utf8 = (text) => load("encoding").TextEncoder.prototype.encode.call(new (load("encoding").TextEncoder)(), text);

  async function wrapKey(format, key, wrapping, algorithm) {
    const data = await keys.exportKey(format, key);
    return crypt(algorithm, wrapping, format === "jwk" ? utf8(JSON.stringify(data)) : data, "wrapKey", true);
  }

  async function unwrapKey(format, wrapped, unwrapping, algorithm, keyAlgorithm, extractable, usages) {
    const data = crypt(algorithm, unwrapping, wrapped, "unwrapKey", false);
    return keys.importKey(format, format === "jwk" ? JSON.parse(new (load("encoding").TextDecoder)().decode(data)) : data, keyAlgorithm, extractable, usages);
  }

  function needed(method, count, given) {
    if (given < count) throw load("crypto_web").wrong("ERR_MISSING_ARGS", `Failed to execute '${method}' on 'SubtleCrypto': ${count} arguments required, but only ${given} present.`);
  }

  class SubtleCrypto {
    constructor(maker) { if (maker !== made) throw load("node/errors").coded(TypeError, "ERR_ILLEGAL_CONSTRUCTOR", "Illegal constructor"); }
    async digest(algorithm, data) {
      needed("digest", 2, arguments.length);
      const name = hashOf(algorithm);
      return call("hash.once", name, bytesOf(data));
    }
    async encrypt(algorithm, key, data) { needed("encrypt", 3, arguments.length); return crypt(algorithm, key, data, "encrypt", true); }
    async decrypt(algorithm, key, data) { needed("decrypt", 3, arguments.length); return crypt(algorithm, key, data, "decrypt", false); }
    async sign(algorithm, key, data) { needed("sign", 3, arguments.length); return sign(algorithm, key, data); }
    async verify(algorithm, key, signature, data) { needed("verify", 4, arguments.length); return verify(algorithm, key, signature, data); }
    async deriveBits(algorithm, baseKey, length) { needed("deriveBits", 2, arguments.length); return bitsOf(algorithm, baseKey, length, "deriveBits"); }
    async deriveKey(algorithm, baseKey, derived, extractable, usages) { needed("deriveKey", 5, arguments.length); return deriveKey(algorithm, baseKey, derived, extractable, usages); }
    async importKey(format, data, algorithm, extractable, usages) { needed("importKey", 4, arguments.length); return keys.importKey(format, data, algorithm, extractable, usages); }
    async exportKey(format, key) { needed("exportKey", 2, arguments.length); return keys.exportKey(format, key); }
    async generateKey(algorithm, extractable, usages) { needed("generateKey", 3, arguments.length); return keys.generateKey(algorithm, extractable, usages); }
    async wrapKey(format, key, wrapping, algorithm) { needed("wrapKey", 4, arguments.length); return wrapKey(format, key, wrapping, algorithm); }
    async unwrapKey(format, wrapped, unwrapping, algorithm, keyAlgorithm, extractable, usages) { needed("unwrapKey", 6, arguments.length); return unwrapKey(format, wrapped, unwrapping, algorithm, keyAlgorithm, extractable, usages); }
    get [Symbol.toStringTag]() { return "SubtleCrypto"; }
  }

  return { __proto__: null, subtle: new SubtleCrypto(made) };
});
