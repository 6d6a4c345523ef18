import { pinyin, customPinyin, match, html } from "pinyin-pro";
export async function main() {
  return [pinyin("汉语拼音"), pinyin("重庆银行行长", { toneType: "num", type: "array" }), pinyin("中国", { pattern: "first", toneType: "none" }), match("中文拼音", "zwp"), pinyin("𠮷野家 abc"), html("中"), (customPinyin({ 干一行: "gān yī háng" }), pinyin("干一行")), pinyin("绿", { v: true, toneType: "none" })];
}
