import { parseStringPromise, Builder, parseString } from "xml2js";
export async function main() {
  const xml = `<?xml version="1.0"?><xml><return_code><![CDATA[SUCCESS]]></return_code><total_fee>101</total_fee><list a="1"><i>x</i><i>y &amp; z</i></list></xml>`;
  const caught = await parseStringPromise("<a><b></a>").catch((e) => e.message.split("\n")[0]);
  let sync; parseString("<a>1</a>", (e, r) => { sync = r; });
  return [await parseStringPromise(xml), await parseStringPromise(xml, { explicitArray: false, mergeAttrs: true, trim: true }), new Builder({ rootName: "xml", cdata: true, headless: true }).buildObject({ appid: "wx1", body: "a<b", n: 5 }), caught, sync];
}
