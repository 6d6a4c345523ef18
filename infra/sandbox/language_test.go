package sandbox_test

import (
	"encoding/json"
	"strings"
	"testing"

	"minicloud/shared/runtime/sandboxtest"
	"minicloud/shared/sandbox"
)

// sentence is one program and its expected outcome.
type sentence struct {
	name, code string
	data       string // JSON of the result
	fails      string // or the error, "Type: message"
	stack      string // or the complete stack
	log        string // text that the log must contain
}

// noResult is the error of a run that can no longer produce a result (F4).
const noResult = "NoResultError: main gave no result: return a value (null is one) or call callback(null, data)"

// sentences are the cases of decisions D16–D18 and D24.
var sentences = []sentence{
	{
		name: "callback", code: `exports.main = function (event, callback) { callback(null, event.data.n + 1) }`, data: "21",
	},
	{name: "async", code: `exports.main = async (event) => event.data.n + 1`, data: "21"},
	{
		name: "async with callback", code: `exports.main = async (event, callback) => { callback(null, 'called') }`,
		data: `"called"`,
	},
	{name: "promise", code: `exports.main = (event) => new Promise((ok) => setTimeout(ok, 5, 'later'))`, data: `"later"`},
	{name: "thenable", code: `exports.main = () => ({ then(ok) { ok(7) } })`, data: "7"},
	{name: "module.exports", code: `module.exports = { main: async () => 1 }`, data: "1"},
	{name: "module.exports.main", code: `module.exports.main = async () => 2`, data: "2"},
	{name: "module.exports is main", code: `module.exports = async () => 3`, data: "3"},
	{
		name: "static main of a class",
		code: `module.exports = class A { static n = 1; static async main() { return this.n } }`, data: "1",
	},
	{
		name: "main of a class", code: `module.exports = class A { n = 2; async main(event) { return this.n + event.data.n } }`,
		data: "22",
	},
	{name: "main of an inherited class", code: `class A { async main() { return 3 } } module.exports = class extends A {}`, data: "3"},
	{
		name: "main of a class before classes",
		code: `function A() { this.n = 4 } A.prototype.main = async function () { return this.n }; module.exports = A`, data: "4",
	},
	{name: "main of a function", code: `module.exports = async () => 1; module.exports.main = async () => 5`, data: "5"},
	{name: "main of the default class", code: `export default class { async main() { return 6 } }`, data: "6"},
	{name: "static main of the default class", code: `export default class { static async main() { return 7 } }`, data: "7"},
	{
		name: "a class without main", code: `module.exports = class A {}`,
		fails: "TypeError: module.exports is a class without main; write exports.main = async (event) => { ... }",
	},
	{
		name: "a default class without main", code: `export default class A {}`,
		fails: "TypeError: exports.default is a class without main; write exports.main = async (event) => { ... }",
	},
	{
		name: "module knows itself",
		code: `exports.main = async () => [module.id, module.filename, module.loaded, module.children, module.paths, module.parent, module.path, require.main === module, require.resolve('node:fs'), typeof require.cache]`,
		data: `[".","/hello.js",true,[],["/node_modules"],null,"/",true,"node:fs","object"]`,
	},
	{name: "this is exports", code: `this.main = async () => 4`, data: "4"},
	{name: "this of main", code: `exports.x = 5; exports.main = async function () { return this.x }`, data: "5"},
	{name: "top-level return", code: `exports.main = async () => 6; return;`, data: "6"},
	{
		name: "strict code", code: `'use strict'; exports.main = async () => (function () { return this === undefined })()`,
		data: "true",
	},
	{name: "hashbang", code: "#!/usr/bin/env node\nexports.main = async () => 7", data: "7"},
	{name: "trailing comment", code: "exports.main = async () => 8 // the end", data: "8"},
	{
		name: "ES module function", code: `export function main(event, callback) { callback(null, event.data.n) }`,
		data: "20",
	},
	{name: "ES module const", code: `export const main = async () => 9`, data: "9"},
	{name: "ES module default", code: `export default async () => 10`, data: "10"},
	{name: "ES module default object", code: `export default { async main() { return 11 } }`, data: "11"},
	{name: "ES module list", code: `async function main() { return 12 } export { main }`, data: "12"},
	{
		name: "ES module top-level await",
		code: `const x = await new Promise((ok) => setTimeout(ok, 5, 13)); export const main = async () => x`, data: "13",
	},
	{
		name: "export in a string is no module", code: `const s = "\nexport default 1"; exports.main = async () => s.length`,
		data: "17",
	},
	{name: "event", code: `exports.main = async (event) => event`, data: `{"data":{"n":20},"eventType":"open_api"}`},
	{
		name: "__proto__ in the event is data",
		code: `exports.main = async () => Object.keys(JSON.parse('{"__proto__":1}'))`, data: `["__proto__"]`,
	},
	{name: "null succeeds", code: `exports.main = async () => null`, data: ""},
	{name: "callback without data", code: `exports.main = (event, callback) => callback()`, data: ""},
	{
		name: "plain return is ignored",
		code: `exports.main = (event, callback) => { setTimeout(() => callback(null, 'called'), 1); return 'returned' }`,
		data: `"called"`,
	},
	{
		name: "first result wins", code: `exports.main = async (event, callback) => { callback(null, 1); return 2 }`,
		data: "1",
	},
	{
		name: "timers drain after the result",
		code: `exports.main = (event, callback) => { setTimeout(() => console.log('drained'), 20); callback(null, 1) }`,
		data: "1", log: "LOG drained\n",
	},
	{name: "dates become ISO", code: `exports.main = async () => new Date(0)`, data: `"1970-01-01T00:00:00.000Z"`},
	{
		name: "undefined members vanish", code: `exports.main = async () => ({ a: undefined, b: [undefined], c: NaN })`,
		data: `{"b":[null],"c":null}`,
	},
	{name: "unicode", code: `exports.main = async () => 'héllo 中文 😀 \u0000 \ud800'`, data: `"héllo 中文 😀 \u0000 \ud800"`},
	{
		name: "order of timers",
		code: `exports.main = async () => { const a = []; const at = (ms, x) => new Promise((ok) => setTimeout(() => { a.push(x); ok() }, ms)); await Promise.all([at(20, 3), at(1, 1), at(10, 2)]); return a }`,
		data: "[1,2,3]",
	},
	{
		name: "microtasks before timers",
		code: `exports.main = async () => { const a = []; setTimeout(() => a.push('t'), 0); queueMicrotask(() => a.push('m')); await new Promise((ok) => setTimeout(ok, 10)); return a }`,
		data: `["m","t"]`,
	},
	{
		name: "clearTimeout",
		code: `exports.main = async () => { let x = 0; clearTimeout(setTimeout(() => x++, 1)); await new Promise((ok) => setTimeout(ok, 10)); return x }`,
		data: "0",
	},
	{
		name: "interval",
		code: `exports.main = (event, callback) => { let n = 0; const i = setInterval(() => { if (++n === 3) { clearInterval(i); callback(null, n) } }, 1) }`,
		data: "3",
	},
	{
		name: "unref'd timer that somebody waits for",
		code: `exports.main = async () => { const t = setTimeout(() => {}, 1).unref(); await new Promise((ok) => setTimeout(ok, 5).unref()); return [t.hasRef(), setTimeout(() => {}, 1).hasRef()] }`,
		data: "[false,true]",
	},
	{
		name: "timer that is unref'd and ref'd again",
		code: `exports.main = (event, callback) => { setTimeout(callback, 5, null, 'called').unref().ref() }`,
		data: `"called"`,
	},
	{
		name: "nothing but unref'd timers", code: `exports.main = () => { setTimeout(() => {}, 1e6).unref() }`,
		fails: noResult,
	},
	{name: "random numbers", code: `exports.main = async () => Math.random() !== Math.random()`, data: "true"},

	{name: "async undefined is no result", code: `exports.main = async () => {}`, fails: noResult},
	{name: "never resolved is no result", code: `exports.main = () => new Promise(() => {})`, fails: noResult},
	{
		name: "undefined, and a callback later",
		code: `exports.main = async (event, callback) => { setTimeout(() => callback(null, 'later'), 5) }`, data: `"later"`,
	},
	{
		name: "undefined, and the time is up", code: `exports.main = async () => { setInterval(() => {}, 10) }`,
		fails: "TimeoutError: function timed out after 150 ms; main returned undefined",
	},
	{
		name:  "never resolved, and the time is up",
		code:  `exports.main = () => { setInterval(() => {}, 10); return new Promise(() => {}) }`,
		fails: "TimeoutError: function timed out after 150 ms",
	},
	{
		name: "callback with a string", code: `exports.main = (event, callback) => callback('no luck')`,
		fails: "Error: no luck",
	},
	{
		name: "callback with an error", code: `exports.main = (event, callback) => callback(new RangeError('far'))`,
		fails: "RangeError: far",
	},
	{
		name:  "class of the error",
		code:  "class PaymentError extends Error { constructor(m) { super(m); this.name = 'PaymentError' } }\nexports.main = async () => { throw new PaymentError('declined') }",
		fails: "PaymentError: declined",
	},
	{
		name: "no main", code: `exports.other = 1`,
		fails: "TypeError: the code exports no function main; write exports.main = async (event) => { ... }",
	},
	{
		name: "rejection later handled",
		code: `exports.main = async () => { const p = Promise.reject(new Error('x')); try { await p } catch { return 'handled' } }`,
		data: `"handled"`,
	},
	{
		name: "uncaught in a timer", code: `exports.main = () => { setTimeout(() => { throw new Error('tick') }, 1) }`,
		fails: "Error: tick", log: "ERROR Uncaught Error: tick\n    at ",
	},
	{
		name: "unhandled rejection beside a result",
		code: `exports.main = async () => { Promise.reject(new Error('lost')); return 1 }`, data: "1",
		log: "ERROR Unhandled rejection: Error: lost",
	},
	{
		name: "calls without a platform", code: `exports.main = async () => BaaS.invoke('other', {}, true)`,
		fails: "BaaSError: 600: BaaS calls are not available here",
	},

	{
		name:  "stack",
		code:  "// one\nfunction inner() {\n  throw new Error('deep')\n}\nexports.main = function main() {\n  inner()\n}",
		stack: "at inner (hello.js:3:9)\nat main (hello.js:6:3)",
	},
	{
		name: "stack on the first line", code: "exports.main = async function main() { null.x }",
		stack: "at main (hello.js:1:45)",
	},
	{
		name: "stack of a recursion", code: "exports.main = () => f()\nfunction f() { f() }",
		fails: "RangeError: Maximum call stack size exceeded", log: "at f (hello.js:2:16)\n    … ",
	},
	{
		name: "stack in the log",
		code: "exports.main = async function main() {\n  console.error(new TypeError('logged'))\n  return 1\n}", data: "1",
		log: "ERROR TypeError: logged\n    at main (hello.js:2:17)\n",
	},
	{
		name: "stack of a module", code: "export async function main() {\n  undefinedName\n}",
		stack: "at main (hello.js:2:3)",
	},
	{
		name: "stack as user code reads it",
		code: "function f() {\n  throw new RangeError('far')\n}\nexports.main = async function main() {\n  try { f() } catch (e) { return [e.stack, Object.keys(e), 'stack' in e] }\n}",
		data: `["RangeError: far\n    at f (hello.js:2:9)\n    at main (hello.js:5:9)",[],true]`,
	},
	{
		name: "stack that user code wrote",
		code: "exports.main = async () => {\n  const e = new Error('a')\n  e.stack = 'mine\\n    at x (other.js:1:2)'\n  console.log(e)\n  return e.stack\n}",
		data: `"mine\n    at x (other.js:1:2)"`, log: "LOG mine\n    at x (other.js:1:2)\n",
	},
	{
		name:  "captureStackTrace",
		code:  "class Refusal extends Error {\n  constructor(m) { super(m); this.name = 'Refusal'; Error.captureStackTrace(this, Refusal) }\n}\nexports.main = async function main() {\n  throw new Refusal('no')\n}",
		fails: "Refusal: no", stack: "at main (hello.js:5:9)",
	},
	{
		name:  "stack of an error thrown again",
		code:  "function f() {\n  throw new Error('first')\n}\nexports.main = async () => {\n  try { f() } catch (e) { await null; throw e }\n}",
		stack: "at f (hello.js:2:9)\nat exports.main (hello.js:5:9)",
	},
	{
		name:  "stack in two async functions",
		code:  "async function f() {\n  await null\n  null.x\n}\nexports.main = async function main() {\n  await f()\n}",
		stack: "at f (hello.js:3:8)\nat async main (hello.js:6:9)",
	},
	{
		name:  "endless stack of its own",
		code:  `exports.main = async () => { const e = new Error('x'); e.stack = '\n'.repeat(5e6); console.log(e); throw e }`,
		fails: "Error: x",
	},
	{
		name: "patched iterator",
		code: `Array.prototype[Symbol.iterator] = function* () { yield 'patched' }; exports.main = async () => 1`, data: "1",
	},
	{
		name: "patched then of everything",
		code: `Promise.prototype.then = () => { throw new Error('patched') }; exports.main = async () => 5`, data: "5",
	},
	{
		name: "what is not a function", code: "exports.main = async () => {\n  const order = {}\n  order.items.push\n}",
		fails: "TypeError: cannot read property 'push' of undefined",
	},
	{
		name:  "a method that is not there",
		code:  "exports.main = async () => {\n  const order = { total: {} }\n  return order.total.sum(1)\n}",
		fails: "TypeError: order.total.sum is not a function",
	},
	{
		name: "a method of a result", code: "exports.main = async () => {\n  return [1].concat(2).sum()\n}",
		fails: "TypeError: sum is not a function",
	},
	{
		name: "an argument that is not a function", code: "exports.main = async () => [1].map(5)",
		fails: "TypeError: map needs a function",
	},
	{
		name: "taking nothing apart", code: `exports.main = async (event) => { const { a: { b } } = event.data; return b }`,
		fails: "TypeError: cannot read property 'b' of undefined",
	},
	{
		name: "classes of logged errors",
		code: "class MyError extends Error {}\nclass Odd extends TypeError {}\nexports.main = async () => {\n  console.log(new MyError('a').message && [new MyError('a'), new Odd('b'), Object.assign(new Error('c'), { name: 'Named' })].map((e) => require('util').inspect(e).split('\\n')[0]))\n  return 1\n}",
		data: "1", log: "LOG [ 'MyError: a', 'Odd [TypeError]: b', 'Named: c' ]\n",
	},
	{
		name:  "cause",
		code:  "exports.main = async () => {\n  throw new Error('outer', { cause: new TypeError('inner') })\n}",
		fails: "Error: outer",
		stack: "at exports.main (hello.js:2:9)\nCaused by: TypeError: inner\nat exports.main (hello.js:2:37)",
		log:   "ERROR Error: outer\n    at exports.main (hello.js:2:9)\n    Caused by: TypeError: inner\n    at exports.main",
	},
	{
		name: "every promise failed", code: `exports.main = () => Promise.any([Promise.reject(new Error('a'))])`,
		fails: "AggregateError: All promises were rejected",
	},
	{
		name: "long arrays in the log",
		code: `exports.main = async () => { console.log(new Uint8Array(5e6)); console.log(new Array(1e6).fill(0)); return 1 }`,
		data: "1", log: "  ... 999900 more items\n]\n",
	},
	{
		name: "what to use instead of XMLHttpRequest", code: `exports.main = async () => new XMLHttpRequest()`,
		fails: "ReferenceError: XMLHttpRequest is not defined: the only way out is BaaS.request({ url, method, headers, data })",
	},
	{
		name: "a proxy is logged as its target",
		code: `exports.main = async () => { const seen = []; const p = new Proxy({ a: 1 }, new Proxy({}, { get(t, trap) { seen.push(trap) } })); console.log(p, [p]); return seen }`,
		data: "[]", log: "LOG { a: 1 } [ { a: 1 } ]\n",
	},
	{
		name: "many unhandled rejections",
		code: `exports.main = async () => { for (let i = 0; i < 1e4; i++) Promise.reject(new Error('r' + i)); return 1 }`,
		data: "1", log: "ERROR Unhandled rejection: 9900 more are not shown\n",
	},
	{
		name: "rejections handled later",
		code: `exports.main = async () => { const all = []; for (let i = 0; i < 3e4; i++) all.push(Promise.reject(i)); return (await Promise.allSettled(all)).length }`,
		data: "30000",
	},
	{
		name: "a module that is not there", code: "import { a } from './parts.js'\nexport const main = async () => a",
		fails: `Error: module "./parts.js" is not available in cloud functions: bundle it with npx esbuild main.js --bundle --format=cjs --platform=node --target=es2022 --minify --keep-names --outfile=function.js; if a package fails or is too large, add --main-fields=browser,module,main --conditions=browser`,
	},
	{
		name: "syntax error", code: "exports.main = async () => {\n  const x = ;\n}",
		fails: "SyntaxError: unexpected token in expression: ';'", stack: "at hello.js:2:13",
	},
}

