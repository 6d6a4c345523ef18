// Makes keys.json anew: node testdata/crypto/keys.mjs, then golden.mjs. It needs Node and openssl. Besides keys and
// certificates it has what Node signs and encrypts differently each time, for the sandbox to verify and decrypt.
import c from "node:crypto";
import { execSync } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

const K = {};
const pkcs8 = { type: "pkcs8", format: "pem" }, spki = { type: "spki", format: "pem" };
const passphrase = "pass phrase";

for (const bits of [1024, 2048, 4096]) {
  const { publicKey, privateKey } = c.generateKeyPairSync("rsa", { modulusLength: bits });
  K[`rsa${bits}`] = privateKey.export(pkcs8);
  K[`rsa${bits}pub`] = publicKey.export(spki);
  if (bits === 4096) continue;
  K[`rsa${bits}pkcs1`] = privateKey.export({ type: "pkcs1", format: "pem" });
  K[`rsa${bits}pubpkcs1`] = publicKey.export({ type: "pkcs1", format: "pem" });
}

const small = c.createPrivateKey(K.rsa1024);
for (const cipher of ["aes-128-cbc", "aes-256-cbc", "des-ede3-cbc"]) {
  K[`enc8 ${cipher}`] = small.export({ ...pkcs8, cipher, passphrase });
  K[`enc1 ${cipher}`] = small.export({ type: "pkcs1", format: "pem", cipher, passphrase });
}

for (const [name, namedCurve] of [["p256", "P-256"], ["p384", "P-384"], ["p521", "P-521"], ["p224", "secp224r1"]]) {
  const { publicKey, privateKey } = c.generateKeyPairSync("ec", { namedCurve });
  K[name] = privateKey.export(pkcs8);
  K[`${name}sec1`] = privateKey.export({ type: "sec1", format: "pem" });
  K[`${name}pub`] = publicKey.export(spki);
}
K.encsec1 = c.createPrivateKey(K.p256).export({ type: "sec1", format: "pem", cipher: "aes-192-cbc", passphrase });
K.p256other = c.generateKeyPairSync("ec", { namedCurve: "P-256" }).publicKey.export(spki);
for (const type of ["ed25519", "x25519"]) {
  const { publicKey, privateKey } = c.generateKeyPairSync(type);
  K[type] = privateKey.export(pkcs8);
  K[`${type}pub`] = publicKey.export(spki);
  K[`${type}other`] = c.generateKeyPairSync(type).publicKey.export(spki);
}

// ---- certificates

const dir = mkdtempSync(join(tmpdir(), "keys"));
const run = (command) => execSync(command, { cwd: dir, stdio: "ignore" });
writeFileSync(join(dir, "ca.key"), K.rsa2048);
writeFileSync(join(dir, "leaf.key"), K.p256);
writeFileSync(join(dir, "leaf.ext"), `subjectAltName=DNS:shop.example.com,DNS:*.shop.example.com,IP:192.0.2.7,email:b@example.com,URI:https://example.com/x
keyUsage=digitalSignature,keyEncipherment
extendedKeyUsage=serverAuth,clientAuth
basicConstraints=CA:FALSE
authorityInfoAccess=OCSP;URI:http://ocsp.example.com/,caIssuers;URI:http://example.com/ca.crt
`);
run('openssl req -x509 -new -key ca.key -sha256 -days 7300 -subj "/C=CN/O=Example Payments/CN=Example CA" -out ca.crt');
run('openssl req -new -key leaf.key -subj "/C=CN/O=Shop/OU=One/CN=shop.example.com/emailAddress=a@example.com" -out leaf.csr');
run("openssl x509 -req -in leaf.csr -CA ca.crt -CAkey ca.key -set_serial 0x0a1b2c3d4e5f60718293 -days 7300 -sha256 -extfile leaf.ext -out leaf.crt");
K.ca = readFileSync(join(dir, "ca.crt"), "utf8");
K.leaf = readFileSync(join(dir, "leaf.crt"), "utf8");
rmSync(dir, { recursive: true });

// ---- signatures and encrypted texts

const data = Buffer.from("timestamp\nnonce\nbody\n");
K.signed = {};
const add = (name, bytes) => { K.signed[name] = bytes.toString("base64"); };
const pss = (hash, saltLength) => c.sign(hash, data, { key: K.rsa2048, padding: c.constants.RSA_PKCS1_PSS_PADDING, saltLength });
for (const hash of ["md5", "sha1", "sha256", "sha512"]) add(`pss ${hash}`, pss(hash));
add("pss digest", pss("sha256", -1));
add("pss 20", pss("sha256", 20));
add("pss 0", pss("sha256", 0));
for (const name of ["p256", "p384", "p521", "p224"]) {
  add(`${name} der`, c.sign("sha256", data, K[name]));
  add(`${name} raw`, c.sign("sha256", data, { key: K[name], dsaEncoding: "ieee-p1363" }));
}
add("oaep", c.publicEncrypt(K.rsa2048pub, data));
add("oaep sha256 label", c.publicEncrypt({ key: K.rsa2048pub, oaepHash: "sha256", oaepLabel: Buffer.from("label") }, data));
add("pkcs1", c.publicEncrypt({ key: K.rsa2048pub, padding: c.constants.RSA_PKCS1_PADDING }, data));
add("pkcs1 1024", c.publicEncrypt({ key: K.rsa1024pub, padding: c.constants.RSA_PKCS1_PADDING }, data));

writeFileSync(new URL("keys.json", import.meta.url), JSON.stringify(K, null, 1) + "\n");
