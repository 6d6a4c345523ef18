import jwt from "jsonwebtoken";
import { privateKey, publicKey } from "../keys.js";
export async function main() {
  const payload = { sub: "42", name: "李", iat: 1700000000 };
  const hs = jwt.sign(payload, "secret", { algorithm: "HS256", expiresIn: "1h" }), rs = jwt.sign(payload, privateKey, { algorithm: "RS256", keyid: "k1" });
  const caught = (f) => { try { return f(); } catch (e) { return `${e.name}: ${e.message}`; } };
  return [hs, rs, jwt.verify(rs, publicKey, { algorithms: ["RS256"] }), caught(() => jwt.verify(hs, "secret")), caught(() => jwt.verify(hs, "wrong")), caught(() => jwt.verify("x.y.z", "secret")), jwt.verify(hs, "secret", { clockTimestamp: 1700000001 }), jwt.decode(rs, { complete: true }).header, caught(() => jwt.verify(rs.slice(0, -4) + "AAAA", publicKey))];
}
