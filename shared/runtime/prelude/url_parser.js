// The parser of the URL standard: its state machine, host parsers and
// percent-encode sets. A record is {scheme, username, password, host, port,
// path, query, fragment}; path is an array, or a string when opaque.
(function (host, load) {
  "use strict";
  const special = { __proto__: null, "http": "80", "https": "443", "ws": "80", "wss": "443", "ftp": "21", "file": "" };
  const { encodeUTF8, decodeUTF8 } = load("bytes");

  // ---- percent encoding

  const setOf = (chars, ...more) => new Set([...more.flatMap((s) => [...s]), ...chars]);
  const sets = { __proto__: null };
  sets.control = setOf("");
  sets.fragment = setOf(" \"<>`");
  sets.query = setOf(" \"#<>");
  sets.specialQuery = setOf("'", sets.query);
  sets.path = setOf("?`{}", sets.query);
  sets.userinfo = setOf("/:;=@[\\]^|", sets.path);
  sets.component = setOf("$%&+,", sets.userinfo);
  sets.form = setOf("!'()~", sets.component);

  const hexByte = Array.from({ length: 256 }, (_, i) => "%" + (i < 16 ? "0" : "") + i.toString(16).toUpperCase());

  function percentEncode(text, set) {
    let out = "";
    for (const c of text) {
      if (c > "~" || c < " ") {
        const bytes = encodeUTF8(c);
        for (let i = 0; i < bytes.length; i++) out += hexByte[bytes.charCodeAt(i)];
      } else out += set.has(c) ? hexByte[c.charCodeAt(0)] : c;
    }
    return out;
  }

  // percentDecode gives bytes, as latin1.
  const percentDecode = (text) => encodeUTF8(text).replace(/%([0-9a-fA-F]{2})/g, (_, h) => String.fromCharCode(parseInt(h, 16)));

  // ---- hosts

  const forbiddenHost = /[\x00\t\n\r #/:<>?@[\\\]^|]/;
  const forbiddenDomain = /[\x00-\x20"#%/:<>?@[\\\]^`{|}\x7f]/;

  function parseHost(input, opaque) {
    if (input[0] === "[") return input.endsWith("]") ? parseIPv6(input.slice(1, -1)) : null;
    if (opaque) return forbiddenHost.test(input) ? null : percentEncode(input, sets.control);
    let domain = decodeUTF8(percentDecode(input));
    if (/[^\x00-\x7f]|xn--/i.test(domain)) {
      domain = load("punycode").domainToASCII(domain);
      if (domain === null) return null;
    } else domain = domain.toLowerCase();
    if (domain === "" || forbiddenDomain.test(domain)) return null;
    return endsInNumber(domain) ? parseIPv4(domain) : domain;
  }

  function endsInNumber(domain) {
    const parts = domain.split(".");
    if (parts.at(-1) === "" && parts.length > 1) parts.pop();
    return /^([0-9]+|0[xX][0-9a-fA-F]*)$/.test(parts.at(-1));
  }

  function parseIPv4(domain) {
    const parts = domain.split(".");
    if (parts.at(-1) === "" && parts.length > 1) parts.pop();
    if (parts.length > 4) return null;
    const numbers = parts.map(ipv4Number);
    if (numbers.some((n, i) => Number.isNaN(n) || (n > 255 && i < numbers.length - 1))) return null;
    const last = numbers.pop();
    if (last >= 256 ** (4 - numbers.length)) return null;
    const value = numbers.reduce((sum, n, i) => sum + n * 256 ** (3 - i), last);
    return [24, 16, 8, 0].map((shift) => Math.floor(value / 2 ** shift) % 256).join(".");
  }

  function ipv4Number(part) {
    if (part === "") return NaN;
    if (/^0[xX]/.test(part)) return /^0[xX][0-9a-fA-F]*$/.test(part) ? parseInt(part.slice(2) || "0", 16) : NaN;
    if (part.length > 1 && part[0] === "0") return /^[0-7]+$/.test(part) ? parseInt(part, 8) : NaN;
    return /^[0-9]+$/.test(part) ? parseInt(part, 10) : NaN;
  }

  function parseIPv6(input) {
    const double = input.split("::");
    if (double.length > 2) return null;
    const groups = (text) => (text === "" ? [] : text.split(":"));
    const head = ipv6Pieces(groups(double[0]), double.length === 1);
    const tail = double.length === 2 ? ipv6Pieces(groups(double[1]), true) : [];
    if (head === null || tail === null) return null;
    const missing = 8 - head.length - tail.length;
    if (double.length === 2 ? missing < 1 : missing !== 0) return null;
    return "[" + writeIPv6([...head, ...Array(missing).fill(0), ...tail]) + "]";
  }

  function ipv6Pieces(groups, last) {
    const pieces = [];
    for (const [i, group] of groups.entries()) {
      if (group.includes(".")) {
        if (!last || i !== groups.length - 1) return null;
        const bytes = group.split(".");
        if (bytes.length !== 4 || bytes.some((b) => !/^(0|[1-9][0-9]{0,2})$/.test(b) || +b > 255)) return null;
        pieces.push(+bytes[0] * 256 + +bytes[1], +bytes[2] * 256 + +bytes[3]);
      } else {
        if (!/^[0-9a-fA-F]{1,4}$/.test(group)) return null;
        pieces.push(parseInt(group, 16));
      }
    }
    return pieces;
  }

  function writeIPv6(pieces) {
    let best = -1, bestLength = 1;
    for (let i = 0; i < 8; i++) {
      let length = 0;
      while (i + length < 8 && pieces[i + length] === 0) length++;
      if (length > bestLength) { best = i; bestLength = length; }
      if (length > 0) i += length - 1;
    }
    const hex = (list) => list.map((n) => n.toString(16)).join(":");
    return best < 0 ? hex(pieces) : hex(pieces.slice(0, best)) + "::" + hex(pieces.slice(best + bestLength));
  }

  // ---- paths

  const singleDot = /^(\.|%2e)$/i;
  const doubleDot = /^(\.|%2e)(\.|%2e)$/i;
  const isDriveLetter = (s) => /^[a-zA-Z][:|]$/.test(s);
  const startsWithDrive = (s) => /^[a-zA-Z][:|]([/\\?#]|$)/.test(s);

  function shorten(url) {
    if (url.scheme === "file" && url.path.length === 1 && /^[a-zA-Z]:$/.test(url.path[0])) return;
    url.path.pop();
  }

  // ---- the state machine

  const isSpecial = (url) => url.scheme in special;
  const blank = () => ({ scheme: "", username: "", password: "", host: null, port: "", path: [], query: null, fragment: null });

  // parse returns the record, null on failure. With an override state it
  // changes url in place as a setter does, and returns null if it may not.
  function parse(input, base, url, override) {
    if (url === undefined) {
      url = blank();
      input = input.replace(/^[\x00-\x20]+|[\x00-\x20]+$/g, "");
    }
    const m = { url, base, override, points: [...input.replace(/[\t\n\r]/g, "").toWellFormed()], i: 0, buffer: "", at: false, bracket: false, password: false };
    let state = override ?? "scheme start";
    for (; ; m.i++) {
      const next = states[state](m, m.i < m.points.length ? m.points[m.i] : undefined);
      if (next === false) return null;
      if (next === true) return url;
      if (typeof next === "string") state = next;
      if (m.i >= m.points.length) return url;
    }
  }

  const rest = (m, from = m.i + 1) => m.points.slice(from).join("");
  const back = (m, state) => { m.i--; return state; };
  const isSlash = (url, c) => c === "/" || (isSpecial(url) && c === "\\");
  const endsAuthority = (url, c) => c === undefined || c === "?" || c === "#" || isSlash(url, c);
  const copyAuthority = (to, from) => { to.username = from.username; to.password = from.password; to.host = from.host; to.port = from.port; };

  const states = {
    __proto__: null,

    "scheme start"(m, c) {
      if (c !== undefined && /[a-zA-Z]/.test(c)) { m.buffer += c.toLowerCase(); return "scheme"; }
      return m.override ? false : back(m, "no scheme");
    },

    "scheme"(m, c) {
      const { url } = m;
      if (c !== undefined && /[a-zA-Z0-9+\-.]/.test(c)) { m.buffer += c.toLowerCase(); return undefined; }
      if (c !== ":") {
        if (m.override) return false;
        m.buffer = "";
        m.i = -1;
        return "no scheme";
      }
      if (m.override) {
        if (isSpecial(url) !== m.buffer in special) return true;
        if (m.buffer === "file" && (url.username !== "" || url.password !== "" || url.port !== "")) return true;
        if (url.scheme === "file" && url.host === "") return true;
        url.scheme = m.buffer;
        if (url.port === special[url.scheme]) url.port = "";
        return true;
      }
      url.scheme = m.buffer;
      m.buffer = "";
      if (url.scheme === "file") return "file";
      if (isSpecial(url)) return m.base?.scheme === url.scheme ? "special relative or authority" : "special authority slashes";
      if (m.points[m.i + 1] === "/") { m.i++; return "path or authority"; }
      url.path = "";
      return "opaque path";
    },

    "no scheme"(m, c) {
      const { url, base } = m;
      if (!base || (typeof base.path === "string" && c !== "#")) return false;
      if (typeof base.path === "string") {
        Object.assign(url, base, { fragment: "" });
        return "fragment";
      }
      return back(m, base.scheme === "file" ? "file" : "relative");
    },

    "special relative or authority"(m, c) {
      if (c === "/" && m.points[m.i + 1] === "/") { m.i++; return "special authority ignore slashes"; }
      return back(m, "relative");
    },

    "path or authority"(m, c) {
      return c === "/" ? "authority" : back(m, "path");
    },

    "relative"(m, c) {
      const { url, base } = m;
      url.scheme = base.scheme;
      if (c === "/") return "relative slash";
      if (isSpecial(url) && c === "\\") return "relative slash";
      copyAuthority(url, base);
      url.path = [...base.path];
      url.query = base.query;
      if (c === "?") { url.query = ""; return "query"; }
      if (c === "#") { url.fragment = ""; return "fragment"; }
      if (c === undefined) return undefined;
      url.query = null;
      shorten(url);
      return back(m, "path");
    },

    "relative slash"(m, c) {
      if (isSpecial(m.url) && (c === "/" || c === "\\")) return "special authority ignore slashes";
      if (c === "/") return "authority";
      copyAuthority(m.url, m.base);
      return back(m, "path");
    },

    "special authority slashes"(m, c) {
      if (c === "/" && m.points[m.i + 1] === "/") { m.i++; return "special authority ignore slashes"; }
      return back(m, "special authority ignore slashes");
    },

    "special authority ignore slashes"(m, c) {
      return c === "/" || c === "\\" ? undefined : back(m, "authority");
    },

    "authority"(m, c) {
      const { url } = m;
      if (c === "@") {
        const text = m.at ? "%40" + m.buffer : m.buffer;
        m.at = true;
        for (const p of text) {
          if (p === ":" && !m.password) m.password = true;
          else if (m.password) url.password += percentEncode(p, sets.userinfo);
          else url.username += percentEncode(p, sets.userinfo);
        }
        m.buffer = "";
        return undefined;
      }
      if (!endsAuthority(url, c)) { m.buffer += c; return undefined; }
      if (m.at && m.buffer === "") return false;
      m.i -= [...m.buffer].length + 1;
      m.buffer = "";
      return "host";
    },

    "host"(m, c) {
      const { url } = m;
      if (m.override && url.scheme === "file") return back(m, "file host");
      if (c === ":" && !m.bracket) {
        if (m.buffer === "" || m.override === "hostname") return false;
        url.host = parseHost(m.buffer, !isSpecial(url));
        if (url.host === null) return false;
        m.buffer = "";
        return "port";
      }
      if (!endsAuthority(url, c)) {
        if (c === "[") m.bracket = true;
        if (c === "]") m.bracket = false;
        m.buffer += c;
        return undefined;
      }
      if (isSpecial(url) && m.buffer === "") return false;
      if (m.override && m.buffer === "" && (url.username !== "" || url.password !== "" || url.port !== "")) return false;
      const parsed = m.buffer === "" ? "" : parseHost(m.buffer, !isSpecial(url));
      if (parsed === null) return false;
      url.host = parsed;
      m.buffer = "";
      return m.override ? true : back(m, "path start");
    },

    "hostname": (m, c) => states.host(m, c),

    "port"(m, c) {
      const { url } = m;
      if (c !== undefined && c >= "0" && c <= "9") { m.buffer += c; return undefined; }
      if (!(endsAuthority(url, c) || m.override)) return false;
      if (m.buffer !== "") {
        const port = parseInt(m.buffer, 10);
        if (port > 65535) return false;
        url.port = String(port) === special[url.scheme] ? "" : String(port);
        m.buffer = "";
        if (m.override) return true;
      }
      return m.override ? false : back(m, "path start");
    },

    "file"(m, c) {
      const { url, base } = m;
      url.scheme = "file";
      url.host = "";
      if (c === "/" || c === "\\") return "file slash";
      if (base?.scheme !== "file") return back(m, "path");
      url.host = base.host;
      url.path = [...base.path];
      url.query = base.query;
      if (c === "?") { url.query = ""; return "query"; }
      if (c === "#") { url.fragment = ""; return "fragment"; }
      if (c === undefined) return undefined;
      url.query = null;
      if (startsWithDrive(rest(m, m.i))) url.path = [];
      else shorten(url);
      return back(m, "path");
    },

    "file slash"(m, c) {
      if (c === "/" || c === "\\") return "file host";
      if (m.base?.scheme === "file") {
        m.url.host = m.base.host;
        if (!startsWithDrive(rest(m, m.i)) && /^[a-zA-Z]:$/.test(m.base.path[0] ?? "")) m.url.path.push(m.base.path[0]);
      }
      return back(m, "path");
    },

    "file host"(m, c) {
      if (!(c === undefined || c === "/" || c === "\\" || c === "?" || c === "#")) { m.buffer += c; return undefined; }
      if (!m.override && isDriveLetter(m.buffer)) return back(m, "path");
      if (m.buffer === "") {
        m.url.host = "";
        return m.override ? true : back(m, "path start");
      }
      const parsed = parseHost(m.buffer, false);
      if (parsed === null) return false;
      m.url.host = parsed === "localhost" ? "" : parsed;
      if (m.override) return true;
      m.buffer = "";
      return back(m, "path start");
    },

    "path start"(m, c) {
      const { url } = m;
      if (isSpecial(url)) return c === "/" || c === "\\" ? "path" : back(m, "path");
      if (!m.override && c === "?") { url.query = ""; return "query"; }
      if (!m.override && c === "#") { url.fragment = ""; return "fragment"; }
      if (c !== undefined) return c === "/" ? "path" : back(m, "path");
      if (m.override && url.host === null) url.path.push("");
      return undefined;
    },

    "path"(m, c) {
      const { url } = m;
      const slash = isSlash(url, c);
      if (!(c === undefined || slash || (!m.override && (c === "?" || c === "#")))) {
        m.buffer += percentEncode(c, sets.path);
        return undefined;
      }
      if (doubleDot.test(m.buffer)) {
        shorten(url);
        if (!slash) url.path.push("");
      } else if (singleDot.test(m.buffer)) {
        if (!slash) url.path.push("");
      } else {
        if (url.scheme === "file" && url.path.length === 0 && isDriveLetter(m.buffer)) m.buffer = m.buffer[0] + ":";
        url.path.push(m.buffer);
      }
      m.buffer = "";
      if (c === "?") { url.query = ""; return "query"; }
      if (c === "#") { url.fragment = ""; return "fragment"; }
      return undefined;
    },

    "opaque path"(m, c) {
      const { url } = m;
      if (c === "?") { url.query = ""; return "query"; }
      if (c === "#") { url.fragment = ""; return "fragment"; }
      if (c !== undefined) url.path += percentEncode(c, sets.control);
      return undefined;
    },

    "query"(m, c) {
      const { url } = m;
      if ((!m.override && c === "#") || c === undefined) {
        url.query += percentEncode(m.buffer, isSpecial(url) ? sets.specialQuery : sets.query);
        m.buffer = "";
        if (c === "#") { url.fragment = ""; return "fragment"; }
        return undefined;
      }
      m.buffer += c;
      return undefined;
    },

    "fragment"(m, c) {
      if (c !== undefined) m.url.fragment += percentEncode(c, sets.fragment);
      return undefined;
    },
  };

  // ---- writing

  const writePath = (url) => (typeof url.path === "string" ? url.path : url.path.map((s) => "/" + s).join(""));

  function write(url, withoutFragment) {
    let out = url.scheme + ":";
    if (url.host !== null) {
      out += "//";
      if (url.username !== "" || url.password !== "") out += url.username + (url.password === "" ? "" : ":" + url.password) + "@";
      out += url.host + (url.port === "" ? "" : ":" + url.port);
    } else if (Array.isArray(url.path) && url.path.length > 1 && url.path[0] === "") out += "/.";
    out += writePath(url);
    if (url.query !== null) out += "?" + url.query;
    return url.fragment === null || withoutFragment ? out : out + "#" + url.fragment;
  }

  return { __proto__: null, parse, write, writePath, isSpecial, percentEncode, percentDecode, sets };
});
