// The module string_decoder: bytes that end within a character wait for the next chunk.
(function (host, load) {
  "use strict";
  const { Buffer } = load("buffer");
  const { coded, wrongType } = load("node/errors");
  const { toLatin1 } = load("bytes");

  // unfinished is how many bytes at the end begin what the next chunk may complete.
  const unfinished = {
    __proto__: null,
    utf8: (bytes) => load("encoding").unfinished(toLatin1(bytes.subarray(-3))),
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
    if (rest === undefined) return bytes.toString(this.encoding);
    if (this.encoding === "utf16le") return units(this, bytes);
    if (this.waiting.length > 0) bytes = Buffer.concat([this.waiting, bytes]);
    const whole = bytes.length - rest(bytes);
    this.waiting = Buffer.from(bytes.subarray(whole));
    return bytes.toString(this.encoding, 0, whole);
  };

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
  return { __proto__: null, module: { StringDecoder } };
});
