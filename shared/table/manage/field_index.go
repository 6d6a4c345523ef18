package manage

import (
	"fmt"
	"slices"
	"time"

	"minicloud/shared/errs"
	"minicloud/shared/table"
)

// changed returns the table with the definition applied. It returns errs.Invalid for an invalid definition.
func changed(t table.Table, d table.Definition, now time.Time) (next table.Table, err error) {
	next = t
	// Delete first: a column of an index cannot be removed.
	for _, x := range t.FieldIndexes {
		if d.Indexes == nil || slices.ContainsFunc(d.Indexes, x.Same) {
			continue
		}
		if next, err = withoutIndex(next, x.Name(), now); err != nil {
			return t, err
		}
	}
	if next, err = next.Changed(d, now); err != nil {
		return t, err
	}
	for _, x := range d.Indexes {
		if slices.ContainsFunc(next.FieldIndexes, x.Same) {
			continue
		}
		if next, _, err = withIndex(next, x.Fields, x.Unique, now); err != nil {
			return t, err
		}
	}
	return next, nil
}

// newUnique returns the unique indexes that a change adds.
func newUnique(old, next table.Table) (added []table.FieldIndex) {
	for _, x := range next.FieldIndexes {
		if x.Claims() && !old.HasIndex(x.Index.ID) {
			added = append(added, x)
		}
	}
	return added
}

// withIndex returns the table with another index. It returns errs.Invalid for fields that cannot have one.
func withIndex(t table.Table, fields []string, unique bool, now time.Time) (table.Table, table.FieldIndex, error) {
	x := table.FieldIndex{Fields: fields, Unique: unique}
	if len(fields) == 0 || len(fields) > table.MaxIndexFields {
		return t, x, errs.Invalid("fields must be 1 to %d names of columns", table.MaxIndexFields)
	}
	if old, exists := t.FieldIndex(x.Name()); exists {
		if x.Made = old.Made; old.Failed == "" && (old.Unique || !unique) {
			return t, x, errs.Invalid("index %q exists", x.Name())
		}
	}
	t.FieldIndexes = slices.DeleteFunc(slices.Clone(t.FieldIndexes), func(old table.FieldIndex) bool { return old.Name() == x.Name() })
	if len(t.FieldIndexes) >= table.MaxFieldIndexes {
		return t, x, errs.Invalid("a table has at most %d indexes that are unique or over several columns", table.MaxFieldIndexes)
	}

	columns := slices.Clone(t.Columns)
	for n, name := range fields {
		i := slices.IndexFunc(columns, func(c table.Column) bool { return c.Name == name })
		switch {
		case i < 0:
			return t, x, errs.Invalid("fields: column %q does not exist", name)
		case slices.Contains(fields[:n], name):
			return t, x, errs.Invalid("fields: column %q is named twice", name)
		case columns[i].BuiltIn:
			return t, x, errs.Invalid("fields: column %q is built in", name)
		case !columns[i].Indexed:
			columns[i].Indexed = true
			x.Made = append(x.Made, name)
		}
	}

	t.Revision++
	t.UpdatedAt = now.Unix()
	if unique {
		x.Index = table.Index{ID: fmt.Sprintf("unique %s@%d", x.Name(), t.Revision), BuildingSince: now.Unix()}
	}
	// A single column that is not unique needs no more than its own index.
	if unique || len(fields) > 1 {
		t.FieldIndexes = append(t.FieldIndexes, x)
	}
	next, err := t.WithColumns(columns, now)
	return next, x, err
}

// withoutIndex returns the table without the index, and without those of columns that were made for it. It returns
// errs.Invalid for the index of a column that another index needs.
func withoutIndex(t table.Table, name string, now time.Time) (table.Table, error) {
	x, ok := t.FieldIndex(name)
	if !ok {
		return t, errs.NotFound("index %q not found", name)
	}
	t.FieldIndexes = slices.DeleteFunc(slices.Clone(t.FieldIndexes), func(old table.FieldIndex) bool { return old.Name() == name })

	gone := x.Made
	if len(x.Fields) == 1 {
		gone = x.Fields
	}
	columns := slices.Clone(t.Columns)
	for i := range columns {
		c := &columns[i]
		other, needed := t.InIndex(c.Name)
		switch {
		case !slices.Contains(gone, c.Name):
		case c.BuiltIn:
			return t, errs.Invalid("index %q is built in and cannot be deleted", name)
		case needed && !x.Unique && len(x.Fields) == 1:
			return t, errs.Invalid("index %q is needed by index %q", name, other)
		case !needed:
			c.Indexed = false
		}
	}
	t.Revision++
	t.UpdatedAt = now.Unix()
	return t.WithColumns(columns, now)
}

// withIndexes returns the next revision of the table, with change applied to each of its Indexes.
func withIndexes(t table.Table, change func(table.Index) table.Index) table.Table {
	t.Columns, t.FieldIndexes = slices.Clone(t.Columns), slices.Clone(t.FieldIndexes)
	t.Revision++
	for i, c := range t.Columns {
		if c.Index != nil {
			x := change(*c.Index)
			t.Columns[i].Index = &x
		}
	}
	for i, x := range t.FieldIndexes {
		t.FieldIndexes[i].Index = change(x.Index)
	}
	if t.Readers != nil {
		t.Readers = t.Readers.Building(change(table.Index{ID: table.ReadersIndex, BuildingSince: t.Readers.BuildingSince}).BuildingSince)
	}
	return t
}

// withFailed returns the next revision of the table, in which the unique index is given up.
func withFailed(t table.Table, id, why string) table.Table {
	t.FieldIndexes = slices.Clone(t.FieldIndexes)
	t.Revision++
	for i, x := range t.FieldIndexes {
		if x.Index.ID == id {
			t.FieldIndexes[i].Failed = why
		}
	}
	return t
}
