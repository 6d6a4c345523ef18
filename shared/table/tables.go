package table

import (
	"context"
	"fmt"
	"slices"
	"time"
	"unicode"
	"unicode/utf8"

	"minicloud/shared/errs"
	"minicloud/shared/idempotency/writetoken"
	"minicloud/shared/tenant"
)

// The limits of a schema. A row and its entries change in one transaction of at
// most 100 items, which bounds the indexes.
const (
	MaxColumns     = 200
	MaxIndexes     = 20
	maxDescription = 1000
	maxPermissions = 100
)

// Grace is how long a program may write by a schema that it read earlier. A new index
// is built, and a removed one purged, only after that: until then rows may still be
// written without, or with, its entries.
const Grace = 60 * time.Second

// maxName is in characters.
const maxName = 64

// isName reports whether text can be a table's name: a letter of any script,
// then letters, digits, "_" and "-". No regular expression: repeating \pL 64
// times takes a program 5 ms of its start.
func isName(text string) bool {
	for i, r := range text {
		if !unicode.IsLetter(r) && (i == 0 || !unicode.IsNumber(r) && r != '_' && r != '-') {
			return false
		}
	}
	return text != "" && utf8.RuneCountInString(text) <= maxName
}

// Definition is the input for creating or changing a table. In a change nil means
// "unchanged", and columns that it does not name stay: only Remove deletes columns
// (D51). A named column gets exactly the given definition.
type Definition struct {
	Name           *string
	Columns        []Column // Name, Type, Items, Required, Default, Indexed, Description and ACL count
	Remove         []string // names of columns to be removed with their values
	WritePerm      []string
	DefaultRowPerm RowPerm // a nil list of it is as it is
	// RowPerm is DefaultRowPerm by its other name. When both are given and differ, the one that differs from the table
	// counts: a caller who edits an answer and sends it back changes only one of them.
	RowPerm RowPerm
}

// Create makes a table. errs.Invalid names what is wrong, errs.Duplicate says
// that the name is taken.
func (s *Service) Create(ctx context.Context, scope tenant.Scope, d Definition) (Table, error) {
	if d.Name == nil {
		return Table{}, errs.Invalid("name is required")
	}
	ids, now := writetoken.IDs(ctx, s.IDs, s.Clock.Now())
	token := writetoken.Of(ctx, "table")
	t := Table{
		ID: ID(ids.New(now)), Tokens: writetoken.List("").With(token, now), CreatedAt: now.Unix(), WritePerm: public,
		DefaultRowPerm: RowPerm{Read: public, Write: public},
	}
	if err := s.findTargets(ctx, scope, d, Table{ID: t.ID, Name: *d.Name}); err != nil {
		return Table{}, err
	}
	t, err := t.changed(d, now)
	if err != nil {
		return Table{}, err
	}
	for _, c := range t.Columns {
		if c.Index != nil {
			c.Index.BuildingSince = 0 // there are no rows to wait for
		}
	}

	err = s.Schemas.InsertTable(ctx, scope, t)
	if errs.Is(err, errs.KindDuplicate) && token != "" {
		// A repeated request draws the id of its first try again, and so finds the table that the first try made.
		made, missing := s.Schemas.Table(ctx, scope, t.ID)
		if missing == nil && made.Tokens.Has(token) {
			return made, nil
		}
	}
	return t, err
}

// Modify changes a table. A removed column is gone at once with its values; a
// column's type cannot change. A new index is used by queries when every row has
// its entry, a minute or more later.
func (s *Service) Modify(ctx context.Context, scope tenant.Scope, id ID, d Definition) (Table, error) {
	return s.ModifyIf(ctx, scope, id, d, anyState)
}

// Guard checks the exact state of a table that a change would replace. Its error refuses the change.
type Guard func(Table) error

func anyState(Table) error { return nil }

