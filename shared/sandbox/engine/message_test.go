package engine

import (
	_ "embed"
	"encoding/json"
	"strings"
	"testing"
)

// messages are lines of code and what Node 20 says of them, its class first.
//
//go:embed testdata/messages.json
var messages []byte

// TestMessagesAreNodes: an error that is caught says in its message what an error in Node says (F8).
func TestMessagesAreNodes(t *testing.T) {
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
		if got := text(t, e, code); got != line[1] {
			t.Errorf("%s\n  says %s\n  Node %s", line[0], got, line[1])
		}
	}
}

// TestATailCallIsNamed: what a function returns is often a call, and QuickJS points to the return then, not to the
// call.
func TestATailCallIsNamed(t *testing.T) {
	e := newEngine(t)
	for _, c := range []struct{ body, message, place string }{
		{"return o.nope(1)", "o.nope is not a function", "2:10"},
		{"let f; return f(o, ')')", "f is not a function", "2:15"},
		{"if (o) return  o.a.nope(1, 2); return o.c()", "o.a.nope is not a function", "2:20"},
		{"return o\n  .nope(\n1)", "o.nope is not a function", "3:4"},
		{"return o.a.b()\nreturn o.c()", "o.a.b is not a function", "2:12"},
		{"return 1, o.x(o.y)", "o.x is not a function", "2:13"},
		{"return o.nope`x`", "o.nope is not a function", "2:14"},
		{"return 'a(b'.nope()", `"a(b".nope is not a function`, "2:14"},
		{"return this.q()", "this.q is not a function", "2:13"},
		{"return /\\(/.nope(1)", "(intermediate value).nope is not a function", "2:13"},
		{"return `${o}`.nope(1)", "(intermediate value).nope is not a function", "2:15"},
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

// TestMessagesOfUsersStay: what user code says itself is never put in other words, nor what cannot be named.
func TestMessagesOfUsersStay(t *testing.T) {
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

// TestAnErrorsMessageIsItsOwn: putting it right leaves the property as the language wants it.
func TestAnErrorsMessageIsItsOwn(t *testing.T) {
	code := `exports.main = async () => { try { ({}).a.b } catch (e) {
		const d = Object.getOwnPropertyDescriptor(e, 'message')
		return [Object.getOwnPropertyNames(e).join(), d.writable, d.enumerable, d.configurable, delete e.message, e.message].join(' ')
	} }`
	if got, want := text(t, newEngine(t), code), "message true false true true "; got != want {
		t.Errorf("%q, want %q", got, want)
	}
}

// TestARegularExpressionThatDoesNotFit is an out-of-memory and not a syntax error.
func TestARegularExpressionThatDoesNotFit(t *testing.T) {
	e := newEngine(t)
	j := job(`exports.main = async () => { new RegExp('x'.repeat(30e6)) }`)
	if r := e.Run(j, newRecorder()); r.Settlement.Error == nil || r.Settlement.Error.Type != "MemoryError" {
		t.Errorf("%+v", r.Settlement.Error)
	}
}

func FuzzCallee(f *testing.F) {
	for _, source := range []string{"", "new", "a.b[c](", "((", "]]", "'", "a?.", "new A().b", "`${", "x[')']", "😀.y"} {
		f.Add(source)
	}
	f.Fuzz(func(t *testing.T, source string) {
		if name, _ := callee([]rune(source)); len(name) > len(source)+len(intermediate)+len("(...)")*len(source) {
			t.Errorf("%q gives %q", source, name)
		}
	})
}

func text(t *testing.T, e *QuickJS, code string) (result string) {
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
