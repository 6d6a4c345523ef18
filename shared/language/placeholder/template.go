// Package placeholder parses and renders the templates of trigger actions (D35): text with placeholders for values.
//
//	template     text and placeholders; \{ is a brace, any other \ is literal
//	placeholder  {{ name }} or {{ name | date:"format" }}
//	name         segments separated by dots: total_cost, created_by.nickname,
//	             address.city, after.x, before.x, payload.x
//	format       Y m d …, see date.go; a backslash makes a letter literal
//
// A template is parsed once and rendered in one pass. Values are inserted unchanged and are never parsed as
// templates. An unknown name renders as empty text.
package placeholder

import (
	"strings"
	"time"

	"minicloud/shared/errs"
)

// MaxBytes is the maximum size of a template and of its rendered text in bytes (D35).
const MaxBytes = 256 << 10

// Template is a parsed template. The zero Template renders as empty text.
type Template struct {
	source string
	parts  []part
}

// part is a placeholder if it has a name, otherwise literal text.
type part struct {
	text   string
	name   string
	format string // format of the date filter; "" = no filter
}

// Lookup returns the value of a full name including dots; ok is false if the name does not exist. Values are of the
// types of encoding/json, or Go integers.
type Lookup func(name string) (value any, ok bool)

// In returns a Lookup that searches the objects in order; the first object with the name is used. A dot in a name
// selects a member of a nested object.
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

// String returns the source of the template.
func (t Template) String() string { return t.source }

// Names returns the distinct names in the template, in order of appearance.
func (t Template) Names() []string {
	var names []string
	seen := map[string]bool{"": true} // "" = literal text
	for _, p := range t.parts {
		if !seen[p.name] {
			seen[p.name] = true
			names = append(names, p.name)
		}
	}
	return names
}

// Render renders the template with values from lookup. Dates are formatted in the given time zone. It returns
// errs.Invalid if the result exceeds MaxBytes.
func (t Template) Render(lookup Lookup, zone *time.Location) (string, error) {
	return t.RenderEscaped(lookup, zone, func(text string) string { return text })
}

// RenderEscaped is Render with values escaped, for example with html.EscapeString. The template's own text is not
// escaped.
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

// Value renders a template for an assignment: a template that is a single placeholder without a format keeps the type
// of its value, and is nil for an unknown name (G7). Every other result is text.
func (t Template) Value(lookup Lookup, zone *time.Location) (any, error) {
	if name := t.Single(); name != "" {
		v, _ := lookup(name)
		return v, nil
	}
	return t.Render(lookup, zone)
}

// Single returns the name if the template is a single placeholder without a format, otherwise "".
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
