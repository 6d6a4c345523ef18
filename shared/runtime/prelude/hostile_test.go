package prelude

import (
	"strings"
	"testing"
)

// markHost marks the host and its functions, so that the code under test can recognise them.
const markHost = `
	Object.defineProperty(host, "marker", { value: "HOST" });
	for (const key of Object.keys(host)) Object.defineProperty(host[key], "marker", { value: "HOST" });`

// wrapEverything replaces the methods of all builtins by wrappers that search their arguments for the host, and
// defines setters on Object.prototype.
const wrapEverything = `
	const stolen = [];
	const { apply, ownKeys, getOwnPropertyDescriptor: describe, defineProperty } = Reflect;
	const isHost = (v) => {
		if ((typeof v !== "object" && typeof v !== "function") || v === null) return false;
		try { const d = describe(v, "marker"); return d !== undefined && d.value === "HOST"; } catch { return false; }
	};
	let busy = false;
	const look = (where, values) => {
		if (busy) return;
		busy = true;
		for (let i = 0; i < values.length; i++) {
			const v = values[i];
			if (isHost(v)) stolen[stolen.length] = where;
			if (typeof v === "object" && v !== null) {
				try {
					const keys = ownKeys(v);
					for (let k = 0; k < keys.length && k < 50; k++) {
						const d = describe(v, keys[k]);
						if (d && isHost(d.value)) stolen[stolen.length] = where + "." + keys[k].toString();
					}
				} catch {}
			}
		}
		busy = false;
	};
	const TypedArray = Object.getPrototypeOf(Uint8Array);
	const all = { Object, Function, Array, String, Number, Boolean, Symbol, Map, Set, WeakMap, WeakSet, Promise, RegExp, Date, Error, TypeError, ArrayBuffer, DataView, Uint8Array, TypedArray, BigInt, Proxy, Reflect, JSON, Math };
	for (const name of ownKeys(all)) {
		for (const target of [all[name], all[name].prototype]) {
			if (!target) continue;
			for (const key of ownKeys(target)) {
				const d = describe(target, key);
				if (!d.configurable || typeof d.value !== "function" || key === "constructor" || typeof key === "symbol") continue;
				const original = d.value;
				defineProperty(target, key, { ...d, value: function (...args) {
					look(name + "." + key, [this, ...args]);
					return new.target ? Reflect.construct(original, args, new.target) : apply(original, this, args);
				} });
			}
		}
	}
	for (const key of ["log", "timer", "load", "call", "random", "digest", "host", "resolve", "exports"]) {
		defineProperty(Object.prototype, key, { __proto__: null, configurable: true, get() { look("get " + key, [this]); return undefined; }, set(v) { look("set " + key, [this, v]); defineProperty(this, key, { __proto__: null, value: v, writable: true, configurable: true, enumerable: true }); } });
	}
`

// useEverything uses every part of the prelude.
const useEverything = `
	console.log("a", { a: [1, new Map([[1, new Set([2])]])] }, new Error("e"), "%s", 5); console.error("%s %d %j", "x", 1, {}); console.table([{ a: 1 }]); console.group(); console.trace("t"); console.groupEnd();
	console.time(); console.timeEnd(); console.count(); console.assert(false, "no"); console.dir({ a: 1 });
	setTimeout((x) => console.log("timer", x), 1, "arg"); clearInterval(setInterval(() => {}, 1)); setImmediate(() => {}); queueMicrotask(() => {}); performance.now(); process.nextTick(() => {}); String(process.env.KEY);
	new URL("http://ü.example/a?b=c#d").searchParams.append("x", "y"); new TextDecoder().decode(new TextEncoder().encode("é")); btoa(atob("aGk=")); structuredClone({ a: [new Date(), new Map()] });
	crypto.randomUUID(); crypto.getRandomValues(new Uint8Array(4));
	Buffer.concat([Buffer.from("hi"), Buffer.alloc(2)]).toString("base64"); new AbortController().abort(); new EventTarget().dispatchEvent(new Event("x"));
	for (const name of ["assert", "buffer", "crypto", "events", "querystring", "url", "util", "punycode", "timers", "timers/promises"]) require(name);
	const E = require("events"); new E().on("x", () => {}).emit("x"); require("util").inspect(new Proxy({}, {})); require("util").promisify((cb) => cb())();
	try { require("fs"); } catch (e) { console.log(e); }
	BaaS.invoke("f", { a: 1 }).catch(() => {}); BaaS.request({ url: "http://x/", method: "POST", data: { a: 1 } }).catch(() => {}); new BaaS.TableObject(1).find().catch(() => {});
	new BaaS.User().get(1).catch(() => {}); new BaaS.Order().find().catch(() => {}); try { BaaS.sendEmail(); } catch {}
`

