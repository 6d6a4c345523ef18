package prelude

import (
	"flag"
	"os"
	"strings"
	"testing"
)

var update = flag.Bool("update", false, "write testdata/console.golden")

func TestDescribesAnyThrownValue(t *testing.T) {
	for src, want := range map[string][2]string{
		`throw new TypeError("bad")`: {"TypeError", "bad"},
		`null.x`:                     {"TypeError", "cannot read property 'x' of null"},
		`class MyError extends Error {} throw new MyError("mine")`: {"MyError", "mine"},
		`throw Object.assign(new Error("m"), { name: "Named" })`:   {"Named", "m"},
		`throw new DOMException("m", "AbortError")`:                {"AbortError", "m"},
		`throw "text"`:      {"Error", "text"},
		`throw 5`:           {"Error", "5"},
		`throw null`:        {"Error", "null"},
		`throw undefined`:   {"Error", "undefined"},
		`throw Symbol("s")`: {"Error", "Symbol(s)"},
		`throw 10n`:         {"Error", "10"},
		`throw { a: 1 }`:    {"Error", "{ a: 1 }"},
		`throw { message: "like an error", name: "Like" }`: {"Like", "like an error"},
		`throw () => 1`: {"Error", "[Function (anonymous)]"},
		`throw new Proxy({}, { get() { throw 1 }, getPrototypeOf() { throw 2 }, ownKeys() { throw 3 } })`: {
			"Error", "{}", // the target of the proxy
		},
		`throw Object.defineProperty(new RangeError("x"), "message", { get() { throw 1 } })`: {
			"RangeError", "undefined",
		},
		`throw Object.defineProperty(new RangeError("x"), "name", { get() { throw 1 } })`: {
			"RangeError", "x",
		},
		`throw Object.assign(new Error(), { message: { toString() { throw 1 } } })`:         {"Error", ""},
		`throw Object.assign(new Error(), { message: 42 })`:                                 {"Error", "42"},
		`throw Object.defineProperty(new Error("x"), "constructor", { get() { throw 1 } })`: {"Error", "x"},
		`throw Object.setPrototypeOf(new Error("x"), null)`:                                 {"Error", "x"},
	} {
		d := newRealm(t, nil).describe(src)
		if d.Type != want[0] || d.Message != want[1] {
			t.Errorf("%s: %q %q, want %q %q", src, d.Type, d.Message, want[0], want[1])
		}
	}
}

func TestDescribeErrorShowsInnerErrors(t *testing.T) {
	d := newRealm(t, nil).describe(
		`throw new AggregateError([new TypeError("one"), "two", 3, 4, 5, 6, 7].map((e) => (e instanceof Error ? Object.assign(e, { stack: "" }) : e)))`,
	)
	if d.Message != "All promises were rejected" ||
		!strings.Contains(d.Stack, "[errors 0]: TypeError: one") || !strings.Contains(d.Stack, "[errors 1]: two") ||
		!strings.Contains(d.Stack, "[errors]: 2 more") {
		t.Errorf("%q, stack %q", d.Message, d.Stack)
	}
	hostile := newRealm(t, nil).describe(
		`throw Object.defineProperty(new AggregateError([]), "errors", { get() { throw 1 } })`,
	)
	if hostile.Type != "AggregateError" {
		t.Errorf("hostile errors: %+v", hostile)
	}
}

func TestDescribeErrorTruncates(t *testing.T) {
	d := newRealm(t, nil).describe(
		`throw Object.assign(new Error("x".repeat(1e6)), { name: "N".repeat(1e5), stack: "    at f (main.js:1:1)\n".repeat(1e5) })`,
	)
	if len(d.Message) != 16384 || len(d.Type) != 16384 || len(d.Stack) > 16384 {
		t.Errorf("message %d, type %d, stack %d characters", len(d.Message), len(d.Type), len(d.Stack))
	}
}

