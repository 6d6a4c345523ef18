package manage

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"minicloud/shared/errs"
	"minicloud/shared/table"
	"minicloud/shared/tenant"
)

// maxCheck is the maximum number of rows that a request for a unique index reads and claims. Of a larger table, the
// background finds the rest of the duplicates.
const maxCheck = 5000

// CreateIndex adds an index of these fields, and returns the table with it. Queries and the check of values use it once
// it is complete, at least a minute later; a unique index refuses most duplicates at once. It returns errs.Invalid for
// fields that cannot have an index, or if rows have the same values.
func (s *Service) CreateIndex(
	ctx context.Context, scope tenant.Scope, id table.ID, fields []string, unique bool,
) (table.Table, table.FieldIndex, error) {
	old, err := s.Table(ctx, scope, id)
	if err != nil {
		return old, table.FieldIndex{}, err
	}
	token := changeToken(ctx)
	if done, exists := old.FieldIndex(table.FieldIndex{Fields: fields}.Name()); exists && old.Tokens.Has(token) {
		return old, done, nil
	}
	next, x, err := withIndex(old, fields, unique, s.Clock.Now())
	if err != nil {
		return old, x, err
	}
	next, err = s.apply(ctx, scope, old, next)
	return next, x, err
}

// DeleteIndex deletes an index and returns the table without it. It returns errs.NotFound if there is none, and
// errs.Invalid if another index needs it.
func (s *Service) DeleteIndex(ctx context.Context, scope tenant.Scope, id table.ID, name string) (table.Table, error) {
	old, err := s.Table(ctx, scope, id)
	if err != nil {
		return old, err
	}
	next, err := withoutIndex(old, name, s.Clock.Now())
	if err != nil {
		return old, err
	}
	return s.apply(ctx, scope, old, next)
}

// Check returns the errs.Invalid of a change that Modify would refuse because of the definition or of the rows.
func (s *Service) Check(ctx context.Context, scope tenant.Scope, old table.Table, d table.Definition) error {
	next, err := changed(old, d, s.Clock.Now())
	if err != nil {
		return err
	}
	return s.checkUnique(ctx, scope, old, next)
}

// checkUnique returns errs.Invalid if two of the first rows have the same values in a new unique index.
func (s *Service) checkUnique(ctx context.Context, scope tenant.Scope, old, next table.Table) error {
	for _, x := range newUnique(old, next) {
		seen := map[string]table.RowID{}
		err := s.eachRow(ctx, scope, next, func(rows []table.Row) error {
			for _, row := range rows {
				key := next.Claim(x, row)
				if other, twice := seen[key]; twice && key != "" {
					return errTwice(x.Fields, fmt.Sprintf(": %v and %v", next.Wire(other), next.Wire(row.ID)))
				}
				seen[key] = row.ID
			}
			return nil
		})
		if err != nil {
			return err
		}
	}
	return nil
}

// claimFirst claims the values of the first rows in new unique indexes, so that writes refuse their duplicates from now
// on. What fails here is done in the background. A row that was written meanwhile may be a duplicate: it ends its index.
func (s *Service) claimFirst(ctx context.Context, scope tenant.Scope, old, next table.Table) error {
	for _, x := range newUnique(old, next) {
		err := s.eachRow(ctx, scope, next, func(rows []table.Row) error { return s.Rows.Claim(ctx, scope, next, x, rows) })
		if twice, ok := errors.AsType[*table.NotUnique](err); ok {
			if _, err := s.DeleteIndex(ctx, scope, next.ID, x.Name()); err != nil {
				return err
			}
			return errTwice(twice.Fields, "")
		}
	}
	return nil
}

func errTwice(fields []string, rows string) error {
	return errs.Invalid("rows have the same values in fields %q%s", fields, rows)
}

// eachRow calls do with the first rows of a table, about maxCheck of them.
func (s *Service) eachRow(ctx context.Context, scope tenant.Scope, t table.Table, do func([]table.Row) error) error {
	from := table.RowID("")
	for n := 0; n < maxCheck; {
		step, err := s.Rows.ScanRows(ctx, scope, t, table.RowScan{From: from, Limit: maxCheck - n})
		if err != nil {
			return err
		}
		if err := do(step.Rows); err != nil || step.Last == "" {
			return err
		}
		n += step.Scanned
		from = after(step.Last)
	}
	return nil
}

// fill adds the entries or claims of rows to an index.
func (s *Service) fill(ctx context.Context, scope tenant.Scope, t table.Table, id string, rows []table.Row) error {
	if i := slices.IndexFunc(t.FieldIndexes, func(x table.FieldIndex) bool { return x.Index.ID == id }); i >= 0 {
		return s.Rows.Claim(ctx, scope, t, t.FieldIndexes[i], rows)
	}
	i := slices.IndexFunc(t.Columns, func(c table.Column) bool { return c.Index != nil && c.Index.ID == id })
	return s.Rows.Reindex(ctx, scope, t, t.Columns[i], rows)
}

// giveUp ends the build of a unique index because rows have the same values: writes check them no longer, and the
// claims are purged.
func (s *Service) giveUp(
	ctx context.Context, scope tenant.Scope, t table.Table, task *table.Task, twice *table.NotUnique,
) (done bool, err error) {
	return s.end(ctx, scope, t, withFailed(t, task.Index, errs.Message(errTwice(twice.Fields, ""))), task)
}
