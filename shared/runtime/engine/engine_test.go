package engine

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"strings"
	"testing"
	"time"

	"minicloud/shared/sandbox"
)

// tinyPrelude is a minimal prelude; package prelude has the real one.
const tinyPrelude = `(function (host) {
  'use strict';
  const timers = new Map(); let last = 0; const calls = new Map(); let lastCall = 0; let file = '';
  globalThis.console = { log: (...a) => host.log('LOG', a.map(String).join(' ')) };
  globalThis.setTimeout = (f, ms, ...a) => { timers.set(++last, () => f(...a)); host.timer(last, ms); return last; };
  globalThis.clearTimeout = (id) => { timers.delete(id); host.clearTimer(id); };
  globalThis.hostCall = (op, data) => new Promise((ok, bad) => { const id = ++lastCall; calls.set(id, [ok, bad]); host.call(op, JSON.stringify(data), id); });
  globalThis.lazy = (name) => host.load(name)(host);
  globalThis.crypto = host.crypto;
  globalThis.env = {};
  return {
    __proto__: null,
    begin(name, variables) { file = name; env = JSON.parse(variables); },
    fire(id) { const f = timers.get(id); timers.delete(id); f(); },
    settle(id, ok, text) { calls.get(id)[ok ? 0 : 1](ok ? JSON.parse(text) : new Error(text)); calls.delete(id); },
    describeError(e) {
      if (e instanceof Error) return { type: e.name, message: e.message, stack: String(host.stack(e)).split('\n').filter((l) => l.includes(file)).map((l) => l.trim()).join('\n') };
      return { type: 'Error', message: String(e), stack: '' };
    },
    require(name) { if (name === 'math') return { double: (n) => 2 * n }; throw new Error('no module ' + name); },
  };
})`

func newEngine(t testing.TB) *Engine {
	t.Helper()
	e, err := New(Options{Main: tinyPrelude, Module: func(name string) (string, bool) {
		return `(function (host) { return { answer: 42 } })`, name == "part"
	}})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { e.Close() })
	return e
}

// recorder is a Host that records its calls and answers host calls with their payload.
type recorder struct {
	lines   []string
	settled int
	replies chan Reply
}

func newRecorder() *recorder { return &recorder{replies: make(chan Reply, 100)} }

func (h *recorder) Log(level, text string) { h.lines = append(h.lines, level+" "+text) }
func (h *recorder) Settled(Settlement)     { h.settled++ }
func (h *recorder) Call(id int32, op, payload string) {
	h.replies <- Reply{ID: id, OK: op != "fail", Text: payload}
}
func (h *recorder) Replies() <-chan Reply { return h.replies }

func job(code string) Job {
	sum := sha256.Sum256([]byte(code))
	return Job{
		Function: "f", Digest: hex.EncodeToString(sum[:]), Source: func() ([]byte, error) { return []byte(code), nil },
		Event: json.RawMessage(`{"data":{"n":20}}`), Timeout: 30 * time.Second, Memory: 64 << 20,
	}
}

// TestFreesFinishedValues checks that a run can process far more data than its 64 MB.
func TestFreesFinishedValues(t *testing.T) {
	e := newEngine(t)
	for what, step := range map[string]string{
		"replies":            `await hostCall('echo', text)`,
		"refusals":           `await hostCall('fail', text).catch(() => {})`,
		"handled rejections": `await Promise.reject(new Uint8Array(4e6)).catch(() => {})`,
		"caught throws":      `try { await (async () => { throw new Uint8Array(4e6) })() } catch {}`,
	} {
		j := job(
			`exports.main = async () => { const text = 'x'.repeat(4e6); for (let i = 0; i < 20; i++) ` + step + `; return 1 }`,
		)
		if r := e.Run(j, newRecorder()); string(r.Data) != "1" || r.Peak > 40<<20 {
			t.Errorf("%s: %s %+v, %d bytes", what, r.Data, r.Error, r.Peak)
		}
	}
}

