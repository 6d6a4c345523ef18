package engine

import (
	"regexp"
	"strings"

	"minicloud/shared/runtime/engine/realm"
)

// Thrown is told of every error that a line of code throws. The engine does not know what the source calls a value, so
// the name is added before user code can catch the error (F8).
func (d doors) Thrown(thrown, stack uint64) {
	if r := d.world.run; r != nil && !r.interrupted {
		r.nameCulprit(realm.Value(thrown), realm.Value(stack))
	}
}

// nameCulprit puts the name of what was called, constructed, iterated over or destructured into the engine's message.
func (r *run) nameCulprit(e, stack realm.Value) {
	w := r.world
	message := realm.Value(w.VM.OwnMessage(uint64(e)))
	defer w.Drop(message)
	if w.Kind(message) != realm.KindText {
		return
	}
	said, ok := w.Text(message)
	if !ok {
		w.Drop(w.Caught())
		return
	}

	named := r.named(said, stack)
	if named != said && int32(w.VM.SetMessage(uint64(e), uint64(w.NewString(named)))) < 0 {
		w.Drop(w.Caught()) // no memory for the message: the engine's stays
	}
}

// absentGlobals are globals of Node that no function has.
var absentGlobals = map[string]bool{"WebAssembly is not defined": true, "SharedArrayBuffer is not defined": true}

// Messages of the engine that lack a name.
const (
	notFunction    = "not a function"
	notConstructor = "not a constructor"
	notIterable    = "value is not iterable"
	notObject      = "cannot destructure " // undefined or null
)

// named is a message of the engine with the name that stands in the source at the first place of the stack. A message
// without a name there stays as it is: the stack has the place.
func (r *run) named(said string, stack realm.Value) string {
	if absentGlobals[said] {
		return strings.TrimSuffix(said, "defined") + "available in cloud functions: take the JavaScript build"
	}
	empty, destructured := strings.CutPrefix(said, notObject)
	if said != notFunction && said != notConstructor && said != notIterable && !destructured {
		return said
	}
	before, behind, ok := r.sourceAt(stack)
	if !ok {
		return said
	}

	var name string
	switch said {
	case notFunction, notConstructor:
		name = lastName.FindString(before)
		if !strings.HasPrefix(behind, "(") && !strings.HasPrefix(behind, "`") { // new C: the place lies within the name
			name += firstName.FindString(behind)
		}
		name = strings.Trim(name, ".?")
	case notIterable:
		name = firstOf(arrayPattern, behind, firstName.FindString(behind))
	default:
		if key := firstOf(objectPattern, behind, ""); key != "" {
			return "cannot read property '" + key + "' of " + empty
		}
	}
	if name == "" {
		return said
	}

	return name + " is " + strings.TrimPrefix(said, "value is ")
}

// A name is a chain of members and indexes, such as a.b[0]?.c. A pattern of an array is followed by what it takes
// apart, a pattern of an object begins with its first property.
var (
	lastName      = regexp.MustCompile(`(?:[\pL\pN_$#]|\[[^\[\]]*\]|\?\.|\.)+$`)
	firstName     = regexp.MustCompile(`^(?:[\pL\pN_$#]|\?\.|\.)+`)
	arrayPattern  = regexp.MustCompile(`^\[.*?\]\s*(?:=|of)\s*([\pL\pN_$#.]+)`)
	objectPattern = regexp.MustCompile(`^\{\s*['"]?([\pL\pN_$]+)`)
)

// firstOf is the first group of a pattern in a text, otherwise when the pattern does not match.
func firstOf(pattern *regexp.Regexp, text, otherwise string) string {
	if found := pattern.FindStringSubmatch(text); found != nil {
		return found[1]
	}
	return otherwise
}

// sourceAt returns the line of the user's file around the first frame of a stack; ok is false when that frame lies
// elsewhere.
func (r *run) sourceAt(stack realm.Value) (before, behind string, ok bool) {
	frames, ok := r.world.Text(stack)
	first, _, _ := strings.Cut(frames, "\n")
	if !ok || !strings.Contains(first, r.file+":") {
		return "", "", false
	}
	line, column, ok := r.place(first)
	if !ok {
		return "", "", false
	}

	text := []rune(r.line(line))
	at := min(max(column-1, 0), len(text))
	return string(text[:at]), string(text[at:]), true
}
