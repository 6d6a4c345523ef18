package manage

import (
	"context"
	"slices"

	"minicloud/shared/errs"
	"minicloud/shared/idempotency/writetoken"
	"minicloud/shared/table"
	"minicloud/shared/tenant"
)

// Create creates a table. It returns errs.Invalid for an invalid definition and errs.Duplicate if the name is taken.
func (s *Service) Create(ctx context.Context, scope tenant.Scope, d table.Definition) (table.Table, error) {
	if d.Name == nil {
		return table.Table{}, errs.Invalid("name is required")
	}
	ids, now := writetoken.IDs(ctx, s.IDs, s.Clock.Now())
	token := writetoken.Of(ctx, "table")
	t := table.Table{
		ID: table.ID(ids.New(now)), Tokens: writetoken.List("").With(token, now), CreatedAt: now.Unix(), WritePerm: table.Public,
		DefaultRowPerm: table.RowPerm{Read: table.Public, Write: table.Public},
	}
	t = t.WithReaders()
	if err := s.findTargets(ctx, scope, d, table.Table{ID: t.ID, Name: *d.Name}); err != nil {
		return table.Table{}, err
	}
	t, err := changed(t, d, now)
	if err != nil {
		return table.Table{}, err
	}
	// A new table has no rows to index.
	for _, c := range t.Columns {
		if c.Index != nil {
			c.Index.BuildingSince = 0
		}
	}
	for i := range t.FieldIndexes {
		t.FieldIndexes[i].Index.BuildingSince = 0
	}

	err = s.Schemas.InsertTable(ctx, scope, t)
	if errs.Is(err, errs.KindDuplicate) && token != "" {
		// A retried request generates the same id, so it finds the table that the first try created.
		made, missing := s.Schemas.Table(ctx, scope, t.ID)
		if missing == nil && made.Tokens.Has(token) {
			return made, nil
		}
	}
	return t, err
}

// Modify changes a table. Removing a column removes its values at once; the type of a column cannot change. Queries
// use a new index once every row has an entry, at least a minute later. An error of a guard refuses the change.
func (s *Service) Modify(
	ctx context.Context, scope tenant.Scope, id table.ID, d table.Definition, guards ...Guard,
) (table.Table, error) {
	old, err := s.Table(ctx, scope, id)
	if err != nil || old.Tokens.Has(changeToken(ctx)) {
		return old, err
	}
	if err := pass(old, guards); err != nil {
		return table.Table{}, err
	}
	if err := s.findTargets(ctx, scope, d, old); err != nil {
		return table.Table{}, err
	}
	next, err := changed(old, d, s.Clock.Now())
	if err != nil {
		return table.Table{}, err
	}
	return s.apply(ctx, scope, old, next)
}

// apply stores a change of a table that its definition allows.
func (s *Service) apply(ctx context.Context, scope tenant.Scope, old, next table.Table) (table.Table, error) {
	if err := s.checkUnique(ctx, scope, old, next); err != nil {
		return table.Table{}, err
	}
	next.Tokens = old.Tokens.With(changeToken(ctx), s.Clock.Now())
	// Submit tasks before the change: a task for a failed change does nothing, but a change without its task would
	// leave an index unbuilt forever.
	look := s.looks(scope, old, next)
	again, err := s.stalled(ctx, scope, next)
	if err != nil {
		return table.Table{}, err
	}
	if err := s.submit(ctx, slices.Concat(tasks(scope, old, next), again, look)); err != nil {
		return table.Table{}, err
	}
	if err := s.Schemas.ReplaceTable(ctx, scope, old, next); err != nil {
		return next, err
	}
	s.hurry(ctx, look)
	return next, s.claimFirst(ctx, scope, old, next)
}

// Guard checks the exact state of a table before a change replaces it. Its error refuses the change.
type Guard func(table.Table) error

// pass returns the first error of the guards.
func pass(t table.Table, guards []Guard) error {
	for _, guard := range guards {
		if err := guard(t); err != nil {
			return err
		}
	}
	return nil
}

// ToModify returns the table with this id or name for Modify. It also finds a table that an earlier try of the
// request has already renamed to the name in d.
func (s *Service) ToModify(ctx context.Context, scope tenant.Scope, idOrName string, d table.Definition) (table.Table, error) {
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

// changeToken returns the write token for a change of a table, or "" without an Idempotency-Key.
func changeToken(ctx context.Context) string { return writetoken.Of(ctx, "change") }

// DeleteTable deletes a table. Its rows become unreachable at once and are purged in the background. It returns
// errs.Invalid for the built-in table.
func (s *Service) DeleteTable(ctx context.Context, scope tenant.Scope, id table.ID, guards ...Guard) error {
	if id == table.UserProfiles {
		return errs.Invalid("table %s is built in and cannot be deleted", table.UserProfilesName)
	}
	t, err := s.Table(ctx, scope, id)
	if err != nil {
		return err
	}
	if err := pass(t, guards); err != nil {
		return err
	}
	// As in apply, submit tasks first: nothing else would purge the rows of a deleted table.
	look := s.looks(scope, t, table.Table{ID: id})
	left := append(tasks(scope, t, table.Table{ID: id}), table.Task{Scope: scope.String(), Table: id, Shards: t.Epochs.Most()})
	if err := s.submit(ctx, append(left, look...)); err != nil {
		return err
	}
	if err := s.Schemas.DeleteTable(ctx, scope, t); err != nil {
		return err
	}
	s.hurry(ctx, look)
	return nil
}

// looks returns the task that makes triggers validate themselves against a changed table. There is none if no trigger
// listens to the table or the columns are unchanged.
func (s *Service) looks(scope tenant.Scope, old, next table.Table) []table.Task {
	removed := next.Revision == 0
	same := !removed && slices.EqualFunc(old.Columns, next.Columns, table.Column.SameName)
	if same || old.Listeners == (table.Listeners{}) {
		return nil
	}
	return []table.Task{{Scope: scope.String(), Table: old.ID, Changed: s.Clock.Now().UnixMilli()}}
}

// hurry submits tasks again without delay. It ignores errors, because the delayed tasks are already submitted.
func (s *Service) hurry(ctx context.Context, tasks []table.Task) {
	for _, task := range tasks {
		_ = s.Worker.Submit(ctx, task, 0)
	}
}

// tasks returns the background tasks of a change from old to next: purge removed indexes and build new ones.
func tasks(scope tenant.Scope, old, next table.Table) []table.Task {
	missing := func(from, in table.Table, build bool) (list []table.Task) {
		for _, x := range from.Indexes() {
			if !in.HasIndex(x.ID) {
				list = append(list, table.Task{Scope: scope.String(), Table: old.ID, Index: x.ID, Build: build})
			}
		}
		return list
	}
	return append(missing(old, next, false), missing(next, old, true)...)
}
