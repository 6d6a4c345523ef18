package promotion

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"

	"minicloud/shared/errs"
	"minicloud/shared/idempotency/writetoken"
	"minicloud/shared/language/value"
	"minicloud/shared/page"
	"minicloud/shared/table"
)

// errPointersPending means that a step continues once all new tables exist.
var errPointersPending = errors.New("promotion: the table's pointers come later")

// definition returns the request body that creates the table with some of its fields.
func (d *TableDefinition) definition(name string, fields []Field) table.Definition {
	made := table.Definition{
		Name: &name, Columns: columns(fields), WritePerm: list(d.WritePerm), Indexes: []table.FieldIndex{},
		DefaultRowPerm: table.RowPerm{Read: list(d.DefaultRowPerm.Read), Write: list(d.DefaultRowPerm.Write)},
	}
	if name == table.UserProfilesName {
		made.Columns = append(made.Columns, d.builtIn()...)
	}
	for _, x := range d.Indexes {
		if x.over(fields) {
			made.Indexes = append(made.Indexes, x.definition())
		}
	}
	return made
}

// builtIn returns the built-in columns of _userprofile with their access.
func (d *TableDefinition) builtIn() (all []table.Column) {
	start := table.Profiles()
	for _, c := range start.Columns {
		acl, changed := d.BuiltIn[c.Name]
		if !changed {
			acl = c.Access()
		}
		c.ACL = &acl
		all = append(all, c)
	}
	return all
}

func (x Index) definition() table.FieldIndex {
	return table.FieldIndex{Fields: x.Fields, Unique: x.Unique}
}

func (x Index) name() string { return x.definition().Name() }

// over reports whether all fields of the index are among fields.
func (x Index) over(fields []Field) bool {
	return !slices.ContainsFunc(x.Fields, func(name string) bool {
		return !slices.ContainsFunc(fields, func(f Field) bool { return f.Name == name })
	})
}

// hasIndex reports whether the table has the same index.
func (d *TableDefinition) hasIndex(x Index) bool {
	return slices.ContainsFunc(d.Indexes, func(other Index) bool { return x.definition().Same(other.definition()) })
}

// lost returns the indexes of d that a change to wanted deletes. An index over a column that only d has is kept, unless
// the column is removed.
func (d *TableDefinition) lost(wanted *TableDefinition, remove []string) (lost []Index) {
	for _, x := range d.Indexes {
		removed := slices.ContainsFunc(x.Fields, func(name string) bool { return slices.Contains(remove, name) })
		if removed || x.over(wanted.Fields) && !wanted.hasIndex(x) {
			lost = append(lost, x)
		}
	}
	return lost
}

func columns(fields []Field) (all []table.Column) {
	for _, f := range fields {
		acl := cmp.Or(f.ACL, &table.DefaultACL)
		all = append(all, table.Column{Description: f.Description, ACL: acl, Column: value.Column{
			Name: f.Name, Type: f.Type, Items: f.Items, Required: f.Required, Default: f.Default, Indexed: f.Indexed,
			Target: f.SchemaName,
		}})
	}
	return all
}

// carryTable writes the schema of a table to the target. Pointers to tables that do not exist yet are added later,
// because two new tables may point to each other.
func (w *work) carryTable(ctx context.Context, i int, item Item) (*Definition, error) {
	step, after := w.record.Steps[i], item.After.Table
	if step.Change == Changed {
		old := w.to.tables[step.Name]
		return w.alterTable(ctx, old, w.to.ofTable(old), after, step.Options.RemoveFields, step.Was)
	}

	t, err := w.Tables.Create(ctx, w.to.Scope, after.definition(step.Name, w.creatable(step.Name, after.Fields)))
	if err != nil {
		return nil, err
	}
	w.to.add(t)
	// A repeated request gets the response of the first try, whose table may lack pointers.
	if made := w.to.ofTable(t); len(made.Fields) >= len(after.Fields) {
		return &Definition{Table: made}, nil
	}
	w.pointersPending = append(w.pointersPending, i)
	return nil, errPointersPending
}

// creatable returns the columns that can be created now: the target of a pointer must exist.
func (w *work) creatable(name string, fields []Field) (creatable []Field) {
	for _, f := range fields {
		_, there := w.to.tables[f.SchemaName]
		if f.SchemaName == "" || f.SchemaName == name || there {
			creatable = append(creatable, f)
		}
	}
	return creatable
}

