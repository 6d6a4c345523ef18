package prelude_test

import (
	"encoding/json"
	"strings"
	"testing"
	"time"

	"minicloud/shared/runtime/engine"
	"minicloud/shared/runtime/prelude"
	"minicloud/shared/sandbox"
)

// TestCryptoEndsInTime checks that operations that would take hours end at the run's time limit inside the engine,
// without a kill of the process.
func TestCryptoEndsInTime(t *testing.T) {
	e := sandboxed(t)
	for what, code := range map[string]string{
		"pbkdf2":          `c.pbkdf2Sync("a", "b", 1e9, 64, "sha512")`,
		"pbkdf2 later":    `c.pbkdf2("a", "b", 1e9, 64, "sha512", () => {}); new Promise(() => {})`,
		"pbkdf2 long":     `c.pbkdf2Sync("a", "b", 10, 64 << 20, "sha1")`,
		"pbkdf2 caught":   `(() => { for (;;) try { c.pbkdf2Sync("a", "b", 1e9, 64, "sha512") } catch {} finally { c.randomBytes(1) } })()`,
		"scrypt":          `c.scryptSync("a", "b", 64, { N: 1024, r: 1, p: 4e3, maxmem: 2 ** 40 })`,
		"hashing forever": `(() => { const b = Buffer.alloc(60 << 20); for (;;) c.createHash("md5").update(b).digest() })()`,
		"many small":      `(() => { for (;;) c.createHmac("sha1", "k").update("x").digest() })()`,
		"generated keys":  `(() => { for (;;) c.generateKeyPairSync("rsa", { modulusLength: 4096 }) })()`,
		"passphrase":      `c.createPrivateKey({ key: slow(), format: "der", type: "pkcs8", passphrase: "x" })`,
		"random forever":  `(() => { for (;;) c.randomBytes(30 << 20) })()`,
	} {
		j := job(slowKey+`exports.main = async () => { const c = require("crypto"); return await `+code+` }`, nil)
		if strings.Contains(code, "; new Promise") {
			j = job(`exports.main = () => { const c = require("crypto"); `+code+` }`, nil)
		}
		j.Timeout = 150 * time.Millisecond
		report := e.Run(j, silent{})
		if report.Outcome != sandbox.OutcomeDeadlineExceeded {
			t.Errorf("%s: %s %+v", what, report.Data, report.Error)
		}
	}
}

// slowKey is an encrypted key whose passphrase derivation takes 2^31-1 rounds.
const slowKey = `function slow() {
	const { generateKeyPairSync } = require("crypto");
	const der = generateKeyPairSync("ed25519").privateKey.export({ type: "pkcs8", format: "der", cipher: "aes-128-cbc", passphrase: "x" });
	const at = der.indexOf(Buffer.from("02020800", "hex")); // an integer of two bytes: 2048 rounds
	const longer = Buffer.concat([der.subarray(0, at), Buffer.from("02047fffffff", "hex"), der.subarray(at + 4)]);
	for (const place of lengthsBefore(der, at)) longer[place] += 2;
	return longer;
}
// lengthsBefore are where the lengths of the sequences around a place stand.
function lengthsBefore(der, at) {
	const places = [];
	for (let i = 0; i < at;) {
		const long = der[i + 1] === 0x81 ? 1 : 0, size = der[i + 1 + long], end = i + 2 + long + size;
		if (der[i] === 0x30 && end > at) { places.push(i + 1 + long); i += 2 + long; } else i = end;
	}
	return places;
}
`

