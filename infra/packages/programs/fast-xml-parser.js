import { XMLParser, XMLBuilder, XMLValidator } from "fast-xml-parser";
export async function main() {
  const xml = `<xml><code><![CDATA[OK]]></code><fee>101</fee><list a="1"><i>x</i><i>y &lt; z</i></list><e/></xml>`;
  return [new XMLParser().parse(xml), new XMLParser({ ignoreAttributes: false, attributeNamePrefix: "@", cdataPropName: "__cdata" }).parse(xml), new XMLBuilder({ format: true, ignoreAttributes: false }).build({ a: { "@_id": 1, b: ["x", "y<"] } }), XMLValidator.validate("<a><b></a>"), XMLValidator.validate(xml), new XMLParser({ parseTagValue: false, isArray: (n) => n === "fee" }).parse(xml)];
}
