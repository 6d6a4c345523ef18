// createCipheriv and createDecipheriv of the crypto module.
(function (host, load) {
  "use strict";
  const { call, fail, failType, failRange, failValue, needText, needObject, needInteger, bytes, plain, kinds, output } = load("crypto_args");
  const { PiecesOfText } = load("crypto_text");

  // Common is what both directions share.
  class Common {
    #state; #decoder;
    constructor(algorithm, key, iv, options, encrypt) {
      needText(algorithm, "cipher");
      const encoding = options?.encoding;
      const secret = load("crypto_secret").secret(key, encoding, "key");
      const vector = iv === null ? undefined : plain(iv, "utf8");
      if (iv !== null && vector === undefined) failType("iv", kinds.any, iv);
      const size = options?.authTagLength;
      if (size !== undefined && size !== null && (!Number.isInteger(size) || size < 0 || size > 2 ** 31 - 1)) failValue("options.authTagLength", size);
      this.#state = call("cipher.new", algorithm, secret, vector, encrypt, size);
    }
    static state(cipher) { return cipher.#state; }
    update(data, inputEncoding, outputEncoding) {
      if (typeof inputEncoding !== "string") inputEncoding = undefined;
      const result = call("cipher.update", this.#state, bytes(data, inputEncoding, "data", "data"));
      return this.#give(result, outputEncoding, false);
    }
    final(outputEncoding) {
      return this.#give(call("cipher.final", this.#state), outputEncoding, true);
    }
    // Text may end within a character, or within three bytes of base64: the rest comes first next time.
    #give(result, encoding, last) {
      if (!encoding || encoding === "buffer") return output(result);
      this.#decoder ??= new PiecesOfText(encoding);
      if (!this.#decoder.accepts(encoding)) fail(Error, "ERR_INTERNAL_ASSERTION", "Cannot change encoding");
      const text = this.#decoder.write(output(result));
      return last ? text + this.#decoder.end() : text;
    }
    setAutoPadding(on) {
      call("cipher.padding", this.#state, on === undefined || Boolean(on));
      return this;
    }
    setAAD(data, options) {
      const aad = bytes(data, options?.encoding, "aadbuf", "any");
      call("cipher.aad", this.#state, aad);
      return this;
    }
  }
  const stateOf = Common.state;
  delete Common.state;

  class Cipheriv extends Common {
    constructor(algorithm, key, iv, options) { super(algorithm, key, iv, options, true); }
    getAuthTag() { return output(call("cipher.tag", stateOf(this))); }
  }

  class Decipheriv extends Common {
    constructor(algorithm, key, iv, options) { super(algorithm, key, iv, options, false); }
    setAuthTag(tag, encoding) {
      call("cipher.setTag", stateOf(this), bytes(tag, encoding, "buffer", "any"));
      return this;
    }
  }

  load("crypto_stream").stream(Common, () => ({}), (object, chunk) => object.update(chunk), (object) => object.final());

  function getCipherInfo(name, options) {
    if (typeof name !== "string" && typeof name !== "number") failType("nameOrNid", "one of type string or number", name);
    if (typeof name === "number" && !Number.isInteger(name)) failRange("nameOrNid", "an integer", name);
    if (options !== undefined) needObject(options, "options");
    const found = call("cipher.info", name);
    if (found === undefined) return undefined;
    const { 0: mode, 1: spelling, 2: nid, 3: blockSize, 4: ivLength, 5: keyLength } = found;
    const wanted = options?.ivLength === undefined ? ivLength : needInteger(options.ivLength, "options.ivLength");
    if (options?.keyLength !== undefined && options.keyLength !== keyLength) return undefined;
    if (wanted !== ivLength && (mode !== "gcm" || wanted < 1)) return undefined;
    const info = { mode, name: spelling, nid };
    if (mode !== "stream") info.blockSize = blockSize;
    if (ivLength !== 0) info.ivLength = wanted;
    info.keyLength = keyLength;
    return info;
  }

  return {
    __proto__: null, Cipheriv, Decipheriv, getCipherInfo,
    createCipheriv: (algorithm, key, iv, options) => new Cipheriv(algorithm, key, iv, options),
    createDecipheriv: (algorithm, key, iv, options) => new Decipheriv(algorithm, key, iv, options),
    getCiphers: () => call("cipher.names"),
  };
});