func TestUserCodeNeverGetsHost(t *testing.T) {
	r := newMarkedRealm(t)
	r.answer = func(op, text string) (string, error) {
		return `{"status":200,"body":{},"status_code":200,"headers":{}}`, nil
	}
	out := r.eval("{" + wrapEverything + "globalThis.stolen = stolen; }" + useEverything + `
		setTimeout(() => { throw "described" }, 30);
		setTimeout(() => console.log(stolen.length === 0 ? "nothing" : stolen.join()), 60);`)
	if strings.Contains(out, "THROW") || strings.Count(out, "ERROR Uncaught") != 1 {
		t.Fatalf("the program did not run through:\n%s", out)
	}
	if !strings.Contains(out, "ERROR Uncaught Error: described") || !strings.Contains(out, "LOG nothing\n") {
		t.Errorf("user code saw the host in %s", out)
	}
	if !strings.Contains(out, "timer arg") {
		t.Errorf("the timer did not fire:\n%s", out)
	}
}

// newMarkedRealm returns a realm whose host is marked.
func newMarkedRealm(t *testing.T) *realm {
	t.Helper()
	return newRealmAfter(t, markHost, map[string]string{"KEY": "value"})
}

func TestSearchFindsMarkedHost(t *testing.T) {
	got := newMarkedRealm(t).eval(`const host = { timer() {} };
		for (const v of [host, host.timer]) Object.defineProperty(v, "marker", { value: "HOST" });` + wrapEverything + `
		[].push(host); const o = {}; o.log = host; host.timer.call(null, 1, 5);
		console.log(stolen.length >= 3, stolen.length);`)
	if !strings.HasPrefix(got, "LOG true ") {
		t.Errorf("the search found too few of 3 leaks, it proves nothing: %s", got)
	}
}

func TestGraphOfGlobalsHoldsNoHost(t *testing.T) {
	r := newMarkedRealm(t)
	r.answer = func(op, text string) (string, error) { return `{"status":200,"body":{}}`, nil }
	got := r.eval(useEverything + `setTimeout(() => {
		const seen = new Set(), queue = [globalThis];
		let found = "none";
		while (queue.length > 0) {
			const o = queue.pop();
			if (seen.has(o)) continue;
			seen.add(o);
			if (Object.getOwnPropertyDescriptor(o, "marker")?.value === "HOST") { found = "host"; break; }
			const values = [Object.getPrototypeOf(o)];
			for (const key of Reflect.ownKeys(o)) { const d = Object.getOwnPropertyDescriptor(o, key); values.push(d.value, d.get, d.set); }
			for (const v of values) if ((typeof v === "object" && v !== null) || typeof v === "function") queue.push(v);
		}
		console.log(found, seen.size > 500, seen.size);
	}, 60)`)
	if !strings.Contains(got, "\nLOG none true ") {
		t.Errorf("walking the globals: %s", got)
	}
}

// breakEverything makes the methods of builtins throw before any part of the prelude is loaded.
const breakEverything = `
	{
		const targets = [Array.prototype, String.prototype, Map.prototype, Set.prototype, RegExp.prototype, Date.prototype, Function.prototype, Number.prototype, Promise.prototype, JSON, Reflect, Math, Object, Array, Symbol];
		const { ownKeys, getOwnPropertyDescriptor, defineProperty } = Reflect;
		for (let i = 0; i < targets.length; i++) {
			const keys = ownKeys(targets[i]);
			for (let k = 0; k < keys.length; k++) {
				const key = keys[k], d = getOwnPropertyDescriptor(targets[i], key);
				if (key === "constructor" || !d.configurable || typeof d.value !== "function") continue;
				defineProperty(targets[i], key, { __proto__: null, configurable: true, writable: true, value() { throw new make.Error("broken"); } });
			}
		}
		globalThis.Error = globalThis.Map = globalThis.TypeError = globalThis.String = globalThis.Symbol = undefined;
	}
`