// linkTables adds pointers to tables that now exist.
func (w *work) linkTables(ctx context.Context, items []Item) error {
	waiting := w.pointersPending
	w.pointersPending = nil
	for _, i := range waiting {
		step := &w.record.Steps[i]
		if w.late(ctx) || w.waits(items[i]) {
			continue
		}
		// No guard is needed: only this promotion writes the new table until its pointers are added.
		t, err := w.Tables.Modify(
			writetoken.Step(ctx, step.Ref.String()+"/pointers"), w.to.Scope, w.to.tables[step.Name].ID,
			items[i].After.Table.definition(step.Name, items[i].After.Table.Fields), func(table.Table) error { return nil },
		)
		if err == nil {
			w.to.add(t)
			step.Became = digestOf(&Definition{Table: w.to.ofTable(t)})
		}
		if err := w.settle(ctx, i, err); err != nil {
			return err
		}
	}
	return nil
}

// alterTable changes a table to the wanted schema. It keeps other columns, except those in remove.
func (w *work) alterTable(
	ctx context.Context, old table.Table, before, wanted *TableDefinition, remove []string, digest string,
) (*Definition, error) {
	d := before.altered(old.Name, wanted, remove)
	t, err := w.Tables.Modify(ctx, w.to.Scope, old.ID, d, w.sameTable(digest))
	if err != nil {
		return nil, err
	}
	w.to.add(t)
	return &Definition{Table: w.to.ofTable(t)}, nil
}

// altered returns the change of a table to the wanted schema.
func (d *TableDefinition) altered(name string, wanted *TableDefinition, remove []string) table.Definition {
	lost := d.lost(wanted, remove)
	change := wanted.definition(name, wanted.Fields)
	for _, x := range d.Indexes {
		if !wanted.hasIndex(x) && !slices.ContainsFunc(lost, func(gone Index) bool { return gone.name() == x.name() }) {
			change.Indexes = append(change.Indexes, x.definition())
		}
	}
	// Leave out unchanged columns: writing them would only cost. With an index go the indexes of its columns that were
	// made for it.
	change.Columns = slices.DeleteFunc(change.Columns, func(c table.Column) bool {
		f, _ := wanted.field(c.Name)
		is, there := d.field(c.Name)
		inLost := slices.ContainsFunc(lost, func(x Index) bool { return slices.Contains(x.Fields, c.Name) })
		return !c.BuiltIn && there && is.equal(f) && !inLost
	})
	change.Remove = remove
	return change
}

// mustBeEmpty returns errs.Invalid for a table with rows, which a promotion does not delete.
func (w *work) mustBeEmpty(ctx context.Context, t table.Table) error {
	got, err := w.Tables.Find(ctx, w.to.Scope, t, table.Query{Page: page.Request{Limit: 1}})
	if err == nil && len(got.Objects) > 0 {
		err = errs.Invalid("it has rows in %s that would be lost: delete the table there directly", w.to.Name)
	}
	return err
}

// removeTable deletes a table without rows.
func (w *work) removeTable(ctx context.Context, t table.Table, digest string) error {
	if t.ID == 0 {
		return errs.NotFound("the table does not exist")
	}
	if err := w.mustBeEmpty(ctx, t); err != nil {
		return err
	}
	return w.Tables.DeleteTable(ctx, w.to.Scope, t.ID, w.sameTable(digest))
}

// revertTable restores the schema of a table. Added columns are deleted if no row has a value in them; deleted columns
// are created again, without values.
func (w *work) revertTable(ctx context.Context, i int, digest string) error {
	step, was := w.record.Steps[i], w.before[i].Definition.Table
	if step.Change == Removed {
		_, err := w.Tables.Create(ctx, w.to.Scope, was.definition(step.Name, was.Fields))
		return err
	}

	old := w.to.tables[step.Name]
	now := w.to.ofTable(old)
	var came []string
	for _, f := range now.Fields {
		earlier, there := was.field(f.Name)
		switch {
		case !there:
			came = append(came, f.Name)
		case earlier.converts(f):
			return errs.Invalid("column %q is %s now and was %s: its values would be lost", f.Name, f.kind(), earlier.kind())
		}
	}
	for _, name := range came {
		if err := w.isEmpty(ctx, old, name); err != nil {
			return err
		}
	}
	_, err := w.alterTable(ctx, old, now, was, slices.Clone(came), digest)
	return err
}

// isEmpty returns errs.Invalid if a row has a value in a column. It reads the index of the column, or scans rows until
// it finds a value.
func (w *work) isEmpty(ctx context.Context, t table.Table, name string) error {
	where, err := t.Grammar().Where(fmt.Sprintf(`{%q:{"$isnull":false}}`, name))
	if err != nil {
		return err
	}
	got, err := w.Tables.Find(ctx, w.to.Scope, t, table.Query{Where: where, Page: page.Request{Limit: 1}})
	if err == nil && len(got.Objects) > 0 {
		err = errs.Invalid("rows in %s now have values in column %q that would be lost: remove the column there directly",
			w.to.Name, name)
	}
	return err
}
