import { v1, v3, v4, v5, v7, validate, version, parse, stringify, NIL } from "uuid";
export async function main() {
  const id = v4();
  return [v5("hello", v5.DNS), v3("hello", v3.URL), validate(id), version(id), version(v7()), version(v1()), new Set(Array.from({ length: 100 }, () => v4())).size, stringify(parse("9b1deb4d-3b7d-4bad-9bdd-2b0d7b3dcb6d")), validate("x"), NIL, v4({ random: new Uint8Array(16).fill(7) })];
}
