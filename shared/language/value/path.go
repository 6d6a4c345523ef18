package value

import (
	"strings"

	"minicloud/shared/clip"
	"minicloud/shared/errs"
)

// MaxPath is the maximum number of levels in a dotted name, including the column (C20).
const MaxPath = 5

// Place returns the column that a name refers to, and the path of keys inside it: of "extra.a.b" the object column
// "extra" and the keys a and b. ok is false if there is no such column. It returns errs.Invalid for a path that cannot
// exist.
func (s Schema) Place(name string) (column Column, path []string, ok bool, err error) {
	if column, ok = s.Column(name); ok {
		return column, nil, true, nil
	}
	head, rest, dotted := strings.Cut(name, ".")
	if column, ok = s.Column(head); !dotted || !ok || column.Type != Object {
		return Column{}, nil, false, nil
	}

	path = strings.Split(rest, ".")
	for _, key := range path {
		if key == "" || strings.HasPrefix(key, "$") || len(path) >= MaxPath {
			return column, path, true, errs.Invalid(
				"field %q must be at most %d names joined by dots, none with $", clip.Text(name, clip.Name), MaxPath)
		}
	}
	return column, path, true, nil
}

// At returns the value at the path inside an object, nil if there is none.
func At(v any, path []string) any {
	for _, key := range path {
		object, _ := v.(map[string]any)
		v = object[key]
	}
	return v
}
