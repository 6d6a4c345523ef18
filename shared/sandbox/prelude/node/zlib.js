// The module zlib. Each call is one of the host's; streams collect their input and give the whole at its end. The
// largest result is 64 MB.
(function (host, load) {
  "use strict";
  const { Buffer } = load("buffer");
  const { coded, wrongType, outOfRange, needFunction, received, unavailable } = load("node/errors");
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
    if (!(value >= low && value <= high)) throw outOfRange(`options.${name}`, `>= ${low} and <= ${high}`, value);
    return value;
  }

  // read checks options as Node does.
  function read(given, decompress) {
    const options = given ?? {};
    if (typeof options !== "object") throw wrongType("options", "Object", options);
    ranged(options, "chunkSize", 64, Infinity);
    ranged(options, "windowBits", decompress && options.windowBits === 0 ? 0 : 8, 15);
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
  const decompresses = (name) => name === "unzip" || name === "gunzip" || name.startsWith("inflate");

  function run(name, data, options) {
    const result = shapes[name](data, options);
    if (!Array.isArray(result)) return Buffer.from(result);
    const [kind, message, code] = result;
    const error = coded(kind === "RangeError" ? RangeError : Error, code, message);
    if (numbers[code] !== undefined) error.errno = numbers[code];
    throw error;
  }

  const module = { constants };
  const define = (name, f) => { module[name] = { [name]: f }[name]; };

  for (const name of Object.keys(shapes)) {
    define(`${name}Sync`, (data, options) => run(name, bytesOf(data), read(options, decompresses(name))));
    define(name, function (data, options, callback) {
      if (typeof options === "function") [options, callback] = [undefined, options];
      needFunction(callback, "callback");
      const bytes = bytesOf(data), o = read(options, decompresses(name));
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

  function makeClass(name, operation) {
    const { Transform } = load("node/stream").Stream;
    const made = { [name]: function (options) {
      if (!(this instanceof made)) return new made(options);
      Transform.call(this, { ...options, decodeStrings: true });
      Object.defineProperty(this, "held", { value: { chunks: [], options: read(options, decompresses(operation)) } });
      this.bytesWritten = 0;
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
        const all = Buffer.concat(this.held.chunks);
        try {
          if (all.length > 0 || !decompresses(operation)) this.push(run(operation, all, this.held.options));
        } catch (error) {
          done(error);
          return;
        }
        done();
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

  for (const name of ["brotliCompress", "brotliCompressSync", "brotliDecompress", "brotliDecompressSync", "createBrotliCompress", "createBrotliDecompress", "BrotliCompress", "BrotliDecompress"]) {
    define(name, function () { throw unavailable(`zlib.${name}`, "take gzip or deflate, or bundle the package brotli"); });
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
