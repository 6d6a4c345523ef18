const c = require("crypto");
const names = "md5 sha1 sha224 sha256 sha384 sha512 RSA-MD5 RSA-SHA1 RSA-SHA224 RSA-SHA256 RSA-SHA384 RSA-SHA512".split(" ");
const long = Buffer.alloc(70001, "mini-program ");

for (const name of names) {
  await member(`crypto.createHash ${name}`,
    () => c.createHash(name).update("abc").digest(),
    () => c.createHash(name).digest("hex"),
    () => c.createHash(name.toLowerCase()).update(long).digest("base64"),
    () => c.createHash(name.toUpperCase()).update("中文").update(new Uint16Array([1, 2])).update("ff00", "hex").digest("base64url"),
    () => { const h = c.createHash(name); for (let i = 0; i < 300; i++) h.update(long.subarray(i, 3 * i)); return h.digest("hex"); },
    () => { const h = c.createHash(name).update("a"), k = h.copy(); return [h.update("b").digest("hex"), k.update("c").digest("hex")]; });
  await member(`crypto.createHmac ${name}`,
    () => c.createHmac(name, "key").update("abc").digest(),
    () => c.createHmac(name, "").digest("hex"),
    () => c.createHmac(name, Buffer.alloc(200, 1)).update(long).digest("base64"),
    () => c.createHmac(name, new Uint8Array(128)).update("中").update("文").digest("hex"),
    () => c.createHmac(name, c.createSecretKey(Buffer.from("secret"))).update(new DataView(new ArrayBuffer(5))).digest("base64url"));
  await member(`crypto.hash ${name}`, () => c.hash(name, "abc"), () => c.hash(name, Buffer.from("abc"), "base64"), () => c.hash(name, "", "buffer"));
}

await member("crypto.getHashes", () => names.filter((name) => !c.getHashes().includes(name)), () => c.getHashes().every((name) => c.createHash(name)));
await member("crypto.Hash.update", () => c.createHash("md5").update("").update(Buffer.alloc(0)).digest("hex"), () => c.createHash("md5").update("é", "latin1").digest("hex"), () => c.createHash("md5").update("é", "utf16le").digest("hex"),
  () => c.createHash("md5").update("YWJj", "base64").digest("hex"), () => c.createHash("md5").update("xyz", "hex").digest("hex"), () => c.createHash("md5").update(5), () => c.createHash("md5").update(null), () => c.createHash("md5").update(), () => c.createHash("md5").update({}), () => c.createHash("md5").update([1]), () => c.createHash("md5").update("a", "nope").digest("hex"),
  () => { const h = c.createHash("md5"); h.digest(); h.update("a"); });
await member("crypto.Hash.digest", () => ["hex", "base64", "base64url", "latin1", "binary", "buffer", undefined, "ucs2", "utf16le"].map((e) => c.createHash("md5").update("x").digest(e)), () => { const h = c.createHash("md5"); h.digest(); h.digest("hex"); }, () => c.createHash("md5").digest(5), () => c.createHash("md5").digest({ toString: () => "hex" }));
await member("crypto.Hash.copy", () => { const h = c.createHash("sha1"); h.digest(); h.copy(); }, () => c.createHash("sha1").update("a").copy().copy().digest("hex"), () => c.createHash("sha1").copy() instanceof c.Hash, () => c.createHash("sha1").copy({ outputLength: 20 }).digest("hex"));
await member("crypto.Hmac.update", () => c.createHmac("md5", "k").update("é", "latin1").digest("hex"), () => c.createHmac("md5", "k").update(5), () => { const h = c.createHmac("md5", "k"); h.digest(); h.update("a"); });
await member("crypto.Hmac.digest", () => ["hex", "base64", "base64url", "latin1", "buffer", undefined].map((e) => c.createHmac("md5", "k").update("x").digest(e)), () => { const h = c.createHmac("md5", "k").update("x"); return [h.digest("hex"), h.digest("hex"), h.digest()]; });
await member("crypto.Hash", () => new c.Hash("sha1").update("abc").digest("hex"), () => c.createHash("md5") instanceof c.Hash, () => c.createHash("md5") instanceof require("stream").Transform);
await member("crypto.Hmac", () => new c.Hmac("sha1", "k").update("abc").digest("hex"), () => c.createHmac("md5", "k") instanceof c.Hmac);
await member("crypto.createHash wrong", () => c.createHash("nope"), () => c.createHash(""), () => c.createHash(), () => c.createHash(null), () => c.createHash(Symbol.iterator), () => c.createHash("md5", { outputLength: 3 }), () => c.createHash("md5", { outputLength: 16 }).digest("hex"), () => c.createHash("md5", { outputLength: -1 }), () => c.createHash("md5", { outputLength: "x" }), () => c.createHash("shake128").update("a").digest("hex"), () => c.createHash("shake256", { outputLength: 7 }).update("a").digest("hex"));
await member("crypto.createHmac wrong", () => c.createHmac("nope", "k"), () => c.createHmac("md5"), () => c.createHmac("md5", 5), () => c.createHmac("md5", null), () => c.createHmac(5, "k"), () => c.createHmac("md5", c.createPublicKey(K.rsa1024pub)), () => c.createHmac("md5", c.createPrivateKey(K.rsa1024)));
await member("crypto.hash wrong", () => c.hash("nope", "a"), () => c.hash(5, "a"), () => c.hash("md5"), () => c.hash("md5", 5), () => c.hash("md5", "a", "nope"), () => c.hash("md5", "a", 5));
