// The door to the internet as BaaS.request, fetch, http and https use it: one request with its whole body, one whole
// answer. Where it may lead is checked by the host.
(function (host, load) {
  "use strict";
  const { call, BaaSError } = load("baas");
  const { toLatin1, fromLatin1, encodeUTF8, decodeUTF8 } = load("bytes");
  const { encode, decode } = load("base64");

  // What Node says when there is no connection.
  const words = {
    __proto__: null,
    ECONNREFUSED: ({ hostname, port, protocol }) => ({ message: `connect ECONNREFUSED ${hostname}:${port || (protocol === "https:" ? 443 : 80)}`, errno: -111, syscall: "connect", address: hostname, port: Number(port) || (protocol === "https:" ? 443 : 80) }),
    ENOTFOUND: ({ hostname }) => ({ message: `getaddrinfo ENOTFOUND ${hostname}`, errno: -3008, syscall: "getaddrinfo", hostname }),
  };

  // failure is the error of a request that got no answer; late says that its time was up.
  function failure(error, url) {
    if (!(error instanceof BaaSError)) return error;
    const code = error.reason ?? "ERR_NETWORK", { message, ...more } = words[code]?.(new (load("url").URL)(url)) ?? {};
    return Object.assign(new Error(message ?? error.message.replace(/^\d+: /, "")), more, { code, ...(more.errno === undefined ? {} : { errno: more.errno }) });
  }

  // send makes a request of { url, method, headers, body, timeout, maxRedirects }; body is bytes, a text or nothing.
  // The answer has status_code, status_text, headers, cookies and url, and its body as latin1.
  async function send({ url, method, headers, body, timeout, maxRedirects }) {
    const text = typeof body === "string";
    const payload = { __proto__: null, url, method, headers, body: body === undefined || body === null ? null : text ? body.toWellFormed() : encode(toLatin1(body)), base64: !text && body !== undefined && body !== null };
    if (timeout > 0) payload.timeout = +timeout;
    if (maxRedirects !== undefined) payload.max_redirects = +maxRedirects;

    try {
      return await call("request", payload);
    } catch (error) {
      throw failure(error, url);
    }
  }

  // The body of an answer, in the three shapes it is asked for.
  const latin1Of = (answer) => (answer.base64 ? decode(answer.body) : encodeUTF8(answer.body ?? ""));
  const bytesOf = (answer) => fromLatin1(latin1Of(answer));
  const textOf = (answer) => (answer.base64 ? decodeUTF8(decode(answer.body)) : answer.body ?? "");

  // collect reads a stream to its end.
  const collect = (stream) => new Promise((resolve, reject) => {
    const { Buffer } = load("buffer"), chunks = [];
    stream.on("data", (chunk) => chunks.push(Buffer.from(chunk)));
    stream.on("end", () => resolve(Buffer.concat(chunks)));
    stream.on("error", reject);
  });

  return { __proto__: null, send, bytesOf, textOf, collect };
});
