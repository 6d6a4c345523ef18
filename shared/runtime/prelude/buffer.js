// Buffer: Node's Uint8Array with text, numbers and comparison.
(function (host, load) {
  "use strict";
  const { toLatin1, fromLatin1, encodeUTF8, decodeUTF8, view } = load("bytes");
  const maxLength = 2 ** 31 - 1;

  function typeError(message) {
    const error = new TypeError(message);
    error.code = "ERR_INVALID_ARG_TYPE";
    return error;
  }

  function rangeError(name, range, value) {
    const error = new RangeError(`The value of "${name}" is out of range. It must be ${range}. Received ${value}`);
    error.code = "ERR_OUT_OF_RANGE";
    return error;
  }

  // ---- encodings: text → latin1 bytes, latin1 bytes → text

  const hexDigits = "0123456789abcdef";
  const encodings = { __proto__: null };
  encodings.utf8 = encodings["utf-8"] = { name: "utf8", bytes: encodeUTF8, text: decodeUTF8 };
  encodings.latin1 = encodings.binary = { name: "latin1", bytes: (s) => s.replace(/[^\x00-\xff]/g, (c) => String.fromCharCode(c.charCodeAt(0) & 255)), text: (b) => b };
  encodings.ascii = { name: "ascii", bytes: encodings.latin1.bytes, text: (b) => b.replace(/[\x80-\xff]/g, (c) => String.fromCharCode(c.charCodeAt(0) & 127)) };
  encodings.hex = { name: "hex", bytes: hexBytes, text: (b) => b.replace(/[\s\S]/g, (c) => hexDigits[c.charCodeAt(0) >> 4] + hexDigits[c.charCodeAt(0) & 15]) };
  encodings.base64 = { name: "base64", bytes: (s) => load("base64").decode(s), text: (b) => load("base64").encode(b) };
  encodings.base64url = { name: "base64url", bytes: (s) => load("base64").decode(s), text: (b) => load("base64").encode(b, true) };
  encodings.utf16le = encodings["utf-16le"] = encodings.ucs2 = encodings["ucs-2"] = {
    name: "utf16le",
    bytes: (s) => s.replace(/[\s\S]/g, (c) => String.fromCharCode(c.charCodeAt(0) & 255, c.charCodeAt(0) >> 8)),
    text: (b) => b.slice(0, b.length & ~1).replace(/[\s\S]{2}/g, (c) => String.fromCharCode(c.charCodeAt(0) | (c.charCodeAt(1) << 8))),
  };

  function hexBytes(s) {
    let out = "";
    for (let i = 0; i + 1 < s.length; i += 2) {
      const pair = s.slice(i, i + 2);
      if (!/^[0-9a-fA-F]{2}$/.test(pair)) break;
      out += String.fromCharCode(parseInt(pair, 16));
    }
    return out;
  }

  function encodingOf(name) {
    const encoding = encodings[`${name ?? "utf8"}`.toLowerCase()];
    if (encoding !== undefined) return encoding;
    const error = new TypeError(`Unknown encoding: ${name}`);
    error.code = "ERR_UNKNOWN_ENCODING";
    throw error;
  }

  // ---- the class

  class Buffer extends Uint8Array {
    // Old code calls new Buffer(text, encoding) and new Buffer(size).
    constructor(value, encodingOrOffset, length) {
      if (typeof value === "string") super(fromLatin1(encodingOf(encodingOrOffset).bytes(value)));
      else if (value instanceof ArrayBuffer) super(value, encodingOrOffset, length);
      else super(value);
    }

    static from(value, encodingOrOffset, length) {
      if (typeof value === "string") return wrap(fromLatin1(encodingOf(encodingOrOffset).bytes(value)));
      if (typeof value !== "object" || value === null) {
        throw typeError(`The first argument must be of type string or an instance of Buffer, ArrayBuffer, or Array or an Array-like Object. Received ${value === null ? "null" : `type ${typeof value}`}`);
      }
      if (value instanceof ArrayBuffer) {
        return new Buffer(value, encodingOrOffset, length);
      }
      // Array.from would make a list of numbers, 16 times as large as the bytes.
      if (value instanceof Uint8Array) return new Buffer(value);
      if (value.type === "Buffer" && Array.isArray(value.data)) return new Buffer(value.data);
      const primitive = value.valueOf?.();
      if (typeof primitive === "string") return Buffer.from(primitive, encodingOrOffset);
      if (typeof value.length === "number") return new Buffer(Array.from(value, (v) => Number(v) & 255));
      throw typeError("The first argument must be of type string or an instance of Buffer, ArrayBuffer, or Array or an Array-like Object.");
    }
    static of(...values) { return Buffer.from(values); }
    static alloc(size, fill, encoding) {
      checkSize(size);
      const buffer = new Buffer(size);
      return fill === undefined || fill === 0 ? buffer : buffer.fill(fill, encoding);
    }
    static allocUnsafe(size) { return Buffer.alloc(size); }
    static allocUnsafeSlow(size) { return Buffer.alloc(size); }
    static isBuffer(v) { return v instanceof Buffer; }
    static isEncoding(name) { return typeof name === "string" && name.toLowerCase() in encodings; }
    static byteLength(v, encoding) {
      if (typeof v === "string") return encodingOf(encoding).bytes(v).length;
      const bytes = view(v);
      if (bytes === undefined) throw typeError('The "string" argument must be of type string or an instance of Buffer or ArrayBuffer.');
      return bytes.length;
    }
    static concat(list, total) {
      if (!Array.isArray(list)) throw typeError('The "list" argument must be an instance of Array.');
      const buffer = Buffer.alloc(total ?? list.reduce((n, b) => n + b.length, 0));
      let at = 0;
      for (const part of list) {
        if (!(part instanceof Uint8Array)) throw typeError('The "list" argument must be an array of Buffers.');
        if (at >= buffer.length) break;
        buffer.set(at + part.length > buffer.length ? part.subarray(0, buffer.length - at) : part, at);
        at += part.length;
      }
      return buffer;
    }
    static compare(a, b) {
      needBytes(a, "buf1");
      needBytes(b, "buf2");
      for (let i = 0; i < a.length && i < b.length; i++) if (a[i] !== b[i]) return a[i] < b[i] ? -1 : 1;
      return Math.sign(a.length - b.length);
    }

    get parent() { return this.buffer; }
    get offset() { return this.byteOffset; }
    toString(encoding, start = 0, end = this.length) {
      start = Math.max(start | 0, 0);
      end = Math.min(end, this.length);
      return start >= end ? "" : encodingOf(encoding).text(toLatin1(this.subarray(start, end)));
    }
    toLocaleString(encoding, start, end) { return this.toString(encoding, start, end); }
    toJSON() { return { type: "Buffer", data: Array.from(this) }; }
    equals(other) {
      needBytes(other, "otherBuffer");
      return this === other || (this.length === other.length && Buffer.compare(this, other) === 0);
    }
    compare(target, targetStart = 0, targetEnd = target.length, start = 0, end = this.length) {
      needBytes(target, "target");
      return Buffer.compare(this.subarray(start, end), target.subarray(targetStart, targetEnd));
    }
    slice(start, end) { return this.subarray(start, end); }
    write(text, offset, length, encoding) {
      if (typeof offset === "string") [encoding, offset, length] = [offset, 0, undefined];
      else if (typeof length === "string") [encoding, length] = [length, undefined];
      offset ??= 0;
      const room = Math.min(length ?? Infinity, this.length - offset);
      const format = encodingOf(encoding);
      let bytes = format.bytes(`${text}`);
      if (bytes.length > room) bytes = format.name === "utf8" ? wholeCharacters(bytes, room) : bytes.slice(0, format.name === "utf16le" ? room & ~1 : room);
      for (let i = 0; i < bytes.length; i++) this[offset + i] = bytes.charCodeAt(i);
      return bytes.length;
    }
    copy(target, targetStart = 0, start = 0, end = this.length) {
      const part = this.subarray(start, Math.min(end, start + Math.max(target.length - targetStart, 0)));
      target.set(part, targetStart);
      return part.length;
    }
    fill(value, offset, end, encoding) {
      if (typeof offset === "string") [encoding, offset, end] = [offset, 0, this.length];
      else if (typeof end === "string") [encoding, end] = [end, this.length];
      offset ??= 0;
      end ??= this.length;
      if (typeof value === "number" || typeof value === "boolean") return super.fill(value & 255, offset, end);
      const pattern = typeof value === "string" ? Buffer.from(value, encoding) : value;
      if (pattern.length === 0) return super.fill(0, offset, end);
      for (let i = offset; i < end; i++) this[i] = pattern[(i - offset) % pattern.length];
      return this;
    }
    indexOf(value, offset, encoding) { return find(this, value, offset, encoding, false); }
    lastIndexOf(value, offset, encoding) { return find(this, value, offset, encoding, true); }
    includes(value, offset, encoding) { return this.indexOf(value, offset, encoding) >= 0; }
    swap16() { return swap(this, 2); }
    swap32() { return swap(this, 4); }
    swap64() { return swap(this, 8); }
    [Symbol.for("nodejs.util.inspect.custom")]() {
      const text = this.toString("hex", 0, 50).replace(/(.{2})(?=.)/g, "$1 ");
      const more = this.length - 50;
      return `<${this.constructor.name} ${text}${more > 0 ? ` ... ${more} more byte${more > 1 ? "s" : ""}` : ""}>`;
    }
  }
  Buffer.poolSize = 8192;

  const wrap = (bytes) => new Buffer(bytes.buffer, bytes.byteOffset, bytes.length);

  function checkSize(size) {
    if (typeof size !== "number") throw typeError(`The "size" argument must be of type number. Received ${size === null ? "null" : `type ${typeof size}`}`);
    if (!(size >= 0 && size <= maxLength)) throw rangeError("size", `>= 0 && <= ${maxLength}`, size);
  }

  function needBytes(v, name) {
    if (!(v instanceof Uint8Array)) throw typeError(`The "${name}" argument must be an instance of Buffer or Uint8Array.`);
  }

  // wholeCharacters cuts UTF-8 to at most n bytes without splitting one.
  function wholeCharacters(bytes, n) {
    while (n > 0 && (bytes.charCodeAt(n) & 0xc0) === 0x80) n--;
    return bytes.slice(0, n);
  }

  function find(buffer, value, offset, encoding, last) {
    if (typeof offset === "string") [encoding, offset] = [offset, undefined];
    if (typeof value === "number") value = String.fromCharCode(value & 255);
    else if (typeof value === "string") value = encodingOf(encoding).bytes(value);
    else if (value instanceof Uint8Array) value = toLatin1(value);
    else throw typeError('The "value" argument must be one of type number or string or an instance of Buffer or Uint8Array.');
    const bytes = toLatin1(buffer);
    offset = Math.trunc(Number(offset ?? (last ? bytes.length : 0)));
    if (Number.isNaN(offset)) offset = last ? bytes.length : 0;
    if (offset < 0) offset += bytes.length;
    if (last) return offset < 0 ? -1 : bytes.lastIndexOf(value, offset);
    return bytes.indexOf(value, offset);
  }

  function swap(buffer, size) {
    if (buffer.length % size !== 0) throw new RangeError(`Buffer size must be a multiple of ${size * 8}-bits`);
    for (let i = 0; i < buffer.length; i += size) buffer.subarray(i, i + size).reverse();
    return buffer;
  }

  // ---- numbers

  const dataView = (b) => new DataView(b.buffer, b.byteOffset, b.byteLength);

  function checkOffset(buffer, offset, size) {
    if (typeof offset !== "number") throw typeError(`The "offset" argument must be of type number. Received ${offset === null ? "null" : `type ${typeof offset}`}`);
    if (Number.isInteger(offset) && offset >= 0 && offset + size <= buffer.length) return;
    throw rangeError("offset", Number.isInteger(offset) ? `>= 0 and <= ${buffer.length - size}` : "an integer", offset);
  }

  function checkValue(value, min, max) {
    if (value < min || value > max) throw rangeError("value", `>= ${min} and <= ${max}`, value);
  }

  function define(name, f) {
    Object.defineProperty(Buffer.prototype, name, { value: f, writable: true, configurable: true });
    if (name.includes("UInt")) Object.defineProperty(Buffer.prototype, name.replace("UInt", "Uint"), { value: f, writable: true, configurable: true });
  }

  function defineNumber(name, size, method, range) {
    for (const order of size === 1 ? [""] : ["LE", "BE"]) {
      const little = order === "LE";
      define(`read${name}${order}`, function (offset = 0) {
        checkOffset(this, offset, size);
        return dataView(this)[`get${method}`](offset, little);
      });
      define(`write${name}${order}`, function (value, offset = 0) {
        if (range) checkValue(value, ...range);
        checkOffset(this, offset, size);
        dataView(this)[`set${method}`](offset, value, little);
        return offset + size;
      });
    }
  }
  for (const bits of [8, 16, 32]) {
    defineNumber(`UInt${bits}`, bits / 8, `Uint${bits}`, [0, 2 ** bits - 1]);
    defineNumber(`Int${bits}`, bits / 8, `Int${bits}`, [-(2 ** (bits - 1)), 2 ** (bits - 1) - 1]);
  }
  defineNumber("BigUInt64", 8, "BigUint64", [0n, 2n ** 64n - 1n]);
  defineNumber("BigInt64", 8, "BigInt64", [-(2n ** 63n), 2n ** 63n - 1n]);
  defineNumber("Float", 4, "Float32");
  defineNumber("Double", 8, "Float64");

  // The readers and writers of 1 to 6 bytes.
  for (const little of [true, false]) {
    const order = little ? "LE" : "BE";
    const read = (b, offset, size) => {
      if (!(size >= 1 && size <= 6)) throw rangeError("byteLength", ">= 1 and <= 6", size);
      checkOffset(b, offset, size);
      let n = 0;
      for (let i = 0; i < size; i++) n = n * 256 + b[little ? offset + size - 1 - i : offset + i];
      return n;
    };
    const write = (b, value, offset, size) => {
      checkOffset(b, offset, size);
      for (let i = 0; i < size; i++) {
        b[little ? offset + i : offset + size - 1 - i] = ((value % 256) + 256) % 256;
        value = Math.floor(value / 256);
      }
      return offset + size;
    };
    define(`readUInt${order}`, function (offset, size) { return read(this, offset, size); });
    define(`readInt${order}`, function (offset, size) {
      const n = read(this, offset, size);
      return n >= 2 ** (size * 8 - 1) ? n - 2 ** (size * 8) : n;
    });
    define(`writeUInt${order}`, function (value, offset, size) {
      checkValue(value, 0, 2 ** (size * 8) - 1);
      return write(this, value, offset, size);
    });
    define(`writeInt${order}`, function (value, offset, size) {
      checkValue(value, -(2 ** (size * 8 - 1)), 2 ** (size * 8 - 1) - 1);
      return write(this, value, offset, size);
    });
  }

  // plain makes a function of a method: Node's are functions, and old code calls new Buffer.alloc(size).
  function plain(method) {
    if (typeof method !== "function") return method;
    const made = { [method.name]: function (...args) { return Reflect.apply(method, this, args); } }[method.name];
    return Object.defineProperty(made, "length", { value: method.length, configurable: true });
  }

  // Node's own streams and parsers read and write a part of a buffer by a method for each encoding.
  for (const name of ["ascii", "base64", "base64url", "hex", "latin1", "ucs2", "utf8"]) {
    define(`${name}Slice`, function (start, end) { return this.toString(name, start, end); });
    define(`${name}Write`, function (text, offset, length) { return this.write(text, offset, length, name); });
  }

  // Old code calls Buffer without new, and goes through its functions with for … in.
  function callable(Class) {
    const made = { Buffer: function (value, encodingOrOffset, length) { return Reflect.construct(Class, [value, encodingOrOffset, length], new.target ?? made); } }.Buffer;
    for (const name of Object.getOwnPropertyNames(Class)) if (!["length", "name", "prototype"].includes(name)) made[name] = plain(Class[name]);
    made.prototype = Class.prototype;
    Object.defineProperty(Class.prototype, "constructor", { value: made, writable: true, configurable: true });
    return Object.setPrototypeOf(made, Uint8Array);
  }
  const Callable = callable(Buffer);

  const module = {
    Buffer: Callable, SlowBuffer: Callable, kMaxLength: maxLength, constants: { MAX_LENGTH: maxLength, MAX_STRING_LENGTH: 2 ** 30 - 1 }, INSPECT_MAX_BYTES: 50,
    get atob() { return load("base64").atob; },
    get btoa() { return load("base64").btoa; },
    get Blob() { return load("blob").Blob; },
    get File() { return load("blob").File; },
    isUtf8: (v) => encodeUTF8(decodeUTF8(toLatin1(view(v)))) === toLatin1(view(v)),
    isAscii: (v) => !/[^\x00-\x7f]/.test(toLatin1(view(v))),
  };
  return { __proto__: null, Buffer: Callable, module };
});
