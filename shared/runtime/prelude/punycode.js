// Punycode (RFC 3492) and the ASCII form of domain names.
(function () {
  "use strict";
  const base = 36, tMin = 1, tMax = 26, skew = 38, damp = 700, initialBias = 72, initialN = 128;
  const maxInt = 0x7fffffff;

  function adapt(delta, points, first) {
    delta = first ? Math.floor(delta / damp) : delta >> 1;
    delta += Math.floor(delta / points);
    let k = 0;
    for (; delta > ((base - tMin) * tMax) >> 1; k += base) delta = Math.floor(delta / (base - tMin));
    return k + Math.floor(((base - tMin + 1) * delta) / (delta + skew));
  }

  const threshold = (k, bias) => (k <= bias ? tMin : k >= bias + tMax ? tMax : k - bias);
  const digit = (d) => String.fromCharCode(d + (d < 26 ? 97 : 22));
  const overflow = () => { throw new RangeError("Overflow: input needs wider integers to process"); };

  function encode(input) {
    const points = Array.from(input, (c) => c.codePointAt(0));
    let out = points.filter((c) => c < 0x80).map((c) => String.fromCharCode(c)).join("");
    const basic = out.length;
    let handled = basic, n = initialN, delta = 0, bias = initialBias;
    if (basic > 0) out += "-";
    while (handled < points.length) {
      const m = Math.min(...points.filter((c) => c >= n));
      if (m - n > Math.floor((maxInt - delta) / (handled + 1))) overflow();
      delta += (m - n) * (handled + 1);
      n = m;
      for (const c of points) {
        if (c < n && ++delta > maxInt) overflow();
        if (c !== n) continue;
        let q = delta;
        for (let k = base; ; k += base) {
          const t = threshold(k, bias);
          if (q < t) break;
          out += digit(t + ((q - t) % (base - t)));
          q = Math.floor((q - t) / (base - t));
        }
        out += digit(q);
        bias = adapt(delta, handled + 1, handled === basic);
        delta = 0;
        handled++;
      }
      delta++;
      n++;
    }
    return out;
  }

  function decode(input) {
    const cut = Math.max(input.lastIndexOf("-"), 0);
    const out = Array.from(input.slice(0, cut), (c) => c.codePointAt(0));
    if (out.some((c) => c >= 0x80)) throw new RangeError("Illegal input >= 0x80 (not a basic code point)");
    let n = initialN, bias = initialBias, i = 0;
    for (let at = cut > 0 ? cut + 1 : 0; at < input.length;) {
      const before = i;
      for (let weight = 1, k = base; ; k += base) {
        if (at >= input.length) throw new RangeError("Invalid input");
        const c = input.charCodeAt(at++);
        const d = c >= 48 && c <= 57 ? c - 22 : c >= 65 && c <= 90 ? c - 65 : c >= 97 && c <= 122 ? c - 97 : base;
        if (d >= base) throw new RangeError("Invalid input");
        if (d > Math.floor((maxInt - i) / weight)) overflow();
        i += d * weight;
        const t = threshold(k, bias);
        if (d < t) break;
        weight *= base - t;
      }
      const size = out.length + 1;
      bias = adapt(i - before, size, before === 0);
      n += Math.floor(i / size);
      i %= size;
      if (n > 0x10ffff) throw new RangeError("Invalid input");
      out.splice(i++, 0, n);
    }
    return String.fromCodePoint(...out);
  }

  const dots = /[\u3002\uff0e\uff61]/g;
  const mapLabels = (domain, f) => domain.replace(dots, ".").split(".").map(f).join(".");
  const toASCII = (domain) => mapLabels(domain, (l) => (/[^\x00-\x7f]/.test(l) ? "xn--" + encode(l) : l));
  const toUnicode = (domain) => mapLabels(domain, (l) => (l.startsWith("xn--") ? decode(l.slice(4).toLowerCase()) : l));

  // isEncoded says that a decoded label needed its encoding.
  const isEncoded = (label) => /[^\x00-\x7f]/.test(label) && !/[\x80-\x9f]/.test(label) && label === label.normalize("NFC").toLowerCase();

  // domainToASCII is toASCII with what browsers do before: width and case
  // folded, invisible marks dropped. null = not a domain.
  function domainToASCII(domain) {
    try {
      const folded = domain.normalize("NFKC").toLowerCase().normalize("NFC").replace(/[\u00ad\u200b\u2060\ufeff\ufe00-\ufe0f]/g, "");
      for (const label of folded.split(".")) if (label.startsWith("xn--") && !isEncoded(decode(label.slice(4)))) return null;
      return toASCII(folded);
    } catch (error) {
      return null;
    }
  }

  const punycode = {
    version: "2.1.0", encode, decode, toASCII, toUnicode,
    ucs2: { decode: (s) => Array.from(s, (c) => c.codePointAt(0)), encode: (points) => String.fromCodePoint(...points) },
  };
  return { __proto__: null, punycode, domainToASCII };
});