func TestHooksSurviveBrokenBuiltins(t *testing.T) {
	r := newRealm(t, nil)
	const prepare = `globalThis.make = { Error, map: new Map([["k", 1]]) }; globalThis.pollute = Object.defineProperty;
		for (const key of ["get", "set", "value", "0", "1", "n", "text", "entries", "open"]) pollute(Object.prototype, key, { __proto__: null, configurable: true, get() { return "polluted"; }, set() {} });`
	got := r.eval(prepare + breakEverything + `
		console.log("plain", 1);
		console.log({ a: [1, "two", { b: make.map }], f() {}, get g() { return 1; } }, [1, 2, 3]);
		console.error("%s is %d", "x", 5);
		setTimeout(() => console.log("fired"), 1);`)
	want := `LOG plain 1
LOG {
  a: [ 1, 'two', { b: Map(1) { 'k' => 1 } } ],
  f: [Function: f],
  g: [Getter]
} [ 1, 2, 3 ]
ERROR x is 5
LOG fired
`
	if got != want {
		t.Errorf("got:\n%s\nwant:\n%s", got, want)
	}
	d := r.describe(prepare + breakEverything + `throw new make.Error("boom")`)
	if d.Type != "Error" || d.Message != "boom" {
		t.Errorf("describeError after that: %+v", d)
	}
}

func TestConsoleSurvivesHostileValues(t *testing.T) {
	r := newRealm(t, nil)
	for _, value := range []string{
		`new Proxy({}, { get() { throw 1 }, ownKeys() { throw 2 }, getPrototypeOf() { throw 3 }, getOwnPropertyDescriptor() { throw 4 } })`,
		`(() => { const { proxy, revoke } = Proxy.revocable({}, {}); revoke(); return proxy })()`,
		`{ get [Symbol.toStringTag]() { throw 1 } }`,
		`{ [Symbol.for("nodejs.util.inspect.custom")]() { throw 1 } }`,
		`Object.create({ get constructor() { throw 1 } })`,
		`Object.defineProperty(function f() {}, "name", { get() { throw 1 } })`,
		`Object.assign(new Error("x"), { name: { toString() { throw 1 } }, stack: 5 })`,
		`Object.defineProperty(new Error("x"), "message", { get() { throw 1 } })`,
		`Object.setPrototypeOf(new Map(), null)`,
		`Object.setPrototypeOf({}, Map.prototype)`,
		`Object.setPrototypeOf({}, Uint8Array.prototype)`,
		`Object.setPrototypeOf({}, Date.prototype)`,
		`Object.assign(Object.create(Error.prototype), { message: 1n })`,
	} {
		got := r.eval(
			`console.log(` + value + `); console.log("%s %d %o %j", ` + value + `, ` + value + `, ` + value + `, ` + value +
				`)`,
		)
		if strings.Contains(got, "THROW") || strings.Count(got, "LOG ") != 2 {
			t.Errorf("console.log(%s):\n%s", value, got)
		}
	}
}

func TestConsoleEndsOnHugeValues(t *testing.T) {
	r := newRealm(t, nil)
	got := r.eval(`
		let wide = "leaf";
		for (let i = 0; i < 30; i++) { const inner = wide; wide = Array.from({ length: 60 }, () => inner); }
		console.log(wide);
		console.log(require("util").inspect(wide, { depth: 8 }).length > 0);
		const sparse = []; sparse[4e9] = 1; console.log(sparse);`)
	if len(got) > 8<<20 {
		t.Errorf("the log is %d bytes", len(got))
	}
	if !strings.HasSuffix(got, "LOG [ <4000000000 empty items>, 1 ]\n") {
		t.Errorf("the end of the log is %q", got[max(0, len(got)-200):])
	}
}
