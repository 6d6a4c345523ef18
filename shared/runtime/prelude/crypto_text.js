// Text that arrives in pieces of bytes: what ends within a character, or within
// three bytes of base64, waits for the next piece.
(function (host, load) {
  "use strict";
  const { Buffer } = load("buffer");
  const { fail } = load("crypto_args");

  // held is how many bytes at the end are not whole yet.
  const held = {
    __proto__: null,
    base64: (b) => b.length % 3, base64url: (b) => b.length % 3,
    utf8: heldUTF8, "utf-8": heldUTF8,
    utf16le: (b) => (b.length % 2 === 1 ? 1 : b.length > 1 && (b[b.length - 1] & 0xfc) === 0xd8 ? 2 : 0),
  };

  function heldUTF8(b) {
    for (let back = 1; back <= Math.min(3, b.length); back++) {
      const byte = b[b.length - back];
      if (byte >= 0xc0) return (byte >= 0xf0 ? 4 : byte >= 0xe0 ? 3 : 2) > back ? back : 0;
      if (byte < 0x80) return 0;
    }
    return 0;
  }

  class PiecesOfText {
    #encoding; #rest = Buffer.alloc(0);
    constructor(encoding) {
      if (!Buffer.isEncoding(encoding)) fail(TypeError, "ERR_UNKNOWN_ENCODING", `Unknown encoding: ${encoding}`);
      this.#encoding = encoding.toLowerCase();
    }
    accepts(encoding) { return `${encoding}`.toLowerCase() === this.#encoding; }
    write(bytes) {
      const all = this.#rest.length === 0 ? bytes : Buffer.concat([this.#rest, bytes]);
      const end = all.length - (held[this.#encoding]?.(all) ?? 0);
      this.#rest = all.subarray(end);
      return all.toString(this.#encoding, 0, end);
    }
    end() {
      const text = this.#rest.toString(this.#encoding);
      this.#rest = Buffer.alloc(0);
      return text;
    }
  }

  return { __proto__: null, PiecesOfText };
});
