// Package manage creates, changes and deletes tables, and reads and writes their rows.
package manage

import (
	"context"
	"encoding/json"
	"slices"

	"minicloud/shared/clock"
	"minicloud/shared/count"
	"minicloud/shared/errs"
	"minicloud/shared/id"
	"minicloud/shared/page"
	"minicloud/shared/table"
	"minicloud/shared/table/finder"
	"minicloud/shared/table/plan"
	"minicloud/shared/tenant"
)

// Service manages tables and their rows (D25, D26, D28, D29).
type Service struct {
	Schemas table.TableStore
	Rows    table.RowStore
	// Counts are the row counters; they may lag by up to 2 s.
	Counts count.Reader
	// OldCounts deletes the counters of deleted tables; only Work uses it.
	OldCounts count.Purger
	// Worker builds and purges indexes and purges rows in the background.
	Worker Worker
	Clock  clock.Clock
	IDs    *id.Source
	// Budget and Limits replace finder.DefaultBudget and the measured limits in tests.
	Budget int
	Limits plan.Limits
}

// Find executes a query with finder.Finder.
func (s *Service) Find(ctx context.Context, scope tenant.Scope, t table.Table, q table.Query) (table.Result, error) {
	if err := s.indexReaders(ctx, scope, t, q.Client()); err != nil {
		return table.Result{}, err
	}
	return finder.Finder{Rows: s.Rows, Counts: s.Counts, Budget: s.Budget, Limits: s.Limits}.Find(ctx, scope, t, q)
}

// Table returns a table, or errs.NotFound. The built-in table exists in every environment.
func (s *Service) Table(ctx context.Context, scope tenant.Scope, id table.ID) (table.Table, error) {
	t, err := s.Schemas.Table(ctx, scope, id)
	if id == table.UserProfiles && errs.Is(err, errs.KindNotFound) {
		return table.Profiles(), nil // no application has changed it yet
	}
	return t, err
}

// Named returns the table with this id or name, or errs.NotFound.
func (s *Service) Named(ctx context.Context, scope tenant.Scope, idOrName string) (table.Table, error) {
	if id, err := table.ParseID(idOrName); err == nil {
		return s.Table(ctx, scope, id)
	}
	if idOrName == table.UserProfilesName {
		return s.Table(ctx, scope, table.UserProfiles)
	}
	if !table.IsName(idOrName) {
		return table.Table{}, errs.NotFound("table %q not found", idOrName)
	}
	return s.Schemas.TableByName(ctx, scope, idOrName)
}

// Tables lists the environment's tables that match the filter, with their total, newest first and the built-in table
// last.
func (s *Service) Tables(
	ctx context.Context, scope tenant.Scope, f table.TableFilter, req page.Request,
) (page.Page[table.Table], error) {
	if err := req.Validate(); err != nil {
		return page.Page[table.Table]{}, err
	}
	all, err := s.AllTables(ctx, scope, f)
	return page.Of(all, req, wire, func(t table.Table) page.Cursor { return page.Cursor(id.ID(t.ID).Key()) }), err
}

// AllTables returns all tables that match the filter, with one query.
func (s *Service) AllTables(ctx context.Context, scope tenant.Scope, f table.TableFilter) ([]table.Table, error) {
	all, err := s.named(ctx, scope, f.Name)
	return slices.DeleteFunc(all, func(t table.Table) bool {
		return !page.Named(t.Name, f.Part) || f.Own && t.ID == table.UserProfiles
	}), err
}

// wire returns an upper bound of a table's size in a response in bytes. The JSON of a response has more members per
// column than the stored form.
func wire(t table.Table) int {
	const words = 400
	text, err := json.Marshal(t)
	if err != nil {
		return page.MaxBytes
	}
	return len(text) + words*(1+len(t.Columns))
}

// named returns all tables, newest first, or only the table with this name.
func (s *Service) named(ctx context.Context, scope tenant.Scope, name string) ([]table.Table, error) {
	if name == "" {
		all, err := s.Schemas.Tables(ctx, scope)
		// Ids are time-ordered, and the built-in table has the smallest id.
		if n := len(all); n == 0 || all[n-1].ID != table.UserProfiles {
			all = append(all, table.Profiles())
		}
		return all, err
	}

	var t table.Table
	var err error
	switch {
	case name == table.UserProfilesName:
		t, err = s.Table(ctx, scope, table.UserProfiles)
	case table.IsName(name):
		t, err = s.Schemas.TableByName(ctx, scope, name)
	default:
		return nil, nil
	}
	if errs.Is(err, errs.KindNotFound) {
		return nil, nil
	}
	return []table.Table{t}, err
}

// now returns the time in Unix seconds.
func (s *Service) now() int64 { return s.Clock.Now().Unix() }
