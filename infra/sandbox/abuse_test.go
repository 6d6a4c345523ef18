package sandbox_test

import (
	"fmt"
	"slices"
	"strings"
	"sync"
	"testing"
	"text/tabwriter"
	"time"

	"minicloud/shared/runtime/sandboxtest"
	"minicloud/shared/sandbox"
)

// memory is the guest heap of the abusive programs, MB.
const memory = 32

// tolerance is the longest accepted time between a run's limit and its end, machine load excluded.
const tolerance = 250 * time.Millisecond

// program is one attempt to harm the sandbox.
type program struct {
	name  string
	code  string
	limit int    // ms; 0 means 50 if the run may end by timeout, otherwise a limit that no run reaches
	ends  string // acceptable ends, separated by " or ": prefixes of "Type: message" or of data
	log   string // text that the log must contain
}

const (
	byTime   = "TimeoutError: function timed out after"
	byMemory = "MemoryError: function exceeded 32 MB"
	byEither = byTime + " or " + byMemory
)

// main wraps statements into an async main.
func main(body string) string { return "exports.main = async (event) => { " + body + " }" }

// programs is the abuse list of the design, with the expected end of each program.
var programs = []program{
	{name: "infinite loop", code: main(`while (true) {}`), ends: byTime},
	{
		name: "infinite loop in try/finally", code: main(`for (;;) { try { for (;;); } catch { } finally { for (;;); } }`),
		ends: byTime,
	},
	{name: "infinite loop at load", code: `for (;;);`, ends: byTime},
	{name: "infinite loop in a module", code: `for (;;); export function main() {}`, ends: byTime},
	{name: "infinite generator", code: main(`function* g() { for (;;) yield 1 } for (const x of g());`), ends: byTime},
	{
		name: "infinite loop in a timer", code: main(`await new Promise(() => setTimeout(() => { for (;;); }, 1))`),
		ends: byTime,
	},
	{name: "infinite interval", code: `exports.main = () => { setInterval(() => {}, 1) }`, ends: byTime},
	{name: "ReDoS", code: main(`return /^(a+)+$/.test('a'.repeat(40) + 'b')`), ends: byTime},
	{name: "ReDoS with lookahead", code: main(`return /^(?=(a+)+$)(a|aa)+$/.test('a'.repeat(50) + '!')`), ends: byTime},
	{
		name: "ReDoS in replace", code: main(`return ('a'.repeat(50) + '!').replace(/(a*)*$/g, '')`),
		ends: byTime + " or \"",
	},
	{name: "array hog", code: main(`const a = []; for (;;) a.push(new Array(1000).fill(1))`), ends: byMemory},
	{
		name: "256 MB strings",
		code: main(`const a = []; for (let i = 0; i < 64; i++) a.push('x'.repeat(2 ** 28) + i); return a.length`),
		ends: byMemory,
	},
	{
		name: "string doubling", code: main(`let s = 'xy'; for (;;) s += s`),
		ends: byMemory + " or InternalError: string too long or RangeError or " + byTime,
	},
	{name: "64 MB ArrayBuffers", code: main(`const a = []; for (;;) a.push(new ArrayBuffer(64 << 20))`), ends: byMemory},
	{name: "1 GB Uint8Array", code: main(`return new Uint8Array(1 << 30).length`), ends: byMemory},
	{
		name: "typed arrays in pieces", code: main(`const a = []; for (;;) a.push(new Float64Array(1e5).fill(1))`),
		ends: byMemory,
	},
	{
		name: "deep recursion", code: main(`const f = (n) => f(n + 1) + 1; return f(0)`),
		ends: "InternalError: stack overflow or RangeError",
	},
	{
		name: "deep recursion caught for ever", code: main(`const f = () => { try { f() } catch { f() } }; f()`),
		ends: byTime,
	},
	{
		name: "deep recursion through getters", code: main(`const o = { get x() { return this.x } }; return o.x`),
		ends: "InternalError: stack overflow or RangeError",
	},
	{
		name: "JSON.parse nested 1e6", code: main(`return JSON.parse('['.repeat(1e6) + ']'.repeat(1e6)).length`),
		ends: "InternalError or SyntaxError or RangeError or " + byMemory,
	},
	{
		name: "JSON.stringify nested", code: main(`let o = {}; for (let i = 0; i < 1e5; i++) o = { o }; return o`),
		ends: "TypeError or RangeError",
	},
	{
		name: "eval of 3e5 [", code: main(`return eval('['.repeat(3e5))`),
		ends: "SyntaxError or InternalError or RangeError",
	},
	{
		name: "code of 3e5 (", code: `exports.main = ` + strings.Repeat("(", 300_000),
		ends: "SyntaxError or InternalError or RangeError",
	},
	{
		name: "promise flood", code: main(`const a = []; for (;;) a.push(Promise.resolve().then(() => {}))`), ends: byEither,
	},
	{name: "endless microtasks", code: main(`for (;;) await null`), ends: byTime},
	{name: "endless then", code: `exports.main = () => { const f = () => Promise.resolve().then(f); f() }`, ends: byTime},
	{
		name: "timer flood", code: `exports.main = () => { for (;;) setTimeout(() => {}, 1e6) }`,
		ends: byEither + " or TypeError: more than 100000 timers are waiting",
	},
	{
		name: "native loop: indexOf", code: main(`return Array.prototype.indexOf.call({ length: 2 ** 53 - 1 }, 1)`),
		ends: byTime,
	},
	{name: "native loop: BigInt toString", code: main(`const b = 1n << 1000000n; for (;;) b.toString()`), ends: byTime},
	{
		name: "native loop: join of a sparse array",
		code: main(`const a = []; a.length = 2 ** 32 - 1; return a.join().length`),
		ends: byEither + " or InternalError: string too long",
	},
	{
		name: "sort of 3e6", code: main(`return Array.from({ length: 3e6 }, (_, i) => -i).sort((a, b) => a - b)[0]`),
		ends: byEither + " or -",
	},
	{
		name: "BigInt squaring", code: main(`let b = 3n; for (;;) b *= b`),
		ends: byEither + " or RangeError or InternalError",
	},
	{name: "object list to OOM", code: main(`let l = null; for (;;) l = { l, d: [1, 2, 3] }`), ends: byMemory},
	{name: "map to OOM", code: main(`const m = new Map(); for (let i = 0; ; i++) m.set(i, { i })`), ends: byMemory},
	{name: "closures to OOM", code: main(`const a = []; for (;;) { const x = {}; a.push(() => x) }`), ends: byEither},
	{name: "symbols to OOM", code: main(`const a = []; for (;;) a.push(Symbol('x'.repeat(1000)))`), ends: byEither},
	{
		name: "catch OOM and retry for ever",
		code: main(`for (;;) { try { const a = []; for (;;) a.push('x'.repeat(1e5) + a.length) } catch { } }`),
		ends: byEither,
	},
	{
		name: "catch OOM and go on",
		code: main(`try { const a = []; for (;;) a.push(new Array(1e4).fill(1)) } catch (e) { } return 'alive'`),
		ends: `"alive" or ` + byMemory,
	},
	{
		name: "OOM in a rejected promise",
		code: `exports.main = async () => { const a = []; for (;;) { a.push(new Array(1e4).fill(1)); await null } }`,
		ends: byMemory,
	},
	{
		name: "unhandled rejection", code: `exports.main = () => { Promise.reject(new Error('lost')) }`, ends: "Error: lost",
		log: "ERROR Unhandled rejection: Error: lost",
	},
	{
		name: "1 GB of log",
		code: main(`const s = 'x'.repeat(1 << 20); for (let i = 0; i < 1024; i++) console.log(s); return 1`), limit: 300,
		ends: "1 or " + byTime, log: "the log is cut here",
	},
	{name: "a million log lines", code: main(`for (let i = 0; ; i++) console.log(i)`), ends: byTime, log: "LOG 1000\n"},
	{
		name: "constructor chain", code: main(`return this.constructor.constructor('return process')().binding('fs')`),
		ends: `Error or TypeError or ReferenceError`,
	},
	{
		name: "Function from a host function",
		code: main(`return console.log.constructor('return typeof std + typeof os + typeof scriptArgs')()`),
		ends: `"undefinedundefinedundefined"`,
	},
	{
		name: "stack of a host error",
		code: main(`try { setTimeout(Symbol()) } catch (e) { return String(e.stack).includes('/') }`),
		ends: `false or null or TypeError or ` + byTime,
	},
	{
		name: "zip bomb",
		code: main(`const z = require('zlib'), b = z.gzipSync(Buffer.alloc(16 << 20)); return z.gunzipSync(Buffer.concat(Array(400).fill(b))).length`),
		ends: "MemoryError or RangeError",
	},
	{
		name: "zip bomb, again and again", limit: 300,
		code: main(`const z = require('zlib'), b = z.gzipSync(Buffer.alloc(8 << 20)); for (;;) z.gunzipSync(b)`), ends: byTime,
	},
	{
		name: "compression of everything at once", limit: 300,
		code: main(`const z = require('zlib'), b = Buffer.alloc(16 << 20, 'abc'); for (;;) z.deflateSync(b, { level: 9 })`),
		ends: byTime + " or MemoryError",
	},
	{
		name: "zlib with changed prototypes",
		code: main(`Array.isArray = () => { throw 1 }; Object.prototype.level = { valueOf() { throw 2 } }; return require('zlib').gunzipSync(require('zlib').gzipSync('x')).length`),
		ends: "1 or Error or TypeError or RangeError",
	},
	{
		name: "a text of 16 MB in another encoding, again and again", limit: 300,
		code: main(`const b = new Uint8Array(16 << 20).fill(0xd6); for (;;) new TextDecoder('gbk').decode(b)`),
		ends: byTime + " or MemoryError",
	},
	{
		name: "numbers of a million digits", limit: 1000,
		code: main(`return new Intl.NumberFormat('en', { maximumFractionDigits: 100 }).format('9'.repeat(1e6)).length + (10n ** 5000n).toLocaleString().length`),
		ends: "6668 or " + byTime,
	},
	{
		name: "Intl with changed prototypes",
		code: main(`Object.prototype.timeZone = 'x'; String.prototype.split = null; return typeof new Date(0).toLocaleString('en')`),
		ends: `"string" or TypeError or RangeError`,
	},
	{name: "environment", code: main(`return Object.keys(process.env)`), ends: `[]`},
	{
		name: "require fs", code: main(`return require('fs').readFileSync('/etc/passwd', 'utf8')`),
		ends: "Error or TypeError",
	},
	{
		name: "files larger than there is room",
		code: main(`const fs = require('fs'); for (let i = 0; ; i++) fs.writeFileSync('/tmp/' + i, Buffer.alloc(1 << 20))`),
		ends: "Error or MemoryError",
	},
	{
		name: "writing outside /tmp", code: main(`require('fs').writeFileSync('/tmp/../etc/passwd', 'x')`), ends: "Error",
	},
	{
		name: "contexts without end", limit: 300,
		code: main(`const { AsyncLocalStorage } = require('async_hooks'), als = new AsyncLocalStorage(); for (;;) await als.run(1, async () => { await null })`),
		ends: byTime + " or MemoryError",
	},
	{
		name: "require child_process", code: main(`return require('child_process').execSync('id')`),
		ends: "Error or TypeError",
	},
	{
		name: "import of a file",
		code: `import * as passwd from '/etc/passwd'; export const main = async () => Object.keys(passwd)`,
		ends: "Error or TypeError or ReferenceError",
	},
	{
		name: "dynamic import of a file", code: main(`return Object.keys(await import('file:///etc/passwd'))`),
		ends: "Error or TypeError or ReferenceError",
	},
	{
		name: "sockets",
		code: main(
			`return [typeof XMLHttpRequest, typeof WebSocket, typeof Deno, typeof Bun].filter((x) => x !== 'undefined')`,
		),
		ends: `[]`,
	},
	{
		name: "std and os modules", code: main(`return typeof (await import('os')).default.exec + typeof (await import('std'))`),
		ends: "Error or TypeError or ReferenceError",
	},
	{name: "endless getter on the result", code: main(`return { get x() { for (;;); } }`), ends: byTime},
	{name: "endless toJSON", code: main(`return { toJSON() { for (;;); } }`), ends: byTime},
	{
		name: "endless getter on the error", code: main(`throw { get message() { for (;;); } }`), ends: byTime + " or Error",
	},
	{name: "endless proxy result", code: main(`return new Proxy({}, { ownKeys() { for (;;); } })`), ends: byTime},
	{
		name: "endless thenable", code: main(`return { then(ok) { ok({ then: this.then }) } }`),
		ends: byEither + " or null or {}",
	},
	{
		name: "cyclic result", code: main(`const o = {}; o.o = o; return o`),
		ends: "TypeError: the result of main cannot be turned into JSON",
	},
	{
		name: "toJSON that throws text", code: main(`return { toJSON() { throw "not me" } }`),
		ends: "TypeError: the result of main cannot be turned into JSON: not me",
	},
	{
		name: "BigInt result", code: main(`return { n: 1n }`),
		ends: "TypeError: the result of main cannot be turned into JSON",
	},
	{name: "result of 5 MB", code: main(`return 'x'.repeat(5 << 20)`), ends: "ResultTooLarge: "},
	{
		name: "callback twice", code: `exports.main = (e, cb) => { cb(null, 'first'); cb(null, 'second'); cb('third') }`,
		ends: `"first"`,
	},
	{name: "callback never", code: `exports.main = (e, cb) => {}`, ends: noResult},
	{
		name: "callback after the end",
		code: `exports.main = async (e, cb) => { setTimeout(() => cb(null, 'late'), 50); return 'early' }`, ends: `"early"`,
	},
	{
		name: "callback, then a native loop", limit: 100,
		code: `exports.main = (e, cb) => { cb(null, 'kept'); Array.prototype.indexOf.call({ length: 2 ** 53 - 1 }, 1) }`,
		ends: `"kept"`,
	},
	{name: "throw of null", code: main(`throw null`), ends: "Error: null or null"},
	{
		name: "throw of a hostile proxy",
		code: main(`throw new Proxy(function () {}, { get() { throw 1 }, getPrototypeOf() { throw 2 } })`),
		ends: "Error or TypeError or unknown",
	},
	{
		name: "prototype pollution",
		code: main(
			`Object.prototype.x = 1; Array.prototype.push = null; Promise.prototype.then = () => { throw 1 }; JSON.stringify = () => 'hacked'; globalThis.leak = 1; return 'polluted'`,
		),
		ends: `"polluted" or Error`,
	},
	{
		name: "frozen world",
		code: main(
			`for (const k of Object.getOwnPropertyNames(globalThis)) { try { delete globalThis[k] } catch {} } return 'gone'`,
		),
		ends: `"gone"`,
	},
	{
		name: "memory behind a growable SharedArrayBuffer",
		code: main(
			`const b = new SharedArrayBuffer(64, { maxByteLength: 1 << 30 }); b.grow(1 << 20); return new Uint8Array(b).some((byte) => byte !== 0)`,
		),
		ends: "ReferenceError: ",
	},
	{
		name: "memory behind a resizable ArrayBuffer",
		code: main(
			`const b = new ArrayBuffer(64, { maxByteLength: 1 << 20 }); b.resize(1 << 18); return new Uint8Array(b).some((byte) => byte !== 0)`,
		),
		ends: "false",
	},
	{name: "Atomics.wait", code: main(`return Atomics.wait(new Int32Array(4), 0, 0)`), ends: "ReferenceError"},
	{
		name: "weak references and finalizers",
		code: main(
			`const r = new FinalizationRegistry(() => { for (;;); }); for (let i = 0; i < 1e5; i++) r.register({}, i); return 1`,
		),
		ends: `1 or ` + byEither,
	},
	{name: "rejection flood", code: main(`for (;;) Promise.reject(new Error('x'))`), ends: byEither},
	{name: "endless then of the result", code: main(`return { get then() { for (;;); } }`), ends: byTime},
	{
		name: "endless species of a promise",
		code: `exports.main = () => { class P extends Promise { static get [Symbol.species]() { for (;;); } } return P.resolve(3) }`,
		ends: byTime,
	},
	{
		name: "endless getter of a logged value", code: main(`console.log({ get [Symbol.toStringTag]() { for (;;); } })`),
		ends: byTime,
	},
	{
		name: "endless stack",
		code: main(`const e = new Error('x'); Object.defineProperty(e, 'cause', { get() { for (;;); } }); throw e`),
		ends: byTime + " or Error: x",
	},
	{
		name: "a chain of causes without end", code: main(`const e = new Error('x'); e.cause = e; throw e`),
		ends: "Error: x",
	},
	{
		name: "an object as wide as the memory",
		code: main(`const o = {}; for (let i = 0; i < 2e4; i++) o['k' + i] = i; console.log(o); return 1`), ends: "1",
	},
	{name: "power of BigInt", code: main(`return 10n ** 10n ** 10n`), ends: "RangeError or " + byEither},
	{
		name: "RegExp nested deeply",
		code: main(`return new RegExp('(?:a|'.repeat(5000) + 'b' + ')'.repeat(5000)).test('a')`),
		ends: "true",
	},
	{
		name: "sort with a hostile comparison",
		code: main(
			`const a = [3, 1, 2]; a.sort(() => { a.length = 0; for (let i = 0; i < 1e3; i++) a.push({}); return 1 }); return a.length >= 0`,
		),
		ends: "true",
	},
	{
		name: "buffer that shrinks under its reader",
		code: main(
			`const b = new ArrayBuffer(1 << 20, { maxByteLength: 1 << 20 }); const u = new Uint8Array(b); return Array.from(u.subarray(0, 4), (x, i) => { b.resize(0); return x ?? null })`,
		),
		ends: "[ or TypeError",
	},
	{
		name: "async generator flood",
		code: main(
			`async function* g() { for (;;) yield new Array(1000) } const a = []; for await (const x of g()) a.push(x)`,
		),
		ends: byEither,
	},
}

