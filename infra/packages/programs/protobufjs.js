import protobuf from "protobufjs";
export async function main() {
  const root = protobuf.parse(`syntax = "proto3"; package p; enum Kind { A = 0; B = 1; } message Row { int32 id = 1; string name = 2; repeated double xs = 3; Kind kind = 4; map<string, int64> m = 5; bytes raw = 6; }`).root, Row = root.lookupType("p.Row");
  const bytes = Row.encode(Row.create({ id: 7, name: "李", xs: [1.5, -2], kind: 1, m: { a: 5 }, raw: Buffer.from([1, 2]) })).finish();
  return [Buffer.from(bytes).toString("hex"), Row.toObject(Row.decode(bytes), { enums: String, longs: String, bytes: String }), Row.verify({ id: "x" }), Row.verify({ id: 1 }), JSON.stringify(Row.fromObject({ id: 3, kind: "B" })), root.lookupEnum("p.Kind").values, protobuf.util.base64.encode(bytes, 0, 4)];
}
