// Package placeholder knows the templates of trigger actions (D35): text with
// the names of values.
//
//	template     text and placeholders; \{ is a brace, any other \ is itself
//	placeholder  {{ name }} or {{ name | date:"format" }}
//	name         segments with dots between: total_cost, created_by.nickname,
//	             address.city, after.x, before.x, payload.x
//	format       Y m d …, see date.go; a backslash makes a letter literal
//
// A template is parsed once and rendered in one pass: values are put in as they
// are and never read as templates. A name that does not exist renders empty.
package placeholder

import (
	"strings"
	"time"

	"minicloud/shared/errs"
)

// MaxBytes is how long a template, and what it renders to, may be (D35).
const MaxBytes = 256 << 10

// Template is a parsed template. The zero Template renders empty.
type Template struct {
	source string
	parts  []part
}

// part is literal text or, with a name, a placeholder.
type part struct {
	text   string
	name   string
	format string // of the date filter; "" = none
}

// Lookup returns the value of a name, dots and all; false when there is no such
// name. Values are what encoding/json decodes, and Go's integers.
type Lookup func(name string) (value any, ok bool)

// In looks names up in objects, in the first of them that knows the name.
// A dot leads into an object within.
func In(objects ...map[string]any) Lookup {
	return func(name string) (any, bool) {
		for _, object := range objects {
			if v, ok := walk(object, name); ok {
				return v, true
			}
		}
		return nil, false
	}
}

func walk(object map[string]any, name string) (any, bool) {
	for {
		head, rest, deeper := strings.Cut(name, ".")
		v, ok := object[head]
		if !ok || !deeper {
			return v, ok
		}
		if object, ok = v.(map[string]any); !ok {
			return nil, false
		}
		name = rest
	}
}

// String returns the template as it was written.
func (t Template) String() string { return t.source }

// Names returns the names in the template, each once, in order.
func (t Template) Names() []string {
	var names []string
	seen := map[string]bool{"": true} // the parts that are text
	for _, p := range t.parts {
		if !seen[p.name] {
			seen[p.name] = true
			names = append(names, p.name)
		}
	}
	return names
}

// Render puts the values in. Dates are formatted in the given zone. It returns
// an errs.Invalid when the result is longer than MaxBytes.
func (t Template) Render(lookup Lookup, zone *time.Location) (string, error) {
	return t.RenderEscaped(lookup, zone, func(text string) string { return text })
}

// RenderEscaped is Render for text in which values need escaping, as in HTML
// (html.EscapeString). The template's own text stays as it is.
func (t Template) RenderEscaped(lookup Lookup, zone *time.Location, escape func(string) string) (string, error) {
	var out strings.Builder
	for _, p := range t.parts {
		text := p.text
		if p.name != "" {
			text = escape(p.render(lookup, zone))
		}

		if out.Len()+len(text) > MaxBytes {
			return "", errs.Invalid("the text of the template is longer than %d KB with its values", MaxBytes>>10)
		}
		out.WriteString(text)
	}
	return out.String(), nil
}

// Value is Render for assignments: a template that is one placeholder and
// nothing else keeps the type of its value, nil for a name that does not exist
// (G7). A formatted date is text.
func (t Template) Value(lookup Lookup, zone *time.Location) (any, error) {
	if name := t.Single(); name != "" {
		v, _ := lookup(name)
		return v, nil
	}
	return t.Render(lookup, zone)
}

// Single returns the name in a template that is one placeholder without a format and nothing else, "" for any other.
func (t Template) Single() string {
	if len(t.parts) != 1 || t.parts[0].format != "" {
		return ""
	}
	return t.parts[0].name
}

func (p part) render(lookup Lookup, zone *time.Location) string {
	v, _ := lookup(p.name)
	if p.format != "" {
		if at, ok := instant(v, zone); ok {
			return format(at, p.format)
		}
	}
	return Text(v)
}
