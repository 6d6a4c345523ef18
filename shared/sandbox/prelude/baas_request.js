// BaaS.request: the only way to the network. Bodies become text or bytes and
// back here; addresses are checked by the host.
(function (host, load) {
  "use strict";
  const { toLatin1, fromLatin1, encodeUTF8, decodeUTF8, view } = load("bytes");
  const { encode, decode } = load("base64");
  const methods = new Set(["GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "OPTIONS"]);

  const headerOf = (headers, name) => {
    for (const key of Object.keys(headers)) if (key.toLowerCase() === name) return headers[key];
    return undefined;
  };

  function copyHeaders(headers) {
    const copy = {};
    if (headers === undefined || headers === null) return copy;
    if (typeof headers !== "object") throw new TypeError("BaaS.request: headers must be an object");
    for (const key of Object.keys(headers)) if (headers[key] !== undefined && headers[key] !== null) copy[key] = `${headers[key]}`;
    return copy;
  }

  // withQuery adds data to the address, for methods that have no body.
  function withQuery(url, data) {
    const text = typeof data === "string" ? data : load("querystring").querystring.stringify(data);
    if (text === "") return url;
    const [address, hash] = url.split("#", 2);
    return address + (address.includes("?") ? "&" : "?") + text + (hash === undefined ? "" : "#" + hash);
  }

  // bodyOf writes data in the shape its content type asks for.
  function bodyOf(data, headers) {
    const set = (type) => { if (headerOf(headers, "content-type") === undefined) headers["content-type"] = type; };
    const bytes = typeof data === "object" ? view(data) : undefined;
    if (bytes !== undefined) {
      set("application/octet-stream");
      return { body: encode(toLatin1(bytes)), base64: true };
    }
    if (typeof data === "string") {
      set("text/plain;charset=UTF-8");
      return { body: data, base64: false };
    }
    if (data instanceof load("url").URLSearchParams) {
      set("application/x-www-form-urlencoded;charset=UTF-8");
      return { body: data.toString(), base64: false };
    }
    if (`${headerOf(headers, "content-type")}`.includes("application/x-www-form-urlencoded")) {
      return { body: load("querystring").querystring.stringify(data), base64: false };
    }
    set("application/json");
    return { body: JSON.stringify(data), base64: false };
  }

  function dataOf(answer, responseType) {
    const type = `${answer.headers?.["content-type"] ?? ""}`.toLowerCase();
    const bytes = () => (answer.base64 ? decode(answer.body) : encodeUTF8(answer.body));
    const text = () => (answer.base64 ? decodeUTF8(decode(answer.body)) : answer.body);
    if (responseType === "arraybuffer") return fromLatin1(bytes()).buffer;
    if (responseType === "text") return text();
    if (responseType === "json" || /[/+]json/.test(type)) {
      if (answer.body === "" || answer.body === null || answer.body === undefined) return null;
      try {
        return JSON.parse(text());
      } catch (error) {
        if (responseType === "json") throw new SyntaxError(`BaaS.request: the answer is not JSON: ${error.message}`);
        return text();
      }
    }
    return answer.base64 && !/^text\/|xml|javascript|urlencoded/.test(type) ? fromLatin1(bytes()).buffer : text() ?? "";
  }

  async function request(call, options) {
    if (typeof options === "string") options = { url: options };
    if (typeof options !== "object" || options === null) throw new TypeError("BaaS.request needs an object: { url, method, headers, data }");
    let url = `${options.url ?? ""}`;
    if (url === "") throw new TypeError("BaaS.request needs a url");
    const method = `${options.method ?? "GET"}`.toUpperCase();
    if (!methods.has(method)) throw new TypeError(`BaaS.request: unknown method "${options.method}"`);
    const headers = copyHeaders(options.headers ?? options.header);
    let payload = { body: null, base64: false };
    if (options.data !== undefined && options.data !== null) {
      if (method === "GET" || method === "HEAD") url = withQuery(url, options.data);
      else payload = bodyOf(options.data, headers);
    }
    const answer = await call("request", { __proto__: null, url, method, headers, ...payload });
    return { statusCode: answer.status_code, headers: answer.headers ?? {}, data: dataOf(answer, options.responseType) };
  }

  return { __proto__: null, request };
});
