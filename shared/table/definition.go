package table

import (
	"fmt"
	"slices"
	"time"
	"unicode"
	"unicode/utf8"

	"minicloud/shared/errs"
)

// Limits of a schema. MaxIndexes follows from DynamoDB: a row and its index entries change in one transaction of at
// most 100 items.
const (
	MaxColumns     = 200
	MaxIndexes     = 20
	maxDescription = 1000
)

// Grace is how long a program may write with a schema it read earlier. A new index is built, and a removed one
// purged, only after Grace: until then, rows may be written without the new entries or with the removed ones.
const Grace = 60 * time.Second

// maxName is the maximum length of a name in characters.
const maxName = 64

// IsName reports whether text is a valid table name: a letter of any script, then letters, digits, "_" and "-". It
// uses no regular expression, because compiling one that repeats \pL 64 times takes 5 ms at program start.
func IsName(text string) bool {
	for i, r := range text {
		if !unicode.IsLetter(r) && (i == 0 || !unicode.IsNumber(r) && r != '_' && r != '-') {
			return false
		}
	}
	return text != "" && utf8.RuneCountInString(text) <= maxName
}

// Definition is the input for creating or changing a table. In a change, nil means "unchanged". Columns that are not
// named stay; only Remove deletes columns (D51). A named column is replaced by the given definition.
type Definition struct {
	Name           *string
	Columns        []Column // only Name, Type, Items, Required, Default, Indexed, Description and ACL are used
	Remove         []string // columns to remove with their values
	WritePerm      []string
	DefaultRowPerm RowPerm // a nil list means "unchanged"
	// RowPerm is an alias of DefaultRowPerm. If both are given and differ, the one that differs from the table is
	// used: a caller who edits a response and sends it back changes only one of them.
	RowPerm RowPerm
	// Indexes are all indexes that are unique or over several columns; others are deleted. Only Fields and Unique are
	// used. package manage applies them.
	Indexes []FieldIndex
	// Shards is the number of partitions of new rows; nil means "unchanged".
	Shards *int
}

// Changed returns the table with the validated definition applied, or errs.Invalid.
func (t Table) Changed(d Definition, now time.Time) (Table, error) {
	next := t
	next.Revision++
	next.UpdatedAt = now.Unix()
	if d.Name != nil && (*d.Name != t.Name || *d.Name == "") {
		if t.ID == UserProfiles {
			return Table{}, errs.Invalid("table %s is built in and cannot be renamed", UserProfilesName)
		}
		if !IsName(*d.Name) {
			return Table{}, errs.Invalid(
				"name %q must be a letter followed by at most 63 letters, digits, \"_\" or \"-\"", *d.Name,
			)
		}
		next.Name = *d.Name
	}
	if err := next.permit(d); err != nil {
		return Table{}, err
	}
	if d.Shards != nil {
		if t.ID == UserProfiles && *d.Shards != 1 {
			return Table{}, errs.Invalid("table %s is built in and has one shard", UserProfilesName)
		}
		var err error
		if next.Epochs, err = t.Epochs.With(*d.Shards, now, t.Revision == 0); err != nil {
			return Table{}, err
		}
	}
	if len(d.Columns) == 0 && len(d.Remove) == 0 {
		return next, nil
	}

	columns, err := next.merged(d.Columns, d.Remove)
	if err != nil {
		return Table{}, err
	}
	return next.WithColumns(columns, now)
}

// WithColumns returns the table with its own columns replaced.
func (t Table) WithColumns(columns []Column, now time.Time) (Table, error) {
	schema := Table{Columns: columns}.Schema()
	if err := schema.Validate(); err != nil {
		return Table{}, err
	}

	indexes := 0
	for i := range columns {
		c := &columns[i]
		c.Column = schema[i] // with the default in canonical form
		if c.Access() == DefaultACL && !c.BuiltIn {
			c.ACL = nil
		}
		if len(c.Description) > maxDescription {
			return Table{}, errs.Invalid("description of field %q is over %d bytes", c.Name, maxDescription)
		}
		if err := t.place(c, now); err != nil {
			return Table{}, err
		}
		if c.Index != nil {
			indexes++
		}
	}

	switch {
	case len(columns) > MaxColumns:
		return Table{}, errs.Invalid("a table has at most %d fields", MaxColumns)
	case indexes > MaxIndexes:
		return Table{}, errs.Invalid("a table has at most %d indexed fields", MaxIndexes)
	}

	for _, c := range t.Columns {
		if !slices.ContainsFunc(columns, func(n Column) bool { return n.Name == c.Name }) &&
			!slices.Contains(t.Dropped, c.Name) {
			t.Dropped = append(slices.Clone(t.Dropped), c.Name)
		}
	}

	t.Columns = columns

	return t, nil
}