// testLanguage checks every sentence, the variables and the random numbers.
func testLanguage(t *testing.T, runner sandbox.Runner) {
	for _, s := range sentences {
		t.Run(s.name, func(t *testing.T) { s.check(t, runner) })
	}

	t.Run("variables", func(t *testing.T) {
		req := sandboxtest.Request(`exports.main = async () => process.env`)
		req.Variables = map[string]string{"KEY": "välue"}
		if r := run(t, runner, req); string(r.Data) != `{"KEY":"välue"}` {
			t.Errorf("gave %s %s", r.Data, failure(r))
		}
	})
	t.Run("random numbers of two runs", func(t *testing.T) {
		req := sandboxtest.Request(`exports.main = async () => [Math.random(), crypto.randomUUID()]`)
		if a, b := run(t, runner, req), run(t, runner, req); string(a.Data) == string(b.Data) || a.Error != nil {
			t.Errorf("both gave %s %s", a.Data, failure(a))
		}
	})
	t.Run("unref'd timers do not keep the run going", func(t *testing.T) {
		r := run(
			t, runner,
			sandboxtest.Request(
				`exports.main = async () => { setInterval(() => {}, 1e6).unref(); setTimeout(() => {}, 1e6).unref().refresh(); AbortSignal.timeout(1e6); return 1 }`,
			),
		)
		if string(r.Data) != "1" || r.ExecutionMS > 20_000 {
			t.Errorf("gave %s %s after %v ms", r.Data, failure(r), r.ExecutionMS)
		}
	})
	t.Run("large event", func(t *testing.T) {
		req := sandboxtest.Request(`exports.main = async (event) => event.data.length`)
		req.Event = json.RawMessage(`{"data":"` + strings.Repeat("x", 4<<20-64) + `"}`)
		if r := run(t, runner, req); string(r.Data) != "4194240" {
			t.Errorf("gave %s %s", r.Data, failure(r))
		}
	})
	t.Run("accounting", func(t *testing.T) {
		small := run(t, runner, sandboxtest.Request(`exports.main = async () => 1`))
		large := run(
			t, runner,
			sandboxtest.Request(
				`exports.main = async () => { let a = new Uint8Array(20 << 20); await new Promise((ok) => setTimeout(ok, 30)); return a.length }`,
			),
		)
		if small.MemUsage < 100<<10 || small.MemUsage > 2<<20 || large.MemUsage < 20<<20 || large.MemUsage > 24<<20 {
			t.Errorf("memory %d and %d bytes", small.MemUsage, large.MemUsage)
		}
		if small.ExecutionMS <= 0 || large.ExecutionMS < 30 {
			t.Errorf("time %v and %v ms", small.ExecutionMS, large.ExecutionMS)
		}
	})
}

