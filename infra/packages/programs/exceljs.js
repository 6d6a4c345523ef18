// esbuild: --main-fields=browser,module,main --conditions=browser
import ExcelJS from "exceljs";
export async function main() {
  const book = new ExcelJS.Workbook(); book.created = new Date(0); book.modified = new Date(0);
  const sheet = book.addWorksheet("表"); sheet.columns = [{ header: "名", key: "n", width: 10 }, { header: "数", key: "v" }];
  sheet.addRow({ n: "李", v: 1.5 }); sheet.addRow({ n: "王", v: { formula: "B2*2", result: 3 } }); sheet.getCell("A1").font = { bold: true };
  const bytes = await book.xlsx.writeBuffer(), back = new ExcelJS.Workbook(); await back.xlsx.load(bytes);
  const s = back.getWorksheet("表"), rows = []; s.eachRow((r) => rows.push(r.values.slice(1)));
  return [rows, s.getCell("A1").font.bold, s.rowCount, (await book.csv.writeBuffer()).toString(), Buffer.isBuffer(bytes)];
}