// next is the well-behaved run after every abusive one; its result shows that no state leaked into it.
const next = `exports.main = async (event) => [typeof leak, {}.x === undefined, [1].push(2), JSON.stringify([3]), event.data.n, typeof URL]`

const nextData = `["undefined",true,2,"[3]",20,"function"]`

// testAbuse runs every program and checks how and when it ends. It also checks that a well-behaved run right
// afterwards is unharmed, and that the runs of another tenant beside all of them succeed.
func testAbuse(t *testing.T, runner sandbox.Runner) {
	n, again := beside(t, runner), 0
	var table strings.Builder
	w := tabwriter.NewWriter(&table, 0, 0, 2, ' ', 0)
	fmt.Fprintln(w, "program\tlimit ms\tended ms\tbusy ms\tend")
	for _, p := range programs {
		t.Run(p.name, func(t *testing.T) { again += abuse(t, runner, p, n, w) })
	}
	n.stop()
	w.Flush()
	t.Logf("\n%s%d good runs of a neighbour meanwhile, %d runs again with more time", table.String(), n.good, again)
	if n.good == 0 {
		t.Error("no run of the neighbour succeeded")
	}
}

// abuse runs one abusive program, then the well-behaved one, and returns how often the abusive one was repeated.
func abuse(t *testing.T, runner sandbox.Runner, p program, n *neighbours, table *tabwriter.Writer) (again int) {
	req := sandboxtest.Request(p.code)
	req.MemoryMB = memory
	if p.limit != 0 {
		req.TimeoutMS = p.limit
	} else if strings.Contains(p.ends, byTime) {
		req.TimeoutMS = 50 // the run uses all of it
	}

	a := attempt(t, runner, req, p, n)
	r, end := a.result, endOf(a.result)
	fmt.Fprintf(table, "%s\t%d\t%d\t%d\t%.70s\n", p.name, a.limit, a.took.Milliseconds(), a.busy.Milliseconds(), end)
	if !endsAs(end, p.ends) {
		t.Errorf("ended with %.300s, want %s", end, p.ends)
	}
	if r.MemUsage > memory<<20 {
		t.Errorf("used %d bytes", r.MemUsage)
	}
	if !strings.Contains(logOf(t, r), p.log) {
		t.Errorf("the log has no %q: %.500s", p.log, logOf(t, r))
	}
	if after := run(t, runner, sandboxtest.Request(next)); string(after.Data) != nextData {
		t.Errorf("the next run gave %s %s", after.Data, failure(after))
	}

	return a.again
}