// TestCryptoStaysInMemory checks that memory in Go counts as memory of the run and is freed when the last reference
// is gone.
func TestCryptoStaysInMemory(t *testing.T) {
	e := sandboxed(t)
	fits := map[string]string{
		"10,000 hashes":          `for (let i = 0; i < 1e4; i++) c.createHash("sha256").update("x");`,
		"5,000 ciphers":          `for (let i = 0; i < 5e3; i++) c.createCipheriv("aes-128-gcm", key, key.subarray(4)).update("x");`,
		"10,000 random values":   `for (let i = 0; i < 1e4; i++) c.randomBytes(100);`,
		"30,000 keys in cycles":  `for (let i = 0; i < 3e4; i++) { const o = { k: c.createSecretKey(key) }; o.o = o; }`,
		"5,000 refusals":         `for (let i = 0; i < 5e3; i++) try { c.createCipheriv("no", key, key) } catch {}`,
		"1,000 keys read":        `const { publicKey } = c.generateKeyPairSync("ec", { namedCurve: "P-256", publicKeyEncoding: { type: "spki", format: "pem" } }); for (let i = 0; i < 1e3; i++) c.createPublicKey(publicKey);`,
		"one hash, 10,000 parts": `const h = c.createHash("sha1"); for (let i = 0; i < 1e4; i++) h.update("xxxxxxxxxx"); h.digest();`,
	}
	for what, code := range fits {
		j := job(cryptoMain(code), nil)
		j.Memory = 8 << 20
		if report := e.Run(j, silent{}); string(report.Data) != "1" {
			t.Errorf("%s: %s %+v, %d bytes", what, report.Data, report.Error, report.Peak)
		}
	}

	over := map[string]string{
		"hashes that are kept":  `const all = []; for (;;) all.push(c.createHash("sha256"));`,
		"keys that are kept":    `const all = []; for (;;) all.push(c.createSecretKey(Buffer.alloc(1 << 20)));`,
		"results that are kept": `const all = []; for (;;) all.push(c.randomBytes(1 << 20));`,
		"scrypt":                `c.scryptSync("a", "b", 64, { N: 2 ** 20, maxmem: 2 ** 40 });`,
	}
	for what, code := range over {
		j := job(cryptoMain(code), nil)
		j.Memory = 16 << 20
		report := e.Run(j, silent{})
		if report.Error == nil || report.Error.Type != "MemoryError" || report.Peak > 17<<20 {
			t.Errorf("%s: %s %+v, %d MB", what, report.Data, report.Error, report.Peak>>20)
		}
	}
}

// cryptoMain returns a function that runs code with crypto and returns 1.
func cryptoMain(code string) string {
	return `exports.main = async () => { const c = require("crypto"), key = Buffer.alloc(16); ` + code + ` return 1 }`
}

