package engine

import (
	"regexp"
	"strings"
	"unsafe"

	"modernc.org/libc"
	lib "modernc.org/libquickjs"
)

// watchErrors lets the engine tell us of every property that an error gets for the first time. QuickJS says "not a
// function" and not of what; with this the message is V8's before user code can catch the error (F8). It must run
// before any error is made.
func (w *world) watchErrors() {
	w.errors.Fdefine_own_property = functionPointer(onErrorProperty)

	runtime := (*lib.TJSRuntime)(unsafe.Add(nil, w.rt))
	classes := (*[lib.EJS_CLASS_ERROR + 1]lib.TJSClass)(unsafe.Add(nil, runtime.Fclass_array))
	classes[lib.EJS_CLASS_ERROR].Fexotic = uintptr(unsafe.Pointer(&w.errors))
}

// onErrorProperty defines a property as the engine would have. The stack is the last one that the engine writes.
func onErrorProperty(
	tls *libc.TLS, ctx uintptr, e value, name lib.TJSAtom, v, getter, setter value, flags int32,
) int32 {
	w := worldOf(ctx, tls)
	if name == lib.EJS_ATOM_stack && w.run != nil && w.inBytecode() {
		w.run.reword(e, v)
	}

	return lib.XJS_DefineProperty(tls, ctx, e, name, v, getter, setter, flags|lib.MJS_PROP_NO_EXOTIC)
}

// inBytecode reports whether the error is thrown by a line of code. Within a function of the engine it is one that
// user code makes with new, whose message is the user's, or one of which the line says nothing.
func (w *world) inBytecode() bool {
	frame := (*lib.TJSRuntime)(unsafe.Add(nil, w.rt)).Fcurrent_stack_frame
	if frame == 0 {
		return false
	}
	running := (*lib.TJSStackFrame)(unsafe.Add(nil, frame)).Fcur_func

	return lib.XJS_GetClassID(w.tls, running) != lib.EJS_CLASS_C_FUNCTION
}

// reword puts V8's message into an error that the engine threw, where it has another one.
func (r *run) reword(e, stack value) {
	w := r.world
	message := lib.XJS_GetPropertyInternal(w.tls, w.ctx, e, lib.EJS_ATOM_message, e, 0)
	defer w.drop(message)
	if message.Ftag != lib.EJS_TAG_STRING {
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

	const plain = lib.MJS_PROP_WRITABLE | lib.MJS_PROP_CONFIGURABLE
	if lib.XJS_DefinePropertyValue(w.tls, w.ctx, e, lib.EJS_ATOM_message, w.newString(meant), plain) < 0 {
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
