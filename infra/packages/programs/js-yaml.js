import { load, dump, loadAll } from "js-yaml";
export async function main() {
  const caught = (f) => { try { return f(); } catch (e) { return `${e.name}: ${e.reason}`; } };
  return [load("a: 1\nb:\n  - x\n  - {c: 2, d: [1, 2]}\ne: 2024-01-01\nf: ~\ng: |\n  line\n  two\nh: &x 5\ni: *x\n"), dump({ a: [1, { b: "x: y" }], c: "中文", d: null, e: 1.5, f: "multi\nline" }), loadAll("a: 1\n---\nb: 2"), caught(() => load("a: [1")), dump({ z: 1, a: 2 }, { sortKeys: true, flowLevel: 0 })];
}
