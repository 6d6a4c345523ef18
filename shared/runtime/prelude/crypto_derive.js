// pbkdf2, scrypt, hkdf and the random values of the crypto module.
(function (host, load) {
  "use strict";
  const { call, fail, failType, failRange, needText, needInteger, needFunction, needObject, bytes, plain, answer, output } = load("crypto_args");

  // both gives the form with a callback and the one without, of a function that
  // checks its arguments and returns what does the work.
  function both(count, check) {
    return [
      (...args) => {
        let callback = args[count];
        if (callback === undefined && typeof args[args.length - 1] === "function") callback = args.pop();
        const make = check(args);
        answer(needFunction(callback, "callback"), make);
      },
      (...args) => check(args)(),
    ];
  }

  const [pbkdf2, pbkdf2Sync] = both(5, ([password, salt, iterations, length, digest]) => {
    needText(digest, "digest");
    const key = bytes(password, "utf8", "password"), seed = bytes(salt, "utf8", "salt");
    needInteger(iterations, "iterations", 1, 2 ** 31 - 1);
    needInteger(length, "keylen", 0, 2 ** 31 - 1);
    call("hash.known", digest);
    return () => output(call("pbkdf2", digest, key, seed, iterations, length));
  });

  const scryptNames = { __proto__: null, N: "cost", r: "blockSize", p: "parallelization" };

  function scryptOptions(options) {
    const chosen = { __proto__: null, N: 16384, r: 8, p: 1, maxmem: 32 << 20 };
    if (options === undefined) return chosen;
    for (const name in scryptNames) {
      const other = scryptNames[name];
      if (options[name] !== undefined && options[other] !== undefined) fail(Error, "ERR_CRYPTO_SCRYPT_INVALID_PARAMETER", "Invalid scrypt parameter");
      const given = options[name] === undefined ? other : name;
      if (options[given] !== undefined) chosen[name] = needInteger(options[given], given, 0, 2 ** 32 - 1) || chosen[name];
    }
    if (options.maxmem !== undefined) chosen.maxmem = needInteger(options.maxmem, "maxmem", 0) || chosen.maxmem;
    return chosen;
  }

  const scryptBoth = both(4, ([password, salt, length, options]) => {
    const key = bytes(password, "utf8", "password"), seed = bytes(salt, "utf8", "salt");
    needInteger(length, "keylen", 0, 2 ** 31 - 1);
    const { N, r, p, maxmem } = scryptOptions(options);
    call("scrypt", key, seed, N, r, p, maxmem, length, true);
    return () => output(call("scrypt", key, seed, N, r, p, maxmem, length));
  });

  const parts = "of type string or an instance of ArrayBuffer, TypedArray, DataView, or Buffer";
  const ikm = "of type string or an instance of SecretKeyObject, ArrayBuffer, TypedArray, DataView, or Buffer";

  const [hkdf, hkdfSync] = both(5, ([digest, key, salt, info, length]) => {
    needText(digest, "digest");
    const secret = load("crypto_secret").secret(key, "utf8", "ikm", ikm), seed = bytes(salt, "utf8", "salt", parts), label = bytes(info, "utf8", "info", parts);
    needInteger(length, "length", 0, 2 ** 32);
    const size = typeof label === "string" ? label.length : label.byteLength;
    if (size > 1024) fail(RangeError, "ERR_OUT_OF_RANGE", `The value of "info" is out of range. It must be must not contain more than 1024 bytes. Received ${size}`);
    call("hash.known", digest);
    return () => call("hkdf", digest, secret, seed, label, length);
  });

  // ---- random values

  function randomBytes(size, callback) {
    if (typeof size !== "number") failType("size", "of type number", size);
    if (!(size >= 0 && size <= 2 ** 31 - 1)) failRange("size", ">= 0 && <= 2147483647", size);
    if (callback === undefined) return output(call("random", Math.trunc(size)));
    return answer(needFunction(callback, "callback"), () => output(call("random", Math.trunc(size))));
  }

  function fill(target, offset = 0, size) {
    const whole = target instanceof ArrayBuffer ? new Uint8Array(target) : plain(target);
    if (typeof target === "string" || whole === undefined) failType("buf", "an instance of ArrayBuffer or ArrayBufferView", target);
    const unit = target.BYTES_PER_ELEMENT ?? 1;
    const length = whole.byteLength;
    if (typeof offset !== "number") failType("offset", "of type number", offset);
    offset *= unit;
    if (!(offset >= 0 && offset <= length)) failRange("offset", `>= 0 && <= ${length}`, offset);
    if (size === undefined) size = length - offset;
    else {
      if (typeof size !== "number") failType("size", "of type number", size);
      size *= unit;
      if (!(size >= 0 && size <= 2 ** 31 - 1)) failRange("size", ">= 0 && <= 2147483647", size);
      if (size + offset > length) failRange("size + offset", `<= ${length}`, size + offset);
    }
    return () => {
      const view = new Uint8Array(whole.buffer, whole.byteOffset + offset, size);
      view.set(new Uint8Array(call("random", view.length)));
      return target;
    };
  }

  function randomFill(target, ...rest) {
    const callback = rest.pop();
    const make = fill(target, ...rest);
    answer(needFunction(callback, "callback"), make);
  }

  function randomInt(min, max, callback) {
    const alone = max === undefined || typeof max === "function";
    if (alone) [min, max, callback] = [0, min, max];
    if (callback !== undefined) needFunction(callback, "callback");
    if (!Number.isSafeInteger(min)) failType("min", "a safe integer", min);
    if (!Number.isSafeInteger(max)) failType("max", "a safe integer", max);
    if (max <= min) failRange("max", `greater than the value of "min" (${min})`, max);
    const range = max - min;
    if (range > 2 ** 48 - 1) failRange(alone ? "max" : "max - min", "<= 281474976710655", range);
    const make = () => {
      const limit = 2 ** 48 - (2 ** 48 % range); // above it numbers would not be equally likely
      for (;;) {
        const b = new Uint8Array(call("random", 6));
        let n = 0;
        for (let i = 0; i < 6; i++) n = n * 256 + b[i];
        if (n < limit) return min + (n % range);
      }
    };
    if (callback === undefined) return make();
    load("process").process.nextTick(callback, undefined, make());
    return undefined;
  }

  function randomUUID(options) {
    if (options !== undefined) {
      needObject(options, "options");
      if (options.disableEntropyCache !== undefined && typeof options.disableEntropyCache !== "boolean") failType("options.disableEntropyCache", "of type boolean", options.disableEntropyCache);
    }
    return load("crypto").randomUUID();
  }

  function timingSafeEqual(a, b) {
    const expected = "an instance of ArrayBuffer, Buffer, TypedArray, or DataView.";
    const left = typeof a === "string" ? undefined : plain(a), right = typeof b === "string" ? undefined : plain(b);
    if (left === undefined) fail(TypeError, "ERR_INVALID_ARG_TYPE", `The "buf1" argument must be ${expected}`);
    if (right === undefined) fail(TypeError, "ERR_INVALID_ARG_TYPE", `The "buf2" argument must be ${expected}`);
    if (left.byteLength !== right.byteLength) fail(RangeError, "ERR_CRYPTO_TIMING_SAFE_EQUAL_LENGTH", "Input buffers must have the same byte length");
    return call("equal", left, right);
  }

  return {
    __proto__: null, pbkdf2, pbkdf2Sync, scrypt: scryptBoth[0], scryptSync: scryptBoth[1], hkdf, hkdfSync,
    randomBytes, randomFill, randomFillSync: (target, offset, size) => fill(target, offset, size)(), randomInt, randomUUID, timingSafeEqual,
  };
});
