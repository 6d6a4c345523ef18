// The url module of Node: the classes of the standard, and the older
// parse/format/resolve many programs still use.
(function (host, load) {
  "use strict";
  const { URL, URLSearchParams } = load("url");
  const { querystring } = load("querystring");
  const { punycode, domainToASCII } = load("punycode");
  const slashed = new Set(["http:", "https:", "ftp:", "file:", "ws:", "wss:"]);

  class Url {
    protocol = null; slashes = null; auth = null; host = null; port = null; hostname = null;
    hash = null; search = null; query = null; pathname = null; path = null; href = "";
    format() { return format(this); }
    resolve(to) { return resolve(this.href, to); }
  }

  const escapes = /[\x00-\x20"'<>\\^`{|}]/g;
  const pattern = /^([a-zA-Z][a-zA-Z0-9+.-]*:)?(\/\/)?(.*)$/s;

  function parse(text, parseQuery = false, slashesDenoteHost = false) {
    if (typeof text !== "string") throw load("node/errors").wrongType("url", "string", text);
    const url = new Url();
    let [, protocol, slashes, rest] = pattern.exec(text.trim());
    if (protocol) url.protocol = protocol.toLowerCase();
    const bare = protocol && !slashed.has(url.protocol) && url.protocol !== "javascript:"; // mailto:a@b has a host
    if (slashes ? protocol || slashesDenoteHost : bare) {
      if (slashes) url.slashes = true;
      const end = rest.search(/[/?#]/);
      parseAuthority(url, end < 0 ? rest : rest.slice(0, end));
      rest = end < 0 ? "" : rest.slice(end);
    } else if (slashes) rest = slashes + rest;
    rest = rest.replace(escapes, (c) => (c === "\\" && slashed.has(url.protocol) ? "/" : encodeURIComponent(c).replace("'", "%27")));
    const hash = rest.indexOf("#");
    if (hash >= 0) {
      url.hash = rest.slice(hash);
      rest = rest.slice(0, hash);
    }
    const query = rest.indexOf("?");
    if (query >= 0) {
      url.search = rest.slice(query);
      url.query = rest.slice(query + 1);
      rest = rest.slice(0, query);
    } else if (parseQuery) {
      url.search = null;
      url.query = "";
    }
    if (parseQuery) url.query = querystring.parse(url.query);
    url.pathname = rest !== "" ? rest : url.slashes && slashed.has(url.protocol) && url.hostname !== null ? "/" : null;
    url.path = url.pathname === null && url.search === null ? null : (url.pathname ?? "") + (url.search ?? "");
    url.href = format(url);
    return url;
  }

  function parseAuthority(url, authority) {
    const at = authority.lastIndexOf("@");
    if (at >= 0) url.auth = decodeURIComponent(authority.slice(0, at));
    let name = authority.slice(at + 1);
    const port = /:([0-9]*)$/.exec(name);
    if (port) {
      name = name.slice(0, port.index);
      if (port[1] !== "") url.port = port[1];
    }
    name = name.toLowerCase();
    url.hostname = /^\[.*\]$/.test(name) ? name.slice(1, -1) : punycode.toASCII(name);
    url.host = (name.startsWith("[") ? name : url.hostname) + (url.port ? ":" + url.port : "");
  }

  function format(url, options) {
    if (typeof url === "string") url = parse(url);
    if (typeof url !== "object" || url === null) throw load("node/errors").wrongType("urlObject", ["object", "string"], url);
    if (url instanceof URL) return formatURL(url, options);
    const auth = url.auth ? encodeURIComponent(url.auth).replace(/%3A/i, ":") + "@" : "";
    let protocol = url.protocol ?? "";
    if (protocol && !protocol.endsWith(":")) protocol += ":";
    let name = "";
    if (url.host) name = auth + url.host;
    else if (url.hostname) name = auth + (url.hostname.includes(":") ? `[${url.hostname}]` : url.hostname) + (url.port ? ":" + url.port : "");
    let search = url.search;
    if (!search && url.query !== null && typeof url.query === "object") search = querystring.stringify(url.query);
    if (search && search[0] !== "?") search = "?" + search;
    let hash = url.hash ?? "";
    if (hash && hash[0] !== "#") hash = "#" + hash;
    let pathname = (url.pathname ?? "").replace(/[?#]/g, encodeURIComponent);
    if (url.slashes || slashed.has(protocol)) {
      if (url.slashes || name) {
        name = "//" + name;
        if (pathname && pathname[0] !== "/") pathname = "/" + pathname;
      } else if (protocol === "file:") name = "//";
    }
    return protocol + name + pathname + (search ?? "").replaceAll("#", "%23") + hash;
  }

  function formatURL(url, { fragment = true, search = true, auth = true, unicode = false } = {}) {
    const copy = new URL(url);
    if (!fragment) copy.hash = "";
    if (!search) copy.search = "";
    if (!auth) copy.username = copy.password = "";
    return unicode ? copy.href.replace(copy.hostname, punycode.toUnicode(copy.hostname)) : copy.href;
  }

  // resolve gives what a browser makes of a link on a page.
  function resolve(from, to) {
    try {
      return new URL(to, new URL(from)).href;
    } catch (error) {
      const base = new URL(from, "resolve://u");
      const url = new URL(to, base);
      return url.protocol === "resolve:" ? url.pathname + url.search + url.hash : url.href;
    }
  }

  function urlToHttpOptions(url) {
    const options = {
      protocol: url.protocol, hostname: url.hostname.replace(/^\[(.*)\]$/, "$1"), hash: url.hash, search: url.search,
      pathname: url.pathname, path: url.pathname + url.search, href: url.href,
    };
    if (url.port !== "") options.port = Number(url.port);
    if (url.username || url.password) options.auth = `${decodeURIComponent(url.username)}:${decodeURIComponent(url.password)}`;
    return options;
  }

  const module = {
    URL, URLSearchParams, Url, parse, format, resolve, urlToHttpOptions,
    resolveObject: (from, to) => parse(resolve(from, to)),
    domainToASCII: (domain) => domainToASCII(`${domain}`) ?? "",
    domainToUnicode: (domain) => punycode.toUnicode(`${domain}`),
  };
  // Paths are those of Linux.
  module.fileURLToPath = function fileURLToPath(given) {
    const { coded, wrongType } = load("node/errors");
    const url = typeof given === "string" ? new (load("url").URL)(given) : given;
    if (!(url instanceof load("url").URL)) throw wrongType("path", ["string", "URL"], given);
    if (url.protocol !== "file:") throw coded(TypeError, "ERR_INVALID_URL_SCHEME", "The URL must be of scheme file");
    if (url.hostname !== "") throw coded(TypeError, "ERR_INVALID_FILE_URL_HOST", 'File URL host must be "localhost" or empty on linux');
    if (/%2f/i.test(url.pathname)) throw coded(TypeError, "ERR_INVALID_FILE_URL_PATH", "File URL path must not include encoded / characters");
    return decodeURIComponent(url.pathname);
  };
  module.pathToFileURL = function pathToFileURL(path) {
    load("node/errors").needText(path, "path");
    const { posix } = load("node/path"), whole = posix.resolve(path) + (path.endsWith("/") && path !== "/" ? "/" : "");
    return new (load("url").URL)(`file://${whole.replace(/[%\\\n\r\t?#]/g, (c) => encodeURIComponent(c))}`);
  };

  return { __proto__: null, module };
});
