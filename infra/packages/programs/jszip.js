import JSZip from "jszip";
export async function main() {
  const zip = new JSZip(); zip.file("a.txt", "hello ".repeat(50), { date: new Date(0) }); zip.folder("d").file("中.bin", new Uint8Array([1, 2, 3]), { date: new Date(0) });
  const bytes = await zip.generateAsync({ type: "nodebuffer", compression: "DEFLATE" }), back = await JSZip.loadAsync(bytes);
  const streamed = await new Promise((ok, no) => { const all = []; zip.generateNodeStream({ streamFiles: true }).on("data", (d) => all.push(d)).on("end", () => ok(Buffer.concat(all))).on("error", no); });
  return [Object.keys(back.files), await back.file("a.txt").async("string"), [...(await back.file("d/中.bin").async("uint8array"))], Object.keys((await JSZip.loadAsync(streamed)).files), await (await JSZip.loadAsync(await zip.generateAsync({ type: "base64" }), { base64: true })).file("a.txt").async("text"), JSZip.support.nodebuffer, JSZip.support.blob];
}
