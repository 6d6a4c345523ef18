package manage

import (
	"context"
	"slices"
	"time"

	"minicloud/shared/count"
	"minicloud/shared/errs"
	"minicloud/shared/table"
	"minicloud/shared/tenant"
)

// workSlice is how long Work goes on before it hands the rest to the worker.
const workSlice = 15 * time.Second

// Work does a task, or a part of it and submits the rest. It can be repeated:
// a task done twice has the effect of one.
func (s *Service) Work(ctx context.Context, task table.Task) error {
	scope, err := tenant.Parse(task.Scope)
	if err != nil {
		return err
	}
	until := s.Clock.Now().Add(workSlice)
	for {
		done, err := s.step(ctx, scope, &task)
		if err != nil || done {
			return err
		}
		if s.Clock.Now().After(until) {
			return s.Worker.Submit(ctx, task, 0)
		}
	}
}

func (s *Service) step(ctx context.Context, scope tenant.Scope, task *table.Task) (done bool, err error) {
	t, err := s.Table(ctx, scope, task.Table)
	gone := errs.Is(err, errs.KindNotFound)
	switch {
	case err != nil && !gone:
		return false, err
	case task.Counters:
		return s.purgeCounters(ctx, scope, task, gone)
	case task.Build:
		return s.build(ctx, scope, t, task)
	case task.Index == "" && !gone, task.Index != "" && t.HasIndex(task.Index):
		return true, nil // the change that submitted this task failed: the table or index is still in use
	case task.Index == "":
		done, err := s.Rows.PurgeRows(ctx, scope, task.Table)
		if err == nil && done {
			err = s.Worker.Submit(ctx, table.Task{Scope: task.Scope, Table: task.Table, Counters: true}, countersLag)
		}
		return done, err
	}

	return s.Rows.PurgeIndex(ctx, scope, task.Table, task.Index)
}

const (
	// countersLag is when the deletions of a table's last rows should be counted, in
	// seconds, and how long to wait until another look.
	countersLag = 60
	// maxLooks is how many of these there are: a counter that drifted is never zero.
	maxLooks = 60
)

// purgeCounters removes the counters of a deleted table once all deletions are
// counted: a deletion counted after the purge would create counters again.
func (s *Service) purgeCounters(
	ctx context.Context, scope tenant.Scope, task *table.Task, gone bool,
) (done bool, err error) {
	if !gone {
		return true, nil
	}

	tree := count.Tree{Reader: s.Counts, Collection: table.Collection(scope, task.Table)}
	left, err := tree.Total(ctx)
	if err != nil {
		return false, err
	}
	// The number of looks is bounded because a drifted counter never becomes zero.
	if left > 0 && task.Looks < maxLooks {
		next := *task
		next.Looks++
		return true, s.Worker.Submit(ctx, next, countersLag)
	}

	return s.OldCounts.Purge(ctx, tree.Collection)
}

// build adds the entries of one page of rows, in the end it opens the index.
func (s *Service) build(ctx context.Context, scope tenant.Scope, t table.Table, task *table.Task) (done bool, err error) {
	i := slices.IndexFunc(t.Columns, func(c table.Column) bool { return c.Index != nil && c.Index.ID == task.Index })
	if i < 0 || t.Columns[i].Index.BuildingSince == 0 {
		return true, nil
	}
	if wait := t.Columns[i].Index.BuildingSince + int64(table.Grace/time.Second) - s.now(); wait > 0 {
		return true, s.Worker.Submit(ctx, *task, int(wait))
	}

	step, err := s.Rows.ScanRows(ctx, scope, t, table.RowScan{From: after(task.After)})
	if err != nil {
		return false, err
	}
	if err := s.Rows.Reindex(ctx, scope, t, t.Columns[i], step.Rows); err != nil {
		return false, err
	}
	if task.After = step.Last; step.Last != "" {
		return false, nil
	}

	ready := withIndexes(t, func(x table.Index) table.Index {
		if x.ID == task.Index {
			x.BuildingSince = 0
		}
		return x
	})
	err = s.Schemas.ReplaceTable(ctx, scope, t, ready)
	if errs.Is(err, errs.KindConflict) {
		return false, nil // the table was changed meanwhile: the next step reads it and tries again
	}
	return err == nil, err
}

// stalledAfter is the time after which an unfinished index is stalled, in seconds: a
// read of the table submits its task again. A task that was lost, or failed too often,
// would otherwise leave the index unused for ever.
const stalledAfter = 15 * 60

// Look is Named for endpoints that show the table; it also restarts the building of
// stalled indexes.
func (s *Service) Look(ctx context.Context, scope tenant.Scope, idOrName string) (table.Table, error) {
	t, err := s.Named(ctx, scope, idOrName)
	if err != nil {
		return t, err
	}
	tasks := stalled(t, scope, s.now())
	if len(tasks) == 0 {
		return t, nil
	}

	// The new BuildingSince is written first, so that only one of concurrent readers submits the tasks.
	next := withIndexes(t, func(x table.Index) table.Index {
		if x.BuildingSince > 0 {
			x.BuildingSince = s.now()
		}
		return x
	})
	err = s.Schemas.ReplaceTable(ctx, scope, t, next)
	if errs.Is(err, errs.KindConflict) {
		return t, nil
	}
	if err != nil {
		return table.Table{}, err
	}
	return next, s.submit(ctx, tasks)
}

// submit submits tasks with a delay of Grace, after which no program writes by the earlier schema any more.
func (s *Service) submit(ctx context.Context, tasks []table.Task) error {
	for _, task := range tasks {
		if err := s.Worker.Submit(ctx, task, int(table.Grace/time.Second)); err != nil {
			return err
		}
	}
	return nil
}

// withIndexes returns the table's next revision, with its indexes changed.
func withIndexes(t table.Table, change func(table.Index) table.Index) table.Table {
	t.Columns = slices.Clone(t.Columns)
	t.Revision++
	for i, c := range t.Columns {
		if c.Index != nil {
			x := change(*c.Index)
			t.Columns[i].Index = &x
		}
	}
	return t
}

// stalled returns the tasks of stalled indexes.
func stalled(t table.Table, scope tenant.Scope, now int64) (list []table.Task) {
	for _, c := range t.Columns {
		if c.Index != nil && c.Index.BuildingSince > 0 && now-c.Index.BuildingSince > stalledAfter {
			list = append(list, table.Task{Scope: scope.String(), Table: t.ID, Index: c.Index.ID, Build: true})
		}
	}
	return list
}

// after returns the smallest id that can follow id; of none the first.
func after(id table.RowID) table.RowID {
	if id == "" {
		return ""
	}
	return id + "0"
}
