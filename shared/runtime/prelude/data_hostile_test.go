package prelude_test

import (
	"encoding/json"
	"strings"
	"testing"
	"time"

	"minicloud/shared/sandbox"
)

// dataMain returns a function that runs code with zlib and TextDecoder and returns 1.
func dataMain(code string) string {
	return `exports.main = async () => { const z = require("zlib"), c = require("crypto"); ` + code + ` return 1 }`
}

// TestDataEndsInTime checks that endless compression and decoding stop at the run's time limit.
func TestDataEndsInTime(t *testing.T) {
	e := sandboxed(t)
	for what, code := range map[string]string{
		"compressing":           `const b = c.randomBytes(30 << 20); for (;;) z.deflateSync(b, { level: 9 });`,
		"unpacking":             `const b = z.gzipSync(Buffer.alloc(30 << 20)); for (;;) z.gunzipSync(b);`,
		"decoding":              `const b = Buffer.alloc(20 << 20, 0xd6), d = new TextDecoder("gbk"); for (;;) d.decode(b);`,
		"small ones":            `for (;;) z.gunzipSync(z.gzipSync("x"));`,
		"refusals":              `for (;;) try { z.inflateSync("junk") } catch {}`,
		"streamed bytes":        `const d = new TextDecoder("gb18030"); for (;;) d.decode(Uint8Array.of(0x81), { stream: true });`,
		"numbers":               `for (;;) new Intl.NumberFormat("zh-CN", { style: "currency", currency: "CNY" }).format(1234.5);`,
		"times in a zone":       `const f = new Intl.DateTimeFormat("en", { timeZone: "America/New_York", timeZoneName: "long" }); for (let i = 0; ; i++) f.format(i * 1e9);`,
		"comparisons":           `const f = new Intl.Collator("zh").compare, a = "重".repeat(20000) + "a", b = "重".repeat(20000) + "b"; for (;;) f(a, b);`,
		"texts that nest":       `const u = require("util"); let o = {}; for (let i = 0; i < 1e5; i++) o = { o }; for (;;) u.inspect(o, { depth: Infinity });`,
		"a decoder of pieces":   `const { StringDecoder } = require("string_decoder"), d = new StringDecoder(), b = Buffer.alloc(1 << 20, 0xf0); for (;;) d.write(b);`,
		"paths":                 `const p = require("path"), s = "../".repeat(1e5); for (;;) p.resolve(s, s);`,
		"escape sequences":      `const u = require("util"), s = "\u001b[".repeat(2e5); for (;;) u.stripVTControlCharacters(s);`,
		"queries":               `const q = require("querystring"), s = "a=%E4%B8&".repeat(1e5); for (;;) q.parse(s, "&", "=", { maxKeys: 0 });`,
		"events that never end": `const E = require("events"), e = new E(); e.on("x", () => {}); for (;;) e.emit("x");`,
	} {
		j := job(dataMain(code), nil)
		j.Timeout = 100 * time.Millisecond
		report := e.Run(j, silent{})
		if report.Outcome != sandbox.OutcomeDeadlineExceeded {
			t.Errorf("%s: %s %+v", what, report.Data, report.Error)
		}
	}
}

