// BaaS: the platform as functions see it (D24). Calls leave through host.call
// and are answered by settle; no address and no token is known here.
(function (host, load, p) {
  "use strict";
  const { apply, then, stringify, parse, Promise, Error } = p;
  const waiting = { __proto__: null };
  let last = 0;

  // BaaSError is why a call to the platform failed. status is the HTTP status
  // of the answer, undefined when there was none.
  class BaaSError extends Error {
    constructor(message, status) {
      super(message);
      if (status !== undefined) this.status = status;
    }
  }
  p.defineProperty(BaaSError.prototype, "name", { __proto__: null, value: "BaaSError", writable: true, configurable: true });

  // call asks the platform; payload is a null-prototype object.
  function call(op, payload) {
    const text = stringify(payload);
    return new Promise((resolve, reject) => {
      const id = ++last;
      waiting[id] = { __proto__: null, resolve, reject };
      const promise = host.call(op, text, id);
      if (typeof promise === "object" && promise !== null) {
        apply(then, promise, [(answer) => settle(id, true, answer), (error) => settle(id, false, "" + error.message)]);
      }
    });
  }

  function settle(id, ok, text) {
    const call = waiting[id];
    if (call === undefined) return;
    delete waiting[id];
    if (!ok) return call.reject(failure(text));
    try {
      call.resolve(parse(text));
    } catch (error) {
      call.reject(new BaaSError("the platform's answer is not JSON"));
    }
  }

  // failure reads {"message","status"}, or takes the text as the message.
  function failure(text) {
    if (text[0] === "{") {
      try {
        const { message, status } = parse(text);
        if (typeof message === "string") return new BaaSError(message, status);
      } catch (error) {
        // not JSON: a message
      }
    }
    return new BaaSError(text);
  }

  // api calls an endpoint of the platform and gives {statusCode, data}.
  async function api(method, path, query, body) {
    const answer = await call("api", { __proto__: null, method, path, query: query ?? null, body: body ?? null });
    if (answer.status >= 400) {
      const detail = answer.body?.error_msg ?? answer.body?.message;
      throw new BaaSError(detail ?? `${method} ${path} was answered with ${answer.status}`, answer.status);
    }
    return { statusCode: answer.status, data: answer.body };
  }

  async function invoke(name, data, sync = true) {
    if (typeof name !== "string" || name === "") throw new p.TypeError("BaaS.invoke needs the name of a function");
    return call("invoke", { __proto__: null, name, data: data === undefined ? {} : data, sync: Boolean(sync) });
  }

  const request = (options) => load("baas_request").request(call, options);

  const BaaS = {
    invoke, request, BaaSError,
    get TableObject() { return load("baas_table").TableObject; },
    get Query() { return load("baas_table").Query; },
    get User() { return load("baas_user").User; },
    get Order() { return load("baas_user").Order; },
    sendEmail: (mail) => api("POST", "/dserve/v1/message/mail/", null, { ...mail }),
    getOrderList: (filters) => new BaaS.Order().getOrderList(filters),
  };
  p.defineProperty(BaaS, p.toStringTag, { __proto__: null, value: "BaaS", configurable: true });
  return { __proto__: null, BaaS, settle, api };
});
