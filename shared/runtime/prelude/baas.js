// BaaS: the platform as functions see it (D24, F10-F20). Calls leave through
// host.call and are answered by settle; no address and no token is known here.
// What a run does not use is in parts that it does not load.
(function (host, load, p) {
  "use strict";
  const { apply, then, stringify, parse, Promise, Error, defineProperty } = p;
  const waiting = { __proto__: null };
  let last = 0;

  const hidden = (object, name, value) => defineProperty(object, name, { __proto__: null, value, writable: true, configurable: true });

  // BaaSError is why a call to the platform failed: code is the HTTP status, or
  // one of the SDK's own (F20). status and request are there, but not listed.
  class BaaSError extends Error {
    constructor(code, text, request) {
      super(`${code}: ${text}`);
      this.code = code;
      hidden(this, "status", code >= 100 && code < 600 ? code : undefined);
      hidden(this, "request", request);
    }
  }
  hidden(BaaSError.prototype, "name", "BaaSError");

  const texts = { __proto__: null, 600: "network disconnected", 601: "request timeout", 604: "session missing", 605: "incorrect parameter type", 609: "save failed", 617: "multipart upload failed" };

  // wrong is the error of an argument; nothing was sent.
  const wrong = (detail) => new BaaSError(605, detail === undefined ? texts[605] : `${texts[605]}: ${detail}`);

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
      call.reject(new BaaSError(600, "the platform's answer is not JSON"));
    }
  }

  // failure reads {"message","status","code"}, or takes the text as the message.
  function failure(text) {
    if (text[0] === "{") {
      try {
        const { message, status, code } = parse(text);
        if (typeof message === "string") {
          const error = new BaaSError(status ?? 600, message);
          if (code !== undefined) hidden(error, "reason", code);
          return error;
        }
      } catch (error) {
        // not JSON: a message
      }
    }
    return new BaaSError(600, text);
  }

  const reasons = { __proto__: null, 200: "OK", 201: "Created", 202: "Accepted", 204: "No Content" };

  // api calls an endpoint of the platform and gives the answer (F11).
  const api = (method, path, query, body) => ask(method, path, { __proto__: null, method, path, query: query ?? null, body: body ?? null });

  // form sends a form with files to an endpoint.
  const form = (path, { type, bytes }) => ask("POST", path, { __proto__: null, method: "POST", path, form: { type, base64: load("base64").encode(load("bytes").toLatin1(bytes)) } });

  async function ask(method, path, payload) {
    let answer;
    try {
      answer = await call("api", payload);
    } catch (error) {
      if (error instanceof BaaSError) hidden(error, "request", { method, path });
      throw error;
    }
    const { status } = answer;
    if (status >= 400) {
      const text = answer.body?.error_msg ?? answer.body?.message ?? reasons[status] ?? "the request failed";
      throw new BaaSError(status, text, { method, path });
    }
    if (answer.headers?.["x-service-skipped-fields"] !== undefined) load("baas_more").skipped(answer.headers);
    return hide({ status, statusText: answer.statusText ?? reasons[status] ?? "", headers: answer.headers ?? {}, data: answer.body ?? (status === 204 ? "" : null) });
  }

  // hide gives an answer the name that its status had before.
  function hide(answer) {
    hidden(answer, "statusCode", answer.status);
    return answer;
  }

  function named(name, what) {
    if (typeof name !== "string" || name === "") throw wrong(`${what} needs the name of a function`);
    return name;
  }

  function invoke(name, data = {}, sync = true) {
    return call("invoke", { __proto__: null, name: named(name, "BaaS.invoke"), data, sync: Boolean(sync) });
  }

  // more is what few functions use, in a part of its own.
  const more = (name) => (...args) => load("baas_more")[name](...args);
  const letter = (name) => (...args) => load("baas_message")[name](...args);
  const lack = (name) => own(name, load("baas_absent")[name]);
  const lackMethod = (name) => own(name, load("baas_absent").method(name));

  const BaaS = {
    VERSION: "3.20.0",
    invoke, BaaSError,
    useVersion: more("useVersion"),
    invokeFunction: more("invokeFunction"),
    getOrderList: more("getOrderList"),
    get request() { return own("request", load("baas_request").request); },
    get TableObject() { return own("TableObject", load("baas_table").TableObject); },
    get TableSchema() { return own("TableSchema", load("baas_table").TableSchema); },
    get Query() { return own("Query", load("baas_query").Query); },
    get GeoPoint() { return own("GeoPoint", load("baas_query").GeoPoint); },
    get GeoPolygon() { return own("GeoPolygon", load("baas_query").GeoPolygon); },
    get User() { return own("User", load("baas_user").User); },
    get UserGroup() { return own("UserGroup", load("baas_user").UserGroup); },
    get UserSuperGroup() { return own("UserSuperGroup", load("baas_user").UserSuperGroup); },
    get File() { return own("File", load("baas_file").File); },
    get FileCategory() { return own("FileCategory", load("baas_file").FileCategory); },
    get Order() { return own("Order", load("baas_order").Order); },
    get Validator() { return own("Validator", load("baas_validator").Validator); },
    getServerDate: more("getServerDate"),
    getAsyncJobResult: more("getAsyncJobResult"),
    sendEmail: more("sendEmail"),
    sendSmsCode: letter("sendSmsCode"),
    verifySmsCode: letter("verifySmsCode"),
    sendSmsMessage: letter("sendSmsMessage"),
    sendTemplateMessage: letter("sendTemplateMessage"),
    getTemplateMsgTicketCount: letter("getTemplateMsgTicketCount"),
    // What cannot be served yet, or never, rejects by its name.
    get Content() { return lack("Content"); },
    get ContentGroup() { return lack("ContentGroup"); },
    get ContentCategory() { return lack("ContentCategory"); },
    get chat() { return own("chat", load("baas_message").chat); },
    get alt() { return own("alt", load("baas_message").alt); },
    get tpay() { return own("tpay", load("baas_message").tpay); },
    get chatAccessToken() { return lackMethod("chatAccessToken"); },
    get chatCensorImage() { return lackMethod("chatCensorImage"); },
    get chatCensorText() { return lackMethod("chatCensorText"); },
    get getChatCode() { return lackMethod("getChatCode"); },
    get chatPromotionTransfer() { return lackMethod("chatPromotionTransfer"); },
    get RedPack() { return lackMethod("RedPack"); },
    get censorText() { return lackMethod("censorText"); },
  };
  function own(name, value) {
    defineProperty(BaaS, name, { __proto__: null, value, writable: true, enumerable: true, configurable: true });
    return value;
  }

  // key is an id as it stands in a path.
  function key(id, what) {
    if ((typeof id !== "string" && typeof id !== "number") || id === "") throw wrong(`the id of ${what} is needed`);
    return encodeURIComponent(`${id}`);
  }

  defineProperty(BaaS, p.toStringTag, { __proto__: null, value: "BaaS", configurable: true });
  return { __proto__: null, BaaS, BaaSError, settle, api, form, call, hide, hidden, wrong, key, named };
});
