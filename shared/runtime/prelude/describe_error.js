// What a thrown value says about itself: its class, message and the frames of
// the user's file. Everything it asks may be hostile, nothing here throws.
(function (host, load, p) {
  "use strict";
  const { apply, getOwnPropertyDescriptor, getPrototypeOf, slice, indexOf, Error, String } = p;
  // limit is how many characters a class, a message and a stack may have; the supervisor knows it, and shortens them
  // when it has masked secrets: half of one would not be recognised.
  const limit = 16384;
  const cut = (s, from, to) => apply(slice, s, [from, to]);
  const find = (s, sub, from) => apply(indexOf, s, [sub, from]);

  function get(o, key, fallback) {
    try {
      return o[key];
    } catch (error) {
      return fallback;
    }
  }

  const isObject = (v) => (typeof v === "object" && v !== null) || typeof v === "function";

  function isError(v) {
    try {
      return v instanceof Error;
    } catch (error) {
      return false;
    }
  }

  // className is the name of the class that made the error; an own or
  // inherited name that says more than "Error" wins.
  function className(error) {
    const name = get(error, "name");
    if (typeof name === "string" && name !== "" && name !== "Error") return cut(name, 0, limit);
    const constructor = get(error, "constructor");
    const own = typeof constructor === "function" ? get(constructor, "name") : undefined;
    if (typeof own === "string" && own !== "" && own !== "Object") return cut(own, 0, limit);
    return "Error";
  }

  function text(v) {
    try {
      return String(v);
    } catch (error) {
      return "";
    }
  }

  // frames are those of an error that lie in the user's file.
  const frames = (error) => (host.stack !== undefined && isError(error) ? host.stack(error) ?? "" : ownFrames(get(error, "stack")));

  // written is the stack that user code gave the error itself, or
  // Error.captureStackTrace; undefined when the engine's is in its place.
  function written(error) {
    if (host.stack === undefined) return undefined;
    try {
      return getOwnPropertyDescriptor(error, "stack");
    } catch (error) {
      return undefined;
    }
  }

  function ownFrames(stack) {
    if (typeof stack !== "string") return "";
    stack = cut(stack, 0, 4 * limit); // whoever wrote it need not have stopped
    let out = "";
    for (let from = 0; from < stack.length && out.length < limit;) {
      let to = find(stack, "\n", from);
      if (to < 0) to = stack.length;
      const line = cut(stack, from, to);
      from = to + 1;
      if (isFrame(line) && isOwn(line)) out += (out === "" ? "" : "\n") + line;
    }
    return cut(out, 0, limit);
  }

  function isFrame(line) {
    let i = 0;
    while (line[i] === " ") i++;
    return cut(line, i, i + 3) === "at ";
  }

  function isOwn(line) {
    const { file } = p.run;
    if (file) return find(line, file + ":") >= 0;
    return find(line, "prelude:") < 0 && find(line, "(native)") < 0 && find(line, "<eval>") < 0;
  }

  function headerOf(error, type) {
    const message = get(error, "message");
    const name = get(error, "name");
    const header = typeof name === "string" && name !== "" ? name : type;
    return typeof message === "string" && message !== "" ? header + ": " + message : header;
  }

  // parts are what inspect prints of an Error; written says that text is all.
  function parts(error) {
    const type = className(error);
    const header = headerOf(error, type);
    const name = get(error, "name");
    const called = typeof name === "string" ? name : "";
    const stack = written(error);
    if (stack !== undefined) {
      const given = typeof stack.value === "string" && stack.value !== "";
      return { __proto__: null, type, called, header, frames: "", text: given ? cut(stack.value, 0, limit) : header, written: given };
    }
    const own = frames(error);
    return { __proto__: null, type, called, header, frames: own, text: header + "\n" + own, written: false };
  }

  // stackOf is error.stack, as in Node: what the error says, and its frames.
  function stackOf(error) {
    const own = host.stack(error);
    if (own === undefined) return undefined;
    const prepared = prepare(error, own);
    if (prepared !== undefined) return prepared.value;
    const header = headerOf(error, "Error");
    return own === "" ? header : header + "\n" + own;
  }

  // CallSite is a frame as Error.prepareStackTrace gets it (V8's interface). It gives out no function and no receiver.
  class CallSite {
    #frame;
    constructor(frame) { this.#frame = frame; }
    getFileName() { return this.#frame.file; }
    getScriptNameOrSourceURL() { return this.#frame.file; }
    getLineNumber() { return this.#frame.line; }
    getColumnNumber() { return this.#frame.column; }
    getFunctionName() { return this.#frame.name; }
    getMethodName() { return null; }
    getTypeName() { return null; }
    getFunction() {}
    getThis() {}
    getEvalOrigin() {}
    getPromiseIndex() { return null; }
    isNative() { return false; }
    isToplevel() { return true; }
    isEval() { return false; }
    isConstructor() { return false; }
    isAsync() { return this.#frame.async; }
    isPromiseAll() { return false; }
    toString() { return this.#frame.text; }
  }

  // prepare asks Error.prepareStackTrace, where user code has set one; undefined where not.
  function prepare(error, own) {
    const f = getOwnPropertyDescriptor(Error, "prepareStackTrace")?.value;
    if (typeof f !== "function") return undefined;
    const sites = [];
    for (let from = 0; from < own.length;) {
      let to = find(own, "\n", from);
      if (to < 0) to = own.length;
      const site = siteOf(cut(own, from, to));
      p.defineProperty(sites, sites.length, { __proto__: null, value: site, writable: true, enumerable: true, configurable: true });
      from = to + 1;
    }
    return { __proto__: null, value: apply(f, Error, [error, sites]) };
  }

  // siteOf reads "    at async name (file:line:column)".
  function siteOf(frame) {
    let text = cut(frame, find(frame, "at ", 0) + 3);
    const async = cut(text, 0, 6) === "async ";
    if (async) text = cut(text, 6);
    const open = find(text, " (", 0), place = open < 0 ? text : cut(text, open + 2, text.length - 1), name = open < 0 ? "" : cut(text, 0, open);
    const first = find(place, ":", 0), second = find(place, ":", first + 1);
    return new CallSite({
      __proto__: null, text, async, name: name === "" || name === "<anonymous>" ? null : name, file: cut(place, 0, first),
      line: p.parseInt(cut(place, first + 1, second)), column: p.parseInt(cut(place, second + 1)),
    });
  }

  // capture is Error.captureStackTrace: it gives an object the frames of here,
  // without those from the function on.
  function capture(target, from) {
    if (!isObject(target)) throw new p.TypeError("Error.captureStackTrace needs an object");
    let own = host.stack(new Error());
    const name = typeof from === "function" ? get(from, "name") : undefined;
    const call = typeof name === "string" && name !== "" ? find(own, "at " + name + " (", 0) : -1;
    if (call >= 0) {
      const end = find(own, "\n", call);
      own = end < 0 ? "" : cut(own, end + 1);
    }
    const header = headerOf(target, "Error"), prepared = prepare(target, own);
    const value = prepared !== undefined ? prepared.value : own === "" ? header : header + "\n" + own;
    p.defineProperty(target, "stack", { __proto__: null, value, writable: true, enumerable: false, configurable: true });
  }

  // missing says what to use instead of what is not there.
  const network = "the only way out is BaaS.request({ url, method, headers, data })";
  const alone = "a function runs alone; hand values over with a call or an EventEmitter", whole = "there are no web streams; pass whole values, or use the module stream";
  const missing = {
    __proto__: null, XMLHttpRequest: network, WebSocket: network, wx: "it belongs to the mini program; use BaaS here",
    MessageChannel: alone, MessagePort: alone, BroadcastChannel: alone, ReadableStream: whole, WritableStream: whole, TransformStream: whole,
    window: "there is no browser here", document: "there is no browser here",
    localStorage: "keep data in a table with BaaS.TableObject", sessionStorage: "keep data in a table with BaaS.TableObject",
  };

  // advised adds to "XMLHttpRequest is not defined" what to do.
  function advised(message) {
    const end = find(message, " is not defined", 0);
    if (end < 0 || end + 15 !== message.length) return message;
    const advice = missing[cut(message, 0, end)];
    return advice === undefined ? message : message + ": " + advice;
  }

  // causes are the errors behind an error, a few of them, as lines of its stack.
  function causes(error) {
    let out = "";
    for (let depth = 0; depth < 3; depth++) {
      error = get(error, "cause");
      if (!isError(error)) break;
      const own = frames(error);
      out += "\nCaused by: " + cut(headerOf(error, className(error)), 0, limit) + (own === "" ? "" : "\n" + own);
    }
    return out;
  }

  // inner are the errors of an AggregateError, the first of them, as lines of its stack.
  function inner(error) {
    const list = get(error, "errors"), many = 5;
    if (!isList(list)) return "";
    const count = get(list, "length");
    let out = "";
    for (let i = 0; i < count && i < many; i++) {
      const one = get(list, i), own = isError(one) ? frames(one) : "";
      const said = isError(one) ? headerOf(one, className(one)) : text(one);
      out += "\n[errors " + i + "]: " + cut(said, 0, limit) + (own === "" ? "" : "\n" + own);
    }
    return count > many ? out + "\n[errors]: " + (count - many) + " more" : out;
  }
  function isList(v) {
    try {
      return p.isArray(v);
    } catch (error) {
      return false; // a revoked proxy
    }
  }

  function describe(error) {
    let type = "Error", message, stack = "";
    if (isError(error)) {
      type = className(error);
      message = get(error, "message");
      message = typeof message === "string" ? message : text(message);
      if (type === "ReferenceError") message = advised(message);
      const given = written(error);
      stack = given === undefined ? frames(error) : ownFrames(given.value);
      if (message === "cannot convert to object") message = "cannot convert undefined or null to an object, nor take one apart";
      if (message === "" && type === "AggregateError") message = "All promises were rejected";
      if (type === "AggregateError") stack += inner(error);
      stack += causes(error);
    } else if (isObject(error)) {
      const own = get(error, "message");
      if (typeof own === "string") {
        message = own;
        type = className(error);
        stack = frames(error);
      } else message = load("format").format([error]);
    } else message = typeof error === "string" ? error : text(error);
    return { __proto__: null, type, message: cut(message, 0, limit), stack: cut(trim(stack), 0, limit) };
  }

  // trim removes the indentation QuickJS gives each frame.
  function trim(stack) {
    let out = "";
    for (let from = 0; from < stack.length;) {
      let to = find(stack, "\n", from);
      if (to < 0) to = stack.length;
      while (stack[from] === " ") from++;
      out += (out === "" ? "" : "\n") + cut(stack, from, to);
      from = to + 1;
    }
    return out;
  }

  return { __proto__: null, describe, parts, stackOf, capture };
});
