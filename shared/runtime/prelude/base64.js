// atob, btoa, and the base64 of Buffer.
(function (host, load) {
  "use strict";
  const standard = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
  const urlSafe = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_";
  const values = new Int8Array(128).fill(-1);
  for (let i = 0; i < 64; i++) values[standard.charCodeAt(i)] = values[urlSafe.charCodeAt(i)] = i;

  // encode writes a latin1 string; the url-safe alphabet goes without padding.
  function encode(s, safe = false) {
    if (host.base64 !== undefined) return host.base64(s, safe);
    const alphabet = safe ? urlSafe : standard;
    const out = [];
    let i = 0;
    for (; i + 2 < s.length; i += 3) {
      const n = (s.charCodeAt(i) << 16) | (s.charCodeAt(i + 1) << 8) | s.charCodeAt(i + 2);
      out.push(alphabet[n >> 18] + alphabet[(n >> 12) & 63] + alphabet[(n >> 6) & 63] + alphabet[n & 63]);
    }
    if (i + 1 === s.length) {
      const n = s.charCodeAt(i) << 16;
      out.push(alphabet[n >> 18] + alphabet[(n >> 12) & 63] + (safe ? "" : "=="));
    } else if (i + 2 === s.length) {
      const n = (s.charCodeAt(i) << 16) | (s.charCodeAt(i + 1) << 8);
      out.push(alphabet[n >> 18] + alphabet[(n >> 12) & 63] + alphabet[(n >> 6) & 63] + (safe ? "" : "="));
    }
    return out.join("");
  }

  // decode reads both alphabets and skips what is not base64, up to the first
  // padding: how Buffer.from reads.
  function decode(text) {
    if (host.fromBase64 !== undefined) return host.fromBase64(text);
    const out = [];
    let n = 0, bits = 0;
    for (let i = 0; i < text.length; i++) {
      const c = text.charCodeAt(i);
      if (c === 61) break;
      const v = c < 128 ? values[c] : -1;
      if (v < 0) continue;
      n = ((n << 6) | v) & 0xffffff;
      bits += 6;
      if (bits >= 8) {
        bits -= 8;
        out.push(String.fromCharCode((n >> bits) & 255));
      }
    }
    return out.join("");
  }

  const fail = (message) => { throw new (load("dom_exception").DOMException)(message, "InvalidCharacterError"); };

  function btoa(data) {
    if (arguments.length === 0) throw new TypeError("btoa needs an argument");
    const s = `${data}`;
    if (/[^\x00-\xff]/.test(s)) fail("Invalid character");
    return encode(s);
  }

  function atob(data) {
    if (arguments.length === 0) throw new TypeError("atob needs an argument");
    let s = `${data}`.replace(/[\t\n\f\r ]/g, "");
    if (s.length % 4 === 0) s = s.replace(/==?$/, "");
    if (s.length % 4 === 1 || /[^A-Za-z0-9+/]/.test(s)) fail("The string to be decoded is not correctly encoded.");
    return decode(s);
  }

  return { __proto__: null, atob, btoa, encode, decode };
});
