package engine

import (
	"regexp"
	"strings"

	"minicloud/shared/runtime/engine/realm"
)

// Thrown is called for every error that a line of code throws. It adds the name that the source uses for a value,
// which the engine does not know, before user code can catch the error (F8).
func (d doors) Thrown(thrown, stack uint64) {
	if r := d.world.run; r != nil && !r.Interrupted {
		r.nameCulprit(realm.Value(thrown), realm.Value(stack))
	}
}

// nameCulprit adds to the engine's message the name of the value that was called, constructed, iterated over or
// destructured.
func (r *run) nameCulprit(e, stack realm.Value) {
	w := r.world
	message := realm.Value(w.VM.OwnMessage(uint64(e)))
	defer w.Drop(message)
	if w.Kind(message) != realm.KindText {
		return
	}
	said, err := w.Text(message)
	if err != nil {
		w.Drop(w.Caught())
		return
	}

	named := r.named(said, stack)
	if named != said && int32(w.VM.SetMessage(uint64(e), uint64(w.NewString(named)))) < 0 {
		w.Drop(w.Caught()) // no memory for the new message: keep the engine's
	}
}

// absentGlobals are globals of Node that do not exist in functions.
var absentGlobals = map[string]bool{"WebAssembly is not defined": true, "SharedArrayBuffer is not defined": true}

// Messages of the engine that lack a name.
const (
	notFunction    = "not a function"
	notConstructor = "not a constructor"
	notIterable    = "value is not iterable"
	notObject      = "cannot destructure " // undefined or null
)

// named returns a message of the engine with the name at the first position of the stack. It returns the message
// unchanged if there is no name: the stack has the position.
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
		if !strings.HasPrefix(behind, "(") && !strings.HasPrefix(behind, "`") { // new C: position inside the name
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

// A name is a chain of members and indexes, such as a.b[0]?.c. An array pattern is followed by the destructured
// value; an object pattern begins with its first property.
var (
	lastName      = regexp.MustCompile(`(?:[\pL\pN_$#]|\[[^\[\]]*\]|\?\.|\.)+$`)
	firstName     = regexp.MustCompile(`^(?:[\pL\pN_$#]|\?\.|\.)+`)
	arrayPattern  = regexp.MustCompile(`^\[.*?\]\s*(?:=|of)\s*([\pL\pN_$#.]+)`)
	objectPattern = regexp.MustCompile(`^\{\s*['"]?([\pL\pN_$]+)`)
)

// firstOf returns the first group of a pattern in a text, otherwise if the pattern does not match.
func firstOf(pattern *regexp.Regexp, text, otherwise string) string {
	if found := pattern.FindStringSubmatch(text); found != nil {
		return found[1]
	}
	return otherwise
}

// sourceAt returns the text before and behind the position of a stack's first frame, on its line of the user's
// file; ok is false if that frame is in another file.
func (r *run) sourceAt(stack realm.Value) (before, behind string, ok bool) {
	frames, err := r.world.Text(stack)
	first, _, _ := strings.Cut(frames, "\n")
	if err != nil || !strings.Contains(first, r.file+":") {
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
