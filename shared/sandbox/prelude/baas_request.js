// BaaS.request: the only way to the network, with the manners of axios (F18).
// Bodies become text or bytes and back here; addresses are checked by the host.
(function (host, load) {
  "use strict";
  const { call, hidden, hide } = load("baas");
  const { toLatin1, encodeUTF8, decodeUTF8, view } = load("bytes");
  const { encode, decode } = load("base64");

  // RequestError is why a request failed: what axios calls AxiosError.
  class RequestError extends Error {
    constructor(message, code, config, response) {
      super(message);
      if (code !== undefined) this.code = code;
      hidden(this, "config", config);
      hidden(this, "isAxiosError", true);
      if (response !== undefined) {
        hidden(this, "response", response);
        hidden(this, "status", response.status);
      }
    }
    toJSON() { return { message: this.message, name: this.name, code: this.code, status: this.status ?? null }; }
  }
  hidden(RequestError.prototype, "name", "RequestError");

  class CanceledError extends RequestError {
    constructor(message, config) {
      super(message ?? "canceled", "ERR_CANCELED", config);
      hidden(this, "__CANCEL__", true);
    }
  }
  hidden(CanceledError.prototype, "name", "CanceledError");

  const headerOf = (headers, name) => {
    for (const key of Object.keys(headers)) if (key.toLowerCase() === name) return headers[key];
    return undefined;
  };

  function copyHeaders(...all) {
    const copy = {};
    for (const headers of all) {
      if (headers === undefined || headers === null) continue;
      if (typeof headers !== "object") throw new TypeError("BaaS.request: headers must be an object");
      const list = typeof headers.entries === "function" ? [...headers.entries()] : Object.entries(headers);
      for (const [name, value] of list) {
        if (value === undefined || value === null || typeof value === "object" && !Array.isArray(value)) continue;
        for (const there of Object.keys(copy)) if (there.toLowerCase() === name.toLowerCase()) delete copy[there];
        copy[name] = `${value}`;
      }
    }
    return copy;
  }

  const escape = (text) => encodeURIComponent(text).replace(/%3A/gi, ":").replace(/%24/g, "$").replace(/%2C/gi, ",").replace(/%20/g, "+").replace(/%5B/gi, "[").replace(/%5D/gi, "]");

  // pairs are the fields of an object as forms write them: a[]=1, a[b]=2.
  function* pairs(name, value) {
    if (value === undefined || value === null) return;
    if (value instanceof Date) yield [name, value.toISOString()];
    else if (Array.isArray(value)) for (const item of value) yield* pairs(`${name}[]`, item);
    else if (typeof value === "object") for (const key of Object.keys(value)) yield* pairs(`${name}[${key}]`, value[key]);
    else yield [name, `${value}`];
  }
  const form = (data) => Object.keys(data).flatMap((key) => [...pairs(key, data[key])].map(([name, value]) => `${escape(name)}=${escape(value)}`)).join("&");

  function getUri({ url = "", baseURL, params, paramsSerializer } = {}) {
    let address = `${url}`;
    if (baseURL && !/^([a-z][a-z\d+\-.]*:)?\/\//i.test(address)) address = address === "" ? `${baseURL}` : `${baseURL}`.replace(/\/+$/, "") + "/" + address.replace(/^\/+/, "");
    if (params === undefined || params === null) return address;
    const serialize = typeof paramsSerializer === "function" ? paramsSerializer : paramsSerializer?.serialize;
    const text = serialize ? serialize(params) : params instanceof load("url").URLSearchParams ? params.toString() : typeof params === "string" ? params : form(params);
    if (text === "") return address;
    const hash = address.indexOf("#");
    if (hash >= 0) address = address.slice(0, hash);
    return address + (address.includes("?") ? "&" : "?") + text;
  }

  // bodyOf writes data in the shape its content type asks for.
  function bodyOf(data, headers) {
    const set = (type) => { if (headerOf(headers, "content-type") === undefined) headers["content-type"] = type; };
    if (data === undefined || data === null) return { body: null, base64: false };
    const bytes = typeof data === "object" ? view(data) : undefined;
    if (bytes !== undefined) {
      set("application/octet-stream");
      return { body: encode(toLatin1(bytes)), base64: true };
    }
    if (typeof data === "object" && typeof data.multipart === "function") {
      const { type, bytes } = data.multipart();
      for (const there of Object.keys(headers)) if (there.toLowerCase() === "content-type") delete headers[there];
      headers["content-type"] = type;
      return { body: encode(toLatin1(bytes)), base64: true };
    }
    if (data instanceof load("url").URLSearchParams) {
      set("application/x-www-form-urlencoded;charset=utf-8");
      return { body: data.toString(), base64: false };
    }
    if (typeof data === "object" || `${headerOf(headers, "content-type")}`.includes("json") && typeof data !== "string") {
      if (`${headerOf(headers, "content-type")}`.includes("application/x-www-form-urlencoded")) return { body: form(data), base64: false };
      set("application/json");
      return { body: JSON.stringify(data), base64: false };
    }
    set("application/x-www-form-urlencoded");
    return { body: `${data}`, base64: false };
  }

  // dataOf is the body of an answer: text that is JSON is parsed whatever its
  // type, bytes are a Buffer.
  function dataOf(answer, { responseType, transformResponse }, headers) {
    const { Buffer } = load("buffer");
    const bytes = () => Buffer.from(answer.base64 ? decode(answer.body) : encodeUTF8(answer.body ?? ""), "latin1");
    if (responseType === "arraybuffer") return transformed(transformResponse, bytes(), headers, answer.status_code);
    const binary = answer.base64 && !/^text\/|[/+](json|xml)|javascript|urlencoded/.test(`${headers["content-type"] ?? ""}`);
    const raw = binary && responseType !== "text" && responseType !== "json" ? bytes() : answer.base64 ? decodeUTF8(decode(answer.body)) : answer.body ?? "";
    if (transformResponse !== undefined) return transformed(transformResponse, raw, headers, answer.status_code);
    if (typeof raw !== "string" || raw === "" || responseType === "text") return raw;
    try {
      return JSON.parse(raw);
    } catch (error) {
      return raw;
    }
  }
  const transformed = (list, data, headers, status) => [list ?? []].flat().reduce((value, f) => f(value, headers, status), data);

  // merge puts one config over another.
  function merge(under, over) {
    const merged = { ...under };
    for (const name of Object.keys(over ?? {})) if (over[name] !== undefined) merged[name] = over[name];
    merged.headers = copyHeaders(under?.headers?.common, under?.headers?.[`${merged.method ?? "get"}`.toLowerCase()], under?.headers, over?.headers ?? over?.header);
    if (under?.params && over?.params && !(over.params instanceof load("url").URLSearchParams)) merged.params = { ...under.params, ...over.params };
    return merged;
  }

  // canceled rejects when the signal or the token of a config fires.
  function canceled(config) {
    const { signal, cancelToken } = config;
    if (signal?.aborted) throw new CanceledError(undefined, config);
    cancelToken?.throwIfRequested();
    if (!signal && !cancelToken) return undefined;
    return new Promise((resolve, reject) => {
      signal?.addEventListener("abort", () => reject(new CanceledError(undefined, config)));
      cancelToken?.promise.then(reject);
    });
  }

  async function send(config) {
    const headers = copyHeaders(config.headers);
    const method = `${config.method ?? "GET"}`.toUpperCase();
    let { data } = config, url = getUri(config);
    if (url === "") throw new TypeError("BaaS.request needs a url");
    if (config.transformRequest !== undefined) data = [config.transformRequest].flat().reduce((value, f) => f(value, headers), data);
    if ((method === "GET" || method === "HEAD") && data !== undefined && data !== null) {
      url = getUri({ url, params: data });
      data = undefined;
    }
    if (config.auth) headers.Authorization = "Basic " + encode(encodeUTF8(`${config.auth.username ?? ""}:${config.auth.password ?? ""}`));
    const payload = { __proto__: null, url, method, headers, ...bodyOf(data, headers) };
    if (config.timeout > 0) payload.timeout = +config.timeout;
    if (config.maxRedirects !== undefined) payload.max_redirects = +config.maxRedirects;

    const stop = canceled(config);
    let answer;
    try {
      answer = await (stop === undefined ? call("request", payload) : Promise.race([call("request", payload), stop]));
    } catch (error) {
      if (!(error instanceof load("baas").BaaSError)) throw error;
      const late = error.reason === "ECONNABORTED" && config.timeout > 0;
      const text = late ? config.timeoutErrorMessage ?? `timeout of ${config.timeout}ms exceeded` : error.message.replace(/^\d+: /, "");
      throw new RequestError(text, error.reason ?? "ERR_NETWORK", config);
    }
    const given = answer.headers ?? {};
    const length = typeof answer.body === "string" ? (answer.base64 ? Math.floor(answer.body.length * 3 / 4) : encodeUTF8(answer.body).length) : 0;
    if (config.maxContentLength >= 0 && length > config.maxContentLength) throw new RequestError(`maxContentLength size of ${config.maxContentLength} exceeded`, "ERR_BAD_RESPONSE", config);
    const response = hide({ status: answer.status_code, statusText: answer.status_text ?? "", headers: given, data: dataOf(answer, config, given) });
    hidden(response, "config", config);
    const valid = config.validateStatus === undefined ? response.status >= 200 && response.status < 300 : !config.validateStatus || config.validateStatus(response.status);
    if (!valid) {
      throw new RequestError(`Request failed with status code ${response.status}`, response.status >= 500 ? "ERR_BAD_RESPONSE" : "ERR_BAD_REQUEST", config, response);
    }
    return response;
  }

  class Interceptors {
    handlers = [];
    use(fulfilled, rejected) { return this.handlers.push({ fulfilled, rejected }) - 1; }
    eject(id) { if (this.handlers[id]) this.handlers[id] = null; }
    clear() { this.handlers = []; }
  }

  // make is BaaS.request itself, and what create gives: a function with a method
  // for each of HTTP's.
  function make(defaults) {
    function request(first, second) {
      const given = typeof first === "string" || first instanceof load("url").URL ? { ...second, url: `${first}` } : first;
      if (typeof given !== "object" || given === null) throw new TypeError("BaaS.request needs an object: { url, method, headers, data }");
      const { interceptors } = request;
      let chain = Promise.resolve(merge(request.defaults, given));
      for (const one of interceptors.request.handlers.toReversed()) if (one) chain = chain.then(one.fulfilled, one.rejected);
      chain = chain.then(send);
      for (const one of interceptors.response.handlers) if (one) chain = chain.then(one.fulfilled, one.rejected);
      return chain;
    }
    hidden(request, "defaults", { headers: {}, ...defaults });
    hidden(request, "interceptors", { request: new Interceptors(), response: new Interceptors() });
    hidden(request, "request", request);
    for (const method of ["get", "delete", "head", "options"]) {
      hidden(request, method, (url, config) => request({ ...config, url, method }));
    }
    for (const method of ["post", "put", "patch"]) {
      hidden(request, method, (url, data, config) => request({ ...config, url, data, method }));
    }
    hidden(request, "getUri", (config) => getUri(merge(request.defaults, config)));
    hidden(request, "create", (config) => make({ ...request.defaults, ...config, headers: { ...request.defaults.headers, ...config?.headers } }));
    return request;
  }

  class CancelToken {
    constructor(executor) {
      let resolve;
      this.promise = new Promise((f) => { resolve = f; });
      executor((message) => {
        if (this.reason !== undefined) return;
        this.reason = new CanceledError(message);
        resolve(this.reason);
      });
    }
    throwIfRequested() { if (this.reason !== undefined) throw this.reason; }
    static source() {
      let cancel;
      const token = new CancelToken((f) => { cancel = f; });
      return { token, cancel };
    }
  }

  const request = make({});
  for (const [name, value] of Object.entries({
    isAxiosError: (error) => error?.isAxiosError === true,
    isCancel: (error) => error?.__CANCEL__ === true,
    all: (promises) => Promise.all(promises),
    spread: (f) => (list) => f(...list),
    CancelToken, CanceledError, AxiosError: RequestError, RequestError,
  })) hidden(request, name, value);
  return { __proto__: null, request, RequestError, bodyOf };
});
