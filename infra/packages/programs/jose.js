import { SignJWT, jwtVerify, importPKCS8, importSPKI, base64url, decodeJwt, calculateJwkThumbprint, createLocalJWKSet } from "jose";
import { privateKey, publicKey } from "../keys.js";
export async function main() {
  const secret = new TextEncoder().encode("0123456789abcdef0123456789abcdef");
  const hs = await new SignJWT({ a: 1 }).setProtectedHeader({ alg: "HS256" }).setIssuedAt(1700000000).setIssuer("me").sign(secret);
  const rs = await new SignJWT({ b: 2 }).setProtectedHeader({ alg: "RS256" }).setSubject("you").sign(await importPKCS8(privateKey, "RS256"));
  const caught = async (p) => { try { return (await p).payload; } catch (e) { return `${e.code}: ${e.message}`; } };
  return [hs, rs, await caught(jwtVerify(hs, secret, { issuer: "me" })), await caught(jwtVerify(rs, await importSPKI(publicKey, "RS256"))), await caught(jwtVerify(hs, secret, { issuer: "you" })), await caught(jwtVerify(hs.slice(0, -3) + "AAA", secret)), base64url.encode("héllo"), decodeJwt(hs), await calculateJwkThumbprint({ kty: "oct", k: "AAAA" }), typeof createLocalJWKSet];
}