// TestDataStaysInMemory checks that results count as memory of the run and are freed when the last reference is
// gone.
func TestDataStaysInMemory(t *testing.T) {
	e := sandboxed(t)
	for what, code := range map[string]string{
		"10,000 labels":           `for (let i = 0; i < 1e4; i++) new TextDecoder(i % 2 ? "big5" : "shift_jis");`,
		"10,000 texts":            `const d = new TextDecoder("gbk"), b = Uint8Array.of(0xd6, 0xd0); for (let i = 0; i < 1e4; i++) d.decode(b);`,
		"5,000 refusals":          `for (let i = 0; i < 5e3; i++) try { z.inflateSync("junk") } catch {}`,
		"5,000 unpacked":          `const b = z.deflateSync("x"); for (let i = 0; i < 5e3; i++) z.inflateSync(b);`,
		"10,000 comparisons":      `const f = new Intl.Collator("zh").compare; for (let i = 0; i < 1e4; i++) f("重庆" + i, "北京");`,
		"10,000 random values":    `for (let i = 0; i < 1e4; i++) c.randomBytes(16);`,
		"10,000 comparisons of c": `const a = Buffer.alloc(32); for (let i = 0; i < 1e4; i++) c.timingSafeEqual(a, a);`,
		"a copy of 1 MB":          `Buffer.from(Buffer.alloc(1 << 20));`,
		"100 packed":              `for (let i = 0; i < 100; i++) z.gzipSync("x");`,
		"5 times 1 MB":            `for (let i = 0; i < 5; i++) z.gunzipSync(z.gzipSync(Buffer.alloc(1 << 20), { level: 1 }));`,
		"5 texts of 1 MB":         `const d = new TextDecoder("euc-kr"); for (let i = 0; i < 5; i++) d.decode(Buffer.alloc(1 << 20, 65));`,
	} {
		j := job(dataMain(code), nil)
		j.Memory = 8 << 20
		if report := e.Run(j, silent{}); string(report.Data) != "1" {
			t.Errorf("%s: %s %+v, %d bytes", what, report.Data, report.Error, report.Peak)
		}
	}

	for what, code := range map[string]string{
		"results that are kept": `const b = z.gzipSync(Buffer.alloc(4 << 20), { level: 1 }), all = []; for (;;) all.push(z.gunzipSync(b));`,
		"a bomb":                `const b = z.gzipSync(Buffer.alloc(14 << 20), { level: 1 }); const a = [z.gunzipSync(b), z.gunzipSync(b), z.gunzipSync(b)];`,
		"texts that are kept":   `const d = new TextDecoder("gbk"), all = []; for (;;) all.push(d.decode(Buffer.alloc(2 << 20, 65)));`,
	} {
		j := job(dataMain(code), nil)
		j.Memory = 32 << 20
		report := e.Run(j, silent{})
		if report.Error == nil || report.Error.Type != "MemoryError" || report.Peak > 33<<20 {
			t.Errorf("%s: %s %+v, %d MB", what, report.Data, report.Error, report.Peak>>20)
		}
	}
}

// TestDataRefusesHostileValues checks that hostile arguments, also those that change while they are read, are
// refused or handled, and that the run continues.
func TestDataRefusesHostileValues(t *testing.T) {
	e := sandboxed(t)
	code := `
		const z = require("zlib"), { StringDecoder } = require("string_decoder");
		const gone = new Uint8Array(16); structuredClone(gone.buffer, { transfer: [gone.buffer] });
		const shrunk = new ArrayBuffer(64, { maxByteLength: 1 << 20 }), tracking = new Uint8Array(shrunk), fixed = new Uint8Array(shrunk, 32, 32); shrunk.resize(16);
		const values = [gone, gone.buffer, tracking, fixed, new Proxy(new Uint8Array(16), {}), new Proxy({}, { get() { throw new Error("trap"); } }), { toString() { throw new Error("toString"); } }, { [Symbol.toPrimitive]() { throw new Error("primitive"); } },
			Object.create(Uint8Array.prototype), Object.create(Buffer.prototype), Object.setPrototypeOf(new Uint8Array(16), null), Object.defineProperty(new Uint8Array(16), "buffer", { value: 5 }), Object.defineProperty(new Uint8Array(16), "byteLength", { value: 1e9 }), new String("gbk"), [1, 2], 1e308, -0, NaN, 1n, Symbol("s"), null, undefined, () => {}, true, "\ud800", "x".repeat(1e5), "__proto__", "constructor"];
		let threw = 0, ran = 0;
		const go = (f) => { try { f(); ran++; } catch (e) { threw++; if (/null pointer|panic|runtime error|slice bounds/.test(String(e.message))) throw e; } };
		for (const v of values) {
			for (const name of ["gzip", "gunzip", "deflate", "inflate", "deflateRaw", "inflateRaw", "unzip"]) { go(() => z[name + "Sync"](v)); go(() => z[name + "Sync"]("x", v)); go(() => z[name](v, v)); go(() => z[name + "Sync"]("x", { level: v, dictionary: v, maxOutputLength: v, strategy: v, windowBits: v })); go(() => z["create" + name[0].toUpperCase() + name.slice(1)](v)); }
			go(() => z.crc32(v, v)); go(() => new TextDecoder(v)); go(() => new TextDecoder("gbk", v)); for (const label of ["gbk", "big5", "utf-8", "utf-16le", "utf-16be", "windows-1252"]) { go(() => new TextDecoder(label).decode(v)); go(() => new TextDecoder(label, { fatal: true }).decode(v, v)); go(() => new TextDecoder(label).decode(new Uint8Array(3), { get stream() { throw new Error("stream"); } })); }
			go(() => new TextEncoder().encodeInto("x".repeat(100), v)); go(() => new StringDecoder(v).write(v)); go(() => new StringDecoder("utf8").end(v));
			go(() => new Intl.Collator(v, v).compare(v, v)); go(() => new Intl.NumberFormat(v, v).format(v)); go(() => new Intl.DateTimeFormat(v, v).format(v)); go(() => new Intl.DateTimeFormat("en", { timeZone: v }).format(0)); go(() => new Intl.ListFormat("en", v).format(v)); go(() => new Intl.RelativeTimeFormat("en", v).format(v, v)); go(() => new Intl.PluralRules("en", v).select(v)); go(() => "a".localeCompare(v, v, v));
		}
		const huge = new Uint8Array(65 << 20);
		for (const name of ["gzipSync", "gunzipSync", "deflateSync", "inflateSync", "deflateRawSync", "inflateRawSync", "unzipSync"]) go(() => z[name](huge));
		go(() => new TextDecoder("gbk").decode(huge));
		// The bytes go away, or become fewer, while the options are read.
		for (const take of [(b) => structuredClone(b, { transfer: [b] }), (b) => b.resize(8)]) for (const name of ["deflateSync", "inflateSync", "gunzipSync"]) {
			const b = new ArrayBuffer(1 << 20, { maxByteLength: 1 << 20 }), data = new Uint8Array(b);
			go(() => z[name](data, { get level() { take(b); return 6; }, get maxOutputLength() { return 1e6; } }));
			const d = new ArrayBuffer(1 << 10, { maxByteLength: 1 << 10 });
			go(() => z[name]("x", { dictionary: new Uint8Array(d), get strategy() { take(d); return 0; }, get finishFlush() { return 4; } }));
		}
		Object.defineProperty(Array.prototype, 0, { set() { throw new Error("setter"); }, get() { return "RangeError"; }, configurable: true });
		Object.defineProperty(Object.prototype, "level", { get() { return 99; }, configurable: true });
		Object.prototype.stream = true;
		go(() => z.deflateSync("x")); go(() => z.inflateSync("junk")); go(() => new TextDecoder("gbk").decode(Uint8Array.of(0xd6)));
		delete Array.prototype[0]; delete Object.prototype.level; delete Object.prototype.stream;
		exports.main = async () => [threw > 500, ran > 100, z.gunzipSync(z.gzipSync("fine")).toString(), new TextDecoder("gbk").decode(Uint8Array.of(0xd6, 0xd0))];`
	report := e.Run(job(code, nil), silent{})
	if want := `[true,true,"fine","中"]`; string(report.Data) != want {
		t.Errorf("%s %+v", report.Data, report.Error)
	}
}

