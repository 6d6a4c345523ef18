// Signatures and RSA encryption of the crypto module.
(function (host, load) {
  "use strict";
  const { call, fail, failValue, needText, needFunction, bytes, output, answer } = load("crypto_args");
  const { readPublic, readPrivate } = load("crypto_key");

  function integerOption(name, options) {
    const value = options[name];
    if (value === undefined || value === value >> 0) return value;
    return failValue(`options.${name}`, value);
  }

  // optionsOf gives padding, length of the salt and encoding of ECDSA.
  function optionsOf(options) {
    if (typeof options !== "object") return {};
    const { dsaEncoding } = options;
    if (dsaEncoding !== undefined && dsaEncoding !== "der" && dsaEncoding !== "ieee-p1363") failValue("options.dsaEncoding", dsaEncoding);
    return { padding: integerOption("padding", options), salt: integerOption("saltLength", options), dsaEncoding };
  }

  const needKey = (key) => (key ? key : fail(Error, "ERR_CRYPTO_SIGN_KEY_REQUIRED", "No key provided to sign"));

  function newState(algorithm) {
    try {
      return call("hash.new", needText(algorithm, "algorithm"));
    } catch (error) {
      if (error.code === "ERR_INVALID_ARG_TYPE") throw error;
      return fail(TypeError, "ERR_CRYPTO_INVALID_DIGEST", "Invalid digest");
    }
  }

  const used = () => fail(Error, "ERR_CRYPTO_INVALID_STATE", "Not initialised");

  class Sign {
    #state;
    constructor(algorithm) { this.#state = newState(algorithm); }
    update(data, encoding) {
      const part = bytes(data, encoding, "data", "data");
      if (this.#state === undefined) used();
      call("hash.update", this.#state, part);
      return this;
    }
    write(data, encoding) { this.update(data, encoding); return true; }
    end(data, encoding) { if (data !== undefined && data !== null) this.update(data, encoding); return this; }
    sign(options, encoding) {
      needKey(options);
      const { padding, salt, dsaEncoding } = optionsOf(options);
      const key = readPrivate(options);
      if (this.#state === undefined) used();
      const state = this.#state;
      this.#state = undefined;
      return output(call("sign", undefined, state, key, padding, salt, dsaEncoding), encoding);
    }
  }

  class Verify {
    #state;
    constructor(algorithm) { this.#state = newState(algorithm); }
    update(data, encoding) {
      const part = bytes(data, encoding, "data", "data");
      if (this.#state === undefined) used();
      call("hash.update", this.#state, part);
      return this;
    }
    write(data, encoding) { this.update(data, encoding); return true; }
    end(data, encoding) { if (data !== undefined && data !== null) this.update(data, encoding); return this; }
    verify(options, signature, encoding) {
      const key = readPublic(options);
      const { padding, salt, dsaEncoding } = optionsOf(options);
      const given = bytes(signature, encoding, "signature");
      if (this.#state === undefined) used();
      const state = this.#state;
      this.#state = undefined;
      return call("verify", undefined, state, key, padding, salt, dsaEncoding, given);
    }
  }

  // maybeLater calls back with what make gives, or returns it.
  function maybeLater(callback, make) {
    if (callback === undefined) return make();
    answer(needFunction(callback, "callback"), make);
    return undefined;
  }

  function sign(algorithm, data, key, callback) {
    if (algorithm !== null && algorithm !== undefined) needText(algorithm, "algorithm");
    if (callback !== undefined) needFunction(callback, "callback");
    const input = bytes(data, undefined, "data");
    needKey(key);
    const { padding, salt, dsaEncoding } = optionsOf(key);
    const handle = readPrivate(key);
    return maybeLater(callback, () => output(call("sign", algorithm ?? undefined, input, handle, padding, salt, dsaEncoding)));
  }

  function verify(algorithm, data, key, signature, callback) {
    if (algorithm !== null && algorithm !== undefined) needText(algorithm, "algorithm");
    if (callback !== undefined) needFunction(callback, "callback");
    const input = bytes(data, undefined, "data");
    const { padding, salt, dsaEncoding } = optionsOf(key);
    const given = bytes(signature, undefined, "signature", "an instance of Buffer, TypedArray, or DataView");
    const handle = readPublic(key);
    return maybeLater(callback, () => call("verify", algorithm ?? undefined, input, handle, padding, salt, dsaEncoding, given));
  }

  // ---- RSA

  // Node takes a public key here, too, and then says that the private one is missing.
  function readEither(key) {
    try {
      return readPrivate(key);
    } catch (error) {
      if (error.code !== "ERR_OSSL_UNSUPPORTED") throw error;
      try {
        return readPublic(key);
      } catch {
        throw error;
      }
    }
  }

  const rsa = (name, standard, read) => ({
    [name](key, buffer) {
      const handle = read(key);
      const { padding, oaepHash, oaepLabel, encoding } = typeof key === "object" && key !== null ? key : {};
      if (oaepHash !== undefined) needText(oaepHash, "key.oaepHash");
      const label = oaepLabel === undefined ? undefined : bytes(oaepLabel, encoding, "key.oaepLabel");
      const data = bytes(buffer, encoding, "buffer");
      const number = padding === undefined || padding === 0 ? standard : Number.isInteger(padding) ? padding : -1;
      return output(call(`rsa.${name}`, handle, data, number, oaepHash, label));
    },
  })[name];

  return {
    __proto__: null, Sign, Verify, sign, verify,
    createSign: (algorithm) => new Sign(algorithm),
    createVerify: (algorithm) => new Verify(algorithm),
    publicEncrypt: rsa("publicEncrypt", 4, readPublic), publicDecrypt: rsa("publicDecrypt", 1, readPublic),
    privateEncrypt: rsa("privateEncrypt", 1, readEither), privateDecrypt: rsa("privateDecrypt", 4, readEither),
  };
});
