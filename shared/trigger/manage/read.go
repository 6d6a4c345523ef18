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

// Filter chooses triggers; what is not given chooses all.
type Filter struct {
	Type    trigger.Type
	Enabled *bool
	Traced  *bool  // whether it keeps its evaluations now
	Table   string // id or name, of table triggers
	Name    string // a part of the name, see page.Named
}

// Read returns one trigger, errs.NotFound when there is none.
func (s *Service) Read(ctx context.Context, scope tenant.Scope, number trigger.ID) (trigger.Trigger, error) {
	t, err := s.Store.Trigger(ctx, scope, number)
	if err != nil {
		return t, err
	}
	return t, s.inspect(ctx, scope, &t, map[table.ID]*table.Table{})
}

// List returns a page of the triggers that the filter chooses, newest first, and their number.
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

// wire is how long a trigger is in an answer: its stored form has all of it and more.
func wire(t trigger.Trigger) int {
	text, err := json.Marshal(t)
	if err != nil {
		return page.MaxBytes
	}
	return len(text)
}

// Chosen returns all triggers that the filter chooses, newest first, without saying whether they are broken.
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

// fewTables are read one by one; where triggers have more, one query reads all there are.
const fewTables = 4

// tablesOf reads the tables of triggers, nil for one that is not there any more.
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
		clear(tables) // inspect asks for each
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

// inspect says whether the trigger is broken as its table is now: tables change without asking their triggers.
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

// tableOf returns the table of a table trigger, nil where there is none (any more).
func (s *Service) tableOf(
	ctx context.Context, scope tenant.Scope, t trigger.Trigger, known map[table.ID]*table.Table,
) (*table.Table, error) {
	c, ok := t.Condition.(*trigger.TableCondition)
	if !ok {
		return nil, nil
	}
	return s.tableByID(ctx, scope, t.TableID(c.Table), known)
}

// tableByID returns a table, nil where there is none (any more), and notes in known what it read.
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
