// Keys as JavaScript holds them: KeyObject of Node and CryptoKey of the web.
// The key itself is a handle of the host.
(function (host, load) {
  "use strict";
  const { call, fail, failType, failValue, needObject, bytes, plain, kinds, output } = load("crypto_args");
  const made = Symbol("made here");
  let handleOfObject, handleOfCrypto, cryptoParts;

  class KeyObject {
    #type; #handle;
    static { handleOfObject = (key) => (#handle in key ? key.#handle : undefined); }
    constructor(type, handle, maker) {
      if (type !== "secret" && type !== "public" && type !== "private") failValue("type", type);
      if (maker !== made) failType("handle", "of type object", handle);
      this.#type = type;
      this.#handle = handle;
    }
    static from(key) {
      if (!isCryptoKey(key)) failType("key", "an instance of CryptoKey", key);
      return objectOf(cryptoParts(key).type, handleOfCrypto(key));
    }
    get type() { return this.#type; }
    equals(other) {
      if (!isKeyObject(other)) failType("otherKeyObject", "an instance of KeyObject", other);
      return other.type === this.#type && call("key.equals", this.#handle, handleOfObject(other));
    }
    get [Symbol.toStringTag]() { return "KeyObject"; }
  }

  class SecretKeyObject extends KeyObject {
    get symmetricKeySize() { return call("key.size", handleOfObject(this)); }
    export(options) {
      if (options !== undefined) {
        needObject(options, "options");
        if (options.format !== undefined && options.format !== "buffer" && options.format !== "jwk") failValue("options.format", options.format, "must be one of: undefined, 'buffer', 'jwk'");
        if (options.format === "jwk") return JSON.parse(call("key.toJWK", handleOfObject(this)));
      }
      return output(call("key.bytes", handleOfObject(this)));
    }
  }

  // ---- of the web

  class CryptoKey {
    #handle; #parts;
    static {
      handleOfCrypto = (key) => (#handle in key ? key.#handle : undefined);
      cryptoParts = (key) => key.#parts;
    }
    constructor(maker, handle, parts) {
      if (maker !== made) fail(TypeError, "ERR_ILLEGAL_CONSTRUCTOR", "Illegal constructor");
      this.#handle = handle;
      this.#parts = parts;
    }
    get type() { return this.#parts.type; }
    get extractable() { return this.#parts.extractable; }
    get algorithm() { return this.#parts.algorithm; }
    get usages() { return [...this.#parts.usages]; }
    get [Symbol.toStringTag]() { return "CryptoKey"; }
  }

  const isObject = (v) => typeof v === "object" && v !== null;
  const isKeyObject = (v) => isObject(v) && handleOfObject(v) !== undefined;
  const isCryptoKey = (v) => isObject(v) && handleOfCrypto(v) !== undefined;

  // objectOf makes the KeyObject of a handle.
  function objectOf(type, handle) {
    if (type === "secret") return new SecretKeyObject("secret", handle, made);
    const { PublicKeyObject, PrivateKeyObject } = load("crypto_key");
    return type === "public" ? new PublicKeyObject("public", handle, made) : new PrivateKeyObject("private", handle, made);
  }

  // handleOf is the handle of either kind of key, undefined for anything else.
  const handleOf = (v) => (isObject(v) ? handleOfObject(v) ?? handleOfCrypto(v) : undefined);
  const typeOf = (key) => key.type;

  // secret gives what the host takes as a secret key: a handle, or bytes.
  function secret(key, encoding, name, kind = "key") {
    const handle = handleOf(key);
    if (handle === undefined) return bytes(key, encoding, name, kind);
    const type = handleOfObject(key) !== undefined ? key.type : cryptoParts(key).type;
    if (type !== "secret") fail(TypeError, "ERR_CRYPTO_INVALID_KEY_OBJECT_TYPE", `Invalid key object type ${type}, expected secret.`);
    return handle;
  }

  function createSecretKey(key, encoding) {
    const found = plain(key, encoding);
    if (found === undefined) failType("key", kinds.view, key);
    return objectOf("secret", call("key.secret", found));
  }

  return {
    __proto__: null, KeyObject, CryptoKey, secret, createSecretKey, objectOf, handleOf, isKeyObject, isCryptoKey, typeOf,
    cryptoKey: (handle, parts) => new CryptoKey(made, handle, parts), partsOf: (key) => cryptoParts(key),
  };
});
