// esbuild: --main-fields=browser,module,main --conditions=browser
import * as XLSX from "xlsx";
export async function main() {
  const sheet = XLSX.utils.json_to_sheet([{ 名: "李", n: 1, d: new Date(Date.UTC(2024, 0, 2)) }, { 名: "王", n: 2.5 }]), book = XLSX.utils.book_new();
  XLSX.utils.book_append_sheet(book, sheet, "表");
  const bytes = XLSX.write(book, { type: "buffer", bookType: "xlsx", compression: true }), again = XLSX.read(bytes, { type: "buffer" });
  const base64 = XLSX.write(book, { type: "base64", bookType: "xlsx" });
  return [again.SheetNames, XLSX.utils.sheet_to_json(again.Sheets["表"]), XLSX.utils.sheet_to_csv(again.Sheets["表"]), XLSX.read(base64, { type: "base64" }).SheetNames, again.Sheets["表"]["!ref"], XLSX.write(book, { type: "string", bookType: "csv" }), XLSX.utils.format_cell({ t: "n", v: 1234.5, z: "#,##0.00" }), XLSX.utils.encode_cell({ r: 4, c: 27 }), bytes.length > 1000, XLSX.utils.sheet_to_html(sheet).length > 100];
}