// outcomeOf returns the outcome that belongs to the error of a run (D19).
func outcomeOf(r sandbox.Result) sandbox.Outcome {
	switch {
	case r.Error == nil:
		return sandbox.OutcomeFulfilled
	case r.Error.Type == "TimeoutError":
		return sandbox.OutcomeDeadlineExceeded
	}
	return sandbox.OutcomeExecutionFailed
}

func (s sentence) check(t *testing.T, runner sandbox.Runner) {
	req := sandboxtest.Request(s.code)
	timed := strings.HasPrefix(s.fails, "TimeoutError")
	if timed {
		req.TimeoutMS = 150
	}

	r := run(t, runner, req)
	// On a busy machine a run may be killed before it reports its own timeout.
	for again := 1; again < tries && timed && failure(r) != s.fails; again++ {
		r = run(t, runner, req)
	}
	if s.stack == "" || s.fails != "" {
		if string(r.Data) != s.data || failure(r) != s.fails {
			t.Errorf("gave %s %q, want %s %q", r.Data, failure(r), s.data, s.fails)
		}
	}

	if s.stack != "" && (r.Error == nil || r.Error.Stack != s.stack) {
		t.Errorf("%+v, want stack %q", r.Error, s.stack)
	}
	if !strings.Contains(logOf(t, r), s.log) {
		t.Errorf("the log has no %q: %s", s.log, logOf(t, r))
	}
	if wanted := outcomeOf(r); r.Outcome != wanted {
		t.Errorf("outcome %s, want %s", r.Outcome, wanted)
	}
}
