package table

import (
	"maps"
	"reflect"

	"minicloud/shared/errs"
)

// aliases are the built-in columns with a second name, which requests and answers have beside the first (C18). Stored
// rows and trigger payloads have the first name only.
var aliases = map[string]string{"_id": "id", "read_perm": "_read_perm", "write_perm": "_write_perm"}

// Canonical returns the first name of a column with two names, else the name itself. A table's own column may have
// such a name; it takes precedence.
func (t Table) Canonical(name string) string {
	first, ok := aliases[name]
	if _, own := t.Column(name); !ok || own {
		return name
	}
	return first
}

// Answer returns the row as in responses: Record with the second names of built-in columns.
func (t Table) Answer(r Row) map[string]any {
	record := t.Record(r)
	for second, first := range aliases {
		if t.Canonical(second) == first {
			record[second] = record[first]
		}
	}
	return record
}

// CanonicalFields returns fields with first names. It returns errs.Invalid if a field is given under both names with
// different values: one of them would be lost.
func (t Table) CanonicalFields(fields map[string]any) (map[string]any, error) {
	named := maps.Clone(fields)
	for second, first := range aliases {
		v, given := fields[second]
		if !given || t.Canonical(second) != first {
			continue
		}
		if other, both := fields[first]; both && !reflect.DeepEqual(v, other) {
			return nil, errs.Invalid("fields %q and %q are the same field, but have different values", first, second)
		}
		delete(named, second)
		named[first] = v
	}
	return named, nil
}
