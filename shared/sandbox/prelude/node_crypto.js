// The crypto module of Node: hashes, HMAC, random values.
(function (host, load) {
  "use strict";
  const web = load("crypto");
  const { Buffer } = load("buffer");
  const { toLatin1, fromLatin1, view } = load("bytes");
  const names = { __proto__: null, md5: "md5", sha1: "sha-1", sha256: "sha-256", sha384: "sha-384", sha512: "sha-512" };

  function codeError(Class, code, message) {
    const error = new Class(message);
    error.code = code;
    return error;
  }

  function algorithmOf(name) {
    if (typeof name !== "string") throw codeError(TypeError, "ERR_INVALID_ARG_TYPE", `The "algorithm" argument must be of type string. Received ${typeof name}`);
    const algorithm = names[name.toLowerCase().replace(/^(rsa-)?sha-/, "sha")];
    if (algorithm === undefined) throw codeError(Error, "ERR_CRYPTO_INVALID_DIGEST", `Digest method not supported: ${name}; there are ${Object.keys(names).join(", ")}`);
    return algorithm;
  }

  // latin1 gives the bytes of text or of a view.
  function latin1(data, encoding, what) {
    if (typeof data === "string") return toLatin1(Buffer.from(data, encoding));
    const bytes = view(data);
    if (bytes === undefined) throw codeError(TypeError, "ERR_INVALID_ARG_TYPE", `The "${what}" argument must be of type string or an instance of Buffer, TypedArray, or DataView.`);
    return toLatin1(bytes);
  }

  function output(bytes, encoding) {
    const buffer = Buffer.from(bytes, "latin1");
    return encoding === undefined || encoding === "buffer" ? buffer : buffer.toString(encoding);
  }

  class Hash {
    #finish; #parts; #done = false;
    constructor(finish, parts = []) {
      this.#finish = finish;
      this.#parts = parts;
    }
    update(data, encoding) {
      if (this.#done) throw codeError(Error, "ERR_CRYPTO_HASH_FINALIZED", "Digest already called");
      this.#parts.push(latin1(data, encoding, "data"));
      return this;
    }
    digest(encoding) {
      if (this.#done) throw codeError(Error, "ERR_CRYPTO_HASH_FINALIZED", "Digest already called");
      this.#done = true;
      return output(this.#finish(this.#parts.join("")), encoding);
    }
    copy() {
      if (this.#done) throw codeError(Error, "ERR_CRYPTO_HASH_FINALIZED", "Digest already called");
      return new Hash(this.#finish, [...this.#parts]);
    }
  }

  function createHash(name) {
    const algorithm = algorithmOf(name);
    return new Hash((data) => host.digest(algorithm, data));
  }

  // KeyObject holds a secret key, the only kind there is here.
  const ours = Symbol("createSecretKey");
  class KeyObject {
    #bytes;
    constructor(maker, bytes) {
      if (maker !== ours) throw codeError(TypeError, "ERR_INVALID_ARG_TYPE", "Use createSecretKey to make a KeyObject.");
      this.#bytes = bytes;
    }
    static bytes(key) { return typeof key === "object" && key !== null && #bytes in key ? key.#bytes : undefined; }
    get type() { return "secret"; }
    get symmetricKeySize() { return this.#bytes.length; }
    export() { return Buffer.from(this.#bytes, "latin1"); }
    equals(other) { return secretOf(other) === this.#bytes; }
  }
  const secretOf = KeyObject.bytes;
  delete KeyObject.bytes;

  const createSecretKey = (key, encoding) => new KeyObject(ours, latin1(key, encoding, "key"));

  function createHmac(name, key) {
    const algorithm = algorithmOf(name);
    const bytes = secretOf(key) ?? latin1(key, "utf8", "key");
    return new Hash((data) => host.hmac(algorithm, bytes, data));
  }

  // answer gives a value, or hands it to a callback as Node's do.
  function answer(callback, make) {
    if (callback === undefined) return make();
    if (typeof callback !== "function") throw codeError(TypeError, "ERR_INVALID_ARG_TYPE", 'The "callback" argument must be of type function.');
    const value = make();
    load("timers").setImmediate(() => callback(null, value));
    return undefined;
  }

  function randomBytes(size, callback) {
    if (typeof size !== "number") throw codeError(TypeError, "ERR_INVALID_ARG_TYPE", `The "size" argument must be of type number. Received ${typeof size}`);
    if (!(size >= 0 && size <= 2 ** 31 - 1)) throw codeError(RangeError, "ERR_OUT_OF_RANGE", `The value of "size" is out of range. It must be >= 0 && <= 2147483647. Received ${size}`);
    return answer(callback, () => Buffer.from(web.randomBytes(size).buffer));
  }

  function randomInt(min, max, callback) {
    if (max === undefined || typeof max === "function") [min, max, callback] = [0, min, max];
    if (!Number.isSafeInteger(min) || !Number.isSafeInteger(max)) throw codeError(TypeError, "ERR_INVALID_ARG_TYPE", 'The "min" and "max" arguments must be safe integers.');
    const range = max - min;
    if (!(range > 0 && range <= 2 ** 48 - 1)) throw codeError(RangeError, "ERR_OUT_OF_RANGE", `The value of "max" is out of range. It must be greater than the value of "min" (${min}). Received ${max}`);
    return answer(callback, () => {
      const limit = 2 ** 48 - (2 ** 48 % range); // above it numbers would not be equally likely
      for (;;) {
        const n = Buffer.from(web.randomBytes(6).buffer).readUIntBE(0, 6);
        if (n < limit) return min + (n % range);
      }
    });
  }

  function randomFillSync(target, offset = 0, size = target.byteLength - offset) {
    view(target).set(web.randomBytes(size), offset);
    return target;
  }

  function timingSafeEqual(a, b) {
    const left = latin1(view(a), undefined, "buf1"), right = latin1(view(b), undefined, "buf2");
    if (left.length !== right.length) throw codeError(RangeError, "ERR_CRYPTO_TIMING_SAFE_EQUAL_LENGTH", "Input buffers must have the same byte length");
    return web.equal(left, right);
  }

  function pbkdf2Sync(password, salt, iterations, length, digest) {
    const algorithm = algorithmOf(digest);
    const key = latin1(password, "utf8", "password"), seed = latin1(salt, "utf8", "salt");
    const out = [];
    for (let block = 1, size = 0; size < length; block++) {
      let u = host.hmac(algorithm, key, seed + String.fromCharCode(block >>> 24, (block >>> 16) & 255, (block >>> 8) & 255, block & 255));
      const sum = fromLatin1(u);
      for (let i = 1; i < iterations; i++) {
        u = host.hmac(algorithm, key, u);
        for (let j = 0; j < sum.length; j++) sum[j] ^= u.charCodeAt(j);
      }
      out.push(sum);
      size += sum.length;
    }
    return Buffer.concat(out, length);
  }

  const module = {
    createHash, createHmac, randomBytes, pseudoRandomBytes: randomBytes, randomInt, randomFillSync, timingSafeEqual, pbkdf2Sync,
    Hash, Hmac: Hash, KeyObject, createSecretKey,
    hash: (name, data, encoding = "hex") => createHash(name).update(data).digest(encoding),
    randomFill: (target, ...rest) => answer(rest.pop(), () => randomFillSync(target, ...rest)),
    pbkdf2: (password, salt, iterations, length, digest, callback) => answer(callback, () => pbkdf2Sync(password, salt, iterations, length, digest)),
    randomUUID: () => web.randomUUID(),
    getRandomValues: web.getRandomValues,
    getHashes: () => Object.keys(names),
    webcrypto: web.crypto,
    subtle: web.crypto.subtle,
  };
  const missing = ["createCipheriv", "createDecipheriv", "createSign", "createVerify", "sign", "verify", "generateKeyPair", "generateKeyPairSync", "createPublicKey", "createPrivateKey", "publicEncrypt", "privateDecrypt", "createDiffieHellman", "createECDH", "scrypt", "scryptSync", "hkdf", "hkdfSync"];
  for (const name of missing) {
    module[name] = () => { throw codeError(Error, "ERR_FEATURE_UNAVAILABLE_ON_PLATFORM", `crypto.${name} is not available in cloud functions: there are hashes, HMAC, PBKDF2 and random values; bundle a JavaScript library for more`); };
  }
  return { __proto__: null, module };
});
