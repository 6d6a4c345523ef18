// Blob and File: bytes with a type, and a name. There are no web streams: stream() throws.
(function (host, load) {
  "use strict";
  const { coded, wrongType, unavailable } = load("node/errors");
  const { view, fromLatin1, toLatin1, encodeUTF8, decodeUTF8 } = load("bytes");
  let bytesOf, make;

  const typeOf = (given) => {
    const type = `${given ?? ""}`;
    return /[^\x20-\x7e]/.test(type) ? "" : type.toLowerCase();
  };

  function part(value, endings) {
    if (value instanceof Blob) return bytesOf(value);
    const bytes = typeof value === "object" && value !== null ? view(value) : undefined;
    if (bytes !== undefined) return bytes;
    const text = `${value}`;
    return fromLatin1(encodeUTF8(endings === "native" ? text.replace(/\r\n?/g, "\n") : text));
  }

  function join(parts) {
    let size = 0, at = 0;
    for (const one of parts) size += one.length;
    const all = new Uint8Array(size);
    for (const one of parts) {
      all.set(one, at);
      at += one.length;
    }
    return all;
  }

  class Blob {
    #bytes; #type;
    static {
      bytesOf = (blob) => blob.#bytes;
      make = (bytes, type) => {
        const blob = new Blob();
        blob.#bytes = bytes;
        blob.#type = type;
        return blob;
      };
    }
    constructor(sources = [], options = {}) {
      if (sources === null || typeof sources?.[Symbol.iterator] !== "function" || typeof sources === "string") throw wrongType("sources", "a sequence", sources);
      if (options !== null && typeof options !== "object" && typeof options !== "function") throw wrongType("options", "object", options);
      const endings = options?.endings ?? "transparent";
      if (endings !== "transparent" && endings !== "native") throw coded(TypeError, "ERR_INVALID_ARG_VALUE", `The property 'options.endings' must be one of: 'transparent', 'native'. Received ${load("inspect").inspect(endings)}`);
      this.#bytes = join([...sources].map((source) => part(source, endings)));
      this.#type = typeOf(options?.type);
    }
    get size() { return this.#bytes.length; }
    get type() { return this.#type; }
    slice(start = 0, end = this.size, type = "") {
      return make(this.#bytes.slice(start, end), typeOf(type));
    }
    async arrayBuffer() { return this.#bytes.slice().buffer; }
    async text() { return decodeUTF8(toLatin1(this.#bytes)); }
    stream() { throw unavailable("Blob.stream", "there are no web streams; take arrayBuffer or text"); }
    get [Symbol.toStringTag]() { return "Blob"; }
  }

  class File extends Blob {
    #name; #lastModified;
    constructor(bits, name, options = {}) {
      if (arguments.length < 2) throw coded(TypeError, "ERR_MISSING_ARGS", 'The "fileBits" and "fileName" arguments must be specified');
      super(bits, options);
      this.#name = `${name}`.toWellFormed();
      this.#lastModified = options?.lastModified === undefined ? Date.now() : Math.trunc(Number(options.lastModified)) || 0;
    }
    get name() { return this.#name; }
    get lastModified() { return this.#lastModified; }
    get [Symbol.toStringTag]() { return "File"; }
  }

  for (const [Class, names] of [[Blob, ["size", "type", "slice", "arrayBuffer", "text", "stream"]], [File, ["name", "lastModified"]]]) {
    for (const name of names) Object.defineProperty(Class.prototype, name, { __proto__: null, enumerable: true });
  }
  return { __proto__: null, Blob, File, bytesOf, join };
});
