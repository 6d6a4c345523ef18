// BaaS.request: axios (F18) over the door of here, which is the only way to the network.
(function (host, load) {
  "use strict";
  const { hidden, hide } = load("baas");
  const { send, bytesOf, textOf, collect } = load("door");
  const { encode } = load("base64");
  const { encodeUTF8 } = load("bytes");
  const { axios, AxiosHeaders, settle, buildFullPath, buildURL } = load("vendor/axios");
  const { Axios, AxiosError, CanceledError } = axios;

  // addressOf is where a config leads, and the name and password that stood in the address.
  function addressOf(config) {
    if (!config.url && !config.baseURL) throw new TypeError("BaaS.request needs a url");
    const { URL } = load("url");
    const parsed = new URL(buildFullPath(config.baseURL, config.url, config.allowAbsoluteUrls, config));
    if (parsed.protocol !== "http:" && parsed.protocol !== "https:") throw new AxiosError(`Unsupported protocol ${parsed.protocol}`, "ERR_BAD_REQUEST", config);
    const written = parsed.username || parsed.password ? { username: unescaped(parsed.username), password: unescaped(parsed.password) } : undefined;
    const path = buildURL(parsed.pathname + parsed.search, config.params, config.paramsSerializer);
    return { url: `${parsed.protocol}//${parsed.host}${path}`, auth: config.auth ?? written };
  }
  function unescaped(text) {
    try {
      return decodeURIComponent(text);
    } catch (error) {
      return text;
    }
  }

  // bodyOf is what a transformed body sends: bytes or a text.
  async function bodyOf(config, headers) {
    const { data } = config;
    if (data === undefined || data === null || data === "") return undefined;
    if (typeof data === "string" || data instanceof Uint8Array) return data;
    if (data instanceof ArrayBuffer) return new Uint8Array(data);
    if (typeof data.pipe === "function") {
      if (typeof data.getHeaders === "function") headers.set(data.getHeaders());
      return collect(data);
    }

    const { FormData, multipart } = load("form_data"), { Blob, bytesOf: bytesOfBlob } = load("blob");
    if (data instanceof FormData) {
      const [, boundary] = headers.getContentType(/boundary=([-_\w\d]{10,70})/i) || [];
      const { type, bytes } = multipart(data, boundary);
      headers.setContentType(type);
      return bytes;
    }
    if (data instanceof Blob) {
      if (data.size > 0) headers.setContentType(data.type || "application/octet-stream");
      return bytesOfBlob(data);
    }
    throw new AxiosError("Data after transformation must be a string, an ArrayBuffer, a Buffer, or a Stream", "ERR_BAD_REQUEST", config);
  }

  // dataOf is the body of an answer before it is transformed. What is no text is bytes, whatever was asked for.
  function dataOf(answer, { responseType, responseEncoding }) {
    const { Buffer } = load("buffer"), bytes = () => Buffer.from(bytesOf(answer).buffer);
    if (responseType === "arraybuffer") return bytes();
    if (responseType === "stream") return load("node/stream").Stream.Readable.from([bytes()], { objectMode: false });
    if (responseType === "blob") return new (load("blob").Blob)([bytes()], { type: answer.headers["content-type"] });
    if (responseEncoding !== undefined && !/^utf-?8$/i.test(responseEncoding)) return bytes().toString(responseEncoding);
    const binary = answer.base64 && responseType === undefined && !/^text\/|[/+](json|xml)|javascript|urlencoded/.test(`${answer.headers["content-type"] ?? ""}`);
    return binary ? bytes() : textOf(answer).replace(/^\ufeff/, "");
  }

  const sizeOf = (body) => (typeof body === "string" ? encodeUTF8(body).length : body.length);

  async function ask(config, stopped) {
    const headers = AxiosHeaders.from(config.headers).normalize();
    const { url, auth } = addressOf(config), body = await bodyOf(config, headers);
    if (config.maxBodyLength > -1 && body !== undefined && sizeOf(body) > config.maxBodyLength) throw new AxiosError("Request body larger than maxBodyLength limit", "ERR_BAD_REQUEST", config);
    headers.set("User-Agent", `axios/${axios.VERSION}`, false);
    if (auth) {
      headers.delete("authorization");
      headers.set("Authorization", `Basic ${encode(encodeUTF8(`${auth.username || ""}:${auth.password || ""}`))}`);
    }
    const timeout = config.timeout ? parseInt(config.timeout, 10) : 0;
    if (Number.isNaN(timeout)) throw new AxiosError("error trying to parse `config.timeout` to int", "ERR_BAD_OPTION_VALUE", config);

    let answer;
    const sent = send({ url, method: config.method.toUpperCase(), headers: headers.toJSON(), body, timeout, maxRedirects: config.maxRedirects });
    try {
      answer = await (stopped === undefined ? sent : Promise.race([sent, stopped]));
    } catch (error) {
      throw unanswered(error, config, timeout);
    }
    const response = { status: answer.status_code, statusText: answer.status_text ?? "", headers: new AxiosHeaders({ ...answer.headers, ...(answer.cookies ? { "set-cookie": answer.cookies } : {}) }), data: undefined };
    for (const [name, value] of [["config", config], ["request", undefined], ["duration", 0]]) hidden(response, name, value);
    if (config.maxContentLength > -1 && bytesOf(answer).length > config.maxContentLength) throw new AxiosError(`maxContentLength size of ${config.maxContentLength} exceeded`, "ERR_BAD_RESPONSE", config);
    response.data = dataOf({ ...answer, headers: answer.headers ?? {} }, config);

    return new Promise((resolve, reject) => settle(resolve, reject, hide(response)));
  }

  // unanswered is the error of a request that got no answer.
  function unanswered(error, config, timeout) {
    if (axios.isCancel(error) || !(error instanceof Error)) return error;
    if (error.code === "ECONNABORTED" && timeout > 0) {
      return new AxiosError(config.timeoutErrorMessage || `timeout of ${config.timeout}ms exceeded`, config.transitional?.clarifyTimeoutError ? "ETIMEDOUT" : "ECONNABORTED", config);
    }
    return AxiosError.from(error.code === "ERR_FR_TOO_MANY_REDIRECTS" ? Object.assign(error, { message: "Maximum number of redirects exceeded" }) : error, null, config);
  }

  // adapter is axios' name of what makes the request of a config.
  async function adapter(config) {
    const { signal, cancelToken } = config;
    if (!signal && !cancelToken) return ask(config);
    let stop;
    const stopped = new Promise((resolve, reject) => {
      stop = (reason) => reject(!reason || reason.type ? new CanceledError(null, config) : reason);
    });
    stopped.catch(() => {}); // it may come when the answer is there
    cancelToken?.subscribe(stop);
    if (signal?.aborted) stop();
    else signal?.addEventListener("abort", stop);
    try {
      return await ask(config, stopped);
    } finally {
      cancelToken?.unsubscribe(stop);
      signal?.removeEventListener("abort", stop);
    }
  }

  // The mini programs' own SDK writes header, and an address may be a URL.
  const { request: dispatch } = Axios.prototype;
  Axios.prototype.request = function request(first, second) {
    const given = typeof first === "string" || first instanceof load("url").URL ? { ...second, url: `${first}` } : first;
    if (typeof given !== "object" || given === null) throw new TypeError("BaaS.request needs an object: { url, method, headers, data }");
    const { header, ...config } = given;
    return dispatch.call(this, header === undefined || config.headers !== undefined ? given : { ...config, headers: header });
  };

  const request = axios.create({ adapter });
  for (const name of Object.keys(axios)) if (request[name] === undefined) request[name] = axios[name];
  request.RequestError = AxiosError;
  for (const name of Object.keys(request)) hidden(request, name, request[name]);
  return { __proto__: null, request, RequestError: AxiosError };
});