func TestSettlesRuns(t *testing.T) {
	e := newEngine(t)
	cases := []struct{ name, code, data, failure string }{
		{"callback", `exports.main = function (event, callback) { callback(null, event.data.n + 1) }`, "21", ""},
		{"async", `exports.main = async (event) => event.data.n + 2`, "22", ""},
		{"module.exports", `module.exports = { main: async () => 'x' }`, `"x"`, ""},
		{"module.exports function", `module.exports = async () => 'y'`, `"y"`, ""},
		{
			"ES module",
			`import { double } from 'math'; const k = await Promise.resolve(3); export function main(event, callback) { callback(null, double(k)) }`,
			"6", "",
		},
		{"ES module default", `import m from 'math'; export default async () => m.double(4)`, "8", ""},
		{"null succeeds", `exports.main = async () => null`, "null", ""},
		{"callback without data", `exports.main = (e, cb) => cb(null)`, "null", ""},
		{"first result wins", `exports.main = (e, cb) => { cb(null, 1); cb(null, 2); throw new Error('late') }`, "1", ""},
		{"timer", `exports.main = (e, cb) => { setTimeout((x) => cb(null, x), 5, 7) }`, "7", ""},
		{"string error", `exports.main = (e, cb) => cb('no')`, "", "Error: no"},
		{"error", `exports.main = (e, cb) => cb(new TypeError('bad'))`, "", "TypeError: bad"},
		{"throw", `exports.main = () => { throw new RangeError('far') }`, "", "RangeError: far"},
		{
			"rejection", `exports.main = async () => { null.x }`, "", "TypeError: cannot read property 'x' of null",
		},
		{"throw null", `exports.main = async () => { throw null }`, "", "Error: null"},
		{
			"no main", `exports.other = 1`, "",
			"TypeError: the code exports no function main; write exports.main = async (event) => { ... }",
		},
		{
			"never calls back", `exports.main = (e, cb) => 5`, "",
			"NoResultError: main gave no result: return a value (null is one) or call callback(null, data)",
		},
		{
			"async undefined", `exports.main = async () => {}`, "",
			"NoResultError: main gave no result: return a value (null is one) or call callback(null, data)",
		},
		{
			"pending for ever", `exports.main = () => new Promise(() => {})`, "",
			"NoResultError: main gave no result: return a value (null is one) or call callback(null, data)",
		},
		{"endless loop", `exports.main = () => { while (true) {} }`, "", "TimeoutError: function timed out after 100 ms"},
		{
			"endless microtasks", `exports.main = async () => { for (;;) await null }`, "",
			"TimeoutError: function timed out after 100 ms",
		},
		{
			"array hog", `exports.main = () => { const a = []; for (;;) a.push(new Array(1000).fill(1)) }`, "",
			"MemoryError: function exceeded 64 MB",
		},
		{
			"no memory for the result", `exports.main = async () => { const a = 'x'.repeat(12e6); return [a, a, a, a, a] }`, "",
			"MemoryError: function exceeded 64 MB",
		},
		{
			// QuickJS's Unicode functions fail without an exception if there is no memory.
			"no memory to normalize", `exports.main = async () => {
				const kinds = new Set();
				for (let n = 24; n > 15; n--) try { 'é'.repeat(2 ** n).normalize('NFD') } catch (e) { kinds.add(typeof e + e.name) }
				return [...kinds] }`, `["objectInternalError"]`, "",
		},
		{
			"no memory to normalize, uncaught", `exports.main = async () => 'é'.repeat(2 ** 23).normalize('NFD').length`, "",
			"MemoryError: function exceeded 64 MB",
		},
		{"declared twice", `const x = 1; const x = 2`, "", "SyntaxError: x is declared twice"},
		{"a parameter again", `function f(a) { let a }`, "", "SyntaxError: a is declared twice"},
		{"syntax error", `exports.main = () => {`, "", ""},
		{"big int", `exports.main = async () => 1n`, "", ""},
		{"call", `exports.main = async () => (await hostCall('echo', { a: 1 })).a`, "1", ""},
		{"failing call", `exports.main = async () => hostCall('fail', 'why')`, "", `Error: "why"`},
		{"lazy part", `exports.main = async () => lazy('part').answer`, "42", ""},
		{"digest", `exports.main = async () => new Uint8Array(crypto('hash.once', 'sha256', 'abc'))[0]`, "186", ""},
		{"unhandled rejection decides", `exports.main = () => { Promise.reject(new Error('lost')) }`, "", "Error: lost"},
		{
			"unhandled rejection does not decide", `exports.main = async () => { Promise.reject(new Error('lost')); return 1 }`,
			"1", "",
		},
		{
			"throw in a timer", `exports.main = () => { setTimeout(() => { throw new Error('in timer') }, 1) }`, "",
			"Error: in timer",
		},
	}

	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			j := job(c.code)
			if strings.HasPrefix(c.failure, "TimeoutError") {
				j.Timeout = 100 * time.Millisecond
			}
			r := e.Run(j, newRecorder())
			failure := ""
			if r.Error != nil {
				failure = r.Error.Type + ": " + r.Error.Message
			}
			if c.data == "" && c.failure == "" {
				if failure == "" {
					t.Fatalf("succeeded with %s", r.Data)
				}
				t.Log(failure, r.Error.Stack)
				return
			}
			if string(r.Data) != c.data || failure != c.failure {
				t.Fatalf("data %s, failure %q; want %s, %q", r.Data, failure, c.data, c.failure)
			}
		})
	}
}

