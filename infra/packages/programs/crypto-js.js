import CryptoJS from "crypto-js";
export async function main() {
  const key = CryptoJS.enc.Utf8.parse("0123456789abcdef"), iv = CryptoJS.enc.Utf8.parse("fedcba9876543210");
  const box = CryptoJS.AES.encrypt("付款 ok", key, { iv, mode: CryptoJS.mode.CBC, padding: CryptoJS.pad.Pkcs7 });
  const own = CryptoJS.AES.decrypt(CryptoJS.AES.encrypt("secret", "pass").toString(), "pass").toString(CryptoJS.enc.Utf8);
  return [CryptoJS.MD5("abc").toString(), CryptoJS.SHA256("abc").toString(CryptoJS.enc.Base64), CryptoJS.HmacSHA1("data", "key").toString(), box.toString(), CryptoJS.AES.decrypt(box, key, { iv }).toString(CryptoJS.enc.Utf8), own, CryptoJS.PBKDF2("pw", "salt", { keySize: 4, iterations: 10, hasher: CryptoJS.algo.SHA1 }).toString(), CryptoJS.TripleDES.encrypt("x", key, { iv }).toString(), CryptoJS.SHA3("a").toString(), CryptoJS.lib.WordArray.random(16).sigBytes];
}
