package table

import (
	"context"
	"encoding/json"
	"slices"

	"minicloud/shared/clock"
	"minicloud/shared/count"
	"minicloud/shared/errs"
	"minicloud/shared/id"
	"minicloud/shared/page"
	"minicloud/shared/tenant"
)

// DefaultBudget is how many rows and index entries one query may look at. Entries of
// an abandoned index plan do not count. A query that needs more is refused with the
// index that would help.
const DefaultBudget = 1_000_000

// Service manages tables and their rows (D25, D26, D28, D29).
type Service struct {
	Schemas TableStore
	Rows    RowStore
	// Counts are the rows' counters, up to 2 s behind them.
	Counts count.Reader
	// OldCounts removes the counters of deleted tables; only Work needs it.
	OldCounts count.Purger
	// Worker builds indexes and purges in the background.
	Worker Worker
	Clock  clock.Clock
	IDs    *id.Source
	// Budget replaces DefaultBudget in tests.
	Budget int

	limits limits // zero = measured
}

// Worker runs work that is too long for one request.
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
	// Counters asks to purge the counters of a deleted table; Looks counts the checks whether they are zero yet.
	Counters bool `json:"counters,omitempty"`
	// Changed is when columns were added or removed, or the table was deleted, in Unix milliseconds. The triggers on
	// the table check themselves against it; Work ignores it.
	Changed int64 `json:"changed,omitempty"`
	Looks   int   `json:"looks,omitempty"`
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

// Tables lists the environment's tables, newest first, with their total; the
// built-in one comes last. With a name the list has only the table of that name,
// if there is one.
func (s *Service) Tables(
	ctx context.Context, scope tenant.Scope, name string, req page.Request,
) (page.Page[Table], error) {
	return s.FindTables(ctx, scope, TableFilter{Name: name}, req)
}

// TableFilter chooses tables; what is "" chooses all.
type TableFilter struct {
	Name string // the whole name
	Part string // of the name, see page.Named
}

// FindTables is Tables with a filter.
func (s *Service) FindTables(
	ctx context.Context, scope tenant.Scope, f TableFilter, req page.Request,
) (page.Page[Table], error) {
	if err := req.Validate(); err != nil {
		return page.Page[Table]{}, err
	}
	all, err := s.AllTables(ctx, scope, f)
	if err != nil {
		return page.Page[Table]{}, err
	}

	from := min(req.Offset, len(all))
	if last, err := ParseID(string(req.After)); err == nil { // behind that table, wherever it stands now
		if from = slices.IndexFunc(all, func(t Table) bool { return t.ID < last }); from < 0 {
			from = len(all)
		}
	}
	shown := all[from:min(from+req.Limit, len(all))]
	shown = shown[:page.Fit(shown, wire)]
	got := page.Page[Table]{Objects: shown, Total: len(all)}
	if to := from + len(shown); to < len(all) && len(shown) > 0 {
		got.Next = page.Cursor(all[to-1].ID.String())
	}
	return got, nil
}

// AllTables returns all tables that the filter chooses, in one query.
func (s *Service) AllTables(ctx context.Context, scope tenant.Scope, f TableFilter) ([]Table, error) {
	all, err := s.named(ctx, scope, f.Name)
	return slices.DeleteFunc(all, func(t Table) bool { return !page.Named(t.Name, f.Part) }), err
}

// wire returns an upper bound of a table's bytes in an answer, which has more members for each column than the store.
func wire(t Table) int {
	const words = 400
	text, err := json.Marshal(t)
	if err != nil {
		return page.MaxBytes
	}
	return len(text) + words*(1+len(t.Columns))
}

// named returns all tables, newest first, or the one of that name.
func (s *Service) named(ctx context.Context, scope tenant.Scope, name string) ([]Table, error) {
	if name == "" {
		all, err := s.Schemas.Tables(ctx, scope)
		// Ids are time-ordered and the built-in table's is the smallest.
		if n := len(all); n == 0 || all[n-1].ID != UserProfiles {
			all = append(all, userProfiles())
		}
		return all, err
	}

	var t Table
	var err error
	switch {
	case name == UserProfilesName:
		t, err = s.Table(ctx, scope, UserProfiles)
	case isName(name):
		t, err = s.Schemas.TableByName(ctx, scope, name)
	default:
		return nil, nil
	}
	if errs.Is(err, errs.KindNotFound) {
		return nil, nil
	}
	return []Table{t}, err
}

func (s *Service) budget() int {
	if s.Budget > 0 {
		return s.Budget
	}
	return DefaultBudget
}

// now returns the time in Unix seconds.
func (s *Service) now() int64 { return s.Clock.Now().Unix() }