// ModifyIf is Modify with a guard.
func (s *Service) ModifyIf(ctx context.Context, scope tenant.Scope, id ID, d Definition, guard Guard) (Table, error) {
	old, err := s.Table(ctx, scope, id)
	if err != nil || old.Tokens.Has(changeToken(ctx)) {
		return old, err
	}
	if err := guard(old); err != nil {
		return Table{}, err
	}
	if err := s.findTargets(ctx, scope, d, old); err != nil {
		return Table{}, err
	}
	next, err := old.changed(d, s.Clock.Now())
	if err != nil {
		return Table{}, err
	}
	next.Tokens = old.Tokens.With(changeToken(ctx), s.Clock.Now())
	// Tasks are submitted before the change: a task for a change that failed does nothing, while a change without its
	// task would leave an index unbuilt for ever.
	look := s.looks(scope, old, next)
	if err := s.submit(ctx, slices.Concat(tasks(scope, old, next), next.stalled(scope, s.now()), look)); err != nil {
		return Table{}, err
	}
	if err := s.Schemas.ReplaceTable(ctx, scope, old, next); err != nil {
		return next, err
	}
	s.hurry(ctx, look)
	return next, nil
}

// ToModify returns the table of that id or name for Modify. An earlier try of the
// request may have given it the name that d says.
func (s *Service) ToModify(ctx context.Context, scope tenant.Scope, idOrName string, d Definition) (Table, error) {
	t, err := s.Named(ctx, scope, idOrName)
	token := changeToken(ctx)
	if errs.Is(err, errs.KindNotFound) && d.Name != nil && token != "" {
		renamed, missing := s.Named(ctx, scope, *d.Name)
		if missing == nil && renamed.Tokens.Has(token) {
			return renamed, nil
		}
	}
	return t, err
}

// changeToken returns the write token for a change of a table, "" without an Idempotency-Key.
func changeToken(ctx context.Context) string { return writetoken.Of(ctx, "change") }

// DeleteTable removes a table. Its rows are out of reach at once and purged in the
// background. The built-in table cannot be deleted.
func (s *Service) DeleteTable(ctx context.Context, scope tenant.Scope, id ID) error {
	return s.DeleteTableIf(ctx, scope, id, anyState)
}

// DeleteTableIf is DeleteTable with a guard.
func (s *Service) DeleteTableIf(ctx context.Context, scope tenant.Scope, id ID, guard Guard) error {
	if id == UserProfiles {
		return errs.Invalid("table %s is built in and cannot be deleted", UserProfilesName)
	}
	t, err := s.Table(ctx, scope, id)
	if err != nil {
		return err
	}
	if err := guard(t); err != nil {
		return err
	}
	// As in ModifyIf, tasks come first: nothing else would purge the rows of a deleted table.
	look := s.looks(scope, t, Table{ID: id})
	left := append(tasks(scope, t, Table{ID: id}), Task{Scope: scope.String(), Table: id})
	if err := s.submit(ctx, append(left, look...)); err != nil {
		return err
	}
	if err := s.Schemas.DeleteTable(ctx, scope, t); err != nil {
		return err
	}
	s.hurry(ctx, look)
	return nil
}

// looks returns the task that makes triggers check a changed table, when triggers listen to it and its columns changed.
func (s *Service) looks(scope tenant.Scope, old, next Table) []Task {
	removed := next.Revision == 0
	same := !removed && slices.EqualFunc(old.Columns, next.Columns, Column.sameName)
	if same || old.Listeners == (Listeners{}) {
		return nil
	}
	return []Task{{Scope: scope.String(), Table: old.ID, Changed: s.Clock.Now().UnixMilli()}}
}

// hurry submits tasks again without a delay. It ignores errors: the tasks are submitted for later already.
func (s *Service) hurry(ctx context.Context, tasks []Task) {
	for _, task := range tasks {
		_ = s.Worker.Submit(ctx, task, 0)
	}
}

