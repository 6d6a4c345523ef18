import qs from "qs";
export async function main() {
  return [qs.parse("a[b][c]=1&d[]=x&d[]=y&e=%E4%B8%AD"), qs.stringify({ a: { b: [1, 2] }, c: "中 文", d: null }), qs.stringify({ a: [1, 2] }, { arrayFormat: "repeat" }), qs.stringify({ a: [1, 2] }, { indices: false, encode: false }), qs.parse("a.b=1", { allowDots: true }), qs.parse("__proto__[x]=1"), qs.stringify({ d: new Date(0) }), qs.parse("a=1;b=2", { delimiter: ";" }), qs.parse("x=%A7", { charset: "iso-8859-1" })];
}
