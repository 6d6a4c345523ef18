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
    const header = headerOf(error, "Error");
    return own === "" ? header : header + "\n" + own;
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
    const header = headerOf(target, "Error");
    const value = own === "" ? header : header + "\n" + own;
    p.defineProperty(target, "stack", { __proto__: null, value, writable: true, enumerable: false, configurable: true });
  }

  // missing says what to use instead of what is not there.
  const network = "the only way out is BaaS.request({ url, method, headers, data })";
  const missing = {
    __proto__: null, XMLHttpRequest: network, WebSocket: network, wx: "it belongs to the mini program; use BaaS here",
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
