// The module zlib. Each call is one of the host's; streams collect their input and give the whole at its end. The
// largest result is 64 MB.
(function (host, load) {
  "use strict";
  const { Buffer } = load("buffer");
  const { coded, wrongType, outOfRange, needFunction, received } = load("node/errors");
  const { constants } = load("node/zlib_constants");
  const numbers = { __proto__: null, Z_NEED_DICT: 2, Z_STREAM_ERROR: -2, Z_DATA_ERROR: -3, Z_BUF_ERROR: -5 };

  function bytesOf(data) {
    if (typeof data === "string") return Buffer.from(data);
    if (ArrayBuffer.isView(data)) return new Uint8Array(data.buffer, data.byteOffset, data.byteLength);
    if (data instanceof ArrayBuffer) return new Uint8Array(data);
    throw coded(TypeError, "ERR_INVALID_ARG_TYPE", `The "buffer" argument must be of type string or an instance of Buffer, TypedArray, DataView, or ArrayBuffer. Received ${received(data)}`);
  }

  function ranged(options, name, low, high) {
    const value = options[name];
    if (value === undefined || Number.isNaN(value)) return undefined;
    if (typeof value !== "number") throw wrongType(`options.${name}`, "number", value);
    if (!(value >= low && value <= high)) throw outOfRange(`options.${name}`, high === Infinity ? `>= ${low}` : `>= ${low} and <= ${high}`, value);
    return value;
  }

  // read checks options as Node does.
  function read(given, decompress, lowest = 8) {
    const options = given ?? {};
    if (typeof options !== "object") throw wrongType("options", "Object", options);
    ranged(options, "chunkSize", 64, Infinity);
    ranged(options, "windowBits", decompress && options.windowBits === 0 ? 0 : lowest, 15);
    ranged(options, "memLevel", 1, 9);
    const limit = ranged(options, "maxOutputLength", 1, 2 ** 31 - 1), finish = ranged(options, "finishFlush", 0, 5);
    return {
      level: ranged(options, "level", -1, 9) ?? -1, limit, strategy: ranged(options, "strategy", 0, 4),
      dictionary: options.dictionary === undefined ? undefined : bytesOf(options.dictionary), partial: finish !== undefined && finish !== constants.Z_FINISH,
    };
  }

  const shapes = {
    __proto__: null,
    deflate: (data, o) => host.data("deflate", data, o.level, o.limit, o.dictionary, o.strategy === constants.Z_HUFFMAN_ONLY),
    deflateRaw: (data, o) => host.data("deflateRaw", data, o.level, o.limit, o.dictionary, o.strategy === constants.Z_HUFFMAN_ONLY),
    gzip: (data, o) => host.data("gzip", data, o.level, o.limit, undefined, o.strategy === constants.Z_HUFFMAN_ONLY),
    inflate: (data, o) => host.data("inflate", data, o.limit, o.dictionary, o.partial),
    inflateRaw: (data, o) => host.data("inflateRaw", data, o.limit, o.dictionary, o.partial),
    gunzip: (data, o) => host.data("gunzip", data, o.limit, undefined, o.partial),
    unzip: (data, o) => host.data(data[0] === 0x1f && (data.length < 2 || data[1] === 0x8b) ? "gunzip" : "inflate", data, o.limit, o.dictionary, o.partial),
  };
  // A brotli result depends on two of the parameters; the others are checked and give way to their defaults.
  function readBrotli(given) {
    const options = read({ ...given, finishFlush: undefined, level: undefined, strategy: undefined, windowBits: undefined, memLevel: undefined, dictionary: undefined }, true), params = given?.params ?? {};
    for (const key of Object.keys(typeof params === "object" ? params : {})) {
      const id = Number(key), value = params[key];
      if (!(id >= 0 && id <= 9)) throw coded(RangeError, "ERR_BROTLI_INVALID_PARAM", `${key} is not a valid Brotli parameter`);
      if (typeof value !== "number" && typeof value !== "boolean") throw wrongType("options.params[key]", "number", value);
    }
    const finish = ranged(given ?? {}, "finishFlush", 0, 3);
    return { ...options, partial: finish !== undefined && finish !== constants.BROTLI_OPERATION_FINISH, quality: params[constants.BROTLI_PARAM_QUALITY], window: params[constants.BROTLI_PARAM_LGWIN] };
  }

  shapes.brotliCompress = (data, o) => host.data("brotliCompress", data, o.quality, o.window, o.limit);
  shapes.brotliDecompress = (data, o) => host.data("brotliDecompress", data, o.limit, o.partial);
  const brotli = (name) => name.startsWith("brotli");
  const decompresses = (name) => name === "brotliDecompress" || name === "unzip" || name === "gunzip" || name.startsWith("inflate");

  function run(name, data, options) {
    const result = shapes[name](data, options);
    if (!Array.isArray(result)) return Buffer.from(result);
    const [kind, message, code] = result;
    const error = coded(kind === "RangeError" ? RangeError : Error, code, message);
    const number = numbers[code] ?? constants[code.replace(/^ERR_/, "BROTLI_DECODER")];
    if (number !== undefined) error.errno = number;
    throw error;
  }

  const optionsOf = (name, options) => (brotli(name) ? readBrotli(options) : read(options, decompresses(name), name === "gzip" ? 9 : 8));
  const module = { constants };
  const define = (name, f) => { module[name] = { [name]: f }[name]; };

  for (const name of Object.keys(shapes)) {
    define(`${name}Sync`, (data, options) => run(name, bytesOf(data), optionsOf(name, options)));
    define(name, function (data, options, callback) {
      if (typeof options === "function") [options, callback] = [undefined, options];
      needFunction(callback, "callback");
      const bytes = bytesOf(data), o = optionsOf(name, options);
      let error = null, result;
      try {
        result = run(name, bytes, o);
      } catch (thrown) {
        error = thrown;
      }
      load("timers").module.setImmediate(() => { if (error === null) callback(null, result); else callback(error); });
    });
  }

  // ---- streams

  // pour gives the result in pieces of chunkSize. Never within _read, where two pieces would become one.
  function pour(stream) {
    const { held } = stream;
    if (held.pouring || held.result === undefined) return;
    held.pouring = true;
    load("timers").module.setImmediate(() => {
      held.pouring = false;
      const piece = held.result.subarray(held.at, held.at + held.size);
      held.at += piece.length;
      if (piece.length > 0) {
        if (stream.push(piece)) pour(stream);
        return;
      }
      held.result = undefined;
      held.done();
    });
  }

  // handleOf is what old packages (pngjs, and jimp by it) drive themselves: they give input, and take the result piece by
  // piece. More input after a piece makes the result anew, and goes on where it was.
  function handleOf(stream, operation, options) {
    const chunks = [];
    let result, at = 0;
    return {
      writeSync(flush, input, from, size, output, to, room) {
        if (input && size > 0) {
          chunks.push(Uint8Array.prototype.slice.call(input, from, from + size));
          result = undefined;
        }
        const whole = flush === constants.Z_FINISH;
        if (whole || decompresses(operation)) result ??= run(operation, Buffer.concat(chunks), { ...options, partial: options.partial || !whole });
        const piece = result === undefined ? 0 : Math.min(room, result.length - at);
        if (piece > 0) output.set(result.subarray(at, at + piece), to);
        at += piece;
        stream._writeState[0] = room - piece;
        stream._writeState[1] = 0;
      },
      close() { chunks.length = 0; result = undefined; },
      reset() { this.close(); at = 0; },
    };
  }

  function makeClass(name, operation) {
    const { Transform } = load("node/stream").Stream;
    const made = { [name]: function (options) {
      if (!(this instanceof made)) return new made(options);
      Transform.call(this, { ...options, decodeStrings: true });
      Object.defineProperty(this, "held", { value: { chunks: [], result: undefined, at: 0, done: undefined, pouring: false, size: options?.chunkSize ?? 16384, options: optionsOf(operation, options) } });
      this.bytesWritten = 0;
      const { size } = this.held, own = { _handle: handleOf(this, operation, this.held.options), _writeState: new Uint32Array(2), _chunkSize: size, _outBuffer: Buffer.alloc(size), _outOffset: 0, _finishFlushFlag: options?.finishFlush ?? (brotli(operation) ? constants.BROTLI_OPERATION_FINISH : constants.Z_FINISH) };
      for (const key of Object.keys(own)) Object.defineProperty(this, key, { value: own[key], writable: true, configurable: true });
    } }[name];
    Object.setPrototypeOf(made, Transform);
    made.prototype = Object.create(Transform.prototype, { constructor: { value: made, writable: true, configurable: true } });
    Object.assign(made.prototype, {
      _transform(chunk, encoding, done) {
        this.held.chunks.push(chunk);
        this.bytesWritten += chunk.length;
        done();
      },
      _flush(done) {
        const { held } = this, all = Buffer.concat(held.chunks);
        held.chunks.length = 0;
        try {
          held.result = all.length > 0 || !decompresses(operation) ? run(operation, all, held.options) : all;
        } catch (error) {
          done(error);
          return;
        }
        held.done = done;
        pour(this);
      },
      _read(size) {
        if (this.held.result === undefined) Transform.prototype._read.call(this, size);
        else pour(this);
      },
      close(callback) {
        if (callback) load("process").process.nextTick(callback);
        this.destroy();
      },
      flush(kind, callback) {
        const done = typeof kind === "function" ? kind : callback;
        if (done) load("process").process.nextTick(done);
      },
      params(level, strategy, callback) {
        this.held.options.level = level;
        if (callback) load("process").process.nextTick(callback);
      },
      reset() { this.held.chunks.length = 0; },
    });
    return made;
  }
  for (const operation of Object.keys(shapes)) {
    const name = operation[0].toUpperCase() + operation.slice(1);
    Object.defineProperty(module, name, {
      enumerable: true, configurable: true,
      get() {
        const value = makeClass(name, operation);
        Object.defineProperty(module, name, { value, writable: true, enumerable: true, configurable: true });
        return value;
      },
      set(value) { Object.defineProperty(module, name, { value, writable: true, enumerable: true, configurable: true }); },
    });
    define(`create${name}`, (options) => new module[name](options));
  }

  // ---- crc32

  let table;
  define("crc32", (data, value = 0) => {
    table ??= Uint32Array.from({ length: 256 }, (_, n) => {
      for (let k = 0; k < 8; k++) n = n & 1 ? 0xedb88320 ^ (n >>> 1) : n >>> 1;
      return n;
    });
    let crc = ~value;
    for (const byte of bytesOf(data)) crc = table[(crc ^ byte) & 255] ^ (crc >>> 8);
    return ~crc >>> 0;
  });

  const codes = { Z_OK: 0, Z_STREAM_END: 1, Z_NEED_DICT: 2, Z_ERRNO: -1, Z_STREAM_ERROR: -2, Z_DATA_ERROR: -3, Z_MEM_ERROR: -4, Z_BUF_ERROR: -5, Z_VERSION_ERROR: -6 };
  for (const key of Object.keys(codes)) codes[codes[key]] = key;
  module.codes = Object.freeze(codes);
  for (const key of Object.keys(constants)) if (key.startsWith("Z_")) Object.defineProperty(module, key, { value: constants[key], enumerable: false, configurable: true });
  return { __proto__: null, module };
});
