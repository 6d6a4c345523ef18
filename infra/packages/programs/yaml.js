import * as YAML from "yaml";
export async function main() {
  const doc = YAML.parseDocument("a: 1 # c\nb: [1, &x 2, *x]\n? q\n: !!set {z}\n"); doc.set("n", "新");
  return [YAML.parse("a: {b: 1}\nl:\n - x\n - 2024-01-02\ns: |\n  t\n  u\n"), YAML.stringify({ a: [1, { b: "x: y" }], d: null, t: "多\n行" }), String(doc), (() => { try { YAML.parse("a: [1"); } catch (e) { return [e.name, e.code, e.message]; } })()];
}
