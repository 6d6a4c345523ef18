// Bytes between their three shapes: Uint8Array, "latin1" strings whose char
// codes are bytes (how they cross to the host), and text in UTF-8.
(function (host) {
  "use strict";
  const chunk = 8192; // arguments of one fromCharCode

  function toLatin1(bytes) {
    let s = "";
    for (let i = 0; i < bytes.length; i += chunk) s += String.fromCharCode.apply(null, bytes.subarray(i, i + chunk));
    return s;
  }

  function fromLatin1(s) {
    if (host.bytes !== undefined) return new Uint8Array(host.bytes(s));
    const bytes = new Uint8Array(s.length);
    for (let i = 0; i < s.length; i++) bytes[i] = s.charCodeAt(i);
    return bytes;
  }

  const isASCII = (s) => !/[^\x00-\x7f]/.test(s);

  // encodeUTF8 gives the UTF-8 of a text as latin1; lone surrogates become U+FFFD.
  const encodeUTF8 = (text) => (isASCII(text) ? text : unescape(encodeURIComponent(text.toWellFormed())));

  // decodeUTF8 gives the text of UTF-8 as latin1; wrong bytes become U+FFFD.
  function decodeUTF8(s) {
    if (isASCII(s)) return s;
    try {
      return decodeURIComponent(escape(s));
    } catch (error) {
      return decodeBroken(s);
    }
  }

  // decodeBroken replaces each maximal wrong part by one U+FFFD, as the
  // Encoding standard says.
  function decodeBroken(s) {
    const out = [];
    let code = 0, needed = 0, seen = 0, low = 0x80, high = 0xbf;
    for (let i = 0; i < s.length; i++) {
      const b = s.charCodeAt(i);
      if (needed > 0) {
        if (b >= low && b <= high) {
          low = 0x80;
          high = 0xbf;
          code = (code << 6) | (b & 0x3f);
          if (++seen === needed) {
            out.push(String.fromCodePoint(code));
            needed = seen = 0;
          }
          continue;
        }
        out.push("\ufffd");
        needed = seen = 0;
        low = 0x80;
        high = 0xbf;
      }
      if (b < 0x80) out.push(s[i]);
      else if (b >= 0xc2 && b <= 0xdf) { needed = 1; code = b & 0x1f; }
      else if (b >= 0xe0 && b <= 0xef) {
        if (b === 0xe0) low = 0xa0;
        if (b === 0xed) high = 0x9f;
        needed = 2;
        code = b & 0xf;
      } else if (b >= 0xf0 && b <= 0xf4) {
        if (b === 0xf0) low = 0x90;
        if (b === 0xf4) high = 0x8f;
        needed = 3;
        code = b & 7;
      } else out.push("\ufffd");
    }
    if (needed > 0) out.push("\ufffd");
    return out.join("");
  }

  // view is the bytes behind any buffer or view; undefined for other values.
  function view(v) {
    if (v instanceof Uint8Array) return v;
    if (ArrayBuffer.isView(v)) return new Uint8Array(v.buffer, v.byteOffset, v.byteLength);
    if (v instanceof ArrayBuffer) return new Uint8Array(v);
    return undefined;
  }

  return { __proto__: null, toLatin1, fromLatin1, encodeUTF8, decodeUTF8, view };
});
