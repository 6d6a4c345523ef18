package engine

import (
	"strings"
)

// Thrown is told of every error that a line of code throws. The engine does not know what the source calls a value;
// with this the message is V8's before user code can catch the error (F8).
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
	meant := r.asV8(said, stack)
	if meant == said {
		return
	}

	if int32(w.vm.SetMessage(uint64(e), uint64(w.newString(meant)))) < 0 {
		w.drop(w.caught()) // no memory for it: the engine's message stays
	}
}

const (
	notFunction    = "not a function"
	notConstructor = " is not a constructor"
)

// absent are globals of Node that no function has.
var absent = map[string]bool{"WebAssembly is not defined": true, "SharedArrayBuffer is not defined": true}

// asV8 is the message with what only the source knows: the name of what was called, iterated over or taken apart. The
// rest is V8's in the engine already (infra/lab/quickjs).
func (r *run) asV8(said string, stack value) string {
	if absent[said] {
		return strings.TrimSuffix(said, "defined") + "available in cloud functions: take the JavaScript build"
	}
	called := strings.HasSuffix(said, notFunction) || strings.HasSuffix(said, notConstructor)
	iterated := strings.HasSuffix(said, notIterable) || strings.HasSuffix(said, notAsyncIterable)
	if !called && !iterated && !strings.HasPrefix(said, notTakenApart) {
		return said
	}

	frames, ok := r.world.text(stack)
	first, _, _ := strings.Cut(frames, "\n")
	if !ok || !strings.Contains(first, r.file+":") {
		return said
	}
	line, column, ok := r.place(first)
	switch {
	case !ok:
		return said
	case called:
		return r.notCallable(said, line, column)
	case iterated:
		return r.iterable(said, r.around(line, column))
	}

	return r.takenApart(said, r.around(line, column))
}

// notCallable names what is called, or constructed, at a place. Where that is a function of the language, or nothing
// that has a name, the message stays the engine's.
func (r *run) notCallable(said string, line, column int) string {
	before, called := r.sourceBefore(line, column)
	if !called { // new C: the engine points into what is constructed
		before = append(before, leadingNames([]rune(r.line(line))[len([]rune(lastLine(before))):])...)
	}
	name, constructed := callee(before)
	switch {
	case name == "":
		return said
	case constructed:
		return name + notConstructor
	case !called || strings.HasSuffix(said, notConstructor): // only `new C` ends without a parenthesis
		return said
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
