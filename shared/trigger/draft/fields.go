package draft

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"strings"
	"unicode/utf8"

	"minicloud/shared/clip"
	"minicloud/shared/errs"
	"minicloud/shared/language/value"
	"minicloud/shared/table"
	"minicloud/shared/tenant"
	"minicloud/shared/trigger"
)

// check is one run of a Checker. It continues after a mistake of the caller, and stops looking up names after an error
// of Names.
type check struct {
	*Checker
	ctx      context.Context
	scope    tenant.Scope
	trigger  trigger.Trigger
	errors   trigger.Problems
	warnings trigger.Problems
	tables   map[string]*table.Table           // cache by id or name; nil = not found
	meant    map[trigger.TableRef]*table.Table // by the references in this change
	err      error                             // first error of Names
}

func (k *check) fail(path, format string, args ...any) {
	k.errors = append(k.errors, trigger.Problem{Path: path, Message: fmt.Sprintf(format, args...)})
}

func (k *check) warn(path, format string, args ...any) {
	k.warnings = append(k.warnings, trigger.Problem{Path: path, Message: fmt.Sprintf(format, args...)})
}

// table returns a table, nil if it does not exist.
func (k *check) table(ref string) *table.Table {
	if found, known := k.tables[ref]; known {
		return found
	}
	k.tables[ref] = nil
	if k.err != nil {
		return nil
	}
	t, err := k.Names.Table(k.ctx, k.scope, ref)
	switch {
	case err == nil:
		k.tables[ref] = &t
	case !errs.Is(err, errs.KindNotFound):
		k.err = err
	}
	return k.tables[ref]
}

// fields are the members of a JSON object while they are read. A member that is null counts as missing.
type fields struct {
	*check
	path  string
	given map[string]any
	read  map[string]bool
}

func (k *check) fields(path string, given map[string]any) *fields {
	return &fields{check: k, path: path, given: given, read: make(map[string]bool, len(given))}
}

func (f *fields) at(name string) string {
	if f.path == "" {
		return name
	}
	return f.path + "." + name
}

func (f *fields) wrong(name, format string, args ...any) { f.fail(f.at(name), format, args...) }

func (f *fields) take(name string) (v any, ok bool) {
	f.read[name] = true
	v = f.given[name]
	return v, v != nil
}

// unknown reports unread members as mistakes: a misspelled member would change the behaviour.
func (f *fields) unknown() {
	known := f.known()
	for _, name := range f.unread() {
		f.wrong(clip.Text(name, clip.Name), "there is no such member: %s", known)
	}
}

// unread returns the members that were not read.
func (f *fields) unread() []string {
	return slices.DeleteFunc(slices.Sorted(maps.Keys(f.given)), func(name string) bool { return f.read[name] })
}

// known lists the allowed members, for messages.
func (f *fields) known() string {
	if len(f.read) == 0 {
		return "none is expected here"
	}
	return "it can be " + strings.Join(slices.Sorted(maps.Keys(f.read)), ", ")
}

// needed as a default means that the member is required.
const needed = "\x00"

// text reads a text of at most max characters.
func (f *fields) text(name string, max int, absent string) string {
	v, ok := f.take(name)
	if !ok {
		if absent == needed {
			f.wrong(name, "is required")
			return ""
		}
		return absent
	}

	text, ok := v.(string)
	switch {
	case !ok:
		f.wrong(name, "must be a text")
	case text == "" && absent == needed:
		f.wrong(name, "must have 1 to %d characters", max)
	case utf8.RuneCountInString(text) > max:
		f.wrong(name, "must have at most %d characters", max)
	}

	return text
}

// choice reads one of the allowed words.
func choice[T ~string](f *fields, name string, absent T, allowed ...T) T {
	v, ok := f.take(name)
	if !ok && absent != needed {
		return absent
	}
	text, _ := v.(string)
	if !ok || !slices.Contains(allowed, T(text)) {
		f.wrong(name, "must be %s", either(allowed))
	}
	return T(text)
}

// number reads an integer from low to high. A missing member is 0 unless it is required.
func (f *fields) number(name string, low, high int, required bool) int {
	v, ok := f.take(name)
	if !ok && !required {
		return 0
	}
	n, isNumber := value.ToFloat(v)
	if !isNumber || n != float64(int(n)) || n < float64(low) || float64(high) < n {
		f.wrong(name, "must be an integer from %d to %d", low, high)
		return low
	}
	return int(n)
}

func (f *fields) flag(name string, absent bool) bool {
	v, ok := f.take(name)
	if !ok {
		return absent
	}
	on, isFlag := v.(bool)
	if !isFlag {
		f.wrong(name, "must be true or false")
	}
	return on
}

// object reads a member that is an object; it returns nil if the member is missing or not an object.
func (f *fields) object(name string, required bool) *fields {
	v, ok := f.take(name)
	if !ok && !required {
		return nil
	}
	given, isObject := v.(map[string]any)
	if !isObject {
		f.wrong(name, "must be an object")
		return nil
	}
	return f.fields(f.at(name), given)
}

// list reads a member that is a list of low to high items.
func (f *fields) list(name string, low, high int) []any {
	v, ok := f.take(name)
	if !ok && low == 0 {
		return nil
	}
	list, isList := v.([]any)
	if !isList || len(list) < low || high < len(list) {
		f.wrong(name, "must be a list of %d to %d", low, high)
		return nil
	}
	return list
}

// objects reads a list of objects, each with its own path.
func (f *fields) objects(name string, low, high int) []*fields {
	var each []*fields
	for i, item := range f.list(name, low, high) {
		path := fmt.Sprintf("%s[%d]", f.at(name), i)
		given, ok := item.(map[string]any)
		if !ok {
			f.fail(path, "must be an object")
			continue
		}
		each = append(each, f.fields(path, given))
	}
	return each
}

// either formats a list of words: "a", "b" or "c".
func either[T ~string](allowed []T) string {
	words := make([]string, len(allowed))
	for i, word := range allowed {
		words[i] = fmt.Sprintf("%q", string(word))
	}
	if len(words) == 1 {
		return words[0]
	}
	last := len(words) - 1
	return strings.Join(words[:last], ", ") + " or " + words[last]
}
