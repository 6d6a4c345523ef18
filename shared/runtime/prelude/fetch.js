// fetch, Request and Response (F19) over the door of BaaS.request: whole bodies, the same addresses and limits.
(function (host, load, p) {
  "use strict";
  const { Body, extract } = load("fetch_body");
  const { Headers, freeze, listOf } = load("headers");
  const redirects = [301, 302, 303, 307, 308], bodyless = [101, 103, 204, 205, 304];

  function addressOf(given) {
    const { URL } = load("url");
    try {
      return new URL(`${given}`);
    } catch (cause) {
      throw new TypeError(`Failed to parse URL from ${given}`, { cause });
    }
  }

  const oneOf = (name, value, allowed) => {
    if (value !== undefined && !allowed.includes(`${value}`)) throw new TypeError(`Request constructor: ${value} is not an accepted type. Expected one of ${allowed.join(", ")}.`);
    return value === undefined ? undefined : `${value}`;
  };

  function methodOf(given) {
    const method = `${given}`;
    if (!/^[!#$%&'*+\-.^_`|~\w]+$/.test(method)) throw new TypeError(`'${method}' is not a valid HTTP method.`);
    if (/^(connect|trace|track)$/i.test(method)) throw new TypeError(`'${method}' HTTP method is unsupported.`);
    return /^(delete|get|head|options|post|put)$/i.test(method) ? method.toUpperCase() : method;
  }

  class Request extends Body {
    #url; #method; #headers; #signal; #redirect; #rest;
    constructor(input, init = {}) {
      super();
      if (arguments.length === 0) throw new TypeError("Request constructor: 1 argument required, but 0 found.");
      const from = input instanceof Request ? input : undefined;
      const url = from === undefined ? addressOf(input) : new (load("url").URL)(from.url);
      if (url.username || url.password) throw new TypeError(`Request cannot be constructed from a URL that includes credentials: ${url}`);
      this.#url = url.href;
      this.#method = init.method === undefined ? from?.method ?? "GET" : methodOf(init.method);
      this.#redirect = oneOf("redirect", init.redirect, ["follow", "error", "manual"]) ?? from?.redirect ?? "follow";
      this.#rest = {};
      for (const [name, fallback] of Object.entries({ mode: "cors", credentials: "same-origin", cache: "default", referrer: "about:client", referrerPolicy: "", integrity: "", keepalive: false })) this.#rest[name] = init[name] ?? from?.[name] ?? fallback;
      this.#headers = new Headers(init.headers ?? from?.headers);
      this.#listen(init.signal === undefined ? from?.signal : init.signal);
      this.#give(init, from);
    }
    #listen(given) {
      const { AbortController, AbortSignal } = load("event_target");
      if (given !== undefined && given !== null && !(given instanceof AbortSignal)) throw new TypeError("Failed to construct 'Request': member signal is not of type AbortSignal.");
      const controller = new AbortController();
      this.#signal = controller.signal;
      if (given?.aborted) controller.abort(given.reason);
      else given?.addEventListener("abort", () => controller.abort(given.reason), { once: true });
    }
    #give(init, from) {
      if (init.body === undefined || init.body === null) {
        if (from === undefined || from.body === null) return;
        if (from.bodyUsed) throw new TypeError("Cannot construct a Request with a Request object that has already been used.");
        if (this.#method === "GET" || this.#method === "HEAD") throw new TypeError("Request with GET/HEAD method cannot have body.");
        from._copy(this);
        from._take();
        return;
      }
      if (this.#method === "GET" || this.#method === "HEAD") throw new TypeError("Request with GET/HEAD method cannot have body.");
      const content = extract(init.body);
      if (content.source !== undefined && init.duplex !== "half") throw new TypeError("RequestInit: duplex option is required when sending a body.");
      if (content.type !== undefined && !this.#headers.has("content-type")) this.#headers.set("content-type", content.type);
      this._fill(content);
    }
    get method() { return this.#method; }
    get url() { return this.#url; }
    get headers() { return this.#headers; }
    get signal() { return this.#signal; }
    get redirect() { return this.#redirect; }
    get destination() { return ""; }
    get referrer() { return this.#rest.referrer; }
    get referrerPolicy() { return this.#rest.referrerPolicy; }
    get mode() { return this.#rest.mode; }
    get credentials() { return this.#rest.credentials; }
    get cache() { return this.#rest.cache; }
    get integrity() { return this.#rest.integrity; }
    get keepalive() { return this.#rest.keepalive; }
    get duplex() { return "half"; }
    clone() {
      if (this.bodyUsed) throw new TypeError("unusable");
      const { method, headers, signal, redirect } = this, copy = new Request(this.#url, { ...this.#rest, method, headers, signal, redirect });
      this._copy(copy);
      return copy;
    }
    get [Symbol.toStringTag]() { return "Request"; }
  }

  let answered; // makes the Response of an answer

  class Response extends Body {
    #status; #statusText; #headers; #url = ""; #redirected = false; #type = "default";
    static {
      answered = (answer, bytes, url) => {
        const response = new Response(null, { headers: { ...answer.headers, "set-cookie": undefined } });
        response.#status = answer.status_code;
        response.#statusText = answer.status_text ?? "";
        response.#headers.delete("set-cookie");
        for (const cookie of answer.cookies ?? []) response.#headers.append("set-cookie", cookie);
        freeze(response.#headers);
        response.#url = `${answer.url ?? url}`.replace(/#.*/, "");
        response.#redirected = response.#url !== url.replace(/#.*/, "");
        response.#type = "basic";
        if (bytes !== undefined) response._fill({ bytes });
        return response;
      };
    }
    constructor(body = null, init = {}) {
      super();
      const { status = 200, statusText = "", headers } = init ?? {};
      const code = Math.trunc(Number(status));
      if (!(code >= 200 && code <= 599)) throw new RangeError('init["status"] must be in the range of 200 to 599, inclusive.');
      if (!/^[\t\x20-\x7e\x80-\xff]*$/.test(`${statusText}`)) throw new TypeError("Invalid statusText");
      this.#status = code;
      this.#statusText = `${statusText}`;
      this.#headers = new Headers(headers);
      if (body === null || body === undefined) return;
      if (bodyless.includes(code)) throw new TypeError(`Response constructor: Invalid response status code ${code}`);
      const content = extract(body);
      this._fill(content);
      if (content.type !== undefined && !this.#headers.has("content-type")) this.#headers.set("content-type", content.type);
    }
    get status() { return this.#status; }
    get ok() { return this.#status >= 200 && this.#status <= 299; }
    get statusText() { return this.#statusText; }
    get headers() { return this.#headers; }
    get url() { return this.#url; }
    get redirected() { return this.#redirected; }
    get type() { return this.#type; }
    clone() {
      if (this.bodyUsed) throw new TypeError("Response.clone: Body has already been consumed.");
      const copy = new Response();
      copy.#status = this.#status;
      copy.#statusText = this.#statusText;
      copy.#headers = new Headers(this.#headers);
      copy.#url = this.#url;
      copy.#redirected = this.#redirected;
      copy.#type = this.#type;
      this._copy(copy);
      return copy;
    }
    static error() {
      const response = new Response();
      response.#type = "error";
      response.#status = 0;
      freeze(response.#headers);
      return response;
    }
    static json(data, init = {}) {
      if (arguments.length === 0) throw new TypeError("Response.json: 1 argument required, but 0 found.");
      const text = JSON.stringify(data);
      if (text === undefined) throw new TypeError("Value is not JSON serializable");
      const headers = new Headers(init?.headers);
      if (!headers.has("content-type")) headers.set("content-type", "application/json");
      return new Response(text, { ...init, headers });
    }
    static redirect(url, status = 302) {
      const to = addressOf(url);
      if (!redirects.includes(Number(status))) throw new RangeError(`Invalid status code ${status}`);
      const response = new Response(null, { status, headers: { location: to.href } });
      freeze(response.#headers);
      return response;
    }
    get [Symbol.toStringTag]() { return "Response"; }
    [p.inspectSymbol](depth, options, inspect) {
      const { status, statusText, headers, body, bodyUsed, ok, redirected, type, url } = this;
      return `Response ${inspect({ status, statusText, headers, body: body === null ? null : {}, bodyUsed, ok, redirected, type, url }, options)}`;
    }
  }

  // What Node sends along, where a request does not say otherwise.
  const usual = { accept: "*/*", "accept-language": "*", "sec-fetch-mode": "cors", "user-agent": "node" };

  function headersOf(request) {
    const headers = {};
    for (const [name, values] of listOf(request.headers)) headers[name] = values.join(name === "cookie" ? "; " : ", ");
    for (const name of Object.keys(usual)) if (headers[name] === undefined) headers[name] = name === "sec-fetch-mode" ? request.mode : usual[name];
    return headers;
  }

  // fromData answers a data: address, which needs no network.
  function fromData(url) {
    const [, type, base64, data] = /^data:([^,]*?)(;\s*base64)?,([^#]*)/i.exec(url) ?? [];
    if (data === undefined) throw new TypeError("fetch failed", { cause: new Error("invalid data URL") });
    const { Buffer } = load("buffer"), { fromLatin1 } = load("bytes");
    const raw = data.replace(/%([\da-f]{2})/gi, (all, hex) => String.fromCharCode(parseInt(hex, 16)));
    const bytes = base64 ? new Uint8Array(Buffer.from(raw, "base64")) : fromLatin1(unescape(encodeURIComponent(data)).replace(/%([\da-f]{2})/gi, (all, hex) => String.fromCharCode(parseInt(hex, 16))));
    return answered({ status_code: 200, status_text: "OK", headers: { "content-type": (type.startsWith(";") ? `text/plain${type}` : type) || "text/plain;charset=US-ASCII" } }, bytes, url);
  }

  async function ask(request) {
    const { url, method, redirect } = request;
    if (url.startsWith("data:")) return fromData(url);
    const body = request.body === null ? undefined : await request._take();
    const { send, bytesOf } = load("door");
    let answer;
    try {
      answer = await send({ url, method, headers: headersOf(request), body, maxRedirects: redirect === "follow" ? 20 : 0 });
    } catch (error) {
      const cause = error.code === "ERR_FR_TOO_MANY_REDIRECTS" ? new Error("redirect count exceeded") : error;
      throw new TypeError("fetch failed", { cause });
    }
    const status = answer.status_code;
    if (redirect === "error" && redirects.includes(status)) throw new TypeError("fetch failed", { cause: new Error("unexpected redirect") });
    return answered(answer, bodyless.includes(status) || method === "HEAD" ? undefined : bytesOf(answer), url);
  }

  async function fetch(input, init = undefined) {
    if (arguments.length === 0) throw new TypeError("Failed to execute 'fetch' on 'Window': 1 argument required, but only 0 present.");
    const request = new Request(input, init ?? {}), { signal } = request;
    if (signal.aborted) throw signal.reason;
    let stop;
    const stopped = new Promise((resolve, reject) => { stop = () => reject(signal.reason); });
    stopped.catch(() => {}); // it may come when the answer is there
    signal.addEventListener("abort", stop);
    try {
      return await Promise.race([ask(request), stopped]);
    } finally {
      signal.removeEventListener("abort", stop);
    }
  }

  for (const [Class, names] of [[Request, ["method", "url", "headers", "redirect", "clone", "signal", "duplex", "mode", "credentials", "cache"]], [Response, ["type", "url", "status", "ok", "redirected", "statusText", "headers", "clone"]]]) {
    for (const name of names) Object.defineProperty(Class.prototype, name, { __proto__: null, enumerable: true });
  }
  return { __proto__: null, fetch, Request, Response };
});
