import sm from "sm-crypto";
const { sm2, sm3, sm4 } = sm;
export async function main() {
  const privateKey = "3aeb2f2d6b0a7a0c1e0e2f3d4c5b6a798897a6b5c4d3e2f1a0b1c2d3e4f50617", key = "0123456789abcdeffedcba9876543210";
  const publicKey = sm2.getPublicKeyFromPrivateKey(privateKey), signature = sm2.doSignature("msg", privateKey);
  return [sm3("abc"), sm4.encrypt("hello", key), sm4.decrypt(sm4.encrypt("国密", key), key), publicKey, signature.length, sm2.doVerifySignature("msg", signature, publicKey)];
}
