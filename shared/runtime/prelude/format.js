// util.format and what console.log writes: texts with directives such as %s and
// %o, and values behind them. Like inspect it withstands hostile code.
(function (host, load, p) {
  "use strict";
  const { apply, getOwnPropertyDescriptor, getPrototypeOf, Number, String } = p;
  const { has, cut, formatNumber } = load("inspect_text");
  const { inspect } = load("inspect");
  const none = [];

  const flat = { depth: 0, compact: 3 };
  const rich = { showHidden: true, showProxy: true, depth: 4 };

  // hasBuiltInToString tells objects whose text says nothing from those whose
  // class (or own property) wrote a toString for %s.
  function hasBuiltInToString(value) {
    for (let o = value; o !== null; o = getPrototypeOf(o)) {
      if (getOwnPropertyDescriptor(o, "toString") === undefined) continue;
      if (o === value) return false;
      const d = getOwnPropertyDescriptor(o, "constructor");
      return d !== undefined && typeof d.value === "function" && has(apply(p.functionToString, d.value, none), "[native code]");
    }
    return true;
  }

  function directive(c, v) {
    const type = typeof v;
    switch (c) {
      case "s":
        if (type === "number") return formatNumber(v);
        if (type === "bigint") return v + "n";
        if (type !== "object" || v === null || !hasBuiltInToString(v)) return String(v);
        return inspect(v, flat);
      case "j": return p.stringify(v) ?? "undefined";
      case "d": return type === "bigint" ? v + "n" : formatNumber(type === "symbol" ? NaN : Number(v));
      case "i": return type === "bigint" ? v + "n" : formatNumber(type === "symbol" ? NaN : p.parseInt(v));
      case "f": return formatNumber(type === "symbol" ? NaN : p.parseFloat(v));
      case "o": return inspect(v, rich);
      default: return ""; // c: a style
    }
  }

  function safeDirective(c, v) {
    try {
      return directive(c, v);
    } catch (error) {
      return c === "j" ? "[Circular]" : inspect(v, flat);
    }
  }

  // format is util.format; options are of inspect.
  function format(args, options) {
    const first = args.length > 0 ? args[0] : "";
    let text = "", next = 0;
    if (typeof first === "string") {
      next = 1;
      text = first;
      if (args.length > 1 && has(first, "%")) {
        text = "";
        let from = 0;
        for (let i = 0; i < first.length - 1; i++) {
          if (first[i] !== "%") continue;
          const c = first[i + 1];
          if (c === "%") {
            text += cut(first, from, i) + "%";
          } else if (next < args.length && has("sjdifoOc", c)) {
            text += cut(first, from, i) + (c === "O" ? inspect(args[next], options) : safeDirective(c, args[next]));
            next++;
          } else continue;
          i++;
          from = i + 1;
        }
        text += cut(first, from);
      }
    }
    for (let i = next; i < args.length; i++) {
      if (i > 0) text += " ";
      text += typeof args[i] === "string" ? args[i] : inspect(args[i], options);
    }
    return text;
  }

  const consoleOptions = { __proto__: null, depth: 4 };

  return { __proto__: null, format: (args) => format(args, consoleOptions), formatWithOptions: format };
});
