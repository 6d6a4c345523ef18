// console: one host.log per call. Formatting of anything but plain strings
// and numbers is inspect's, loaded when first needed.
(function (host, load, p) {
  "use strict";
  const { apply, indexOf } = p;
  const counts = { __proto__: null };
  const starts = { __proto__: null };
  let indent = "";

  // plain joins arguments that need no formatting; undefined if some do.
  function plain(args) {
    let text = "";
    for (let i = 0; i < args.length; i++) {
      const v = args[i];
      const type = typeof v;
      if (type === "string") {
        if (i === 0 && args.length > 1 && apply(indexOf, v, ["%"]) >= 0) return undefined;
      } else if (type !== "boolean" && type !== "undefined" && v !== null && !(type === "number" && v !== 0)) return undefined;
      text += i === 0 ? v : " " + v;
    }
    return text;
  }

  function write(level, text) {
    if (indent !== "") text = indent + indentLines(text);
    host.log(level, text);
  }

  function indentLines(text) {
    let out = "", from = 0;
    for (;;) {
      const at = apply(indexOf, text, ["\n", from]);
      if (at < 0) return out + apply(p.slice, text, [from]);
      out += apply(p.slice, text, [from, at + 1]) + indent;
      from = at + 1;
    }
  }

  const print = (level, args) => write(level, plain(args) ?? load("format").format(args));
  const label = (v) => (v === undefined ? "default" : ("" + v));

  function elapsed(name) {
    const ms = host.now() - starts[name];
    return ms >= 1000 ? ((fixed(ms / 1000, 1000)) + "s") : ((fixed(ms, 1000)) + "ms");
  }
  const fixed = (x, unit) => ("" + ((x * unit - ((x * unit) % 1)) / unit));

  function timed(call, name, args, end) {
    name = label(name);
    if (starts[name] === undefined) return print("WARN", ["Warning: No such label '" + name + "' for console." + call + "()"]);
    print("LOG", [name + ": " + elapsed(name), ...args]);
    if (end) delete starts[name];
  }

  const console = {
    log(...args) { print("LOG", args); },
    info(...args) { print("INFO", args); },
    warn(...args) { print("WARN", args); },
    error(...args) { print("ERROR", args); },
    debug(...args) { print("LOG", args); },
    trace(...args) {
      const error = new p.Error();
      const frames = load("describe_error").parts(error).frames;
      write("ERROR", "Trace" + (args.length > 0 ? ": " + load("format").format(args) : "") + (frames === "" ? "" : "\n" + frames));
    },
    dir(value, options) { write("LOG", load("inspect").inspect(value, { customInspect: false, ...options })); },
    dirxml(...args) { print("LOG", args); },
    assert(condition, ...args) {
      if (condition) return;
      if (typeof args[0] === "string") args[0] = "Assertion failed: " + args[0];
      else args = ["Assertion failed", ...args];
      print("WARN", args);
    },
    count(name) {
      name = label(name);
      counts[name] = (counts[name] ?? 0) + 1;
      print("LOG", [name + ": " + counts[name]]);
    },
    countReset(name) {
      name = label(name);
      if (counts[name] === undefined) print("WARN", ["Warning: Count for '" + name + "' does not exist"]);
      else delete counts[name];
    },
    time(name) {
      name = label(name);
      if (starts[name] !== undefined) print("WARN", ["Warning: Label '" + name + "' already exists for console.time()"]);
      else starts[name] = host.now();
    },
    timeLog(name, ...args) { timed("timeLog", name, args, false); },
    timeEnd(name) { timed("timeEnd", name, [], true); },
    group(...args) {
      if (args.length > 0) print("LOG", args);
      if (indent.length < 200) indent += "  ";
    },
    groupCollapsed(...args) { console.group(...args); },
    groupEnd() { indent = apply(p.slice, indent, [2]); },
    table(data, columns) {
      const text = typeof data === "object" && data !== null ? load("table").render(data, columns) : undefined;
      if (text === undefined) print("LOG", [data]);
      else write("LOG", text);
    },
  };
  p.defineProperty(console, p.toStringTag, { __proto__: null, value: "console", configurable: true });
  return { __proto__: null, console };
});