// TestCryptoRefusesHostileValues checks that hostile arguments are refused or handled, and that the run continues.
func TestCryptoRefusesHostileValues(t *testing.T) {
	e := sandboxed(t)
	code := `
		const c = require("crypto"), key = Buffer.alloc(16), iv = Buffer.alloc(16), pair = c.generateKeyPairSync("rsa", { modulusLength: 1024 });
		const gone = new Uint8Array(16); structuredClone(gone.buffer, { transfer: [gone.buffer] });
		const moved = new ArrayBuffer(16); moved.transfer?.();
		const shrunk = new ArrayBuffer(64, { maxByteLength: 1 << 20 }); const tracking = new Uint8Array(shrunk), fixed = new Uint8Array(shrunk, 32, 32), behind = new Uint8Array(shrunk, 40); shrunk.resize(16);
		const grown = new ArrayBuffer(1, { maxByteLength: 1 << 16 }); const wide = new Uint8Array(grown); grown.resize(1 << 16);
		const values = [gone, moved, tracking, fixed, behind, wide, new Proxy(new Uint8Array(16), {}), new Proxy({}, { get() { throw new Error("trap"); } }),
			{ toString() { throw new Error("toString"); } }, { [Symbol.toPrimitive]() { gone.x = 1; return "sha1"; } }, { get length() { throw new Error("length"); }, byteLength: 1e9 },
			Object.create(Uint8Array.prototype), Object.create(Buffer.prototype), Object.setPrototypeOf(new Uint8Array(16), null), Object.setPrototypeOf(new Uint8Array(16), Proxy.prototype ?? null), Object.defineProperty(new Uint8Array(16), "buffer", { value: 5 }),
			Object.create(c.KeyObject.prototype), Object.create(c.Hash.prototype), new String("sha1"), [1, 2], 1e308, -0, NaN, 1n, Symbol("s"), null, undefined, () => {}, true, "\ud800", "x".repeat(1e6), new Uint8Array(65 << 20)];
		let threw = 0, ran = 0;
		const go = (f) => { try { f(); ran++; } catch (e) { threw++; if (/trap|null pointer|panic|runtime error/.test(String(e.message)) && !/^(trap|toString|length)$/.test(e.message)) throw e; } };
		for (const v of values) {
			go(() => c.createHash(v)); go(() => c.createHash("sha1").update(v).digest(v)); go(() => c.createHmac("sha1", v).update(v).digest()); go(() => c.createHash("sha1", v)); go(() => c.createHash("sha1").update("x", v));
			go(() => c.createCipheriv("aes-128-cbc", v, iv).update(v)); go(() => c.createCipheriv("aes-128-cbc", key, v)); go(() => c.createCipheriv(v, key, iv)); go(() => c.createDecipheriv("aes-128-gcm", key, iv, v).setAAD(v)); go(() => c.createDecipheriv("aes-128-gcm", key, iv).setAuthTag(v));
			go(() => c.pbkdf2Sync(v, v, 1, 1, "sha1")); go(() => c.pbkdf2Sync("a", "b", v, v, v)); go(() => c.scryptSync(v, v, v, v)); go(() => c.hkdfSync("sha1", v, v, v, 5)); go(() => c.hkdfSync("sha1", "a", "b", "c", v)); go(() => c.randomFillSync(v)); go(() => c.randomInt(v)); go(() => c.timingSafeEqual(v, v)); go(() => c.createSecretKey(v)); go(() => c.hash("sha1", v, v));
			go(() => c.createPrivateKey(v)); go(() => c.createPublicKey({ key: v, format: v })); go(() => c.createPrivateKey({ key: v, format: "der", type: "pkcs8", passphrase: v })); go(() => c.createPublicKey({ key: v, format: "jwk" })); go(() => c.createPublicKey({ key: { kty: "RSA", n: v, e: v }, format: "jwk" }));
			go(() => c.createSign(v)); go(() => c.createSign("sha1").update(v).sign(v)); go(() => c.sign("sha1", v, v)); go(() => c.verify("sha1", v, pair.publicKey, v)); go(() => c.sign("sha1", iv, { key: pair.privateKey, padding: v, saltLength: v, dsaEncoding: v }));
			go(() => c.publicEncrypt(pair.publicKey, v)); go(() => c.privateDecrypt(v, v)); go(() => c.publicEncrypt({ key: pair.publicKey, padding: v, oaepHash: v, oaepLabel: v }, iv)); go(() => c.publicDecrypt({ key: pair.publicKey, padding: v }, v));
			go(() => c.generateKeyPairSync(v, v)); go(() => c.generateKeyPairSync("ec", { namedCurve: v })); go(() => c.createECDH(v)); go(() => c.createECDH("prime256v1").setPrivateKey(v)); go(() => c.createECDH("prime256v1").setPublicKey(v)); go(() => c.diffieHellman({ privateKey: v, publicKey: v })); go(() => pair.privateKey.export({ format: v, type: v, cipher: v, passphrase: v }));
			go(() => c.createHash.call(v, "sha1")); go(() => c.Hash.prototype.update.call(v, "x")); go(() => c.Cipheriv.prototype.final.call(v)); go(() => c.KeyObject.prototype.equals.call(v, v));
		}
		Object.defineProperty(Array.prototype, 0, { set() { throw new Error("setter"); }, get() { return "Error"; }, configurable: true });
		Object.defineProperty(Object.prototype, "message", { get() { return "polluted"; }, set() {}, configurable: true });
		go(() => c.createHash("nope")); go(() => c.createCipheriv("nope", key, iv)); go(() => c.createHash("sha1").update("x").digest());
		delete Array.prototype[0]; delete Object.prototype.message;
		exports.main = async () => [threw > 300, ran > 50, c.createHash("md5").update("").digest("hex")];`
	report := e.Run(job(code, nil), silent{})
	if want := `[true,true,"d41d8cd98f00b204e9800998ecf8427e"]`; string(report.Data) != want {
		t.Errorf("%s %+v", report.Data, report.Error)
	}
}

// TestCryptoKeepsBuffersOfArguments checks options whose getters detach a buffer that the call uses.
func TestCryptoKeepsBuffersOfArguments(t *testing.T) {
	e := sandboxed(t)
	code := `exports.main = async () => {
		const c = require("crypto"), data = new Uint8Array(1 << 20);
		const options = { get authTagLength() { try { structuredClone(data.buffer, { transfer: [data.buffer] }); } catch {} return 16; } };
		c.createCipheriv("aes-128-gcm", Buffer.alloc(16), data.subarray(0, 12), options);
		const key = new Uint8Array(16);
		c.createHmac("sha1", key, { get encoding() { structuredClone(key.buffer, { transfer: [key.buffer] }); return "hex"; } }).update("x").digest();
		return c.createHash("sha1").update(data).digest("hex") === c.createHash("sha1").digest("hex") || data.length;
	}`
	if report := e.Run(job(code, nil), silent{}); report.Error != nil && report.Error.Type != "TypeError" {
		t.Errorf("%s %+v", report.Data, report.Error)
	}
}