// mostTime is the longest limit of a program, ms.
const mostTime = 30_000

// tries is how often a program may end late before the test fails. A busy machine delays one run; a sandbox that does
// not stop a program is late every time.
const tries = 3

// attempt runs a program. It repeats a run that ended late. If a run timed out before it reached the tested code,
// attempt triples the limit, up to mostTime: the sandbox does not promise how much code runs in 50 ms.
func attempt(t *testing.T, runner sandbox.Runner, req sandbox.Request, p program, n *neighbours) (end attempted) {
	for late := 1; ; {
		began := time.Now()
		end.result = run(t, runner, req)
		end.took = time.Since(began)
		end.busy, end.limit = n.slowest(began), req.TimeoutMS
		if end.late() > tolerance {
			said := fmt.Sprintf(
				"ended after %v, limit %d ms; a run that does nothing took %v meanwhile", end.took, req.TimeoutMS, end.busy,
			)
			if late++; late <= tries {
				t.Log("again:", said)
				end.again++
				continue
			}
			t.Error(said)
		}

		reached := endsAs(endOf(end.result), p.ends) && strings.Contains(logOf(t, end.result), p.log)
		if reached || end.result.Outcome != sandbox.OutcomeDeadlineExceeded || req.TimeoutMS == mostTime {
			return end
		}
		end.again++
		t.Logf("again with more time: %d ms were up before it came to %q %q", req.TimeoutMS, p.ends, p.log)
		req.TimeoutMS = min(3*req.TimeoutMS, mostTime)
	}
}

