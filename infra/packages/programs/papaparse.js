import Papa from "papaparse";
export async function main() {
  const rows = []; Papa.parse("a,b\n1,2\n3,4", { header: true, step: (r) => rows.push(r.data) });
  return [Papa.parse('id,name\n1,"李, x"\n2,y', { header: true, dynamicTyping: true }).data, Papa.parse("a;b\n1;2").meta.delimiter, Papa.unparse([{ a: 1, b: 'x "y"' }, { a: 2, b: "z,w" }]), Papa.unparse({ fields: ["n"], data: [[1], [2]] }, { delimiter: "\t", newline: "\n" }), Papa.parse('a,"b').errors, rows];
}
