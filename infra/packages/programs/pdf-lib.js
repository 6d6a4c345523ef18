import { PDFDocument, StandardFonts, rgb } from "pdf-lib";
export async function main() {
  const pdf = await PDFDocument.create(); pdf.setCreationDate(new Date(0)); pdf.setModificationDate(new Date(0));
  const page = pdf.addPage([200, 100]), font = await pdf.embedFont(StandardFonts.Helvetica);
  page.drawText("Hello", { x: 10, y: 50, font, size: 20, color: rgb(1, 0, 0) }); page.drawRectangle({ x: 1, y: 1, width: 5, height: 5 });
  const bytes = await pdf.save(), back = await PDFDocument.load(bytes);
  return [Buffer.from(bytes.subarray(0, 8)).toString("latin1"), back.getPageCount(), back.getPage(0).getSize(), font.widthOfTextAtSize("Hello", 20), bytes.length, (await pdf.saveAsBase64()).length];
}
