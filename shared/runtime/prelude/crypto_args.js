// What all parts of crypto share: the door to the host, Node's checks of
// arguments with its messages, and the shapes of results.
(function (host, load, primordials) {
  "use strict";
  const { Buffer } = load("buffer");
  const { received, coded, needText: isText, needFunction: isFunction } = load("node/errors");
  const { isArray } = primordials;
  const { isView } = ArrayBuffer;
  const classes = { __proto__: null, Error, TypeError, RangeError };

  // call does one operation of the host and throws what it refuses. Keys and
  // states come back as handles: values that only the host can see into.
  function call(operation, a, b, c, d, e, f, g, h) {
    const result = host.crypto(operation, a, b, c, d, e, f, g, h);
    if (isArray(result) && typeof result[0] === "string" && result[0] in classes) throw refusal(result);
    return result;
  }

  function refusal({ 0: name, 1: message, 2: code, 3: library, 4: reason }) {
    const error = new classes[name](message);
    if (library) {
      error.library = library;
      error.reason = reason;
    }
    if (code) error.code = code;
    return error;
  }

  const fail = (Class, code, message) => { throw coded(Class, code, message); };

  // Arguments that hold secrets: what was given in their place is not said. Node does, and logs keep it.
  const secrets = { __proto__: null, handle: 1, key: 1, "key.key": 1, pkey: 1, password: 1, ikm: 1, buf1: 1, buf2: 1, passphrase: 1, "key.d": 1, "key.k": 1, "options.privateKey": 1, "options.publicKey": 1 };
  const isSecret = (name) => name in secrets || name.endsWith(".passphrase");
  const shown = (name, value) => (isSecret(name) && value !== null && !/^(object|function|undefined)$/.test(typeof value) ? `type ${typeof value}` : received(value));

  // failType throws that an argument, or "a.b" of one, is of a wrong type.
  function failType(name, expected, value) {
    const kind = name.includes(".") ? "property" : "argument";
    return fail(TypeError, "ERR_INVALID_ARG_TYPE", `The "${name}" ${kind} must be ${expected}. Received ${shown(name, value)}`);
  }

  // failValue throws that an argument has no value that is allowed.
  function failValue(name, value, reason = "is invalid") {
    let text = isSecret(name) ? shown(name, value) : load("inspect").inspect(value);
    if (text.length > 128) text = `${text.slice(0, 128)}...`;
    const kind = name.includes(".") ? "property" : "argument";
    return fail(TypeError, "ERR_INVALID_ARG_VALUE", `The ${kind} '${name}' ${reason}. Received ${text}`);
  }

  // separated writes large integers as Node does: 1_000_000.
  function separated(value) {
    const text = `${value}`;
    return Number.isInteger(value) && Math.abs(value) > 2 ** 32 ? text.replace(/\B(?=(\d{3})+(?!\d))/g, "_") : text;
  }

  const failRange = (name, range, value) => fail(RangeError, "ERR_OUT_OF_RANGE", `The value of "${name}" is out of range. It must be ${range}. Received ${separated(value)}`);

  function needText(value, name) {
    if (isSecret(name) && typeof value !== "string") failType(name, "of type string", value);
    isText(value, name);
    return value;
  }

  function needInteger(value, name, min = -(2 ** 53 - 1), max = 2 ** 53 - 1) {
    if (typeof value !== "number") failType(name, "of type number", value);
    if (!Number.isInteger(value)) failRange(name, "an integer", value);
    if (value < min || value > max) failRange(name, `>= ${min} && <= ${max}`, value);
    return value;
  }

  function needFunction(value, name) {
    isFunction(value, name);
    return value;
  }

  function needObject(value, name) {
    if (typeof value !== "object" || value === null) failType(name, "of type object", value);
    return value;
  }

  // plain gives text in UTF-8, typed arrays and ArrayBuffers as the host takes
  // them; undefined is what has no bytes.
  function plain(value, encoding) {
    if (typeof value === "string") {
      const name = typeof encoding === "string" ? encoding.toLowerCase() : "utf8";
      if (name === "hex") return call("unhex", value);
      return name === "utf8" || name === "utf-8" || !Buffer.isEncoding(name) ? value : Buffer.from(value, name);
    }
    if (isView(value)) return value instanceof DataView ? new Uint8Array(value.buffer, value.byteOffset, value.byteLength) : value;
    if (value instanceof ArrayBuffer) return value;
    return undefined;
  }

  const kinds = {
    __proto__: null,
    data: "of type string or an instance of Buffer, TypedArray, or DataView",
    any: "of type string or an instance of ArrayBuffer, Buffer, TypedArray, or DataView",
    view: "an instance of ArrayBuffer, Buffer, TypedArray, or DataView",
    key: "of type string or an instance of ArrayBuffer, Buffer, TypedArray, DataView, KeyObject, or CryptoKey",
  };

  // bytes is plain, or throws with the expectation of that kind.
  function bytes(value, encoding, name, kind = "any") {
    if (kind === "data" && typeof value === "string" && value.length % 2 === 1 && typeof encoding === "string" && encoding.toLowerCase() === "hex") {
      fail(TypeError, "ERR_INVALID_ARG_VALUE", `The argument 'encoding' is invalid for data of length ${value.length}. Received '${encoding}'`);
    }
    const found = kind === "data" && value instanceof ArrayBuffer || kind === "view" && typeof value === "string" ? undefined : plain(value, encoding);
    if (found === undefined) failType(name, kinds[kind] ?? kind, value);
    return found;
  }

  // digested is output for a digest: what is no encoding there gives a Buffer, as in Node.
  function digested(buffer, encoding) {
    const name = encoding ? `${encoding}` : undefined;
    return output(buffer, name !== undefined && Buffer.isEncoding(name) ? name : undefined);
  }

  // output gives a result as the Buffer or the text that was asked for. The
  // host writes hex and base64 faster than JavaScript does.
  const written = { __proto__: null, hex: true, base64: true, base64url: true, latin1: true, binary: true };
  function output(buffer, encoding) {
    if (typeof encoding !== "string" || encoding === "buffer") return Buffer.from(buffer);
    return encoding in written ? call("text", buffer, encoding) : Buffer.from(buffer).toString(encoding);
  }

  // answer hands what make gives to a callback, later, as Node's functions do.
  function answer(callback, make) {
    let error = null, value;
    try {
      value = make();
    } catch (e) {
      error = e;
    }
    load("timers").setImmediate(() => (error === null ? callback(null, value) : callback(error)));
  }

  return { __proto__: null, call, fail, failType, failValue, failRange, needText, needInteger, needFunction, needObject, plain, bytes, kinds, output, digested, answer };
});