func TestCryptoFreesObjectsAfterRun(t *testing.T) {
	e := sandboxed(t)
	leave := job(cryptoMain(`globalThis.k = c.createSecretKey("secret", "utf8"); globalThis.h = c.createHash("sha1").update("x");`), nil)
	one := job(`exports.main = async () => 1`, nil)
	e.Run(one, silent{}) // compiles the function
	fresh := e.Run(one, silent{}).Peak
	for range 50 {
		if report := e.Run(leave, silent{}); string(report.Data) != "1" {
			t.Fatal(report.Error)
		}
	}
	if again := e.Run(one, silent{}).Peak; again != fresh {
		t.Errorf("a fresh run had %d bytes, has %d", fresh, again)
	}
}

// logged is a Host that records the log of a run.
type logged struct {
	silent
	text strings.Builder
}

func (l *logged) Log(level, text string) { l.text.WriteString(level + " " + text + "\n") }

// TestCryptoErrorsHideSecrets checks that messages and logs contain no keys or passwords.
func TestCryptoErrorsHideSecrets(t *testing.T) {
	e := sandboxed(t)
	code := `exports.main = async () => {
		const c = require("crypto"), secret = "correct horse battery", key = Buffer.from("0123456789abcdef");
		const k = c.createSecretKey(secret, "utf8"), h = c.createHmac("sha1", secret), s = c.createCipheriv("aes-128-cbc", key, key);
		console.log(k, h, s, c.createHash("sha1").update(secret), [k], JSON.stringify(k), String(k));
		const said = [];
		for (const f of [() => c.createCipheriv("aes-128-cbc", secret, key), () => c.createCipheriv("aes-256-gcm", key, secret), () => c.pbkdf2Sync(secret, secret, 1, 1, "no"), () => c.scryptSync(secret, secret, 1, { N: 3 }), () => c.timingSafeEqual(Buffer.from(secret), key), () => c.createDecipheriv("aes-128-gcm", key, key).setAuthTag(Buffer.from(secret)), () => c.hkdfSync("no", secret, secret, secret, 1)]) try { f(); said.push("nothing"); } catch (e) { said.push(e.stack + e.message); console.log(e); }
		return said;
	}`
	host := &logged{}
	report := e.Run(job(code, nil), host)
	if report.Error != nil {
		t.Fatal(report.Error)
	}

	var said []string
	if err := json.Unmarshal(report.Data, &said); err != nil {
		t.Fatal(err)
	}
	all := host.text.String() + strings.Join(said, "\n")
	for _, secret := range []string{"correct", "horse", "0123456789abcdef", "636f7272", "30 31 32", "Y29ycmVj"} {
		if strings.Contains(all, secret) {
			t.Errorf("%q is shown in:\n%s", secret, all)
		}
	}
	if strings.Contains(all, "nothing") {
		t.Errorf("something was not refused:\n%s", all)
	}
}

var _ engine.Host = (*logged)(nil)

// TestCryptoHidesTheHost checks that code cannot reach the host even if it replaces every builtin before crypto is
// loaded.
func TestCryptoHidesTheHost(t *testing.T) {
	marked := "(function (host) { " + prelude.MarkHost + "\nreturn (" + strings.TrimSuffix(strings.TrimSpace(
		prelude.Main()), ";") + ")(host); })"
	e, err := engine.New(engine.Options{Main: marked, Module: prelude.Module})
	if err != nil {
		t.Fatal(err)
	}
	defer e.Close()

	code := prelude.WrapEverything + `
	exports.main = async () => {
		const c = require("crypto"), s = c.subtle, key = Buffer.alloc(16), data = new Uint8Array(3);
		const h = c.createHash("sha1"); h.update("x").copy().digest("hex"); c.createHmac("md5", key).update("x", "latin1").digest();
		const e = c.createCipheriv("aes-128-gcm", key, key); e.setAAD(data); e.update("x", "utf8", "base64"); e.final(); const d = c.createDecipheriv("aes-128-gcm", key, key); d.setAuthTag(e.getAuthTag());
		const pair = c.generateKeyPairSync("rsa", { modulusLength: 1024 }), ec = c.generateKeyPairSync("ec", { namedCurve: "P-256" });
		c.createPublicKey(pair.publicKey.export({ type: "spki", format: "pem" })); pair.privateKey.export({ format: "jwk" }); pair.publicKey.equals(ec.publicKey); ec.publicKey.asymmetricKeyDetails;
		c.verify("sha256", data, pair.publicKey, c.sign("sha256", data, pair.privateKey)); c.createSign("sha1").update("x").sign(ec.privateKey, "hex"); c.privateDecrypt(pair.privateKey, c.publicEncrypt(pair.publicKey, data));
		c.createECDH("prime256v1").generateKeys("hex"); c.diffieHellman(ec.constructor === 1 ? {} : { privateKey: ec.privateKey, publicKey: ec.publicKey });
		c.pbkdf2Sync("a", "b", 2, 8, "sha1"); c.scryptSync("a", "b", 8); c.hkdfSync("sha1", "a", "b", "c", 8); c.randomBytes(3); c.randomInt(10); c.randomFillSync(data); c.randomUUID(); c.timingSafeEqual(data, data);
		const k = await s.importKey("raw", key, { name: "HMAC", hash: "SHA-1" }, true, ["sign"]); await s.sign("HMAC", k, data); await s.exportKey("jwk", k); await s.digest("SHA-256", data);
		const g = await s.generateKey({ name: "AES-CTR", length: 128 }, false, ["encrypt"]); await s.encrypt({ name: "AES-CTR", counter: key, length: 64 }, g, data);
		for (const f of [() => c.createHash("no"), () => c.createCipheriv("no", key, key), () => c.createPrivateKey("x"), () => new c.X509Certificate("x")]) try { f(); } catch {}
		return stolen.length === 0 ? "nothing" : stolen.join();
	}`
	if report := e.Run(job(code, nil), silent{}); string(report.Data) != `"nothing"` {
		t.Errorf("user code saw the host: %s %+v", report.Data, report.Error)
	}
}