// changed returns the table with the definition applied, all checked.
func (t Table) changed(d Definition, now time.Time) (Table, error) {
	next := t
	next.Revision++
	next.UpdatedAt = now.Unix()
	if d.Name != nil && (*d.Name != t.Name || *d.Name == "") {
		if t.ID == UserProfiles {
			return Table{}, errs.Invalid("table %s is built in and cannot be renamed", UserProfilesName)
		}
		if !isName(*d.Name) {
			return Table{}, errs.Invalid(
				"name %q must be a letter followed by at most 63 letters, digits, \"_\" or \"-\"", *d.Name,
			)
		}
		next.Name = *d.Name
	}
	if err := next.permit(d); err != nil {
		return Table{}, err
	}
	if len(d.Columns) == 0 && len(d.Remove) == 0 {
		return next, nil
	}

	columns, err := next.merged(d.Columns, d.Remove)
	if err != nil {
		return Table{}, err
	}
	return next.withColumns(columns, now)
}

// withColumns puts columns in the place of the table's own.
func (t Table) withColumns(columns []Column, now time.Time) (Table, error) {
	schema := Table{Columns: columns}.Schema()
	if err := schema.Validate(); err != nil {
		return Table{}, err
	}

	indexes := 0
	for i := range columns {
		c := &columns[i]
		c.Column = schema[i] // with its default canonical
		if c.Access() == DefaultACL {
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

// merged returns the table's columns after a change: defined columns replace those
// of the same name or are added at the end, removed ones are left out.
func (t Table) merged(defined []Column, remove []string) ([]Column, error) {
	if err := t.checkRemoved(defined, remove); err != nil {
		return nil, err
	}
	columns := slices.DeleteFunc(slices.Clone(t.Columns), func(c Column) bool { return slices.Contains(remove, c.Name) })

	for n, d := range defined {
		if slices.ContainsFunc(defined[:n], d.sameName) {
			return nil, errs.Invalid("field %q is defined twice", d.Name)
		}
		// Profiles show their id by this name too (D13).
		if t.ID == UserProfiles && d.Name == userID {
			return nil, errs.Invalid("field %q is built in and cannot be changed", d.Name)
		}

		i := slices.IndexFunc(columns, d.sameName)
		switch {
		case i < 0:
			columns = append(columns, d)
		case !columns[i].BuiltIn:
			if d.ACL == nil {
				d.ACL = columns[i].ACL
			}
			columns[i] = d
		case columns[i].Type != d.Type, d.ACL != nil:
			return nil, errs.Invalid("field %q is built in and cannot be changed", d.Name)
		}
	}
	return columns, nil
}

// checkRemoved refuses the names of columns that cannot be removed.
func (t Table) checkRemoved(defined []Column, remove []string) error {
	for _, name := range remove {
		c, own := t.Column(name)
		_, known := t.Queryable().Column(name)
		switch {
		case known && (!own || c.BuiltIn), t.ID == UserProfiles && name == userID:
			return errs.Invalid("remove_fields: field %q is built in and cannot be removed", name)
		case !own:
			return errs.Invalid("remove_fields: field %q does not exist", name)
		case slices.ContainsFunc(defined, c.sameName):
			return errs.Invalid("field %q stands in schema.fields and in remove_fields", name)
		}
	}
	return nil
}

func (c Column) sameName(other Column) bool { return c.Name == other.Name }

// place sets the keys under which rows store the column and its entries. An existing
// column keeps its keys; a new one gets keys that were never used, since rows keep
// the values of removed columns.
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

// Usable reports whether queries may go by the column's index.
func (c Column) Usable() bool { return c.Index != nil && c.Index.BuildingSince == 0 }

// tasks returns the background work of a change from old to next: purge removed indexes, build new ones.
func tasks(scope tenant.Scope, old, next Table) []Task {
	missing := func(from, in Table, build bool) (list []Task) {
		for _, c := range from.Columns {
			if c.Index != nil && !in.hasIndex(c.Index.ID) {
				list = append(list, Task{Scope: scope.String(), Table: old.ID, Index: c.Index.ID, Build: build})
			}
		}
		return list
	}
	return append(missing(old, next, false), missing(next, old, true)...)
}

func (t Table) hasIndex(id string) bool {
	return slices.ContainsFunc(t.Columns, func(c Column) bool { return c.Index != nil && c.Index.ID == id })
}

// Restore makes the table canonical again after it went through JSON, which
// does not tell integers from other numbers.
func (t *Table) Restore() error {
	for i, c := range t.Columns {
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
