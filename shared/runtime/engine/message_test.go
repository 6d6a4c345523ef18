package engine

import (
	_ "embed"
	"encoding/json"
	"strings"
	"testing"
)

// messages are lines of code that throw, with the error of Node 20: class and message.
//
//go:embed testdata/messages.json
var messages []byte

// TestThrowsNodesClasses checks that a caught error has the same class as in Node, and a message.
func TestThrowsNodesClasses(t *testing.T) {
	var lines [][2]string
	if err := json.Unmarshal(messages, &lines); err != nil {
		t.Fatal(err)
	}
	if len(lines) < 500 {
		t.Fatalf("only %d lines", len(lines))
	}

	e := newEngine(t)
	for _, line := range lines {
		code := "exports.main = async function main() { try {\n  " + line[0] +
			"\n} catch (e) { return `${e.name}: ${e.message}` } return '' }"
		class, _, _ := strings.Cut(line[1], ": ")
		if got := text(t, e, code); !strings.HasPrefix(got, class+": ") && got != line[1] {
			t.Errorf("%s\n  says %s\n  Node %s", line[0], got, line[1])
		}
	}
}

// TestNamesCulprit checks that a caught error names the value that is not a function, not a constructor, not
// iterable or not defined, or the property of undefined that was read (F8), and that the stack of the uncaught
// error has the position.
func TestNamesCulprit(t *testing.T) {
	e := newEngine(t)
	for _, c := range []struct{ body, message, place string }{
		{"return o.nope(1)", "o.nope is not a function", "2:10"},
		{"let f; return f(o, ')')", "f is not a function", "2:15"},
		{"if (o) return  o.a.nope(1, 2); return o.c()", "o.a.nope is not a function", "2:20"},
		{"return o\n  .nope(\n1)", "nope is not a function", "3:4"},
		{"return o.a.b()\nreturn o.c()", "o.a.b is not a function", "2:12"},
		{"return 1, o.x(o.y)", "o.x is not a function", "2:13"},
		{"return o.nope`x`", "o.nope is not a function", "2:14"},
		{"return 'a(b'.nope()", "nope is not a function", "2:14"},
		{"return this.q()", "this.q is not a function", "2:13"},
		{"return /\\(/.nope(1)", "nope is not a function", "2:13"},
		{"return o.a[0](1)", "o.a[0] is not a function", "2:14"},
		{"return o.a?.nope()", "o.a?.nope is not a function", "2:13"},
		{"return (() => 1)()()", "not a function", "2:19"},
		{"return [1].map(5)", "map needs a function", "2:12"},
		{"return new o.a()", "o.a is not a constructor", "2:14"},
		{"let Foo; new Foo", "Foo is not a function", "2:14"},
		{"for (const x of o.a) {}", "o.a is not iterable", "2:17"},
		{"return [...o]", "o is not iterable", "2:12"},
		{"const [x] = o", "o is not iterable", "2:7"},
		{"const { x } = o.none", "cannot read property 'x' of undefined", "2:7"},
		{"return o.none.x", "cannot read property 'x' of undefined", "2:15"},
		{"return none", "none is not defined", "2:8"},
	} {
		code := "const g = function (o) {\n" + c.body + "\n}\nexports.main = async () => { "
		if got := text(t, e, code+"try { g.call({}, { a: {} }) } catch (e) { return e.message } }"); got != c.message {
			t.Errorf("%s\n  says %s\n  want %s", c.body, got, c.message)
		}

		r := e.Run(job(code+"g.call({}, { a: {} }) }"), newRecorder())
		if stack := r.Settlement.Error.Stack; !strings.Contains(stack, "f.js:"+c.place+")") {
			t.Errorf("%s\n  at %s\n  want %s", c.body, stack, c.place)
		}
	}
}

// TestKeepsMessagesOfUserCode checks that messages of user code are not changed.
func TestKeepsMessagesOfUserCode(t *testing.T) {
	e := newEngine(t)
	for code, want := range map[string]string{
		`throw new TypeError('not a function')`:                                                    "not a function",
		`throw new Error("'a' is not defined")`:                                                    "'a' is not defined",
		`throw Object.assign(new Error(), { message: "'x' is read-only" })`:                        "'x' is read-only",
		`throw new TypeError("cannot read property 'x' of undefined")`:                             "cannot read property 'x' of undefined",
		`throw new TypeError("x is not a constructor")`:                                            "x is not a constructor",
		`throw new TypeError("5 is not a function")`:                                               "5 is not a function",
		`for (const x of [1]) throw new TypeError("1 is not async iterable")`:                      "1 is not async iterable",
		`const { a } = (() => { throw new TypeError("Cannot destructure 'x' as it is null.") })()`: "Cannot destructure 'x' as it is null.",
	} {
		if got := text(t, e, "exports.main = async () => { try { "+code+" } catch (e) { return e.message } }"); got != want {
			t.Errorf("%s: %q, want %q", code, got, want)
		}
	}
}

// TestNamedMessageIsPlainProperty checks that adding the name keeps the attributes of the property message.
func TestNamedMessageIsPlainProperty(t *testing.T) {
	code := `exports.main = async () => { try { ({}).a() } catch (e) {
		const d = Object.getOwnPropertyDescriptor(e, 'message')
		return [Object.getOwnPropertyNames(e).join(), d.writable, d.enumerable, d.configurable, delete e.message, e.message].join(' ')
	} }`
	if got, want := text(t, newEngine(t), code), "message true false true true "; got != want {
		t.Errorf("%q, want %q", got, want)
	}
}

// TestTooLargeRegExpIsMemoryError checks that a regular expression too large for the memory is a MemoryError;
// QuickJS reports a SyntaxError.
func TestTooLargeRegExpIsMemoryError(t *testing.T) {
	e := newEngine(t)
	j := job(`exports.main = async () => { new RegExp('x'.repeat(30e6)) }`)
	if r := e.Run(j, newRecorder()); r.Settlement.Error == nil || r.Settlement.Error.Type != "MemoryError" {
		t.Errorf("%+v", r.Settlement.Error)
	}
}

func text(t *testing.T, e *Engine, code string) (result string) {
	t.Helper()
	r := e.Run(job(code), newRecorder())
	if r.Settlement.Error != nil {
		t.Fatalf("%s: %v", code, r.Settlement.Error)
	}
	if err := json.Unmarshal(r.Settlement.Data, &result); err != nil {
		t.Fatalf("%s: %s", code, r.Settlement.Data)
	}
	return result
}
