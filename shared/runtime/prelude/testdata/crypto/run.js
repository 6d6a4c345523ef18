// Runs a line of this folder's programs, in Node and in the sandbox, and returns what it printed. c is the crypto
// module, show(f, …) prints what functions return or throw, K the keys of keys.json, B makes Buffers of hex.
(async (line, require, K) => {
  const c = require("crypto");
  let out = "";
  const text = (v) => {
    if (typeof v === "string") return v;
    if (v instanceof ArrayBuffer) return `ArrayBuffer ${Buffer.from(v).toString("hex")}`;
    if (ArrayBuffer.isView(v)) return `${v.constructor.name} ${Buffer.from(v.buffer, v.byteOffset, v.byteLength).toString("hex")}`;
    if (typeof v === "bigint") return `${v}n`;
    if (Array.isArray(v)) return `[${v.map(text).join(" ")}]`;
    if (typeof v === "object" && v !== null && (v.constructor === Object || Object.getPrototypeOf(v) === null)) return `{${Object.keys(v).map((k) => `${k}: ${text(v[k])}`).join(" ")}}`;
    if (typeof v === "function") return `function ${v.name}`;
    if (typeof v === "object" && v !== null) return Object.prototype.toString.call(v);
    return String(v);
  };
  const print = (...args) => { out += args.map(text).join(" ") + "\n"; };
  const thrown = (e) => print(...[e.name, e.code, e.message, e.library, e.reason].filter((part) => part !== undefined));
  const show = async (...functions) => {
    for (const f of functions) {
      try {
        print(await f());
      } catch (e) {
        thrown(e);
      }
    }
  };
  const later = (f) => new Promise((resolve) => f((...args) => { print(...args.map((a) => (a instanceof Error ? a.name + " " + a.message : a))); resolve(); }));
  const B = (hex) => Buffer.from(hex, "hex");
  try {
    await (0, eval)(`(async (c, print, show, later, K, B, require) => { ${line} })`)(c, print, show, later, K, B, require);
  } catch (e) {
    thrown(e);
  }
  return out;
})
