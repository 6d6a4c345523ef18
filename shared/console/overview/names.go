package overview

import (
	"context"

	"golang.org/x/sync/errgroup"

	"minicloud/shared/cloudfunction"
	"minicloud/shared/page"
	"minicloud/shared/table"
	"minicloud/shared/tenant"
	"minicloud/shared/trigger"
	"minicloud/shared/trigger/manage"
)

// Named is the id and name of an object.
type Named struct {
	ID   int64  `json:"id" schema:"ID"`
	Name string `json:"name"`
}

// Names is the names of the objects of an environment, newest first.
type Names struct {
	Functions []Named `json:"functions"`
	Tables    []Named `json:"tables"`
	Triggers  []Named `json:"triggers"`
	More      bool    `json:"more"` // Whether a kind has more objects than are shown.
}

// Names returns the functions, tables and triggers whose names contain a text, at most page.MaxLimit of each. It costs
// one query per kind; no code is read.
func (s *Service) Names(ctx context.Context, scope tenant.Scope, part string) (Names, error) {
	everything := page.Request{Limit: page.MaxLimit}
	var functions page.Page[cloudfunction.Function]
	var tables []table.Table
	var triggers []trigger.Trigger

	group, inner := errgroup.WithContext(ctx)
	group.Go(func() (err error) {
		functions, err = s.Functions.List(inner, scope, cloudfunction.Filter{Name: part, NoCode: true}, everything)
		return err
	})
	group.Go(func() (err error) {
		tables, err = s.Triggers.Tables.AllTables(inner, scope, table.TableFilter{Part: part})
		return err
	})
	group.Go(func() (err error) {
		triggers, err = s.Triggers.Chosen(inner, scope, manage.Filter{Name: part})
		return err
	})
	if err := group.Wait(); err != nil {
		return Names{}, err
	}

	// Triggers need no limit: an environment has few.
	more := functions.Next != "" || len(tables) > page.MaxLimit
	tables = tables[:min(len(tables), page.MaxLimit)]
	return Names{
		Functions: named(functions.Objects, func(f cloudfunction.Function) Named { return Named{int64(f.ID), string(f.Name)} }),
		Tables:    named(tables, func(t table.Table) Named { return Named{int64(t.ID), t.Name} }),
		Triggers:  named(triggers, func(t trigger.Trigger) Named { return Named{int64(t.ID), t.Name} }),
		More:      more,
	}, nil
}

func named[T any](all []T, name func(T) Named) []Named {
	names := make([]Named, len(all))
	for i, one := range all {
		names[i] = name(one)
	}
	return names
}
