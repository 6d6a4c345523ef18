package table

import (
	"slices"

	"minicloud/shared/errs"
	"minicloud/shared/language/query"
	"minicloud/shared/language/value"
	"minicloud/shared/language/value/update"
	"minicloud/shared/permission"
)

// Access returns the row as permissions see it.
func (r Row) Access() permission.Row {
	return permission.Row{Read: r.Perm.Read, Write: r.Perm.Write, Creator: r.CreatedBy}
}

// CreatorOf returns the user to whom a row shows its columns with creatorVisible, 0 = nobody: the creator, and of a
// user that user.
func (t Table) CreatorOf(r Row) int64 {
	if t.ID == UserProfiles {
		return int64(r.ID.Number()) // functions may write another created_by (F15)
	}
	return r.CreatedBy
}

// Readable reports whether the subject may read a row of the table; nil = an administrator or a function. Everybody
// with a session reads users.
func (t Table) Readable(s *permission.Subject, r Row) bool {
	if t.ID == UserProfiles {
		return s == nil || s.User > 0
	}
	return s.Read(r.Access())
}

// PermitCreate returns errs.Unauthenticated or errs.Forbidden unless the subject may create rows.
func (t Table) PermitCreate(s *permission.Subject) error {
	switch s.Create(t.WritePerm) {
	case permission.NeedLogin:
		return errLogin()
	case permission.Refused:
		return errs.Forbidden("rows of table %q cannot be created by this user", t.Name)
	}
	return nil
}

// PermitLogin returns errs.Unauthenticated for nobody, who writes nothing, not even a missing row.
func PermitLogin(s *permission.Subject) error {
	if s != nil && s.User <= 0 {
		return errLogin()
	}
	return nil
}

// PermitWrite returns an error unless the subject may write the row: errs.Unauthenticated for nobody, errs.Forbidden
// for a row that it may only read, and the errs.NotFound of a missing row otherwise.
func (t Table) PermitWrite(s *permission.Subject, r Row) error {
	switch s.Write(r.Access()) {
	case permission.NeedLogin:
		return errLogin()
	case permission.Refused:
		return errs.Forbidden("row %v of table %q cannot be written by this user", t.Wire(r.ID), t.Name)
	case permission.Hidden:
		return t.NoRow(r.ID)
	}
	return nil
}

// PermitUpdate is PermitWrite for the operations: only the creator changes the permissions of a row.
func (t Table) PermitUpdate(s *permission.Subject, r Row, operations update.Operations) error {
	if err := t.PermitWrite(s, r); err != nil {
		return err
	}
	for _, o := range operations {
		if new(RowPerm).of(o.Column.Name) != nil && s.ChangePermissions(r.CreatedBy) != permission.Allowed {
			return errs.Forbidden("field %q can only be changed by the creator of the row", o.Column.Name)
		}
	}
	return nil
}

func errLogin() error { return errs.Unauthenticated("log in to write rows") }

// ShownTo returns the columns that exist for the subject, for keys. Columns that only the creator of a row sees are
// among them.
func (t Table) ShownTo(s *permission.Subject) value.Schema {
	return t.columns(func(c Column) bool { return c.Access().Known(s) })
}

// GrammarOf returns the grammar of the subject's conditions and orders: a column that it may not name does not exist.
func (t Table) GrammarOf(s *permission.Subject) query.Grammar {
	schema := t.columns(func(c Column) bool {
		ok, _ := c.Access().Queried(s)
		return ok
	})
	return query.Grammar{Schema: schema, Aliases: aliases}
}

// columns returns the built-in columns and those of the table's own that are kept.
func (t Table) columns(keep func(Column) bool) value.Schema {
	return slices.DeleteFunc(t.Queryable(), func(c value.Column) bool {
		own, ok := t.Column(c.Name)
		return ok && !keep(own)
	})
}

// WritableByClient returns the columns that exist for the updates of a client: Writable without those that are hidden and
// cannot be written, with updated_at if the application has legacy writes (C19). created_by and created_at of a row never
// change: rights hang on the creator, and the id of the row holds the time.
func (t Table) WritableByClient(s *permission.Subject, legacy bool) value.Schema {
	schema := slices.DeleteFunc(t.Writable(), func(c value.Column) bool {
		own, ok := t.Column(c.Name)
		return ok && !own.Access().Known(s) && !own.Access().Writable(s)
	})
	for i, c := range schema { // null is no permission: it would hide the row from its creator
		schema[i].Required = c.Required || new(RowPerm).of(c.Name) != nil
	}
	if legacy {
		schema = append(schema, value.Column{Name: updatedAt, Type: value.Integer, Required: true})
	}
	return schema
}

// WritableBy returns which columns the subject may write, for update.FromObject.
func (t Table) WritableBy(s *permission.Subject) update.Writable {
	return func(name string) error {
		if c, own := t.Column(name); own && !c.Access().Writable(s) {
			return errReadOnly(name)
		}
		return nil
	}
}

func errReadOnly(name string) error {
	return errs.Invalid("field %q cannot be written by clients", name)
}

// refusedField returns what a draft of the subject needs and why it is refused if it names this column (C26). A hidden
// column is unknown.
func (t Table) refusedField(s *permission.Subject, name string) (needs string, err error) {
	c, own := t.Column(name)
	switch {
	case !own || c.Access().Writable(s):
		return "", nil
	case !c.Access().Known(s):
		return value.NeedsUnknown(name), value.Unknown(name)
	}
	return "cannot be written", errReadOnly(name)
}

// Narrowed returns the condition of a query on which the subject's right to name columns holds: a query that names a
// column which only creators see finds only rows that the subject created (C27). It returns errs.Invalid for a column
// that the subject may not name.
func (t Table) Narrowed(s *permission.Subject, where query.Predicate, order query.Order) (query.Predicate, error) {
	if s == nil {
		return where, nil
	}
	names := query.Columns(where)
	for _, key := range order {
		names = append(names, key.Column.Name)
	}

	narrow := false
	for _, name := range names {
		c, own := t.Column(name)
		if !own {
			continue
		}
		ok, mine := c.Access().Queried(s)
		if !ok {
			return nil, value.Unknown(name)
		}
		narrow = narrow || mine
	}
	if !narrow {
		return where, nil
	}
	mine, err := t.Grammar().Term(createdBy, query.OpEq, float64(s.User))
	return query.All(where, mine), err
}
