// Exchanges of keys over elliptic curves: ECDH and diffieHellman.
(function (host, load) {
  "use strict";
  const { call, fail, failValue, needText, needObject, bytes, output } = load("crypto_args");
  const { isKeyObject, handleOf } = load("crypto_secret");

  function formOf(format) {
    if (format === undefined || format === "uncompressed") return "uncompressed";
    if (format === "compressed" || format === "hybrid") return format;
    return fail(TypeError, "ERR_CRYPTO_ECDH_INVALID_FORMAT", `Invalid ECDH format: ${format}`);
  }

  class ECDH {
    #state;
    constructor(curve) { this.#state = call("ecdh.new", needText(curve, "curve")); }
    static convertKey(key, curve, inputEncoding, outputEncoding, format) {
      const point = bytes(key, inputEncoding, "key");
      needText(curve, "curve");
      return output(call("ecdh.convert", point, curve, formOf(format)), outputEncoding);
    }
    generateKeys(encoding, format) {
      call("ecdh.generate", this.#state);
      return this.getPublicKey(encoding, format);
    }
    computeSecret(other, inputEncoding, outputEncoding) {
      return output(call("ecdh.compute", this.#state, bytes(other, inputEncoding, "key")), outputEncoding);
    }
    getPublicKey(encoding, format) {
      const form = formOf(format);
      return output(call("ecdh.public", this.#state, form), encoding);
    }
    getPrivateKey(encoding) { return output(call("ecdh.private", this.#state), encoding); }
    setPrivateKey(key, encoding) { call("ecdh.setPrivate", this.#state, bytes(key, encoding, "key")); return this; }
    setPublicKey(key, encoding) { call("ecdh.setPublic", this.#state, bytes(key, encoding, "key")); return this; }
  }

  function diffieHellman(options) {
    needObject(options, "options");
    const { privateKey, publicKey } = options;
    if (!isKeyObject(privateKey)) failValue("options.privateKey", privateKey);
    if (!isKeyObject(publicKey)) failValue("options.publicKey", publicKey);
    if (privateKey.type !== "private") fail(TypeError, "ERR_CRYPTO_INVALID_KEY_OBJECT_TYPE", `Invalid key object type ${privateKey.type}, expected private.`);
    const types = [privateKey.asymmetricKeyType, publicKey.asymmetricKeyType];
    if (types[0] !== types[1] || (types[0] !== "ec" && types[0] !== "x25519")) fail(Error, "ERR_CRYPTO_INCOMPATIBLE_KEY", `Incompatible key types for Diffie-Hellman: ${types[0]} and ${types[1]}`);
    return output(call("key.agree", handleOf(privateKey), handleOf(publicKey)));
  }

  return { __proto__: null, ECDH, diffieHellman, createECDH: (curve) => new ECDH(curve), getCurves: () => call("curves") };
});