// TestErrorsHideSecrets checks that messages, stacks, properties and logs contain no refused keys, passwords or
// passphrases.
func TestErrorsHideSecrets(t *testing.T) {
	var keys map[string]any
	if err := json.Unmarshal([]byte(text(t, "testdata/crypto/keys.json")), &keys); err != nil {
		t.Fatal(err)
	}
	host := &logged{}
	report := sandboxed(t).Run(job(secretCalls, map[string]any{"keys": keys}), host)
	var said []string
	if err := json.Unmarshal(report.Data, &said); err != nil || len(said) < 150 {
		t.Fatal(len(said), err, report.Error)
	}

	all := host.text.String() + strings.Join(said, "\n")
	secrets := []string{
		"hunter2", "68756e74657232", "68 75 6e 74", "aHVudGVy", "1234567890987", "c2VjcmV0LWtleS1vZi0xNiE",
		"secret-key-of-16", "73656372", "73 65 63 72",
	}
	for name, key := range keys {
		pem, ok := key.(string)
		if !ok || strings.Contains(pem, "PUBLIC") || strings.Contains(pem, "CERTIFICATE") {
			continue
		}
		lines := strings.Split(strings.TrimSpace(pem), "\n")
		for _, line := range lines[len(lines)/2 : len(lines)-1] { // the first lines are equal in all keys
			secrets = append(secrets, line[:min(len(line), 20)])
		}
		if len(lines) < 3 {
			t.Error(name, "has no lines")
		}
	}

	for _, secret := range secrets {
		if at := strings.Index(all, secret); secret != "" && at >= 0 {
			t.Errorf("%q is told: %.200q", secret, all[max(0, at-80):])
		}
	}
}

