import forge from "node-forge";
export async function main() {
  const md = forge.md.sha256.create(); md.update("abc");
  const cipher = forge.cipher.createCipher("AES-CBC", "0123456789abcdef"); cipher.start({ iv: "fedcba9876543210" }); cipher.update(forge.util.createBuffer("hello")); cipher.finish();
  const gcm = forge.cipher.createCipher("AES-GCM", "0123456789abcdef"); gcm.start({ iv: "123456789012", additionalData: "aad" }); gcm.update(forge.util.createBuffer("hello")); gcm.finish();
  const hmac = forge.hmac.create(); hmac.start("sha1", "key"); hmac.update("data");
  return [md.digest().toHex(), cipher.output.toHex(), gcm.output.toHex(), gcm.mode.tag.toHex(), hmac.digest().toHex(), forge.util.encode64("abc"), forge.pkcs5.pbkdf2("pw", "salt", 5, 16, "sha256") && forge.util.bytesToHex(forge.pkcs5.pbkdf2("pw", "salt", 5, 16)), forge.md.md5.create().update("a").digest().toHex(), forge.random.getBytesSync(16).length];
}