func TestRunsDoNotSeeEachOther(t *testing.T) {
	e := newEngine(t)
	first := e.Run(
		job(
			`globalThis.x = 1; Object.prototype.polluted = true; Array.prototype.map = null; Promise.prototype.then = null; JSON.stringify = null; exports.main = (e, cb) => cb(null, 'set')`,
		),
		newRecorder(),
	)

	if string(first.Data) != `"set"` {
		t.Fatalf("%+v", first.Error)
	}
	second := e.Run(
		job(`exports.main = async () => [typeof x, {}.polluted === undefined, [1].map((x) => x + 1)]`), newRecorder(),
	)
	if string(second.Data) != `["undefined",true,[2]]` {
		t.Fatalf("second run saw %s %+v", second.Data, second.Error)
	}
	for range 3 {
		r := e.Run(job(`exports.main = async () => { const n = Math.random(); return n >= 0 && n < 1 }`), newRecorder())
		if string(r.Data) != "true" {
			t.Fatal("no random number")
		}
	}
}

func TestStackNamesUserCode(t *testing.T) {
	e := newEngine(t)
	for _, c := range []struct{ code, stack string }{
		{"exports.main = async () => { throw new Error('x') }", "at exports.main (f.js:1:36)"},
		{"module.exports = async () => { throw new Error('x') }", "at module.exports (f.js:1:38)"},
		{
			"async function a() { await null; null.x }\nexports.main = async () => {\n  await a();\n}",
			"at a (f.js:1:39)\nat async exports.main (f.js:3:9)",
		},
		{"const a = 1;\nexports.main = function main() {\n  null.x;\n}", "at main (f.js:3:8)"},
		{"export function main() {\n  throw new Error('x');\n}", "at main (f.js:2:9)"},
	} {
		r := e.Run(job(c.code), newRecorder())
		if r.Error == nil || r.Error.Stack != c.stack {
			t.Errorf("%s: %+v", c.code, r.Error)
		}
	}
}

func BenchmarkRun(b *testing.B) {
	e := newEngine(b)
	j := job(`exports.main = async (event) => ({ sum: event.data.n + 1 })`)
	h := newRecorder()
	b.Logf("template %d bytes", len(e.Heap.Template))
	for b.Loop() {
		if r := e.Run(j, h); r.Error != nil {
			b.Fatal(r.Error)
		}
	}
}

// TestReportsAbandonedOperation checks that the process is replaced if a run times out during scrypt, which
// x/crypto cannot stop.
func TestReportsAbandonedOperation(t *testing.T) {
	endless := job(`exports.main = () => { for (;;); }`)
	endless.Timeout = 50 * time.Millisecond
	if r := newEngine(t).Run(endless, newRecorder()); r.Outcome != sandbox.OutcomeDeadlineExceeded || r.Spoiled {
		t.Errorf("an endless loop: %s, spoiled %v", r.Outcome, r.Spoiled)
	}

	// On a busy machine the time may be up before scrypt begins; then retry with a longer timeout.
	for timeout := 50 * time.Millisecond; ; timeout *= 2 {
		j := job(`exports.main = () => crypto("scrypt", "a", "b", 1024, 1, 4000, 2 ** 40, 64)`)
		j.Timeout = timeout
		r := newEngine(t).Run(j, newRecorder())
		if r.Outcome == sandbox.OutcomeDeadlineExceeded && !r.Spoiled {
			continue
		}
		if r.Outcome != sandbox.OutcomeDeadlineExceeded {
			t.Errorf("scrypt: %s, spoiled %v", r.Outcome, r.Spoiled)
		}
		return
	}
}