// secretCalls passes secrets to every function that takes one, in a way that is refused.
const secretCalls = `exports.main = async ({ data }) => {
	const c = require("crypto"), s = c.subtle, util = require("util"), K = data.keys, said = [];
	const password = "hunter2-hunter2", number = 1234567890987, key = Buffer.from("secret-key-of-16"), text = key.toString();
	const tell = (e) => { console.log(e); console.error("failed", { e }); said.push([e.name, e.message, e.stack, String(e.cause), util.inspect(e, { showHidden: true, depth: 9 }), JSON.stringify(e, Object.getOwnPropertyNames(e))].join("\n")); };
	const no = async (...functions) => { for (const f of functions) try { await f(); said.push("nothing"); } catch (e) { tell(e); } };
	for (const secret of [password, number, text, key, BigInt(number)]) {
		await no(() => c.createHmac("no", secret), () => c.createCipheriv("aes-192-cbc", secret, key), () => c.createCipheriv("aes-128-cbc", secret, "x"), () => c.createDecipheriv("no", secret, secret), () => c.pbkdf2Sync(secret, secret, 1, 1, "no"), () => c.pbkdf2Sync(secret, "salt", -1, 1, "sha1"), () => c.scryptSync(secret, secret, 8, { N: 3 }), () => c.hkdfSync("no", secret, secret, secret, 1),
			() => c.timingSafeEqual(secret, "x"), () => c.timingSafeEqual(key, secret), () => c.createPrivateKey(secret), () => c.createPublicKey(secret), () => c.createPrivateKey({ key: secret, format: "der", type: "pkcs8" }), () => c.createPrivateKey({ key: secret, format: "jwk" }), () => c.createPrivateKey({ key: { kty: "oct", k: secret }, format: "jwk" }), () => c.createPrivateKey({ key: { kty: "EC", crv: "P-256", x: "AA", y: "AA", d: secret }, format: "jwk" }),
			() => c.createPrivateKey({ key: K["enc8 aes-128-cbc"], passphrase: secret }), () => c.createPrivateKey({ key: K["enc1 aes-256-cbc"], passphrase: secret }), () => c.createPrivateKey(K.rsa1024).export({ type: "pkcs8", format: "pem", cipher: "no", passphrase: secret }), () => c.createPrivateKey(K.rsa1024).export({ type: "pkcs8", format: "pem", passphrase: secret }), () => c.createSign("sha256").sign(secret), () => c.createSign("sha256").sign({ key: secret, passphrase: secret }), () => c.sign("sha256", key, secret), () => c.privateDecrypt(secret, key), () => c.publicEncrypt(secret, key),
			() => c.createECDH("prime256v1").setPrivateKey(secret instanceof Uint8Array ? Buffer.concat([key, key, key]) : secret), () => c.diffieHellman({ privateKey: secret, publicKey: secret }), () => new c.KeyObject("secret", secret),
			() => s.importKey("raw", secret, "AES-CBC", true, ["sign"]), () => s.importKey("jwk", { kty: "oct", k: secret, alg: "A128GCM" }, "AES-CBC", true, ["encrypt"]), () => s.importKey("pkcs8", secret, { name: "ECDSA", namedCurve: "P-256" }, true, ["sign"]), () => s.sign("HMAC", secret, key), () => s.deriveBits({ name: "PBKDF2", hash: "SHA-1", salt: key, iterations: 1 }, secret, 8));
	}
	for (const name in K) {
		if (typeof K[name] !== "string" || /PUBLIC|CERTIFICATE/.test(K[name])) continue;
		const pem = K[name], der = Buffer.from(pem.split("\n").filter((l) => !/[-:]/.test(l)).join(""), "base64");
		await no(() => c.createPrivateKey(pem.replace(/\n.{10}/, "\n")), () => c.createPrivateKey({ key: pem, format: "der", type: "pkcs8" }), () => c.createPrivateKey({ key: der.subarray(3), format: "der", type: "pkcs8" }), () => c.createPrivateKey({ key: pem, format: "jwk" }), () => c.createSign("no").sign(pem), () => c.createSign("sha256").sign({ key: pem, passphrase: "wrong", padding: 77 }), () => c.privateDecrypt({ key: pem, oaepHash: "no" }, key), () => new c.X509Certificate(pem), () => c.createHmac("sha256", { pem }), () => c.createCipheriv("aes-128-cbc", pem, key), () => s.importKey("pkcs8", der.subarray(1), { name: "RSA-PSS", hash: "SHA-1" }, true, ["sign"]), () => s.importKey("pkcs8", pem, { name: "RSA-PSS", hash: "SHA-1" }, true, ["sign"]));
	}
	const k = c.createSecretKey(key), p = c.createPrivateKey(K.rsa1024), w = await s.importKey("raw", key, "AES-CBC", true, ["encrypt"]);
	for (const o of [k, p, w, c.createHmac("sha1", key), c.createCipheriv("aes-128-cbc", key, key), c.createECDH("prime256v1"), c.createSign("sha1")]) { console.log(o, [o], { o }); said.push(util.inspect(o, { showHidden: true, depth: 9 }), JSON.stringify(o), String(o)); }
	return said;
}`