// attempted is a finished run.
type attempted struct {
	result sandbox.Result
	limit  int           // ms
	took   time.Duration // from the request to the answer
	busy   time.Duration // the longest neighbour run meanwhile
	again  int           // earlier attempts with a shorter limit
}

// late returns how long after its limit the run ended, less an allowance for machine load: steps times the duration of
// an idle run at the same time. The allowance is some 50 ms on a quiet machine, so a real delay is visible there.
func (a attempted) late() time.Duration {
	return a.took - time.Duration(a.limit)*time.Millisecond - steps*a.busy
}

// steps is the number of times that a stopped run waits for the processor, while an idle run waits once: its log is
// read, it is told to end, killed and awaited.
const steps = 4

// endOf returns the error of a run, or its data.
func endOf(r sandbox.Result) string {
	if end := failure(r); end != "" {
		return end
	}
	if len(r.Data) == 0 {
		return "null"
	}
	return string(r.Data)
}

func endsAs(end, wanted string) bool {
	for prefix := range strings.SplitSeq(wanted, " or ") {
		if strings.HasPrefix(end, prefix) {
			return true
		}
	}
	return false
}

// neighbours runs an idle function of another tenant again and again; the durations measure the load of the machine.
type neighbours struct {
	stop func() // stops the runs and waits for the last one

	mu    sync.Mutex
	good  int
	began time.Time // start of the current run; zero between runs
	runs  []span
}

