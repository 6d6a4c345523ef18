import NodeRSA from "node-rsa";
import { privateKey, publicKey } from "../keys.js";
export async function main() {
  const key = new NodeRSA(privateKey), open = new NodeRSA(publicKey);
  const signed = key.sign("data"), box = open.encrypt("付款", "base64"), pkcs = new NodeRSA(publicKey, { encryptionScheme: "pkcs1" }).encrypt("x", "base64");
  return [key.getKeySize(), key.isPrivate(), open.isPublic(true), key.decrypt(box, "utf8"), new NodeRSA(privateKey, "pkcs8-private-pem", { encryptionScheme: "pkcs1" }).decrypt(pkcs, "utf8"), new NodeRSA(privateKey, { signingScheme: "pkcs1-sha256" }).sign("data", "base64"), open.verify("data", signed), open.verify("other", signed), key.exportKey("pkcs8-public-pem").split("\n")[1]];
}
