// The querystring module of Node.
(function (host, load) {
  "use strict";
  const { encodeUTF8, decodeUTF8 } = load("bytes");

  function escape(text) {
    const given = `${text}`;
    if (!given.isWellFormed()) throw load("node/errors").coded(URIError, "ERR_INVALID_URI", "URI malformed");
    return encodeURIComponent(given);
  }
  const unescape = (text) => {
    try {
      return decodeURIComponent(text);
    } catch (error) {
      return decodeUTF8(decodeBytes(text));
    }
  };

  const unescapeBuffer = (text) => load("buffer").Buffer.from(decodeBytes(`${text}`), "latin1");
  const decodeBytes = (text) => encodeUTF8(text).replace(/%([0-9a-fA-F]{2})/g, (_, h) => String.fromCharCode(parseInt(h, 16)));

  function write(v) {
    switch (typeof v) {
      case "string": return v;
      case "number": return Number.isFinite(v) ? String(v) : "";
      case "bigint": case "boolean": return String(v);
      default: return "";
    }
  }

  function stringify(object, separator = "&", equals = "=", options) {
    if (typeof object !== "object" || object === null) return "";
    const encode = options?.encodeURIComponent ?? querystring.escape;
    const pairs = [];
    for (const key of Object.keys(object)) {
      const values = Array.isArray(object[key]) ? object[key] : [object[key]];
      for (const v of values) pairs.push(encode(key) + equals + encode(write(v)));
    }
    return pairs.join(separator || "&");
  }

  function parse(text, separator = "&", equals = "=", options) {
    const result = Object.create(null);
    if (typeof text !== "string" || text === "") return result;
    const decode = options?.decodeURIComponent ?? querystring.unescape;
    const max = options?.maxKeys ?? 1000;
    const parts = text.split(separator || "&");
    for (const part of max > 0 ? parts.slice(0, max) : parts) {
      if (part === "") continue;
      const at = part.indexOf(equals || "=");
      const key = decode((at < 0 ? part : part.slice(0, at)).replaceAll("+", " "));
      const value = at < 0 ? "" : decode(part.slice(at + (equals || "=").length).replaceAll("+", " "));
      if (!(key in result)) result[key] = value;
      else if (Array.isArray(result[key])) result[key].push(value);
      else result[key] = [result[key], value];
    }
    return result;
  }

  const querystring = { stringify, parse, escape, unescape, unescapeBuffer, encode: stringify, decode: parse };
  return { __proto__: null, querystring };
});