// merged returns the table's columns after a change: a defined column replaces the column of the same name or is
// appended, and removed columns are left out.
func (t Table) merged(defined []Column, remove []string) ([]Column, error) {
	if err := t.checkRemoved(defined, remove); err != nil {
		return nil, err
	}
	columns := slices.DeleteFunc(slices.Clone(t.Columns), func(c Column) bool { return slices.Contains(remove, c.Name) })

	for n, d := range defined {
		if slices.ContainsFunc(defined[:n], d.SameName) {
			return nil, errs.Invalid("field %q is defined twice", d.Name)
		}
		// user_id is an alias of the profile's id (D13).
		if t.ID == UserProfiles && d.Name == userID {
			return nil, errs.Invalid("field %q is built in and cannot be changed", d.Name)
		}

		i := slices.IndexFunc(columns, d.SameName)
		switch {
		case i < 0:
			columns = append(columns, d)
		case !columns[i].BuiltIn:
			if d.ACL == nil {
				d.ACL = columns[i].ACL
			}
			// An index over several columns keeps those of its columns.
			if _, indexed := t.InIndex(d.Name); indexed {
				d.Indexed = true
			}
			columns[i] = d
		case columns[i].Type != d.Type:
			return nil, errs.Invalid("field %q is built in and cannot be changed", d.Name)
		case d.ACL != nil:
			columns[i].ACL = d.ACL
		}
	}
	return columns, nil
}

// checkRemoved returns errs.Invalid if a column cannot be removed.
func (t Table) checkRemoved(defined []Column, remove []string) error {
	for _, name := range remove {
		c, own := t.Column(name)
		_, known := t.Queryable().Column(name)
		switch {
		case known && (!own || c.BuiltIn), t.ID == UserProfiles && name == userID:
			return errs.Invalid("remove_fields: field %q is built in and cannot be removed", name)
		case !own:
			return errs.Invalid("remove_fields: field %q does not exist", name)
		case slices.ContainsFunc(defined, c.SameName):
			return errs.Invalid("field %q stands in schema.fields and in remove_fields", name)
		}
		if index, indexed := t.InIndex(name); indexed {
			return errs.Invalid("remove_fields: field %q is part of index %q: delete the index first", name, index)
		}
	}
	return nil
}

// SameName reports whether two columns have the same name.
func (c Column) SameName(other Column) bool { return c.Name == other.Name }

// place sets the keys under which rows store the column and its index entries. An existing column keeps its keys. A
// new column gets keys that were never used, because rows still hold the values of removed columns.
func (t Table) place(c *Column, now time.Time) error {
	old, exists := t.Column(c.Name)
	switch {
	case exists && (old.Type != c.Type || old.Items != c.Items):
		return errs.Invalid(
			"the type of field %q cannot change from %s to %s: remove the field first", c.Name, old.Type, c.Type,
		)
	case exists:
		c.Key, c.Index, c.BuiltIn = old.Key, old.Index, old.BuiltIn
	case slices.Contains(t.Dropped, c.Name):
		c.Key, c.Index = fmt.Sprintf("%s.%d", c.Name, t.Revision), nil
	default:
		c.Key, c.Index = c.Name, nil
	}

	if !c.Indexed {
		c.Index = nil
	} else if c.Index == nil {
		c.Index = &Index{ID: fmt.Sprintf("%s@%d", c.Key, t.Revision), BuildingSince: now.Unix()}
	}
	return nil
}

// Usable reports whether queries may use the column's index.
func (c Column) Usable() bool { return c.Index != nil && c.Index.BuildingSince == 0 }

// HasIndex reports whether the table has entries or claims of the index with this id.
func (t Table) HasIndex(id string) bool {
	return slices.ContainsFunc(t.Indexes(), func(x Index) bool { return x.ID == id })
}

// Restore converts default values to canonical form after JSON decoding, because JSON does not distinguish integers
// from other numbers. Built-in columns get the access that they start with.
func (t *Table) Restore() error {
	var start Table
	if t.ID == UserProfiles {
		start = Profiles()
	}
	for i, c := range t.Columns {
		if c.BuiltIn && c.ACL == nil {
			first, _ := start.Column(c.Name)
			t.Columns[i].ACL = first.ACL
		}
		if c.Default == nil {
			continue
		}
		v, err := c.Convert(c.Default)
		if err != nil {
			return fmt.Errorf("table %d: %w", t.ID, err)
		}
		t.Columns[i].Default = v
	}
	return nil
}
