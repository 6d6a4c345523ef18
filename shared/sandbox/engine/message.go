package engine

import (
	"regexp"
	"strings"
)

// Thrown is told of every error that a line of code throws. QuickJS says "not a function" and not of what; with this
// the message is V8's before user code can catch the error (F8).
func (d doors) Thrown(thrown, stack uint64) {
	if r := d.world.run; r != nil && !r.interrupted {
		r.reword(value(thrown), value(stack))
	}
}

// reword puts V8's message into an error that the engine threw, where it has another one.
func (r *run) reword(e, stack value) {
	w := r.world
	message := value(w.vm.OwnMessage(uint64(e)))
	defer w.drop(message)
	if w.kind(message) != kindText {
		return
	}

	said, ok := w.text(message)
	if !ok {
		w.drop(w.caught())
		return
	}
	meant := said
	if said == notFunction {
		if frames, ok := w.text(stack); ok {
			meant = r.notCallable(frames)
		}
	} else {
		meant = asV8(said)
	}
	if meant == said {
		return
	}

	if int32(w.vm.SetMessage(uint64(e), uint64(w.newString(meant)))) < 0 {
		w.drop(w.caught()) // no memory for it: the engine's message stays
	}
}

const notFunction = "not a function"

// engineMessages are those of QuickJS that name what V8 names, too, in other words.
var engineMessages = []struct {
	quickjs *regexp.Regexp
	v8      string
}{
	{
		regexp.MustCompile(`^cannot read property '(.*)' of (undefined|null)$`),
		"Cannot read properties of $2 (reading '$1')",
	},
	{
		regexp.MustCompile(`^cannot set property '(.*)' of (undefined|null)$`), "Cannot set properties of $2 (setting '$1')",
	},
	{
		regexp.MustCompile(`^'?(WebAssembly|SharedArrayBuffer)'? is not defined$`),
		"$1 is not available in cloud functions: take the JavaScript build",
	},
	{regexp.MustCompile(`^'(.*)' is not defined$`), "$1 is not defined"},
	{regexp.MustCompile(`^'(.*)' is read-only$`), "Assignment to constant variable."},
}

func asV8(message string) string {
	for _, m := range engineMessages {
		if m.quickjs.MatchString(message) {
			return m.quickjs.ReplaceAllString(message, m.v8)
		}
	}

	return message
}

// notCallable names what the first frame of a stack calls, or constructs. Where that is a function of the language,
// or nothing that has a name, the message stays the engine's.
func (r *run) notCallable(frames string) string {
	first, _, _ := strings.Cut(frames, "\n")
	if !strings.Contains(first, r.file+":") {
		return notFunction
	}
	line, column, ok := r.place(first)
	if !ok {
		return notFunction
	}

	before, called := r.sourceBefore(line, column)
	if !called { // new C: the engine points into what is constructed
		before = append(before, leadingNames([]rune(r.line(line))[len([]rune(lastLine(before))):])...)
	}
	name, constructed := callee(before)
	switch {
	case name == "":
		return notFunction
	case constructed:
		return name + " is not a constructor"
	case !called: // only `new C` ends without a parenthesis
		return notFunction
	}

	return name + " is not a function"
}

// lastLine is what stands on the last line of source.
func lastLine(source []rune) string {
	text := string(source)
	return text[strings.LastIndex(text, "\n")+1:]
}

// leadingNames are the names and dots that a line begins with.
func leadingNames(line []rune) []rune {
	n := 0
	for n < len(line) && (isName(line[n]) || line[n] == '.') {
		n++
	}
	return line[:n]
}

// chainLines is how many lines above a call may belong to what is called.
const chainLines = 6

// sourceBefore returns the source up to a place, with some lines above, and whether a call's arguments begin there.
func (r *run) sourceBefore(line, column int) (before []rune, called bool) {
	text := []rune(r.line(line))
	at := min(max(column-1, 0), len(text))
	called = at < len(text) && (text[at] == '(' || text[at] == '`')

	for n := max(1, line-chainLines); n < line; n++ {
		before = append(before, []rune(r.line(n)+"\n")...)
	}

	return append(before, text[:at]...), called
}
