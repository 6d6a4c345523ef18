import nacl from "tweetnacl";
export async function main() {
  const hex = (b) => Array.from(b, (x) => x.toString(16).padStart(2, "0")).join("");
  const seed = new Uint8Array(32).fill(9), keys = nacl.sign.keyPair.fromSeed(seed), text = new TextEncoder().encode("hello"), nonce = new Uint8Array(24).fill(3);
  const box = nacl.secretbox(text, nonce, seed), signature = nacl.sign.detached(text, keys.secretKey);
  return [hex(keys.publicKey), hex(signature), nacl.sign.detached.verify(text, signature, keys.publicKey), hex(box), new TextDecoder().decode(nacl.secretbox.open(box, nonce, seed)), nacl.secretbox.open(box, new Uint8Array(24), seed), hex(nacl.hash(text)), nacl.randomBytes(16).length];
}
