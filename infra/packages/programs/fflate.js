import { zipSync, unzipSync, gzipSync, gunzipSync, deflateSync, inflateSync, strToU8, strFromU8, zlibSync, unzlibSync } from "fflate";
export async function main() {
  const hex = (b) => Buffer.from(b).toString("hex"), mtime = new Date(2024, 0, 2, 3, 4, 6);
  const zip = zipSync({ "a.txt": strToU8("hello"), dir: { "中.txt": [strToU8("world ".repeat(50)), { level: 9 }] } }, { mtime });
  const files = unzipSync(zip);
  return [hex(zip), Object.keys(files), strFromU8(files["dir/中.txt"]).length, hex(gzipSync(strToU8("x"), { mtime: 0 })), strFromU8(gunzipSync(gzipSync(strToU8("round")))), strFromU8(inflateSync(deflateSync(strToU8("a".repeat(99))))).length, strFromU8(unzlibSync(zlibSync(strToU8("z"))))];
}
