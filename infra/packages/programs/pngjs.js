import { PNG } from "pngjs";
export async function main() {
  const png = new PNG({ width: 4, height: 3 });
  for (let i = 0; i < png.data.length; i++) png.data[i] = (i * 7) & 255;
  const bytes = PNG.sync.write(png), back = PNG.sync.read(bytes);
  const streamed = await new Promise((ok, no) => { const all = []; png.pack().on("data", (d) => all.push(d)).on("end", () => ok(Buffer.concat(all))).on("error", no); });
  const parsed = await new Promise((ok, no) => new PNG().parse(bytes, (e, d) => (e ? no(e) : ok(d))));
  return [back.width, back.height, [...back.data.subarray(0, 20)], parsed.data.equals(png.data), PNG.sync.read(streamed).data.equals(png.data), (() => { try { PNG.sync.read(Buffer.from("no")); } catch (e) { return e.message; } })(), bytes.subarray(0, 33).toString("hex")];
}
