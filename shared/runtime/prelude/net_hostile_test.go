package prelude_test

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"minicloud/shared/sandbox"
)

// TestNetSurvivesHostileUse checks that hostile use of requests, zlib and files ends in time and within the memory
// limit.
func TestNetSurvivesHostileUse(t *testing.T) {
	e, base := sandboxed(t), world(t)
	for what, code := range map[string]string{
		"1,000 requests made":            `const http = require("http"); for (let i = 0; i < 1e3; i++) { const r = http.request(base); r.on("error", () => {}); r.destroy(); if (i % 200 === 0) await null; }`,
		"5,000 Headers":                  `for (let i = 0; i < 5e3; i++) new Headers({ a: "1" }).append("b", "2");`,
		"a header of 1 MB":               `await fetch(base + "/echo", { headers: { a: "x".repeat(1 << 20) } }).catch(() => {});`,
		"10,000 headers":                 `const h = new Headers(); for (let i = 0; i < 1e4; i++) h.append("a" + i, "b"); [...h];`,
		"an answer of 6 MB":              `await fetch(base + "/big?n=" + (6 << 20)).then(() => { throw new Error("it came"); }, (e) => { if (!e.cause.message.includes("over")) throw e; });`,
		"polluted prototypes":            `const { prototype: o } = Object; o.get = o.value = () => 1; o.url = "http://x"; o.headers = { evil: "1" }; o.redirect = "error"; try { await (await fetch(base + "/json", { __proto__: null })).json(); await BaaS.request(base + "/json"); } catch {} finally { for (const n of ["get", "value", "url", "headers", "redirect"]) delete o[n]; }`,
		"patched methods":                `Array.prototype.push = Map.prototype.get = String.prototype.replace = () => { throw new Error("mine"); }; try { await fetch(base); } catch {} try { await BaaS.request(base); } catch {}`,
		"a body that never ends":         `await fetch(base, { method: "POST", duplex: "half", body: (async function* () { for (let i = 0; i < 200; i++) yield new Uint8Array(1 << 10); throw new Error("end"); })() }).catch(() => {});`,
		"a hostile iterable":             `try { new Headers({ [Symbol.iterator]() { throw new Error("mine"); } }); } catch {} try { new Blob({ *[Symbol.iterator]() { yield { toString() { throw new Error("mine"); } }; } }); } catch {}`,
		"2,000 small brotli":             `const z = require("zlib"), p = z.brotliCompressSync("x", { params: { 1: 1 } }); for (let i = 0; i < 2e3; i++) z.brotliDecompressSync(p);`,
		"2,000 refusals of brotli":       `const z = require("zlib"); for (let i = 0; i < 2e3; i++) try { z.brotliDecompressSync("hello world"); } catch {}`,
		"5,000 files opened":             `const fs = require("fs"); for (let i = 0; i < 5e3; i++) fs.closeSync(fs.openSync("/tmp/a", "w"));`,
		"descriptors without end":        `const fs = require("fs"); let n = 0; try { for (;; n++) fs.openSync("/tmp/a", "w"); } catch (e) { if (e.code !== "EMFILE" || n !== 1024) throw e; }`,
		"5,000 short writes":             `const fs = require("fs"), d = fs.openSync("/tmp/a", "w"); for (let i = 0; i < 5e3; i++) fs.writeSync(d, "0123456789"); if (fs.fstatSync(d).size !== 5e4) throw new Error();`,
		"5,000 appends":                  `const fs = require("fs"); for (let i = 0; i < 5e3; i++) fs.appendFileSync("/tmp/a", "0123456789"); if (fs.statSync("/tmp/a").size !== 5e4) throw new Error();`,
		"a file as long as one writes":   `const fs = require("fs"), d = fs.openSync("/tmp/a", "w"); try { fs.writeSync(d, "x", 2 ** 40); throw 1; } catch (e) { if (e.code !== "ENOSPC") throw e; } try { fs.ftruncateSync(d, 2 ** 30); throw 1; } catch (e) { if (e.code !== "ENOSPC") throw e; }`,
		"16 MB, and no more":             `const fs = require("fs"), b = Buffer.alloc(1 << 20), d = fs.openSync("/tmp/a", "w"); for (let i = 0; i < 16; i++) fs.writeSync(d, b); try { fs.writeSync(d, "x"); throw 1; } catch (e) { if (e.code !== "ENOSPC") throw e; }`,
		"a stream of files of 1 MB":      `const fs = require("fs"), z = require("zlib"), { pipeline } = require("stream/promises"); fs.writeFileSync("/tmp/a", Buffer.alloc(1 << 20)); await pipeline(fs.createReadStream("/tmp/a"), z.createGzip(), z.createGunzip(), fs.createWriteStream("/tmp/b")); if (fs.statSync("/tmp/b").size !== 1 << 20) throw new Error();`,
		"multipart of many parts, read":  `const f = new FormData(); for (let i = 0; i < 5e3; i++) f.append("n" + i, "v"); if ([...await new Response(f).formData()].length !== 5e3) throw new Error();`,
		"multipart that is none":         `for (const text of ["--x", "--x\r\n\r\n--x", "--x\r\n" + "a".repeat(1e5), "--x--"]) await new Response(text, { headers: { "content-type": "multipart/form-data; boundary=x" } }).formData().catch(() => {});`,
		"5,000 responses":                `for (let i = 0; i < 5e3; i++) new Response("x").clone();`,
		"fifty requests, and one more":   `const all = await Promise.allSettled(Array.from({ length: 50 }, () => fetch(base + "/json").then((r) => r.text()))); if (all.some((r) => r.status !== "fulfilled")) throw new Error(all.find((r) => r.reason).reason.cause.message);`,
		"a config that refers to itself": `const c = { url: base + "/json", params: {} }; c.self = c; c.params.a = c.params; await BaaS.request(c).then(() => {}, () => {});`,
	} {
		j := job(fmt.Sprintf(`exports.main = async ({ data: { base } }) => { %s return 1; }`, code), map[string]any{"base": base})
		j.Memory = 32 << 20
		report := e.Run(j, newOnline())
		e.Reset()
		if string(report.Data) != "1" {
			t.Errorf("%s: %s %+v, %d MB", what, report.Data, report.Error, report.Peak>>20)
		}
	}
}

// TestBrotliBombsStopAtLimits checks that brotli bombs end at the memory limit, and the best quality at the time
// limit.
func TestBrotliBombsStopAtLimits(t *testing.T) {
	e := sandboxed(t)
	for what, c := range map[string]struct{ code, kind string }{
		"a bomb": {`const z = require("zlib"); let p = z.brotliCompressSync(Buffer.alloc(30 << 20), { params: { 1: 5 } }); const kept = []; for (;;) kept.push(z.brotliDecompressSync(p));`, "MemoryError"},
		"the best quality, of noise": {`const z = require("zlib"), n = require("crypto").randomBytes(2 << 20); for (;;) z.brotliCompressSync(n);`,
			"TimeoutError"},
	} {
		j := job(`exports.main = async () => { `+c.code+` }`, nil)
		if c.kind == "TimeoutError" {
			j.Timeout = 400 * time.Millisecond
		}
		report := e.Run(j, silent{})
		e.Reset()
		if report.Outcome == sandbox.OutcomeFulfilled || !strings.Contains(report.Error.Type, c.kind) {
			t.Errorf("%s: %s %+v", what, report.Outcome, report.Error)
		}
	}
}
