package table

import (
	"minicloud/shared/errs"
	"minicloud/shared/id"
	"minicloud/shared/language/value"
	"minicloud/shared/language/value/update"
)

// Built-in columns with a row's creator and times; functions may set them (F15).
const (
	createdBy = "created_by"
	createdAt = "created_at"
	updatedAt = "updated_at"
)

// WritableByFunction returns Writable plus created_by, created_at and updated_at.
func (t Table) WritableByFunction() value.Schema {
	schema := t.Writable()
	for _, name := range []string{createdBy, createdAt, updatedAt} {
		// Required: an update may set these columns but not unset them, because every row has them.
		schema = append(schema, value.Column{Name: name, Type: value.Integer, Required: true})
	}
	return schema
}

// authorship holds the creator and times that a function sets for a row (F15); nil = not set.
type authorship struct {
	createdBy, createdAt, updatedAt *int64
}

// of returns the field of a column, or nil for any other name.
func (a *authorship) of(name string) **int64 {
	switch name {
	case createdBy:
		return &a.createdBy
	case createdAt:
		return &a.createdAt
	case updatedAt:
		return &a.updatedAt
	}
	return nil
}

// set stores a value of a draft; null means "not set". It returns errs.Invalid for a value that is not an integer or
// out of range.
func (a *authorship) set(t Table, name string, v any) error {
	if v == nil {
		return nil
	}
	converted, err := value.Column{Name: name, Type: value.Integer}.Convert(v)
	if err != nil {
		return err
	}
	n := converted.(int64)
	*a.of(name) = &n
	return t.checkAuthorship(name, n)
}

func (t Table) checkAuthorship(name string, n int64) error {
	switch {
	case name == createdAt && t.IntegerIDs() && n < id.Begin().Unix(): // two users of a second would have the same id
		return errs.Invalid("field %q must be %d or later: ids of users say no earlier time", name, id.Begin().Unix())
	case n <= 0:
		return errs.Invalid("field %q must be above 0", name)
	}
	return nil
}

// splitAuthorship separates the operations on created_by, created_at and updated_at from the others. It returns
// errs.Invalid unless these operations set plain values, and created_at equals the time in the row's id, which never
// changes.
func (t Table) splitAuthorship(row RowID, all update.Operations) (a authorship, own update.Operations, err error) {
	for _, o := range all {
		to := a.of(o.Column.Name)
		// A table's own column may have one of these names; it takes precedence.
		if _, isColumn := t.Column(o.Column.Name); to == nil || isColumn {
			own = append(own, o)
			continue
		}
		n, ok := o.Value.(int64)
		if o.Kind != update.Set || !ok {
			return a, nil, errs.Invalid("field %q takes a value, no operator", o.Column.Name)
		}
		if err := t.checkAuthorship(o.Column.Name, n); err != nil {
			return a, nil, err
		}
		if o.Column.Name == createdAt && n != row.CreatedAt() {
			return a, nil, errs.Invalid(
				"field %q stands in the row's id and cannot change: give it when the row is created", createdAt,
			)
		}
		*to = &n
	}
	return a, own, nil
}

// write sets the creator and update time in r, if given. The creation time is part of the row's id.
func (a authorship) write(r *Row) {
	if a.createdBy != nil {
		r.CreatedBy = *a.createdBy
	}
	if a.updatedAt != nil {
		r.UpdatedAt = *a.updatedAt
	}
}

// checkCreator returns errs.Invalid if a client says that another user created its row: rights hang on the creator.
func (a Author) checkCreator(said *int64) error {
	if a.Client != nil && said != nil && *said != a.UserID {
		return errs.Invalid("field %q must be the id of the user who creates the row", createdBy)
	}
	return nil
}
