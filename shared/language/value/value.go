// Package value defines the values of columns (D25): types, schemas, the conversion of JSON to canonical Go values,
// and their equality and order.
//
//	type      canonical Go value          accepted JSON
//	string    string                      string
//	integer   int64, |n| < 2^53           number without a fraction
//	number    float64, finite             number
//	boolean   bool                        true, false
//	date      string, RFC 3339            ISO 8601 string with an offset
//	array     []any of one item type      array without nulls
//	object    map[string]any              object without $ keys
//	file      map[string]any              object with an id
//	pointer   map {"_table","id"}         the same; if the column has a target table, also the id alone; "" is null
//	geojson   map {"type","coordinates"}  Point or Polygon, or a JSON string of one
//
// A missing value and null are the same: nil in Go. Numbers inside objects are float64. Dates keep their offset and
// are compared as instants.
//
// The order of values (Column.Compare) is total. Nulls sort first, then values by type: strings by bytes, numbers by
// value, false before true, dates by instant. Descending order is the exact reverse, so nulls sort last.
//
// The package is pure: it performs no I/O and reads no clock.
package value

import (
	"maps"
	"slices"
	"strings"

	"minicloud/shared/errs"
)

// MaxInteger is the largest integer of a column, 2^53-1: the largest integer that every JSON parser represents
// exactly.
const MaxInteger = 1<<53 - 1

// Column describes one column of a table.
type Column struct {
	Name     string
	Type     Type
	Items    Type // item type of an array, "" for other types
	Required bool
	Default  any // canonical; nil = none
	Indexed  bool
	// Target and TargetID are the name and id of the table that a pointer refers to. If they are empty, a pointer may
	// refer to any table and must name it.
	Target   string `json:",omitempty"`
	TargetID int64  `json:",omitempty"`
}

// Item returns the column for converting and comparing one item of an array.
func (c Column) Item() Column { return Column{Name: c.Name, Type: c.Items} }

// Schema is the columns of a table.
type Schema []Column

// BuiltIn returns the built-in columns of every row. id is the type of the row's id: String in tables, Integer for
// users.
func BuiltIn(id Type) Schema {
	return Schema{
		{Name: "id", Type: id, Indexed: true},
		{Name: "created_at", Type: Integer, Indexed: true},
		{Name: "updated_at", Type: Integer},
		{Name: "created_by", Type: Integer},
		{Name: "_read_perm", Type: Array, Items: String},
		{Name: "_write_perm", Type: Array, Items: String},
	}
}

// Column returns the column with this name; ok is false if there is none.
func (s Schema) Column(name string) (Column, bool) {
	for i := range s {
		if s[i].Name == name {
			return s[i], true
		}
	}
	return Column{}, false
}

// maxName is the maximum length of a column name in characters.
const maxName = 64

// isName reports whether text is a valid column name (D25).
func isName(text string) bool {
	for i, r := range []byte(text) {
		letter := 'a' <= r|0x20 && r|0x20 <= 'z'
		if !letter && (i == 0 || (r < '0' || '9' < r) && r != '_') {
			return false
		}
	}
	return text != "" && len(text) <= maxName
}

// Validate validates user-defined columns and converts their defaults to canonical form. It returns an errs.Invalid
// that names the invalid column.
func (s Schema) Validate() error {
	// The built-in names do not depend on the id type, so any type can be passed.
	builtIn := BuiltIn(String)
	for i := range s {
		c := &s[i]
		if !isName(c.Name) {
			return errs.Invalid("field name %q must be a letter followed by at most 63 letters, digits or underscores", c.Name)
		}
		if _, taken := builtIn.Column(c.Name); taken {
			return errs.Invalid("field %q exists in every table", c.Name)
		}
		if first, _ := s.index(c.Name); first != i {
			return errs.Invalid("field %q is defined twice", c.Name)
		}
		if err := c.validate(); err != nil {
			return err
		}
	}

	return nil
}

func (s Schema) index(name string) (int, bool) {
	i := slices.IndexFunc(s, func(c Column) bool { return c.Name == name })
	return i, i >= 0
}

func (c *Column) validate() error {
	types := Types()
	itemTypes := typesWith(func(k kind) bool { return k.item })
	switch {
	case !slices.Contains(types, c.Type):
		return errs.Invalid("field %q has unknown type %q: it must be one of %s", c.Name, c.Type, list(types))
	case c.Type == Array && c.Items == "":
		return errs.Invalid("items.type of field %q is required: one of %s", c.Name, list(itemTypes))
	case c.Type == Array && !slices.Contains(itemTypes, c.Items):
		return errs.Invalid("field %q cannot hold items of type %q: it must be one of %s", c.Name, c.Items, list(itemTypes))
	case c.Type != Array && c.Items != "":
		return errs.Invalid("field %q is no array and cannot have items", c.Name)
	case c.Type != Pointer && c.Target != "":
		return errs.Invalid("field %q is no pointer and cannot have schema_name or schema_id", c.Name)
	case c.Indexed && !c.Type.Ordered():
		return errs.Invalid("field %q of type %s cannot be indexed", c.Name, c.Type)
	}

	if c.Default == nil {
		return nil
	}

	// Refuse an invalid default with the schema: otherwise it would fail every insert.
	value, err := c.Convert(c.Default)
	if err != nil {
		return errs.Invalid("default of %s", errs.Message(err))
	}

	c.Default = value
	return nil
}

func list(types []Type) string {
	words := make([]string, len(types))
	for i, t := range types {
		words[i] = string(t)
	}
	return strings.Join(words, ", ")
}

// Unknown returns the errs.Invalid for a field that cannot be set, because it does not exist or is built in.
func Unknown(name string) error {
	if _, ours := BuiltIn(String).Column(name); ours {
		return errs.Invalid("field %q is the platform's and cannot be written", name)
	}
	return errs.Invalid("field %q does not exist", name)
}

// Row converts the values of a new row to canonical form, adds defaults and drops nulls. It returns a *Refused with
// every field that does not exist, has the wrong type or is missing.
func (s Schema) Row(values map[string]any) (map[string]any, error) {
	var refused Refused
	for _, name := range slices.Sorted(maps.Keys(values)) {
		if _, ok := s.index(name); !ok {
			refused.Add(name, NeedsUnknown(name), Unknown(name))
		}
	}

	row := make(map[string]any, len(s))
	for _, c := range s {
		value, given := values[c.Name]
		if !given {
			value = c.Default
		}

		// Convert also returns an error for a missing required value. Collect all errors to report them together.
		value, err := c.Convert(value)
		refused.Add(c.Name, c.Needs(), err)
		if value != nil {
			row[c.Name] = value
		}
	}

	return row, refused.Err()
}
