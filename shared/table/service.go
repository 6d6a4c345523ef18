package table

import (
	"context"

	"minicloud/shared/clock"
	"minicloud/shared/errs"
	"minicloud/shared/id"
	"minicloud/shared/page"
	"minicloud/shared/tenant"
)

// DefaultBudget is how many rows and index entries one query may look at, those of
// an index that it tried before a scan not counted; one
// that needs more is refused with the index that would help.
const DefaultBudget = 1_000_000

// Service manages tables and their rows (D25, D26, D28, D29).
type Service struct {
	Schemas TableStore
	Rows    RowStore
	// Worker builds indexes and purges in the background.
	Worker Worker
	Clock  clock.Clock
	IDs    *id.Source
	// Budget replaces DefaultBudget in tests.
	Budget int

	tuning tuning // zero = measured
}

// Worker takes what is too much for one request.
type Worker interface {
	// Submit has the task run at least once, not before delay seconds.
	Submit(ctx context.Context, task Task, delay int) error
}

// Task is work that goes on in the background: Service.Work does some of it
// and submits the rest.
type Task struct {
	Scope string `json:"scope"` // tenant.Scope as text
	Table ID     `json:"table"`
	Index string `json:"index,omitempty"` // to purge or to build; "" = the rows of a deleted table
	Build bool   `json:"build,omitempty"`
	After RowID  `json:"after,omitempty"` // where building an index goes on
}

// Table returns the table, errs.NotFound when there is none. The built-in
// table exists in every environment.
func (s *Service) Table(ctx context.Context, scope tenant.Scope, id ID) (Table, error) {
	t, err := s.Schemas.Table(ctx, scope, id)
	return orBuiltIn(t, id, err)
}

// Named returns the table of that id or name, errs.NotFound when there is none.
func (s *Service) Named(ctx context.Context, scope tenant.Scope, idOrName string) (Table, error) {
	if id, err := ParseID(idOrName); err == nil {
		return s.Table(ctx, scope, id)
	}
	if idOrName == UserProfilesName {
		return s.Table(ctx, scope, UserProfiles)
	}
	if !isName(idOrName) {
		return Table{}, errs.NotFound("table %q not found", idOrName)
	}
	return s.Schemas.TableByName(ctx, scope, idOrName)
}

// Tables lists the environment's own tables, newest first, with their total.
func (s *Service) Tables(ctx context.Context, scope tenant.Scope, req page.Request) (page.Page[Table], error) {
	if err := req.Validate(); err != nil {
		return page.Page[Table]{}, err
	}
	return s.Schemas.Tables(ctx, scope, req)
}

func (s *Service) budget() int {
	if s.Budget > 0 {
		return s.Budget
	}
	return DefaultBudget
}

// now returns the time in Unix seconds.
func (s *Service) now() int64 { return s.Clock.Now().Unix() }
