// Text of any value, as Node's util.inspect writes it, and console formatting.
// It runs on values of hostile code, after hostile code: only syntax, captured
// primordials and null-prototype lists below, and no template literals: QuickJS
// makes them calls of String.prototype.concat.
(function (host, load, p) {
  "use strict";
  const { apply, ownKeys, getOwnPropertyDescriptor, getPrototypeOf, isArray, slice, indexOf, charCodeAt } = p;
  const { Map, Set, Date, RegExp, Error, Promise, WeakMap, WeakSet, WeakRef, ArrayBuffer, DataView, Uint8Array, TypedArray, String, Number } = p;
  const customInspect = p.inspectSymbol;
  const tagSymbol = p.toStringTag;
  const none = [];
  const kObject = 0, kArray = 1, kArrayExtras = 2;
  const maxEntries = 20000; // of one whole inspect, so that a hostile breadth ends

  // A list is a null-prototype object with a count: no setter on
  // Object.prototype or patched Array method can interfere.
  const list = () => ({ __proto__: null, n: 0 });
  const add = (l, v) => { l[l.n++] = v; };
  // join halves, so that a long entry is not copied once per entry after it.
  const join = (l, separator) => joinPart(l, separator, 0, l.n);
  const joinPart = (l, separator, from, to) => {
    if (to - from > 4) {
      const middle = (from + to) >> 1;
      return joinPart(l, separator, from, middle) + separator + joinPart(l, separator, middle, to);
    }
    let s = "";
    for (let i = from; i < to; i++) s += i === from ? l[i] : separator + l[i];
    return s;
  };
  const repeat = (s, n) => {
    let r = "";
    for (let i = 0; i < n; i++) r += s;
    return r;
  };
  const has = (s, sub) => apply(indexOf, s, [sub]) >= 0;
  const cut = (s, from, to) => apply(slice, s, [from, to]);

  // ---- strings

  const hex = "0123456789ABCDEF";
  const lowerHex = "0123456789abcdef";
  const controls = { __proto__: null, "\b": "\\b", "\t": "\\t", "\n": "\\n", "\f": "\\f", "\r": "\\r", "\\": "\\\\" };

  function quote(s) {
    let q = "'";
    if (has(s, "'")) {
      if (!has(s, '"')) q = '"';
      else if (!has(s, "`") && !has(s, "${")) q = "`";
    }
    let out = "", from = 0;
    for (let i = 0; i < s.length; i++) {
      const c = s[i];
      let escaped;
      if (c === q) escaped = "\\" + c;
      else if (c < " " || c === "\\" || (c >= "\x7f" && c <= "\x9f")) {
        const code = apply(charCodeAt, c, none);
        escaped = controls[c] ?? "\\x" + hex[code >> 4] + hex[code & 15];
      } else if (c >= "\ud800" && c <= "\udfff") {
        if (c < "\udc00" && s[i + 1] >= "\udc00" && s[i + 1] <= "\udfff") { i++; continue; }
        const code = apply(charCodeAt, c, none);
        escaped = "\\u" + lowerHex[code >> 12] + lowerHex[(code >> 8) & 15] + lowerHex[(code >> 4) & 15] + lowerHex[code & 15];
      } else continue;
      out += cut(s, from, i) + escaped;
      from = i + 1;
    }
    return q + (from === 0 ? s : out + cut(s, from)) + q;
  }

  function formatString(ctx, s) {
    let trailer = "";
    if (s.length > ctx.maxStringLength) {
      const more = s.length - ctx.maxStringLength;
      s = cut(s, 0, ctx.maxStringLength);
      trailer = "... " + more + " more character" + (more > 1 ? "s" : "");
    }
    if (ctx.compact !== true && s.length > 16 && s.length > ctx.breakLength - ctx.indent - 4 && has(s, "\n")) {
      const lines = list();
      for (let from = 0; from < s.length;) {
        const at = apply(indexOf, s, ["\n", from]);
        const to = at < 0 ? s.length : at + 1;
        add(lines, quote(cut(s, from, to)));
        from = to;
      }
      return join(lines, " +\n" + repeat(" ", ctx.indent + 2)) + trailer;
    }
    return quote(s) + trailer;
  }

  const formatNumber = (n) => (n === 0 && 1 / n < 0 ? "-0" : "" + n);

  function formatPrimitive(ctx, v) {
    switch (typeof v) {
      case "string": return formatString(ctx, v);
      case "number": return formatNumber(v);
      case "bigint": return v + "n";
      case "symbol": return String(v);
      default: return "" + v; // undefined, null, true, false
    }
  }

  const isIdentifier = (s) => {
    if (s === "") return false;
    for (let i = 0; i < s.length; i++) {
      const c = s[i];
      if (!((c >= "a" && c <= "z") || (c >= "A" && c <= "Z") || c === "_" || (i > 0 && c >= "0" && c <= "9"))) return false;
    }
    return true;
  };

  // ---- names

  function constructorName(ctx, value) {
    let first;
    for (let o = value; o !== null; o = getPrototypeOf(o)) {
      const d = getOwnPropertyDescriptor(o, "constructor");
      if (d !== undefined && typeof d.value === "function" && d.value.name !== "" && value instanceof d.value) return "" + d.value.name;
      if (o !== value && first === undefined) first = o;
    }
    if (first === undefined) return null;
    return ctx.depth < 0 ? "Object <Complex prototype>" : ("Object <" + (inspect(first, { depth: -1 })) + ">");
  }

  function prefix(name, tag, fallback, size = "") {
    if (name === null) return ("[" + fallback + size + ": null prototype] ") + (tag !== "" && fallback !== tag ? ("[" + tag + "] ") : "");
    return ("" + name + size + " ") + (tag !== "" && name !== tag ? ("[" + tag + "] ") : "");
  }

  function functionBase(value, name, tag) {
    const source = apply(p.functionToString, value, none);
    if (cut(source, 0, 5) === "class" && cut(source, -1) === "}") return classBase(value, name, tag);
    const kind = apply(p.objectToString, value, none);
    let type = "Function";
    if (has(kind, "Generator")) type = "Generator" + type;
    if (has(kind, "Async")) type = "Async" + type;
    let base = "[" + type + (name === null ? " (null prototype)" : "");
    base += value.name === "" ? " (anonymous)]" : (": " + String(value.name) + "]");
    if (name !== type && name !== null) base += " " + name;
    if (tag !== "" && name !== tag) base += " [" + tag + "]";
    return base;
  }

  function classBase(value, name, tag) {
    const own = getOwnPropertyDescriptor(value, "name");
    let base = "[class " + ((own && value.name) || "(anonymous)");
    if (name !== "Function" && name !== null) base += " [" + name + "]";
    if (tag !== "" && name !== tag) base += " [" + tag + "]";
    if (name === null) return base + " extends [null prototype]]";
    const parent = getPrototypeOf(value).name;
    return base + (parent ? (" extends " + parent + "]") : "]");
  }

  // ---- layout

  function belowBreakLength(ctx, output, start, base) {
    let total = output.n + start;
    if (total + output.n > ctx.breakLength) return false;
    for (let i = 0; i < output.n; i++) {
      total += output[i].length;
      if (total > ctx.breakLength) return false;
    }
    return base === "" || !has(base, "\n");
  }

  function layout(ctx, output, base, open, close, extras, depth, value) {
    const head = base === "" ? "" : base + " ";
    if (ctx.compact !== true) {
      if (typeof ctx.compact === "number" && ctx.compact >= 1) {
        const entries = output.n;
        if (extras === kArrayExtras && entries > 6) output = group(ctx, output, value);
        if (ctx.current - depth < ctx.compact && entries === output.n) {
          const start = output.n + ctx.indent + open.length + base.length + 10;
          if (belowBreakLength(ctx, output, start, base)) {
            const line = join(output, ", ");
            if (!has(line, "\n")) return head + open + " " + line + " " + close;
          }
        }
      }
      const indent = "\n" + repeat(" ", ctx.indent);
      return head + open + indent + "  " + (join(output, "," + indent + "  ")) + indent + close;
    }
    if (belowBreakLength(ctx, output, 0, base)) return open + (base === "" ? "" : " " + base) + " " + (join(output, ", ")) + " " + close;
    const indent = "\n" + repeat(" ", ctx.indent);
    const gap = base === "" && open.length === 1 ? " " : ((base === "" ? "" : " " + base) + "\n" + (repeat(" ", ctx.indent)) + "  ");
    return open + gap + (join(output, "," + indent + "  ")) + " " + close;
  }

  // group puts the short entries of a long array into columns.
  function group(ctx, output, value) {
    let total = 0, longest = 0;
    const n = ctx.maxArrayLength < output.n ? output.n - 1 : output.n; // the last says "more items"
    for (let i = 0; i < n; i++) {
      const length = output[i].length;
      total += length + 2;
      if (length > longest) longest = length;
    }
    const widest = longest + 2;
    if (!(widest * 3 + ctx.indent < ctx.breakLength && (total / widest > 5 || longest <= 6))) return output;
    const biased = widest - 3 - (widest - total / output.n) ** 0.5;
    const size = biased > 1 ? biased : 1;
    const columns = smallest(round((2.5 * size * n) ** 0.5 / size), floor((ctx.breakLength - ctx.indent) / widest), ctx.compact * 4, 15);
    if (columns <= 1) return output;
    const widths = list();
    for (let i = 0; i < columns; i++) {
      let width = 0;
      for (let j = i; j < n; j += columns) if (output[j].length > width) width = output[j].length;
      add(widths, width + 2);
    }
    const right = allNumbers(value, output.n);
    const rows = list();
    for (let i = 0; i < n; i += columns) {
      const end = i + columns < n ? i + columns : n;
      let row = "";
      for (let j = i; j < end; j++) {
        const cell = j < end - 1 ? output[j] + ", " : output[j];
        const padding = repeat(" ", widths[j - i] - cell.length - (j < end - 1 ? 0 : 2));
        row += right ? padding + cell : j < end - 1 ? cell + padding : cell;
      }
      add(rows, row);
    }
    if (n < output.n) add(rows, output[n]);
    return rows;
  }

  const floor = (x) => x - (x % 1);
  const round = (x) => floor(x + 0.5);
  const smallest = (...ns) => {
    let m = ns[0];
    for (let i = 1; i < ns.length; i++) if (ns[i] < m) m = ns[i];
    return m;
  };

  function allNumbers(value, n) {
    if (value === undefined) return true;
    for (let i = 0; i < n; i++) {
      const d = getOwnPropertyDescriptor(value, "" + i);
      const t = typeof (d === undefined ? undefined : d.value);
      if (t !== "number" && t !== "bigint") return false;
    }
    return true;
  }

  // ---- values

  function formatValue(ctx, value, depth, typedArray) {
    if ((typeof value !== "object" && typeof value !== "function") || value === null) return formatPrimitive(ctx, value);
    if (++ctx.entries > maxEntries) return "[...]";
    try {
      if (ctx.customInspect) {
        const custom = value[customInspect];
        if (typeof custom === "function" && custom !== inspect) return formatCustom(ctx, value, depth, custom);
      }
      for (let s = ctx.seen; s !== null; s = s.next) {
        if (s.value === value) return circular(ctx, value);
      }
      return formatObject(ctx, value, depth, typedArray);
    } catch (error) {
      return "[unprintable " + (typeof value) + "]";
    }
  }

  function formatCustom(ctx, value, depth, custom) {
    const options = { ...ctx.user, depth: ctx.depth === Infinity || ctx.depth === null ? ctx.depth : ctx.depth - depth, stylize: (s) => "" + s };
    const result = apply(custom, value, [options.depth, options, inspect]);
    if (result === value) return formatObject(ctx, value, depth);
    if (typeof result !== "object") return "" + result;
    const text = formatValue(ctx, result, depth);
    return has(text, "\n") ? indentLines(text, ctx.indent) : text;
  }

  function indentLines(text, indent) {
    let out = "", from = 0;
    for (;;) {
      const at = apply(indexOf, text, ["\n", from]);
      if (at < 0) return out + cut(text, from);
      out += cut(text, from, at + 1) + repeat(" ", indent);
      from = at + 1;
    }
  }

  function circular(ctx, value) {
    let i = 0;
    for (; i < ctx.circular.n; i++) if (ctx.circular[i] === value) break;
    if (i === ctx.circular.n) add(ctx.circular, value);
    return "[Circular *" + (i + 1) + "]";
  }

  function formatObject(ctx, value, depth, typedArray) {
    const name = constructorName(ctx, value);
    if (name === "Array" && depth > ctx.depth && isArray(value) && value.length > 0) return "[Array]";
    const keys = propertyKeys(ctx, value);
    let tag = value[tagSymbol];
    if (typeof tag !== "string") tag = "";
    else if (tag !== "") {
      const own = getOwnPropertyDescriptor(value, tagSymbol);
      if (own !== undefined && (ctx.showHidden || own.enumerable)) tag = "";
    }
    const f = shape(ctx, value, name, tag, keys, depth, typedArray);
    if (f.text !== undefined) return f.text;
    if (depth > ctx.depth && ctx.depth !== null) {
      const label = cut(prefix(name, tag, isArray(value) ? "Array" : "Object"), 0, -1);
      return name === null ? ("[" + label + "]") : isArray(value) && label === "Array" ? "[Array]" : ("[" + label + "]");
    }
    ctx.seen = { __proto__: null, value, next: ctx.seen };
    ctx.current = depth;
    const output = list();
    if (f.entries) f.entries(output, depth + 1);
    for (let i = 0; i < keys.n; i++) add(output, formatProperty(ctx, value, depth + 1, keys[i], f.extras));
    ctx.seen = ctx.seen.next;
    let base = f.base, open = f.open;
    for (let i = 0; i < ctx.circular.n; i++) {
      if (ctx.circular[i] !== value) continue;
      const reference = "<ref *" + (i + 1) + ">";
      if (ctx.compact !== true) base = base === "" ? reference : (reference + " " + base);
      else open = reference + " " + open;
    }
    return layout(ctx, output, base, open, f.close, f.extras, depth, value);
  }

  // shape says how a value is written: {text} when that is all, else its
  // brackets, its base, and what lists its entries.
  function shape(ctx, value, name, tag, keys, depth, typedArray) {
    const done = (text) => ({ __proto__: null, text });
    const braces = (open, entries, base = "") => ({ __proto__: null, open, close: "}", base, entries, extras: kObject });
    if (isArray(value)) {
      const open = (name === "Array" && tag === "" ? "" : prefix(name, tag, "Array", "(" + value.length + ")")) + "[";
      if (value.length === 0 && keys.n === 0) return done(open + "]");
      return { __proto__: null, open, close: "]", base: "", extras: kArrayExtras, entries: (out, d) => formatArray(ctx, value, out, d) };
    }
    if (typeof value === "function") {
      const base = functionBase(value, name, tag);
      return keys.n === 0 ? done(base) : braces("{", undefined, base);
    }
    if (value instanceof TypedArray) return typedArrayShape(ctx, value, name, tag, keys, typedArray);
    if (value instanceof Map) {
      const entries = list();
      apply(p.mapForEach, value, [(v, k) => { add(entries, k); add(entries, v); }]);
      const open = prefix(name, tag, "Map", "(" + (entries.n / 2) + ")") + "{";
      return entries.n === 0 && keys.n === 0 ? done(open + "}") : braces(open, (out, d) => formatMap(ctx, entries, out, d));
    }
    if (value instanceof Set) {
      const entries = list();
      apply(p.setForEach, value, [(v) => add(entries, v)]);
      const open = prefix(name, tag, "Set", "(" + entries.n + ")") + "{";
      return entries.n === 0 && keys.n === 0 ? done(open + "}") : braces(open, (out, d) => formatSet(ctx, entries, out, d));
    }
    if (value instanceof Error) {
      const base = formatError(ctx, value, name, tag, keys);
      return keys.n === 0 ? done(base) : braces("{", undefined, base);
    }
    return builtinShape(ctx, value, name, tag, keys, done, braces);
  }

  function builtinShape(ctx, value, name, tag, keys, done, braces) {
    const kind = apply(p.objectToString, value, none);
    if (kind === "[object Arguments]") return keys.n === 0 ? done("[Arguments] {}") : braces("[Arguments] {");
    let base;
    if (value instanceof Date) {
      base = apply(p.getTime, value, none);
      base = base === base ? apply(p.toISOString, value, none) : "Invalid Date";
      if (name !== "Date") base = prefix(name, tag, "Date") + base;
    } else if (value instanceof RegExp) {
      base = apply(p.regExpToString, value, none);
      if (name !== "RegExp") base = prefix(name, tag, "RegExp") + base;
    } else base = boxed(ctx, value, name, tag, keys, kind);
    if (base !== undefined) return keys.n === 0 ? done(base) : braces("{", undefined, base);
    if (value instanceof ArrayBuffer) {
      return braces(prefix(name, tag, "ArrayBuffer") + "{", (out) => formatBuffer(ctx, value, out));
    }
    if (value instanceof DataView) {
      return braces(prefix(name, tag, "DataView") + "{", (out, d) => {
        for (let i = 0; i < 3; i++) add(out, viewFields[i] + ": " + formatValue(ctx, value[viewFields[i]], d));
      });
    }
    if (value instanceof WeakSet) return braces(prefix(name, tag, "WeakSet") + "{", (out) => add(out, "<items unknown>"));
    if (value instanceof WeakMap) return braces(prefix(name, tag, "WeakMap") + "{", (out) => add(out, "<items unknown>"));
    if (value instanceof WeakRef) return braces(prefix(name, tag, "WeakRef") + "{", (out, d) => add(out, formatValue(ctx, apply(p.deref, value, none), d)));
    if (value instanceof Promise) return promiseShape(ctx, value, name, tag, keys, done, braces);
    if (tag === "Module" && name === null) return braces("[Module: null prototype] {");
    const open = name === "Object" && tag === "" ? "{" : prefix(name, tag, "Object") + "{";
    return keys.n === 0 ? done(open + "}") : braces(open);
  }

  const viewFields = ["byteLength", "byteOffset", "buffer"];

  // The state of a promise is not visible to JavaScript; the engine may tell.
  function promiseShape(ctx, value, name, tag, keys, done, braces) {
    const open = prefix(name, tag, "Promise") + "{";
    if (typeof host.promiseState !== "function") return keys.n === 0 ? done(open + "}") : braces(open);
    return braces(open, (out, d) => {
      const state = host.promiseState(value);
      if (state[0] === "pending") add(out, "<pending>");
      else add(out, (state[0] === "rejected" ? "<rejected> " : "") + formatValue(ctx, state[1], d));
    });
  }

  function boxed(ctx, value, name, tag, keys, kind) {
    const type = kind === "[object Number]" || kind === "[object String]" || kind === "[object Boolean]" ? cut(kind, 8, -1)
      : tag === "Symbol" || tag === "BigInt" ? tag : undefined;
    if (type === undefined) return undefined;
    let primitive;
    try {
      primitive = apply(p.valueOf[type], value, none);
    } catch (error) {
      return undefined; // only looks like one
    }
    if (type === "String") arrayKeys(keys, primitive.length);
    let base = "[" + type;
    if (type !== name) base += name === null ? " (null prototype)" : (" (" + name + ")");
    base += ": " + formatPrimitive({ ...ctx, compact: true }, primitive) + "]";
    return tag !== "" && tag !== name ? (base + " [" + tag + "]") : base;
  }

  function typedArrayShape(ctx, value, name, tag, keys, typedArray) {
    const n = value.length;
    const fallback = tag === "" ? "TypedArray" : tag;
    const open = prefix(name, tag, fallback, "(" + n + ")") + "[";
    if (n === 0 && keys.n === 0) return { __proto__: null, text: open + "]" };
    return {
      __proto__: null, open, close: "]", base: "", extras: kArrayExtras,
      entries: (out) => {
        const shown = n < ctx.maxArrayLength ? n : ctx.maxArrayLength;
        for (let i = 0; i < shown; i++) add(out, formatPrimitive(ctx, value[i]));
        more(out, n - shown);
      },
    };
  }

  function formatArray(ctx, value, out, depth) {
    const shown = value.length < ctx.maxArrayLength ? value.length : ctx.maxArrayLength;
    let i = 0;
    for (let n = 0; n < shown && i < value.length; n++) {
      if (getOwnPropertyDescriptor(value, "" + i) !== undefined) {
        add(out, formatProperty(ctx, value, depth, "" + i, kArray));
        i++;
        continue;
      }
      const from = i;
      i = nextIndex(value, i);
      add(out, "<" + (i - from) + " empty item" + (i - from > 1 ? "s" : "") + ">");
    }
    more(out, value.length - i);
  }

  // nextIndex skips a hole: the smallest index of an own element after i, or
  // the length. Large holes cost what the array has, not what it lacks.
  function nextIndex(value, i) {
    const limit = i + 1000 < value.length ? i + 1000 : value.length;
    for (i++; i < limit; i++) if (getOwnPropertyDescriptor(value, "" + i) !== undefined) return i;
    if (i >= value.length) return value.length;
    const keys = ownKeys(value); // integer keys come first, ascending
    for (let k = 0; k < keys.length; k++) {
      const index = +(typeof keys[k] === "string" ? keys[k] : NaN);
      if (index >= i && index < value.length) return index;
    }
    return value.length;
  }

  const more = (out, n) => { if (n > 0) add(out, "... " + n + " more item" + (n > 1 ? "s" : "")); };

  function formatSet(ctx, entries, out, depth) {
    const shown = entries.n < ctx.maxArrayLength ? entries.n : ctx.maxArrayLength;
    ctx.indent += 2;
    for (let i = 0; i < shown; i++) add(out, formatValue(ctx, entries[i], depth));
    more(out, entries.n - shown);
    ctx.indent -= 2;
  }

  function formatMap(ctx, entries, out, depth) {
    const n = entries.n / 2;
    const shown = n < ctx.maxArrayLength ? n : ctx.maxArrayLength;
    ctx.indent += 2;
    for (let i = 0; i < shown; i++) {
      add(out, formatValue(ctx, entries[2 * i], depth) + " => " + formatValue(ctx, entries[2 * i + 1], depth));
    }
    more(out, n - shown);
    ctx.indent -= 2;
  }

  function formatBuffer(ctx, value, out) {
    const bytes = new Uint8Array(value);
    const shown = bytes.length < ctx.maxArrayLength ? bytes.length : ctx.maxArrayLength;
    let text = "";
    for (let i = 0; i < shown; i++) text += (i === 0 ? "" : " ") + lowerHex[bytes[i] >> 4] + lowerHex[bytes[i] & 15];
    const rest = bytes.length - shown;
    if (rest > 0) text += " ... " + rest + " more byte" + (rest > 1 ? "s" : "");
    add(out, "[Uint8Contents]: <" + text + ">");
    add(out, "byteLength: " + formatNumber(bytes.length));
  }

  // ---- errors

  function formatError(ctx, error, name, tag, keys) {
    const d = load("describe_error").parts(error);
    for (let i = 0; i < 3; i++) removeKey(keys, errorFields[i], (v) => has(d.text, "" + v));
    const cause = getOwnPropertyDescriptor(error, "cause");
    if (cause !== undefined && !cause.enumerable) add(keys, "cause");
    const errors = getOwnPropertyDescriptor(error, "errors");
    if (errors !== undefined && isArray(errors.value) && !errors.enumerable) add(keys, "errors");
    let text = d.header;
    if (name !== null && d.type === "Error" && name !== "Error" && cut(text, 0, 5) === "Error") text = name + cut(text, 5);
    text = d.frames === "" ? ("[" + text + "]") : text + "\n" + d.frames;
    return ctx.indent === 0 ? text : indentLines(text, ctx.indent);

    function removeKey(keys, key, shown) {
      for (let i = 0; i < keys.n; i++) {
        if (keys[i] !== key) continue;
        const own = getOwnPropertyDescriptor(error, key);
        if (typeof own.value === "object" || typeof own.value === "symbol" || !shown(own.value)) return;
        for (; i < keys.n - 1; i++) keys[i] = keys[i + 1];
        keys.n--;
        return;
      }
    }
  }

  const errorFields = ["name", "message", "stack"];

  // ---- properties

  function propertyKeys(ctx, value) {
    const all = ownKeys(value);
    const keys = list();
    const indexed = isArray(value) || value instanceof TypedArray; // elements are no properties to list
    for (let i = 0; i < all.length; i++) {
      if (indexed && isIndex(all[i], value.length)) continue;
      if (ctx.showHidden) {
        add(keys, all[i]);
        continue;
      }
      const d = getOwnPropertyDescriptor(value, all[i]);
      if (d !== undefined && d.enumerable) add(keys, all[i]);
    }
    return keys;
  }

  // arrayKeys drops the indices (and length) from the keys of an array.
  function arrayKeys(keys, length) {
    let n = 0;
    for (let i = 0; i < keys.n; i++) if (!isIndex(keys[i], length)) keys[n++] = keys[i];
    keys.n = n;
  }

  const isIndex = (key, length) => typeof key === "string" && key[0] <= "9" && "" + (key >>> 0) === key && key >>> 0 < length;

  function formatProperty(ctx, value, depth, key, type) {
    const d = getOwnPropertyDescriptor(value, key) ?? { __proto__: null, value: value[key], enumerable: true };
    let text, extra = " ";
    if (d.get === undefined && d.set === undefined) {
      const indent = ctx.compact !== true || type !== kObject ? 2 : 3;
      ctx.indent += indent;
      text = formatValue(ctx, d.value, depth);
      if (indent === 3 && ctx.breakLength < text.length) extra = "\n" + repeat(" ", ctx.indent);
      ctx.indent -= indent;
    } else if (d.get !== undefined) text = d.set !== undefined ? "[Getter/Setter]" : "[Getter]";
    else text = "[Setter]";
    if (type === kArray) return text;
    let label;
    if (typeof key === "symbol") label = "[" + String(key) + "]";
    else if (key === "__proto__") label = "['__proto__']";
    else if (!d.enumerable) label = "[" + key + "]";
    else label = isIdentifier(key) ? key : quote(key);
    return label + ":" + extra + text;
  }

  // ---- the two entries

  const defaults = { showHidden: false, depth: 2, colors: false, customInspect: true, showProxy: false, maxArrayLength: 100, maxStringLength: 10000, breakLength: 80, compact: 3, sorted: false, getters: false };

  const optionNames = ownKeys(defaults);

  function context(options) {
    const ctx = { __proto__: null, ...defaults, user: options, entries: 0, seen: null, circular: list(), indent: 0, current: 0 };
    if (typeof options === "object" && options !== null) {
      for (let i = 0; i < optionNames.length; i++) if (options[optionNames[i]] !== undefined) ctx[optionNames[i]] = options[optionNames[i]];
    } else if (typeof options === "boolean") ctx.showHidden = options;
    if (ctx.depth === null) ctx.depth = Infinity;
    if (ctx.maxArrayLength === null) ctx.maxArrayLength = Infinity;
    if (ctx.maxStringLength === null) ctx.maxStringLength = Infinity;
    return ctx;
  }

  function inspect(value, options, depth) {
    if (typeof options === "boolean") options = { showHidden: options, depth };
    return formatValue(context(options), value, 0);
  }
  inspect.custom = customInspect;
  inspect.defaultOptions = defaults;

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
      return c === "j" ? "[Circular]" : formatValue(context(flat), v, 0);
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
            text += cut(first, from, i) + (c === "O" ? formatValue(context(options), args[next], 0) : safeDirective(c, args[next]));
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
      text += typeof args[i] === "string" ? args[i] : formatValue(context(options), args[i], 0);
    }
    return text;
  }

  const consoleOptions = { __proto__: null, depth: 4 };

  return {
    __proto__: null,
    inspect,
    quote,
    format: (args) => format(args, consoleOptions),
    formatWithOptions: format,
  };
});
