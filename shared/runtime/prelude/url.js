// URL and URLSearchParams, over url_parser.
(function (host, load) {
  "use strict";
  const { parse, write, writePath, isSpecial, percentEncode, percentDecode, sets } = load("url_parser");
  const { decodeUTF8 } = load("bytes");
  const inspectCustom = Symbol.for("nodejs.util.inspect.custom");

  const formEncode = (text) => percentEncode(text.toWellFormed(), sets.form).replaceAll("%20", "+");
  const formDecode = (text) => decodeUTF8(percentDecode(text.replaceAll("+", " ")));
  const scalar = (v) => `${v}`.toWellFormed();

  function parseForm(text) {
    const pairs = [];
    for (const part of text.split("&")) {
      if (part === "") continue;
      const at = part.indexOf("=");
      pairs.push(at < 0 ? [formDecode(part), ""] : [formDecode(part.slice(0, at)), formDecode(part.slice(at + 1))]);
    }
    return pairs;
  }

  function needArguments(given, wanted, names) {
    if (given >= wanted) return;
    const error = new TypeError(`The ${names} argument${wanted > 1 ? "s" : ""} must be specified`);
    error.code = "ERR_MISSING_ARGS";
    throw error;
  }

  let attach, reload; // a URL and its searchParams keep each other up to date

  class URLSearchParams {
    #pairs = []; #url = null;
    static {
      attach = (params, url) => { params.#url = url; };
      reload = (params, query) => { params.#pairs = parseForm(query); };
    }

    constructor(init) {
      if (init === undefined || init === null) return;
      if (typeof init === "object" || typeof init === "function") {
        if (typeof init[Symbol.iterator] === "function") {
          for (const pair of init) {
            const list = [...pair];
            if (list.length !== 2) throw Object.assign(new TypeError("Each query pair must be an iterable [name, value] tuple"), { code: "ERR_INVALID_TUPLE" });
            this.#pairs.push([scalar(list[0]), scalar(list[1])]);
          }
        } else for (const key of Reflect.ownKeys(init)) if (Object.prototype.propertyIsEnumerable.call(init, key)) this.#pairs.push([scalar(key), scalar(init[key])]);
        return;
      }
      const text = scalar(init);
      this.#pairs = parseForm(text[0] === "?" ? text.slice(1) : text);
    }

    #update() { this.#url?.(this.toString()); }
    get size() { return this.#pairs.length; }
    append(name, value) {
      needArguments(arguments.length, 2, '"name" and "value"');
      this.#pairs.push([scalar(name), scalar(value)]);
      this.#update();
    }
    delete(name, value) {
      needArguments(arguments.length, 1, '"name"');
      name = scalar(name);
      if (value !== undefined) value = scalar(value);
      this.#pairs = this.#pairs.filter(([n, v]) => n !== name || (value !== undefined && v !== value));
      this.#update();
    }
    get(name) {
      needArguments(arguments.length, 1, '"name"');
      name = scalar(name);
      return this.#pairs.find(([n]) => n === name)?.[1] ?? null;
    }
    getAll(name) {
      needArguments(arguments.length, 1, '"name"');
      name = scalar(name);
      return this.#pairs.filter(([n]) => n === name).map(([, v]) => v);
    }
    has(name, value) {
      needArguments(arguments.length, 1, '"name"');
      name = scalar(name);
      if (value !== undefined) value = scalar(value);
      return this.#pairs.some(([n, v]) => n === name && (value === undefined || v === value));
    }
    set(name, value) {
      needArguments(arguments.length, 2, '"name" and "value"');
      name = scalar(name);
      value = scalar(value);
      const first = this.#pairs.findIndex(([n]) => n === name);
      if (first < 0) this.#pairs.push([name, value]);
      else {
        this.#pairs[first] = [name, value];
        this.#pairs = this.#pairs.filter(([n], i) => i <= first || n !== name);
      }
      this.#update();
    }
    sort() {
      this.#pairs.sort(([a], [b]) => (a < b ? -1 : a > b ? 1 : 0));
      this.#update();
    }
    forEach(callback, thisArg) {
      if (typeof callback !== "function") throw new TypeError('The "callback" argument must be of type function.');
      for (let i = 0; i < this.#pairs.length; i++) callback.call(thisArg, this.#pairs[i][1], this.#pairs[i][0], this);
    }
    *entries() { for (let i = 0; i < this.#pairs.length; i++) yield [...this.#pairs[i]]; }
    *keys() { for (let i = 0; i < this.#pairs.length; i++) yield this.#pairs[i][0]; }
    *values() { for (let i = 0; i < this.#pairs.length; i++) yield this.#pairs[i][1]; }
    toString() { return this.#pairs.map(([n, v]) => formEncode(n) + "=" + formEncode(v)).join("&"); }
    get [Symbol.toStringTag]() { return "URLSearchParams"; }
    [inspectCustom](depth, options, inspect) {
      if (this.#pairs.length === 0) return "URLSearchParams {}";
      return `URLSearchParams { ${this.#pairs.map(([n, v]) => `${inspect(n)} => ${inspect(v)}`).join(", ")} }`;
    }
  }
  Object.defineProperty(URLSearchParams.prototype, Symbol.iterator, { value: URLSearchParams.prototype.entries, writable: true, configurable: true });

  function invalid(input, base) {
    const error = new TypeError("Invalid URL");
    error.code = "ERR_INVALID_URL";
    error.input = input;
    if (base !== undefined) error.base = base;
    return error;
  }

  function record(input, base) {
    let parent = null;
    if (base !== undefined) {
      parent = parse(`${base}`, null);
      if (parent === null) return null;
    }
    return parse(input, parent);
  }

  class URL {
    #url; #params = null;

    constructor(input, base) {
      needArguments(arguments.length, 1, '"url"');
      input = `${input}`;
      this.#url = record(input, base);
      if (this.#url === null) throw invalid(input, base === undefined ? undefined : `${base}`);
    }
    static canParse(input, base) {
      needArguments(arguments.length, 1, '"url"');
      return record(`${input}`, base) !== null;
    }
    static parse(input, base) { return URL.canParse(input, base) ? new URL(input, base) : null; }

    // #set runs the parser on a copy, so that a refused value changes nothing.
    #set(value, state, prepare) {
      const copy = { ...this.#url, path: Array.isArray(this.#url.path) ? [...this.#url.path] : this.#url.path };
      prepare?.(copy);
      if (parse(`${value}`, null, copy, state) !== null) this.#url = copy;
    }
    get #opaque() { return typeof this.#url.path === "string"; }
    get #noCredentials() { return this.#url.host === null || this.#url.host === "" || this.#url.scheme === "file"; }

    get href() { return write(this.#url); }
    set href(value) {
      const url = parse(`${value}`, null);
      if (url === null) throw invalid(`${value}`);
      this.#url = url;
      if (this.#params) reload(this.#params, url.query ?? "");
    }
    get origin() {
      const { scheme, host: name, port, path } = this.#url;
      if (scheme === "blob" && typeof path === "string") {
        const inner = parse(path, null);
        return inner !== null && /^https?$/.test(inner.scheme) ? new URL(path).origin : "null";
      }
      if (!isSpecial(this.#url) || scheme === "file") return "null";
      return `${scheme}://${name}${port === "" ? "" : ":" + port}`;
    }
    get protocol() { return this.#url.scheme + ":"; }
    set protocol(value) { this.#set(`${value}:`, "scheme start"); }
    get username() { return this.#url.username; }
    set username(value) { if (!this.#noCredentials) this.#url.username = percentEncode(scalar(value), sets.userinfo); }
    get password() { return this.#url.password; }
    set password(value) { if (!this.#noCredentials) this.#url.password = percentEncode(scalar(value), sets.userinfo); }
    get host() { return (this.#url.host ?? "") + (this.#url.port === "" ? "" : ":" + this.#url.port); }
    set host(value) { if (!this.#opaque) this.#set(value, "host"); }
    get hostname() { return this.#url.host ?? ""; }
    set hostname(value) { if (!this.#opaque) this.#set(value, "hostname"); }
    get port() { return this.#url.port; }
    set port(value) {
      if (this.#noCredentials) return;
      if (`${value}` === "") this.#url.port = "";
      else this.#set(value, "port");
    }
    get pathname() { return writePath(this.#url); }
    set pathname(value) { if (!this.#opaque) this.#set(value, "path start", (url) => { url.path = []; }); }
    get search() { return this.#url.query ? "?" + this.#url.query : ""; }
    set search(value) {
      value = `${value}`;
      if (value === "") this.#url.query = null;
      else this.#set(value[0] === "?" ? value.slice(1) : value, "query", (url) => { url.query = ""; });
      if (this.#params) reload(this.#params, this.#url.query ?? "");
    }
    get searchParams() {
      if (this.#params === null) {
        this.#params = new URLSearchParams(this.#url.query ?? "");
        attach(this.#params, (query) => { this.#url.query = query === "" ? null : query; });
      }
      return this.#params;
    }
    get hash() { return this.#url.fragment ? "#" + this.#url.fragment : ""; }
    set hash(value) {
      value = `${value}`;
      if (value === "") this.#url.fragment = null;
      else this.#set(value[0] === "#" ? value.slice(1) : value, "fragment", (url) => { url.fragment = ""; });
    }
    toString() { return this.href; }
    toJSON() { return this.href; }
    get [Symbol.toStringTag]() { return "URL"; }
    [inspectCustom](depth, options, inspect) {
      if (depth < 0) return "[URL]";
      const shown = {};
      for (const key of ["href", "origin", "protocol", "username", "password", "host", "hostname", "port", "pathname", "search", "searchParams", "hash"]) shown[key] = this[key];
      return `URL ${inspect(shown, options)}`;
    }
  }

  for (const name of Object.getOwnPropertyNames(URL.prototype)) {
    if (name !== "constructor") Object.defineProperty(URL.prototype, name, { enumerable: true });
  }
  return { __proto__: null, URL, URLSearchParams };
});
