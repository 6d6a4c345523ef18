import * as pako from "pako";
export async function main() {
  const hex = (b) => Buffer.from(b).toString("hex"), text = "hello hello hello 你好";
  const caught = (f) => { try { return f(); } catch (e) { return String(e.message ?? e); } };
  const bytes = new TextEncoder().encode(text), back = (b) => new TextDecoder().decode(b);
  return [hex(pako.deflate(bytes)), back(pako.inflate(pako.deflate(bytes))), hex(pako.deflateRaw(bytes, { level: 9 })), back(pako.ungzip(pako.gzip(bytes))), caught(() => pako.inflate(new Uint8Array([1, 2, 3]))), pako.gzip(bytes).length, back(pako.inflateRaw(pako.deflateRaw(bytes)))];
}
