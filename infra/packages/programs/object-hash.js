import hash from "object-hash";
export async function main() {
  return [hash({ b: 1, a: [1, "x", null] }), hash({ a: [1, "x", null], b: 1 }), hash([1, 2, 3], { algorithm: "md5" }), hash.MD5({ a: 1 }), hash(new Date(0)), hash(new Map([[1, 2]])), hash({ a: 1, b: 2 }, { excludeKeys: (k) => k === "b" }), hash("x", { encoding: "base64" }), hash(null)];
}
