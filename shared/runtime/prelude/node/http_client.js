// ClientRequest and IncomingMessage. A request leaves when it has ended, with its whole body, and its answer has
// arrived as a whole when "response" comes.
(function (host, load) {
  "use strict";
  const { coded, wrongType, received, unavailable } = load("node/errors");
  const { http } = load("node/http");
  const { Readable, Writable } = load("node/stream").Stream;
  const { EventEmitter } = load("events");
  const { Buffer } = load("buffer");
  const { nextTick } = load("process").process;
  const { validateHeaderName, validateHeaderValue } = http;

  const hangUp = () => coded(Error, "ECONNRESET", "socket hang up");

  // Socket is what a request says of its connection; there is none.
  class Socket extends EventEmitter {
    constructor(request, secure) {
      super();
      Object.assign(this, { destroyed: false, readable: true, writable: true, connecting: false, encrypted: secure });
      Object.defineProperty(this, "_httpMessage", { value: request, writable: true, configurable: true });
    }
    setKeepAlive() { return this; }
    setNoDelay() { return this; }
    ref() { return this; }
    unref() { return this; }
    setTimeout(ms, callback) {
      this._httpMessage.setTimeout(ms, callback);
      return this;
    }
    destroy(error) {
      this.destroyed = true;
      this._httpMessage.destroy(error);
      return this;
    }
  }

  // ---- headers that are to be sent, with the names as they were written

  class OutgoingMessage extends Writable {
    constructor() {
      super({ autoDestroy: false, emitClose: false, decodeStrings: true });
      const hidden = { _list: new Map(), headersSent: false, finished: false, socket: null, aborted: false, sendDate: false, chunkedEncoding: false, shouldKeepAlive: true };
      for (const name of Object.keys(hidden)) Object.defineProperty(this, name, { __proto__: null, value: hidden[name], writable: true, configurable: true, enumerable: name !== "_list" });
    }
    get connection() { return this.socket; }
    #change(what) {
      if (this.headersSent) throw coded(Error, "ERR_HTTP_HEADERS_SENT", `Cannot ${what} headers after they are sent to the client`);
    }
    setHeader(name, value) {
      this.#change("set");
      validateHeaderName(name);
      for (const one of [value].flat()) validateHeaderValue(name, one);
      this._list.set(name.toLowerCase(), [name, value]);
      return this;
    }
    setHeaders(headers) {
      for (const [name, value] of headers) this.setHeader(name, value);
      return this;
    }
    appendHeader(name, value) {
      const there = this.getHeader(name);
      return this.setHeader(this._list.get(name.toLowerCase())?.[0] ?? name, there === undefined ? value : [there, value].flat());
    }
    getHeader(name) {
      if (typeof name !== "string") throw wrongType("name", "string", name);
      return this._list.get(name.toLowerCase())?.[1];
    }
    getHeaders() {
      const headers = { __proto__: null };
      for (const [name, [, value]] of this._list) headers[name] = value;
      return headers;
    }
    getHeaderNames() { return [...this._list.keys()]; }
    getRawHeaderNames() { return [...this._list.values()].map(([name]) => name); }
    hasHeader(name) {
      if (typeof name !== "string") throw wrongType("name", "string", name);
      return this._list.has(name.toLowerCase());
    }
    removeHeader(name) {
      if (typeof name !== "string") throw wrongType("name", "string", name);
      this.#change("remove");
      this._list.delete(name.toLowerCase());
    }
    addTrailers() {}
    flushHeaders() { this.headersSent = true; }
  }

  // ---- a request

  // optionsOf reads (address, options, callback) as Node does.
  function optionsOf(input, options, callback) {
    if (typeof options === "function") [options, callback] = [undefined, options];
    let from = {};
    if (typeof input === "string" || input instanceof load("url").URL) {
      const url = typeof input === "string" ? new (load("url").URL)(input) : input;
      from = load("node_url").module.urlToHttpOptions(url);
    } else {
      callback ??= typeof options === "function" ? options : undefined;
      options = { ...input, ...options };
    }
    return [{ ...from, ...options }, callback];
  }

  function checkedMethod(method) {
    if (method === undefined || method === null) return "GET";
    if (typeof method !== "string") throw wrongType("options.method", "string", method);
    if (!/^[\^_`a-zA-Z\-0-9!#$%&'*+.|~]+$/.test(method)) throw coded(TypeError, "ERR_INVALID_HTTP_TOKEN", `Method must be a valid HTTP token ["${method}"]`);
    return method.toUpperCase();
  }

  function checkedHost(options) {
    for (const name of ["hostname", "host"]) {
      const value = options[name];
      if (value !== undefined && value !== null && typeof value !== "string") throw coded(TypeError, "ERR_INVALID_ARG_TYPE", `The "options.${name}" property must be of type string or one of undefined or null. Received ${received(value)}`);
    }
    return options.hostname || options.host || "localhost";
  }

  class ClientRequest extends OutgoingMessage {
    #chunks = []; #timer; #done = false; #address;
    constructor(input, given, then) {
      super();
      const [options, callback] = optionsOf(input, given, then);
      const agent = options.agent || options._defaultAgent || http.globalAgent, expected = agent.protocol ?? "http:";
      const protocol = options.protocol || options._defaultAgent?.protocol || expected;
      if (protocol !== expected) throw coded(TypeError, "ERR_INVALID_PROTOCOL", `Protocol "${protocol}" not supported. Expected "${expected}"`);
      if (options.path && /[^\u0021-\u00ff]/.test(options.path)) throw coded(TypeError, "ERR_UNESCAPED_CHARACTERS", "Request path contains unescaped characters");
      for (const name of ["socketPath", "createConnection", "lookup", "pfx", "cert", "key"]) if (options[name]) throw unavailable(`the option ${name} of ${protocol}//`, "requests leave through the platform, which has no certificate of yours");

      this.method = checkedMethod(options.method);
      this.host = checkedHost(options);
      this.protocol = protocol;
      this.path = options.path || "/";
      Object.assign(this, { agent, res: null, reusedSocket: false, maxHeadersCount: null, timeoutCb: null });
      const port = options.port || options.defaultPort || agent.defaultPort || (protocol === "https:" ? 443 : 80);
      const name = this.host.includes(":") && !this.host.startsWith("[") ? `[${this.host}]` : this.host;
      this.#address = `${protocol}//${name}:${port}`;
      this.#setHeaders(options, name, port, protocol);
      if (callback) this.once("response", callback);
      if (options.timeout !== undefined) this.setTimeout(options.timeout);
      if (options.signal) this.#follow(options.signal);
      nextTick(() => {
        if (this.destroyed) return;
        this.socket = new Socket(this, protocol === "https:");
        this.emit("socket", this.socket);
      });
    }

    #setHeaders({ headers, auth, setHost }, name, port, protocol) {
      if (Array.isArray(headers)) for (let i = 0; i < headers.length; i += 2) this.appendHeader(headers[i], headers[i + 1]);
      else if (headers) for (const key of Object.keys(headers)) this.setHeader(key, headers[key]);
      if (setHost !== false && !this.hasHeader("host")) this.setHeader("Host", port === (protocol === "https:" ? 443 : 80) ? name : `${name}:${port}`);
      if (auth && !this.hasHeader("authorization")) this.setHeader("Authorization", `Basic ${Buffer.from(auth).toString("base64")}`);
    }

    #follow(signal) {
      const stop = () => this.destroy(Object.assign(coded(Error, "ABORT_ERR", "The operation was aborted"), { name: "AbortError", cause: signal.reason }));
      if (signal.aborted) stop();
      else signal.addEventListener("abort", stop, { once: true });
    }

    _write(chunk, encoding, done) {
      this.headersSent = true;
      this.#chunks.push(chunk);
      done();
    }
    _final(done) {
      this.headersSent = this.finished = true;
      done();
      nextTick(() => { if (!this.destroyed) this.#send(); });
    }

    async #send() {
      const { send } = load("door"), headers = {};
      for (const [name, value] of this._list.values()) if (!/^host$/i.test(name)) headers[name] = Array.isArray(value) ? value.map(String) : `${value}`;
      const body = this.#chunks.length === 0 ? undefined : Buffer.concat(this.#chunks);
      this.#chunks = [];
      let answer;
      try {
        answer = await send({ url: this.#address + this.path, method: this.method, headers, body, maxRedirects: 0 });
      } catch (error) {
        if (error.code === "ECONNABORTED") error.code = "ETIMEDOUT";
        nextTick(() => this.destroy(error));
        return;
      }
      nextTick(() => { if (!this.destroyed) this.#answered(answer); });
    }

    #answered(answer) {
      this.#quiet();
      const response = new IncomingMessage(this.socket);
      this.res = response;
      response._take(this, answer);
      response.on("end", () => {
        response.complete = true;
        nextTick(() => this.#close());
      });
      response.on("close", () => this.#close());
      if (!this.emit("response", response)) response.resume();
    }

    #quiet() {
      if (this.#timer !== undefined) load("timers").clearTimeout(this.#timer);
      this.#timer = undefined;
    }
    #close() {
      if (this.#done) return;
      this.#done = true;
      this.#quiet();
      Object.defineProperty(this, "destroyed", { __proto__: null, value: true, configurable: true });
      this.emit("close");
    }

    setTimeout(ms, callback) {
      if (callback !== undefined) {
        if (typeof callback !== "function") throw wrongType("callback", "function", callback);
        this.once("timeout", callback);
      }
      if (typeof ms !== "number") throw wrongType("msecs", "number", ms);
      this.timeout = ms;
      this.#quiet();
      if (ms > 0 && this.res === null && !this.destroyed) this.#timer = load("timers").setTimeout(() => this.emit("timeout"), ms).unref();
      return this;
    }
    clearTimeout(callback) { return this.setTimeout(0, callback); }
    setNoDelay() {}
    setSocketKeepAlive() {}
    onSocket() {}

    // destroy ends a request: before its answer with an error, and after it with its answer.
    destroy(error) {
      if (this.destroyed) return this;
      Object.defineProperty(this, "destroyed", { __proto__: null, value: true, configurable: true });
      this.#quiet();
      if (this.res !== null) {
        this.res.destroy(error ?? undefined);
        return this;
      }
      nextTick(() => {
        if (this.#done) return;
        this.emit("error", error ?? hangUp());
        this.#close();
      });
      return this;
    }
    abort() {
      if (this.aborted) return;
      this.aborted = true;
      nextTick(() => this.emit("abort"));
      this.destroy();
    }
  }

  // ---- its answer

  class IncomingMessage extends Readable {
    constructor(socket) {
      super({ highWaterMark: 65536 });
      Object.assign(this, { httpVersion: "1.1", httpVersionMajor: 1, httpVersionMinor: 1, complete: false, rawHeaders: [], rawTrailers: [], joinDuplicateHeaders: undefined, aborted: false, upgrade: null, url: "", method: null, statusCode: null, statusMessage: null });
      for (const [name, value] of [["socket", socket], ["headers", {}], ["headersDistinct", { __proto__: null }], ["trailers", {}], ["trailersDistinct", { __proto__: null }], ["req", null]]) Object.defineProperty(this, name, { __proto__: null, value, writable: true, configurable: true });
    }
    get connection() { return this.socket; }
    // _take makes it the answer of a request.
    _take(request, answer) {
      this.req = request;
      this.statusCode = answer.status_code;
      this.statusMessage = answer.status_text;
      const { "set-cookie": joined, ...headers } = answer.headers;
      for (const name of Object.keys(headers)) {
        this.headers[name] = headers[name];
        this.headersDistinct[name] = [headers[name]];
        this.rawHeaders.push(name.replace(/(^|-)[a-z]/g, (letters) => letters.toUpperCase()), headers[name]);
      }
      if (answer.cookies) this.headers["set-cookie"] = this.headersDistinct["set-cookie"] = answer.cookies;
      for (const cookie of answer.cookies ?? []) this.rawHeaders.push("Set-Cookie", cookie);
      this._bytes = request.method === "HEAD" ? new Uint8Array(0) : load("door").bytesOf(answer);
      Object.defineProperty(this, "_bytes", { enumerable: false });
    }
    _read(size) {
      if (this._bytes === undefined || this._bytes.length === 0) {
        this.push(null);
        return;
      }
      const piece = this._bytes.subarray(0, Math.max(size, 65536));
      this._bytes = this._bytes.subarray(piece.length);
      this.push(Buffer.from(piece.buffer, piece.byteOffset, piece.length));
    }
    _destroy(error, done) {
      if (!this.readableEnded && !this.complete) {
        this.aborted = true;
        this.emit("aborted");
      }
      done(error ?? (this.aborted && !this.complete && this.listenerCount("error") > 0 ? coded(Error, "ECONNRESET", "aborted") : null));
    }
    setTimeout(ms, callback) {
      if (callback) this.on("timeout", callback);
      return this;
    }
  }

  // Whoever inherits from them calls them without new.
  const callable = (Class) => new Proxy(Class, {
    apply(target, self, args) { return new target(...args); },
  });

  const request = (module, ...args) => {
    const [options, callback] = optionsOf(...args);
    return new ClientRequest({ _defaultAgent: module.globalAgent, ...options }, callback);
  };
  return { __proto__: null, ClientRequest: callable(ClientRequest), IncomingMessage, OutgoingMessage, request };
});
