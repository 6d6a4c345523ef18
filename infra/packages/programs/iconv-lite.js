import iconv from "iconv-lite";
export async function main() {
  const hex = (b) => Buffer.from(b).toString("hex");
  return [hex(iconv.encode("中文 abc €", "gbk")), iconv.decode(Buffer.from("d6d0cec4", "hex"), "gb2312"), hex(iconv.encode("繁體", "big5")), iconv.decode(Buffer.from("93fa967b", "hex"), "Shift_JIS"), hex(iconv.encode("한글", "euc-kr")), hex(iconv.encode("é", "win1252")), iconv.encodingExists("gb18030"), iconv.encodingExists("nope"), hex(iconv.encode("𠀀", "gb18030")), iconv.decode(iconv.encode("héllo", "utf16"), "utf16"), hex(iconv.encode("a", "utf8", { addBOM: true }))];
}
