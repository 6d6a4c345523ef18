// createHash, createHmac and hash of the crypto module.
(function (host, load) {
  "use strict";
  const { call, fail, failType, needText, needInteger, bytes, kinds, output, digested } = load("crypto_args");

  const finalized = () => fail(Error, "ERR_CRYPTO_HASH_FINALIZED", "Digest already called");

  class Hash {
    #state; #length; #done = false;
    constructor(algorithm, options, state) {
      this.#length = options?.outputLength === undefined ? undefined : needInteger(options.outputLength, "options.outputLength", 0, 2 ** 32 - 1);
      this.#state = state ?? call("hash.new", needText(algorithm, "algorithm"));
      const size = this.#length;
      if (size !== undefined && size !== call("hash.size", this.#state)) wrongLength();
    }
    copy(options) {
      if (this.#done) finalized();
      return new Hash(undefined, options ?? { outputLength: this.#length }, call("hash.copy", this.#state));
    }
    update(data, encoding) {
      if (this.#done) finalized();
      call("hash.update", this.#state, bytes(data, encoding, "data", "data"));
      return this;
    }
    digest(encoding) {
      if (this.#done) finalized();
      this.#done = true;
      const sum = call("hash.digest", this.#state);
      this.#state = undefined;
      return digested(sum, encoding);
    }
  }

  function wrongLength() {
    const error = new Error("error:030000B2:digital envelope routines::not XOF or invalid length");
    Object.assign(error, { library: "digital envelope routines", reason: "not XOF or invalid length", code: "ERR_OSSL_EVP_NOT_XOF_OR_INVALID_LENGTH" });
    throw error;
  }

  class Hmac {
    #state; #done = false;
    constructor(algorithm, key, options) {
      needText(algorithm, "hmac");
      this.#state = call("hmac.new", algorithm, load("crypto_secret").secret(key, options?.encoding, "key"));
    }
    update(data, encoding) {
      if (this.#done) finalized();
      call("hash.update", this.#state, bytes(data, encoding, "data", "data"));
      return this;
    }
    // A second digest is empty, as Node has it since long ago.
    digest(encoding) {
      const sum = this.#done ? new ArrayBuffer(0) : call("hash.digest", this.#state);
      this.#done = true;
      this.#state = undefined;
      return digested(sum, encoding);
    }
  }

  const { stream } = load("crypto_stream");
  const options = () => ({ decodeStrings: true });
  const write = (object, chunk) => { object.update(chunk); };
  stream(Hash, options, write, (object) => object.digest());
  stream(Hmac, options, write, (object) => object.digest());

  function hash(algorithm, input, options = "hex") {
    needText(algorithm, "algorithm");
    if (typeof input !== "string" && !ArrayBuffer.isView(input)) failType("input", kinds.data, input);
    const encoding = typeof options === "object" && options !== null ? options.outputEncoding ?? "hex" : options;
    if (encoding !== "buffer" && !load("buffer").Buffer.isEncoding(needText(encoding, "outputEncoding"))) fail(TypeError, "ERR_INVALID_ARG_VALUE", `The argument 'outputEncoding' is invalid. Received ${load("inspect").inspect(encoding)}`);
    return output(call("hash.once", algorithm, bytes(input, "utf8", "input", "data")), encoding);
  }

  return {
    __proto__: null, Hash, Hmac, hash,
    createHash: (algorithm, options) => new Hash(algorithm, options),
    createHmac: (algorithm, key, options) => new Hmac(algorithm, key, options),
    getHashes: () => call("hash.names"),
  };
});
