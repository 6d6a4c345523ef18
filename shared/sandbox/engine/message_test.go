package engine

import (
	_ "embed"
	"encoding/json"
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
	if len(lines) < 40 {
		t.Fatalf("only %d lines", len(lines))
	}
	e := newEngine(t)
	for _, line := range lines {
		code := "exports.main = async function main() { try {\n  " + line[0] + "\n} catch (e) { return `${e.name}: ${e.message}` } return '' }"
		if got := text(t, e, code); got != line[1] {
			t.Errorf("%s\n  says %s\n  Node %s", line[0], got, line[1])
		}
	}
}

// TestMessagesOfUsersStay: what user code says itself is never put in other words, nor what cannot be named.
func TestMessagesOfUsersStay(t *testing.T) {
	e := newEngine(t)
	for code, want := range map[string]string{
		`throw new TypeError('not a function')`:                             "not a function",
		`throw new Error("'a' is not defined")`:                             "'a' is not defined",
		`throw Object.assign(new Error(), { message: "'x' is read-only" })`: "'x' is read-only",
		`throw new TypeError("cannot read property 'x' of undefined")`:      "cannot read property 'x' of undefined",
		`[1].map(5)`: "not a function",
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
	j := job(`exports.main = async () => { new RegExp('x'.repeat(12e6)) }`)
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
