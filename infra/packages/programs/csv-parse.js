import { parse } from "csv-parse/sync";
import { parse as stream } from "csv-parse";
export async function main() {
  const text = 'id,name,note\n1,李,"a ""b"", c"\n2,Bob,\n';
  const caught = (f) => { try { return f(); } catch (e) { return e.code; } };
  const rows = await new Promise((done, fail) => stream(text, { columns: true }, (e, r) => (e ? fail(e) : done(r))));
  const seen = []; const p = stream({ delimiter: ";" }); p.on("readable", () => { for (let r; (r = p.read()) !== null;) seen.push(r); });
  const ended = new Promise((done) => p.on("end", done)); p.write("1;2\n3;"); p.write("4\n"); p.end(); await ended;
  return [parse(text, { columns: true }), parse(text, { from_line: 2, cast: true }), rows, seen, caught(() => parse("a,b\n1\n")), parse("\ufeffa\t1", { bom: true, delimiter: "\t" })];
}
