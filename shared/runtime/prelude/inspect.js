// Text of any value, as Node's util.inspect writes it. It runs on values of
// hostile code, after hostile code: only syntax, captured primordials and
// null-prototype lists below, and no template literals: QuickJS makes them
// calls of String.prototype.concat.
(function (host, load, p) {
  "use strict";
  const { apply, ownKeys, getOwnPropertyDescriptor, getPrototypeOf, isArray } = p;
  const { Map, Set, Date, RegExp, Error, Promise, WeakMap, WeakSet, WeakRef, ArrayBuffer, DataView, Uint8Array, TypedArray, String } = p;
  const { list, add, sort, repeat, has, cut, quote, lowerHex, formatNumber, formatPrimitive, isIdentifier, indentLines, more, layout } = load("inspect_text");
  const customInspect = p.inspectSymbol;
  const tagSymbol = p.toStringTag;
  const none = [];
  const kObject = 0, kArray = 1, kArrayExtras = 2;
  const maxEntries = 20000; // of one whole inspect, so that a hostile breadth ends

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

  // ---- values

  function formatValue(ctx, value, depth, typedArray) {
    if ((typeof value !== "object" && typeof value !== "function") || value === null) return formatPrimitive(ctx, value);
    if (++ctx.entries > maxEntries) return "[...]";
    try {
      // A proxy is shown as its target, without asking its handler anything.
      for (let pair = proxyOf(value); pair !== undefined; pair = proxyOf(value)) {
        if (pair.length === 0) return "<Revoked Proxy>";
        if (ctx.showProxy) return formatProxy(ctx, pair, depth);
        value = pair[0];
      }
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

  const proxyOf = host.proxy ?? (() => undefined);

  function formatProxy(ctx, pair, depth) {
    if (depth > ctx.depth) return "Proxy [Array]";
    const output = list();
    ctx.indent += 2;
    for (let i = 0; i < 2; i++) add(output, formatValue(ctx, pair[i], depth + 1));
    ctx.indent -= 2;
    ctx.current = depth;
    return layout(ctx, output, "", "Proxy [", "]", kArrayExtras, depth + 1);
  }

  function formatCustom(ctx, value, depth, custom) {
    const options = { ...ctx.user, depth: ctx.depth === Infinity || ctx.depth === null ? ctx.depth : ctx.depth - depth, stylize: (s) => "" + s };
    const result = apply(custom, value, [options.depth, options, inspect]);
    if (result === value) return formatObject(ctx, value, depth);
    const text = typeof result === "object" ? formatValue(ctx, result, depth) : "" + result;
    return has(text, "\n") ? indentLines(text, ctx.indent) : text;
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
    const elements = output.n;
    for (let i = 0; i < keys.n; i++) add(output, formatProperty(ctx, value, depth + 1, keys[i], f.extras));
    if (ctx.sorted) sort(output, f.extras === kObject ? 0 : elements, output.n);
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
      return entries.n === 0 && keys.n === 0 ? done(open + "}") : braces(open, (out, d) => formatPairs(ctx, entries, out, d, (k, v) => k + " => " + v));
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
    const rest = iteratorRest(value);
    if (rest !== undefined) return iteratorShape(ctx, rest, tag, braces);
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

  const iteratorRest = host.iterator ?? (() => undefined);

  // iteratorShape lists what an iterator of a Map or a Set has left.
  function iteratorShape(ctx, rest, tag, braces) {
    const type = rest[0] ? "Set Iterator" : "Map Iterator";
    if (tag !== type) tag = tag === "" ? type : tag + "] [" + type;
    const entries = list();
    for (let i = 2; i < rest.length; i++) add(entries, rest[i]);
    if (!rest[1]) return braces("[" + tag + "] {", (out, d) => formatSet(ctx, entries, out, d));
    return braces("[" + cut(tag, 0, -8) + "Entries] {", (out, d) => formatPairs(ctx, entries, out, d, (k, v) => {
      const pair = list();
      add(pair, k);
      add(pair, v);
      return layout(ctx, pair, "", "[", "]", kArrayExtras, d - 1); // a pair is no level of its own
    }));
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

  function formatSet(ctx, entries, out, depth) {
    const shown = entries.n < ctx.maxArrayLength ? entries.n : ctx.maxArrayLength;
    ctx.indent += 2;
    for (let i = 0; i < shown; i++) add(out, formatValue(ctx, entries[i], depth));
    more(out, entries.n - shown);
    ctx.indent -= 2;
  }

  function formatPairs(ctx, entries, out, depth, pair) {
    const n = entries.n / 2;
    const shown = n < ctx.maxArrayLength ? n : ctx.maxArrayLength;
    ctx.indent += 2;
    for (let i = 0; i < shown; i++) {
      add(out, pair(formatValue(ctx, entries[2 * i], depth), formatValue(ctx, entries[2 * i + 1], depth)));
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
    const called = d.called, size = called.length;
    if (name !== null && name !== called && cut(called, -5) === "Error" && cut(text, 0, size) === called && getOwnPropertyDescriptor(error, "name") === undefined) {
      text = (has(name, called) ? name : name + " [" + called + "]") + cut(text, size); // a class that has not said its name
    }
    if (d.written) text = has(d.text, "\n    at ") ? d.text : "[" + d.text + "]";
    else text = d.frames === "" ? ("[" + text + "]") : text + "\n" + d.frames;
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

  // Elements are no properties to list, but asking for the keys makes a text of
  // every index: of long arrays that is not worth a name somebody hung on them.
  const longArray = 50000, longTypedArray = 1000;

  function propertyKeys(ctx, value) {
    const keys = list();
    const typed = value instanceof TypedArray, indexed = typed || isArray(value);
    if (indexed && value.length > (typed ? longTypedArray : longArray)) return keys;
    const all = ownKeys(value);
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
    } else if (d.get !== undefined && ctx.getters) {
      text = (d.set !== undefined ? "[Getter/Setter" : "[Getter") + gotten(ctx, value, d.get, depth);
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

  // gotten is what a getter gives, where options ask for it.
  function gotten(ctx, value, get, depth) {
    let got;
    try {
      got = apply(get, value, none);
    } catch (error) {
      return ": <Inspection threw (" + (error === null || error === undefined ? error : error.message) + ")>]";
    }
    ctx.indent += 2;
    const text = formatValue(ctx, got, depth);
    ctx.indent -= 2;
    return typeof got === "object" && got !== null ? "] " + text : ": " + text + "]";
  }

  // ---- options

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

  return { __proto__: null, inspect };
});
