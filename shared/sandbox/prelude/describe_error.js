// What a thrown value says about itself: its class, message and the frames of
// the user's file. Everything it asks may be hostile, nothing here throws.
(function (host, load, p) {
  "use strict";
  const { apply, getOwnPropertyDescriptor, getPrototypeOf, slice, indexOf, Error, String } = p;
  const limit = 16384; // characters of a message, of a stack
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
    if (typeof name === "string" && name !== "" && name !== "Error") return cut(name, 0, 200);
    const constructor = get(error, "constructor");
    const own = typeof constructor === "function" ? get(constructor, "name") : undefined;
    if (typeof own === "string" && own !== "" && own !== "Object") return cut(own, 0, 200);
    return "Error";
  }

  function text(v) {
    try {
      return String(v);
    } catch (error) {
      return "";
    }
  }

  // ownFrames keeps the lines of the stack that lie in the user's file. A
  // stack that user code replaced by a text of its own is shown as it is.
  function ownFrames(stack) {
    if (typeof stack !== "string") return "";
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
    const file = load("process").state.file;
    if (file) return find(line, file + ":") >= 0;
    return find(line, "prelude:") < 0 && find(line, "(native)") < 0 && find(line, "<eval>") < 0;
  }

  // parts are what inspect prints of an Error.
  function parts(error) {
    const type = className(error);
    const message = get(error, "message");
    const name = get(error, "name");
    let header = typeof name === "string" && name !== "" ? name : type;
    if (typeof message === "string" && message !== "") header += ": " + message;
    const frames = ownFrames(get(error, "stack"));
    return { __proto__: null, type, header, frames, text: header + "\n" + frames };
  }

  function describe(error) {
    let type = "Error", message, stack = "";
    if (isError(error)) {
      type = className(error);
      message = get(error, "message");
      message = typeof message === "string" ? message : text(message);
      stack = ownFrames(get(error, "stack"));
    } else if (isObject(error)) {
      const own = get(error, "message");
      if (typeof own === "string") {
        message = own;
        type = className(error);
        stack = ownFrames(get(error, "stack"));
      } else message = load("format").format([error]);
    } else message = typeof error === "string" ? error : text(error);
    return { __proto__: null, type, message: cut(message, 0, limit), stack: trim(stack) };
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

  return { __proto__: null, describe, parts };
});