func TestDescribeErrorKeepsOwnFrames(t *testing.T) {
	r := newRealm(t, nil)
	r.function = "pay"
	d := r.describe(
		`throw Object.assign(new Error("x"), { stack: "    at map (native)\n    at charge (pay.js:3:9)\n    at settle (prelude:baas:5:1)\n    at <anonymous> (pay.js:10)\n    at <eval> (<eval>:1:1)\nno frame pay.js:1\n" })`,
	)
	if want := "at charge (pay.js:3:9)\nat <anonymous> (pay.js:10)"; d.Stack != want {
		t.Errorf("stack %q, want %q", d.Stack, want)
	}
	got := r.eval(
		`console.log(Object.assign(new TypeError("bad", { cause: "why" }), { code: 7, stack: "    at f (pay.js:1:2)\n    at g (prelude:url:1:2)\n" }))`,
	)
	if want := "LOG     at f (pay.js:1:2)\n    at g (prelude:url:1:2)\n {\n  code: 7,\n  [cause]: 'why'\n}\n"; got != want {
		t.Errorf("console shows %q, want %q", got, want)
	}
}

func TestConsoleMethodsWriteLikeGolden(t *testing.T) {
	got := newRealm(t, nil).eval(`
		console.log(); console.log("a\nb"); console.info("i"); console.warn("w"); console.error("e"); console.debug("d");
		console.group("G"); console.log("in\nside"); console.group(); console.log("deeper"); console.groupEnd(); console.groupEnd(); console.groupEnd(); console.log("out");
		console.count(); console.count("x"); console.count(); console.countReset(); console.count(); console.countReset("none");
		console.assert(true, "no"); console.assert(false); console.assert(0, "%s!", "bad"); console.assert(0, { a: 1 });
		console.time("t"); console.timeLog("t", 1); console.timeEnd("t"); console.timeEnd("t");
		console.table([{ a: 1, b: "x" }, { a: 2, c: true }]); console.table([1, 2]); console.table(5); console.dir({ a: { b: { c: { d: 1 } } } });
		console.log("%o %%", 1); console.trace("here");`)
	if *update {
		if err := os.WriteFile("testdata/console.golden", []byte(got), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	if want := readFile(t, "testdata/console.golden"); got != want {
		t.Errorf("got:\n%s\nwant:\n%s", got, want)
	}
}

func TestRequireNamesAlternative(t *testing.T) {
	const command = "npx esbuild main.js --bundle --format=cjs --platform=node --target=es2022 --minify " +
		"--keep-names --outfile=function.js; if a package fails or is too large, add " +
		"--main-fields=browser,module,main --conditions=browser"
	got := newRealm(t, nil).eval(
		`for (const name of ["lodash", "./x", "", 5]) try { require(name) } catch (e) { console.log(e.name + ": " + e.message) }`,
	)
	want := `LOG Error: module "lodash" is not available in cloud functions: bundle it with ` + command + `
LOG Error: module "./x" is not available in cloud functions: bundle it with ` + command + `
LOG TypeError: The argument 'id' must be a non-empty string. Received ''
LOG TypeError: The "id" argument must be of type string. Received type number (5)
`
	if got != want {
		t.Errorf("got:\n%s", got)
	}
}

func TestRunsDoNotShareVariables(t *testing.T) {
	r := newRealm(t, map[string]string{"A": "1"})
	if got := r.eval(
		`process.env.B = "2"; console.log(process.env, process.env.MISSING)`,
	); got != "LOG { A: '1', B: '2' } undefined\n" {
		t.Errorf("process.env: %s", got)
	}
	r.variables = nil
	if got := r.eval(
		`console.log(process.env, Object.getOwnPropertyNames(globalThis).includes("host"))`,
	); !strings.HasPrefix(got, "LOG {} false") {
		t.Errorf("next run: %s", got)
	}
}

func TestEnvironmentHasOwnKeysOnly(t *testing.T) {
	r := newRealm(t, map[string]string{"A": "1", "__proto__": "x"})
	got := r.eval(`
		Object.prototype.evil = "e";
		Object.defineProperty(Object.prototype, "A", { set() { console.log("setter called"); }, configurable: true });
		JSON.parse = () => ({ stolen: 1 });
		console.log(Object.keys(process.env).sort().join(), process.env.A, Object.getPrototypeOf(process.env) === Object.prototype)`)
	if want := "LOG A,__proto__ 1 true\n"; got != want {
		t.Errorf("process.env gave %q, want %q", got, want)
	}
}
