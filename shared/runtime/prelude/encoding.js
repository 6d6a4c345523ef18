// TextEncoder and TextDecoder: utf-8, utf-16le and windows-1252 here, the others by the host.
(function (host, load) {
  "use strict";
  const { toLatin1, fromLatin1, encodeUTF8, decodeUTF8, view } = load("bytes");

  const wrongType = (...args) => load("node/errors").wrongType(...args);

  class TextEncoder {
    get encoding() { return "utf-8"; }
    encode(text = "") { return fromLatin1(encodeUTF8(`${text}`)); }
    encodeInto(text, target) {
      if (typeof text !== "string") throw wrongType("src", "string", text);
      if (!(target instanceof Uint8Array)) throw wrongType("dest", ["Uint8Array"], target);
      let read = 0, written = 0;
      for (const c of `${text}`) {
        const bytes = encodeUTF8(c);
        if (written + bytes.length > target.length) break;
        for (let i = 0; i < bytes.length; i++) target[written++] = bytes.charCodeAt(i);
        read += c.length;
      }
      return { read, written };
    }
    get [Symbol.toStringTag]() { return "TextEncoder"; }
  }

  const labels = { __proto__: null };
  const label = (name, all) => { for (const l of all.split(" ")) labels[l] = name; };
  label("utf-8", "utf-8 utf8 unicode-1-1-utf-8 unicode11utf8 unicode20utf8 x-unicode20utf8");
  label("utf-16le", "utf-16le utf-16 ucs-2 unicode csunicode iso-10646-ucs-2 unicodefeff");
  label("windows-1252", "windows-1252 latin1 ascii us-ascii iso-8859-1 iso8859-1 iso88591 iso_8859-1 l1 cp1252 cp819 x-cp1252 ansi_x3.4-1968 ibm819 iso-ir-100 csisolatin1");

  // The 32 bytes where windows-1252 and latin1 differ.
  const windows1252 = "€\x81‚ƒ„…†‡ˆ‰Š‹Œ\x8dŽ\x8f\x90‘’“”•–—˜™š›œ\x9džŸ";

  // unfinished is how many bytes at the end of s begin a UTF-8 sequence that
  // the next chunk may complete.
  function unfinished(s) {
    for (let back = 1; back <= 3 && back <= s.length; back++) {
      const b = s.charCodeAt(s.length - back);
      if (b < 0x80) return 0;
      if (b < 0xc0) continue;
      const size = b >= 0xf0 ? 4 : b >= 0xe0 ? 3 : 2;
      return size > back && decodeUTF8(s.slice(-back)) === "\ufffd" ? back : 0;
    }
    return 0;
  }

  class TextDecoder {
    #encoding; #fatal; #ignoreBOM; #pending = ""; #started = false;
    constructor(encoding = "utf-8", options = {}) {
      const label = `${encoding}`.trim().toLowerCase(), name = labels[label] ?? (label === "" ? undefined : host.data?.("encoding", label));
      if (name === undefined) throw Object.assign(new RangeError(`The "${encoding}" encoding is not supported`), { code: "ERR_ENCODING_NOT_SUPPORTED" });
      if (options !== undefined && options !== null && typeof options !== "object" && typeof options !== "function") throw wrongType("options", "object", options);
      this.#encoding = name;
      this.#fatal = Boolean(options?.fatal);
      this.#ignoreBOM = Boolean(options?.ignoreBOM);
    }
    get encoding() { return this.#encoding; }
    get fatal() { return this.#fatal; }
    get ignoreBOM() { return this.#ignoreBOM; }
    get [Symbol.toStringTag]() { return "TextDecoder"; }

    decode(input, options) {
      const bytes = input === undefined ? new Uint8Array(0) : view(input);
      if (bytes === undefined) throw load("node/errors").coded(TypeError, "ERR_INVALID_ARG_TYPE", 'The "list" argument must be an instance of SharedArrayBuffer, ArrayBuffer or ArrayBufferView.');
      const stream = Boolean(options?.stream);
      let s = this.#pending + toLatin1(bytes);
      this.#pending = "";
      let text;
      switch (this.#encoding) {
        case "utf-8": text = this.#utf8(s, stream); break;
        case "utf-16le": text = this.#utf16(s, stream); break;
        case "windows-1252": return s.replace(/[\x80-\x9f]/g, (c) => windows1252[c.charCodeAt(0) - 0x80]);
        default: text = this.#other(s, stream);
      }
      if (!this.#started && text.length > 0) {
        if (!this.#ignoreBOM && text[0] === "\ufeff") text = text.slice(1);
        this.#started = true;
      }
      if (!stream) this.#started = false;
      return text;
    }

    #utf8(s, stream) {
      if (stream) {
        const keep = unfinished(s);
        if (keep > 0) {
          this.#pending = s.slice(-keep);
          s = s.slice(0, -keep);
        }
      }
      const text = decodeUTF8(s);
      if (this.#fatal && text.includes("\ufffd") && encodeUTF8(text) !== s) this.#fail();
      return text;
    }

    #utf16(s, stream) {
      let n = s.length & ~1;
      if (stream && n >= 2 && (s.charCodeAt(n - 1) & 0xfc) === 0xd8) n -= 2; // half a pair
      const units = [];
      for (let i = 0; i < n; i += 2) units.push(String.fromCharCode(s.charCodeAt(i) | (s.charCodeAt(i + 1) << 8)));
      const raw = units.join("");
      const text = raw.toWellFormed();
      if (stream) this.#pending = s.slice(n);
      else if (n < s.length) {
        if (this.#fatal) this.#fail();
        return text + "\ufffd";
      }
      if (this.#fatal && text !== raw) this.#fail();
      return text;
    }

    #other(s, stream) {
      const [text, used, wrong] = host.data("decode", this.#encoding, fromLatin1(s), stream);
      if (stream) this.#pending = s.slice(used);
      if (this.#fatal && wrong) this.#fail();
      return text;
    }

    #fail() {
      this.#started = false;
      const error = new TypeError(`The encoded data was not valid for encoding ${this.#encoding}`);
      error.code = "ERR_ENCODING_INVALID_ENCODED_DATA";
      throw error;
    }
  }

  return { __proto__: null, TextEncoder, TextDecoder, unfinished };
});