type span struct{ began, ended time.Time }

// slowest returns the duration of the longest run that had not ended at since. It includes the current run, as far as
// that got.
func (n *neighbours) slowest(since time.Time) (longest time.Duration) {
	n.mu.Lock()
	defer n.mu.Unlock()
	if !n.began.IsZero() {
		longest = time.Since(n.began)
	}
	for _, r := range slices.Backward(n.runs) {
		if r.ended.Before(since) {
			break
		}
		longest = max(longest, r.ended.Sub(r.began))
	}
	return longest
}

// beside runs the function of another tenant repeatedly until stop is called.
func beside(t *testing.T, runner sandbox.Runner) *neighbours {
	n := &neighbours{}
	done, ended := make(chan struct{}), make(chan struct{})
	n.stop = func() { close(done); <-ended }
	go func() {
		defer close(ended)
		for {
			select {
			case <-done:
				return
			case <-time.After(20 * time.Millisecond):
			}
			if !n.once(t, runner) {
				return
			}
		}
	}()
	return n
}

func (n *neighbours) once(t *testing.T, runner sandbox.Runner) bool {
	began := time.Now()
	n.mu.Lock()
	n.began = began
	n.mu.Unlock()

	r, err := runner.Run(t.Context(), neighbour, sandbox.PlanFree, sandboxtest.Request(next))

	n.mu.Lock()
	defer n.mu.Unlock()
	n.began = time.Time{}
	n.runs = append(n.runs, span{began, time.Now()})
	if err != nil || string(r.Data) != nextData {
		t.Errorf("a neighbour's run failed: %s %s %v", r.Data, failure(r), err)
		return false
	}
	n.good++
	return true
}
