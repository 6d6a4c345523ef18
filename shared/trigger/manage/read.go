package manage

import (
	"context"
	"encoding/json"
	"slices"

	"minicloud/shared/errs"
	"minicloud/shared/id"
	"minicloud/shared/page"
	"minicloud/shared/table"
	"minicloud/shared/tenant"
	"minicloud/shared/trigger"
	"minicloud/shared/trigger/engine"
)

// Filter chooses triggers. A zero field matches all triggers.
type Filter struct {
	Type    trigger.Type
	Enabled *bool
	Traced  *bool  // whether the trigger stores its evaluations now
	Table   string // id or name of the table of table triggers
	Name    string // a part of the name, see page.Named
}

// Read returns one trigger, errs.NotFound if it does not exist.
func (s *Service) Read(ctx context.Context, scope tenant.Scope, number trigger.ID) (trigger.Trigger, error) {
	t, err := s.Store.Trigger(ctx, scope, number)
	if err != nil {
		return t, err
	}
	return t, s.inspect(ctx, scope, &t, map[table.ID]*table.Table{})
}

// List returns a page of the triggers that match the filter, newest first, and their total number.
func (s *Service) List(
	ctx context.Context, scope tenant.Scope, f Filter, req page.Request,
) (page.Page[trigger.Trigger], error) {
	all, err := s.Chosen(ctx, scope, f)
	if err != nil {
		return page.Page[trigger.Trigger]{}, err
	}
	got := page.Of(all, req, wire, key)
	shown := got.Objects
	tables, err := s.tablesOf(ctx, scope, shown)
	if err != nil {
		return got, err
	}
	for i := range shown {
		if err := s.inspect(ctx, scope, &shown[i], tables); err != nil {
			return got, err
		}
	}
	return got, nil
}

func key(t trigger.Trigger) page.Cursor { return page.Cursor(id.ID(t.ID).Key()) }

// wire returns an upper bound of the size of a trigger in a response: the stored form has all its members and more.
func wire(t trigger.Trigger) int {
	text, err := json.Marshal(t)
	if err != nil {
		return page.MaxBytes
	}
	return len(text)
}

// Chosen returns all triggers that match the filter, newest first. It does not set Broken.
func (s *Service) Chosen(ctx context.Context, scope tenant.Scope, f Filter) ([]trigger.Trigger, error) {
	all, err := s.Store.Triggers(ctx, scope)
	if err != nil {
		return nil, err
	}
	var in table.ID
	if f.Table != "" {
		t, err := s.Tables.Named(ctx, scope, f.Table)
		if err != nil && !errs.Is(err, errs.KindNotFound) {
			return nil, err
		}
		in = t.ID
	}

	return slices.DeleteFunc(all, func(t trigger.Trigger) bool {
		c, ofTable := t.Condition.(*trigger.TableCondition)
		return f.Type != "" && t.Type != f.Type || f.Enabled != nil && t.Enabled != *f.Enabled ||
			f.Traced != nil && t.Traces(s.Clock.Now()) != *f.Traced ||
			!page.Named(t.Name, f.Name) ||
			f.Table != "" && !(ofTable && (t.TableID(c.Table) == in && in != 0 || string(c.Table) == f.Table))
	}), nil
}

// fewTables is the largest number of tables that are read one by one; for more, one query reads all tables.
const fewTables = 4

// tablesOf reads the tables of triggers by id, nil for a deleted table. For up to fewTables it leaves the reads to
// inspect.
func (s *Service) tablesOf(
	ctx context.Context, scope tenant.Scope, all []trigger.Trigger,
) (map[table.ID]*table.Table, error) {
	tables := map[table.ID]*table.Table{}
	for _, t := range all {
		if c, ok := t.Condition.(*trigger.TableCondition); ok {
			tables[t.TableID(c.Table)] = nil
		}
	}
	if len(tables) <= fewTables {
		clear(tables) // inspect reads each table
		return tables, nil
	}

	there, err := s.Tables.AllTables(ctx, scope, table.TableFilter{})
	for i, in := range there {
		if _, wanted := tables[in.ID]; wanted {
			tables[in.ID] = &there[i]
		}
	}
	return tables, err
}

// inspect sets TableName and Broken by the current state of the table: tables change without updating their triggers.
func (s *Service) inspect(
	ctx context.Context, scope tenant.Scope, t *trigger.Trigger, tables map[table.ID]*table.Table,
) error {
	in, err := s.tableOf(ctx, scope, *t, tables)
	if err != nil {
		return err
	}
	if in != nil {
		t.TableName = in.Name
	}
	t.Broken = ""
	if _, why := engine.NewMatcher(*t, in); why != nil {
		t.Broken = errs.Message(why)
	} else {
		t.Broken = t.WhyStopped()
	}
	return nil
}

// tableOf returns the table of a table trigger. It returns nil for other types and for a deleted table.
func (s *Service) tableOf(
	ctx context.Context, scope tenant.Scope, t trigger.Trigger, known map[table.ID]*table.Table,
) (*table.Table, error) {
	c, ok := t.Condition.(*trigger.TableCondition)
	if !ok {
		return nil, nil
	}
	return s.tableByID(ctx, scope, t.TableID(c.Table), known)
}

// tableByID returns a table, nil if it does not exist, and caches the result in known.
func (s *Service) tableByID(
	ctx context.Context, scope tenant.Scope, number table.ID, known map[table.ID]*table.Table,
) (*table.Table, error) {
	if in, looked := known[number]; looked {
		return in, nil
	}

	in, err := s.Tables.Table(ctx, scope, number)
	switch {
	case err == nil:
		known[number] = &in
	case errs.Is(err, errs.KindNotFound):
		known[number] = nil
	default:
		return nil, err
	}
	return known[number], nil
}
