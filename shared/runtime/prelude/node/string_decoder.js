// The module string_decoder: bytes that end within a character wait for the next chunk.
(function (host, load) {
  "use strict";
  const { Buffer } = load("buffer");
  const { coded, wrongType } = load("node/errors");

  // unfinished is how many bytes at the end begin what the next chunk may complete.
  const unfinished = {
    __proto__: null,
    utf16le: (bytes) => (bytes.length % 2 === 1 ? 1 : bytes.length > 0 && (bytes.at(-1) & 0xfc) === 0xd8 ? 2 : 0),
    base64: (bytes) => bytes.length % 3,
    base64url: (bytes) => bytes.length % 3,
  };
  const names = { __proto__: null, "utf-8": "utf8", ucs2: "utf16le", "ucs-2": "utf16le", "utf-16le": "utf16le", binary: "latin1" };

  function StringDecoder(encoding) {
    const name = encoding === undefined || encoding === null || encoding === "" ? "utf8" : `${encoding}`.toLowerCase();
    if (!Buffer.isEncoding(name)) throw coded(TypeError, "ERR_UNKNOWN_ENCODING", `Unknown encoding: ${encoding}`);
    this.encoding = names[name] ?? name;
    Object.defineProperty(this, "waiting", { value: Buffer.alloc(0), writable: true });
  }

  StringDecoder.prototype.write = function write(chunk) {
    if (typeof chunk === "string") return chunk;
    if (!ArrayBuffer.isView(chunk)) throw wrongType("buf", ["Buffer", "TypedArray", "DataView"], chunk);
    let bytes = Buffer.from(chunk.buffer, chunk.byteOffset, chunk.byteLength);
    const rest = unfinished[this.encoding];
    if (rest === undefined && this.encoding !== "utf8") return bytes.toString(this.encoding);
    if (this.encoding === "utf16le") return units(this, bytes);
    if (this.encoding === "utf8") return characters(this, bytes);
    if (this.waiting.length > 0) bytes = Buffer.concat([this.waiting, bytes]);
    const whole = bytes.length - rest(bytes);
    this.waiting = Buffer.from(bytes.subarray(whole));
    return bytes.toString(this.encoding, 0, whole);
  };

  // sizeOf is how many bytes the first one of a character announces, 0 of any other.
  const sizeOf = (byte) => (byte >= 0xf8 ? 0 : byte >= 0xf0 ? 4 : byte >= 0xe0 ? 3 : byte >= 0xc0 ? 2 : 0);

  // characters decodes UTF-8. As in Node, bytes wait for as many as the first one announces, right or wrong, but
  // not for one that cannot belong to them.
  function characters(self, bytes) {
    let head = "";
    if (self.waiting.length > 0) {
      let taken = 0;
      const needed = sizeOf(self.waiting[0]) - self.waiting.length;
      while (taken < needed && taken < bytes.length && (bytes[taken] & 0xc0) === 0x80) taken++;
      const start = Buffer.concat([self.waiting, bytes.subarray(0, taken)]);
      if (taken === bytes.length && taken < needed) {
        self.waiting = start;
        return "";
      }
      head = start.toString("utf8");
      bytes = bytes.subarray(taken);
    }
    let back = 1;
    while (back < 4 && back < bytes.length && (bytes[bytes.length - back] & 0xc0) === 0x80) back++;
    const size = bytes.length > 0 ? sizeOf(bytes[bytes.length - back]) : 0;
    const whole = size > back ? bytes.length - back : bytes.length;
    self.waiting = Buffer.from(bytes.subarray(whole));
    return head + bytes.toString("utf8", 0, whole);
  }

  // units decodes UTF-16. As in Node, a unit of which one byte waited is given
  // out before it is known whether it is half a pair.
  function units(self, bytes) {
    let head = "";
    if (self.waiting.length > 0) {
      const needed = self.waiting.length === 1 ? 1 : 4 - self.waiting.length;
      const start = Buffer.concat([self.waiting, bytes.subarray(0, needed)]);
      if (bytes.length < needed) {
        self.waiting = start;
        return "";
      }
      head = start.toString("utf16le");
      bytes = bytes.subarray(needed);
    }
    const whole = bytes.length - unfinished.utf16le(bytes);
    self.waiting = Buffer.from(bytes.subarray(whole));
    return head + bytes.toString("utf16le", 0, whole);
  }

  StringDecoder.prototype.end = function end(chunk) {
    const head = chunk === undefined ? "" : this.write(chunk);
    const tail = this.waiting.toString(this.encoding);
    this.waiting = Buffer.alloc(0);
    return head + tail;
  };

  StringDecoder.prototype.text = function text(chunk, offset) {
    this.waiting = Buffer.alloc(0);
    return this.write(chunk.subarray(offset));
  };
  // What readable-stream's own decoder, and Node's, show of what they wait for.
  const waits = {
    lastChar: (self) => Buffer.concat([self.waiting, Buffer.alloc(4)], 4),
    lastNeed: (self) => waits.lastTotal(self) - self.waiting.length,
    lastTotal(self) {
      if (self.waiting.length === 0) return 0;
      if (self.encoding === "utf8") return sizeOf(self.waiting[0]);
      return self.encoding === "utf16le" ? (self.waiting.length === 1 ? 2 : 4) : 3;
    },
  };
  for (const name of Object.keys(waits)) Object.defineProperty(StringDecoder.prototype, name, { configurable: true, enumerable: true, get() { return waits[name](this); } });
  return { __proto__: null, module: { StringDecoder } };
});