// TestSubtleRefusesHostileValues checks that hostile arguments are refused or handled, and that the run continues.
func TestSubtleRefusesHostileValues(t *testing.T) {
	e := sandboxed(t)
	code := `
		const s = require("crypto").subtle, key = new Uint8Array(16);
		const gone = new Uint8Array(16); structuredClone(gone.buffer, { transfer: [gone.buffer] });
		const values = ["raw", "jwk", "HMAC", "SHA-1", gone, new Proxy(key, {}), new Proxy({}, { get() { throw new Error("trap"); } }), { name: "AES-CBC", get iv() { throw 1; } }, { name: "AES-CTR", counter: key, length: 1e9 }, { name: "AES-GCM", iv: key, tagLength: -8 }, { name: "PBKDF2", hash: "SHA-1", salt: key, iterations: -1 }, { name: "PBKDF2", hash: "SHA-1", salt: key, iterations: "x" }, { name: "RSA-OAEP", hash: "SHA-1" }, { name: "ECDSA", namedCurve: "P-256", hash: "SHA-1" }, { name: "HMAC", hash: { name: "SHA-1" }, length: 1e15 }, { kty: "RSA", n: "AA", e: "AA" }, null, undefined, 5, "AES-CBC", "x".repeat(1e5), [], Symbol("s"), 1n, () => {}];
		exports.main = async () => {
			const keys = [await s.importKey("raw", key, "AES-CBC", true, ["encrypt", "decrypt", "wrapKey"]), await s.importKey("raw", key, "AES-GCM", true, ["encrypt", "decrypt"]), await s.importKey("raw", key, "AES-CTR", true, ["encrypt"]), await s.importKey("raw", key, { name: "HMAC", hash: "SHA-1" }, true, ["sign", "verify"]), await s.importKey("raw", key, "PBKDF2", false, ["deriveBits", "deriveKey"]), (await s.generateKey({ name: "ECDSA", namedCurve: "P-256" }, true, ["sign"])).privateKey, {}, Object.create(Object.getPrototypeOf(await s.importKey("raw", key, "HKDF", false, ["deriveBits"])))];
			let ran = 0, threw = 0;
			for (const v of values) for (const k of keys) for (const f of [() => s.encrypt(v, k, key), () => s.decrypt(v, k, v), () => s.sign(v, k, v), () => s.verify(v, k, v, v), () => s.deriveBits(v, k, 128), () => s.deriveBits(v, k, v), () => s.deriveKey(v, k, v, true, ["encrypt"]), () => s.digest(v, v), () => s.importKey("raw", v, v, true, v), () => s.importKey("jwk", v, v, true, ["sign"]), () => s.exportKey(v, k), () => s.generateKey(v, true, v), () => s.wrapKey("raw", k, k, v), () => s.unwrapKey("jwk", v, k, v, v, true, ["sign"])]) {
				try { await f(); ran++; } catch { threw++; }
			}
			return [ran > 5, threw > 1000, ran + threw];
		}`
	if report := e.Run(job(code, nil), silent{}); !strings.HasPrefix(string(report.Data), `[true,true,`) {
		t.Errorf("%s %+v", report.Data, report.Error)
	}
}
