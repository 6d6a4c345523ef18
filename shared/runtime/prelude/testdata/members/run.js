// Runs a file of this folder's programs, in Node and in the sandbox, and returns [name, what it printed, what it
// called] of each member. member(name, f, …) prints what functions give or throw; K are the keys of ../crypto; hash
// shortens what is long. With trace, a list of modules, their functions are wrapped, so that a name must be called to
// count.
(async (source, require, K, trace) => {
  const results = [], named = new Set(), wrapped = new Set();
  let called = new Set();
  const start = setTimeout, stop = clearTimeout;

  // ---- text of values

  const ownText = JSON.stringify, { isView } = ArrayBuffer, { from, isBuffer } = Buffer, { getPrototypeOf, prototype: { toString } } = Object;
  const hex = (bytes) => from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString("hex");
  const text = (v, depth = 0) => {
    if (typeof v === "string") return ownText(v);
    if (typeof v === "bigint") return `${v}n`;
    if (Object.is(v, -0)) return "-0";
    if (typeof v === "function") return /^class/.test(Function.prototype.toString.call(v)) ? `class ${v.name}` : `function ${v.name}`;
    if (typeof v !== "object" || v === null) return String(v);
    if (v instanceof Error) return said(v);
    if (isBuffer(v)) return `<${hex(v)}>`;
    if (v instanceof ArrayBuffer) return `ArrayBuffer <${hex(new Uint8Array(v))}>`;
    if (isView(v)) return `${v.constructor.name} <${hex(v)}>`;
    if (v instanceof Date) return v.toISOString();
    if (depth > 6) return "…";
    const inner = (x) => text(x, depth + 1);
    if (Array.isArray(v)) return `[${v.map(inner).join(", ")}]`;
    if (v instanceof Map) return `Map {${[...v].map(([k, x]) => `${inner(k)} => ${inner(x)}`).join(", ")}}`;
    if (v instanceof Set) return `Set {${[...v].map(inner).join(", ")}}`;
    const plain = [Object.prototype, null].includes(getPrototypeOf(v));
    return plain ? `{${Object.keys(v).map((k) => `${k}: ${inner(v[k])}`).join(", ")}}` : toString.call(v);
  };
  const said = (e) => (e instanceof Error || typeof e?.message === "string" ? `${[e.name, e.code, e.errno].filter((x) => x !== undefined).join(" ")}: ${e.message}` : text(e));

  async function member(name, ...functions) {
    if (named.has(name)) throw new Error(`${name} is there twice`);
    named.add(name);
    called = new Set();
    let out = "";
    if (trace && name.endsWith(" streams")) functions = []; // streams call what is wrapped, too
    for (const f of functions) {
      let timer;
      const late = new Promise((_, reject) => { timer = start(reject, 30000, new Error("it gave nothing")); });
      try {
        out += `${text(await Promise.race([f(), late]))}\n`;
      } catch (e) {
        out += `! ${said(e)}\n`;
      }
      stop(timer);
    }
    results.push([name, out, [...called]]);
  }
  // later is what a function with a callback gives it.
  const later = (f) => new Promise((resolve) => f((...args) => resolve(args)));
  const wait = (emitter, event) => new Promise((resolve) => emitter.once(event, (...args) => resolve(args)));

  // ---- what was called

  const target = new WeakMap();
  function wrap(path, f) {
    wrapped.add(path);
    const proxy = new Proxy(f, {
      apply(_, self, args) { called.add(path); return Reflect.apply(f, self, args); },
      construct(_, args, as) { called.add(path); return Reflect.construct(f, args, as === proxy ? f : as); },
    });
    target.set(proxy, f);
    return proxy;
  }
  const seen = new Set(), streams = trace ? require("stream").Duplex.prototype : {};
  function wrapAll(path, object) {
    if (seen.has(object)) return;
    seen.add(object);
    for (const key of Object.getOwnPropertyNames(object)) {
      const d = Object.getOwnPropertyDescriptor(object, key);
      if (path.startsWith("crypto.") && key in streams) continue; // made when one is used as a stream
      if (key === "constructor" || key === "prototype" || d.get !== undefined && path !== "crypto" && path !== "zlib" && !/\.prototype$/.test(path)) continue;
      const full = `${path.replace(".prototype", "")}.${key}`;
      if (d.get !== undefined && /\.prototype$/.test(path)) {
        wrapped.add(full);
        if (d.configurable) Object.defineProperty(object, key, { ...d, get() { called.add(full); return Reflect.apply(d.get, this, []); } });
        continue;
      }
      const value = object[key];
      if (typeof value === "function" && !target.has(value)) {
        if (typeof value.prototype === "object" && value.prototype !== null && /^[A-Z]/.test(key)) {
          wrapAll(`${full}.prototype`, value.prototype);
          wrapAll(full, value);
        }
        if (d.configurable || d.writable) Object.defineProperty(object, key, { value: wrap(full, value), writable: true, configurable: d.configurable, enumerable: d.enumerable });
      }
    }
  }
  if (trace) {
    const skip = new Set(["assert", "events", "timers", "console", "process"]);
    for (const name of trace) if (!skip.has(name)) wrapAll(name, require(name));
    for (const [path, object] of [["fs.promises", require("fs").promises], ["path.win32", require("path").win32], ["util.types", require("util").types], ["crypto.subtle", getPrototypeOf(require("crypto").subtle)], ["Intl", Intl], ["process", process], ["stream.promises", require("stream").promises]]) if (object) wrapAll(path, object);
    for (const name of ["TextDecoder", "TextEncoder", "Headers", "Request", "Response", "FormData", "Blob"]) {
      const value = globalThis[name];
      if (typeof value !== "function") continue;
      wrapAll(`${name}.prototype`, value.prototype);
      globalThis[name] = wrap(name, value);
    }
    called = new Set();
  }

  const AsyncFunction = (async () => {}).constructor;
  await new AsyncFunction("member", "require", "K", "later", "wait", source)(member, require, K, later, wait);
  return { results, wrapped: [...wrapped] };
})
