package manage

import (
	"context"
	"errors"
	"slices"
	"time"

	"minicloud/shared/count"
	"minicloud/shared/errs"
	"minicloud/shared/table"
	"minicloud/shared/tenant"
	"minicloud/shared/trace/chain"
)

// Worker runs tasks in the background.
type Worker interface {
	// Submit runs the task at least once, after delay seconds.
	Submit(ctx context.Context, task table.Task, delay int) error
}

// workSlice is how long Work runs before it submits the rest of a task to the worker.
const workSlice = 15 * time.Second

// Work runs a task, or runs part of it and submits the rest. It is idempotent.
func (s *Service) Work(ctx context.Context, task table.Task) error {
	scope, err := tenant.Parse(task.Scope)
	if err != nil {
		return err
	}
	until := s.Clock.Now().Add(workSlice)
	for {
		before := task
		done, err := s.step(ctx, scope, &task)
		if err != nil || done {
			return err
		}
		// A step of a purge that is not the last one has deleted something.
		if !task.Build || task != before {
			chain.Progressed(ctx)
		}
		if s.Clock.Now().After(until) {
			return s.goOn(ctx, scope, task)
		}
	}
}

// goOn submits the rest of a task. It stores how far a build is, for a reader who finds that its task was lost.
func (s *Service) goOn(ctx context.Context, scope tenant.Scope, task table.Task) error {
	if task.Build {
		at := table.Build{After: task.After, At: s.now()}
		if err := s.Schemas.PutBuild(ctx, scope, task.Table, task.Index, at); err != nil {
			return err
		}
		task.Noted = true
	}
	return s.Worker.Submit(ctx, task, 0)
}

// forget deletes what goOn has stored about a build that is over.
func (s *Service) forget(ctx context.Context, scope tenant.Scope, task *table.Task) error {
	if !task.Noted {
		return nil
	}
	return s.Schemas.PutBuild(ctx, scope, task.Table, task.Index, table.Build{})
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
		done, err := s.Rows.PurgeRows(ctx, scope, task.Table, task.Shards)
		if err == nil && done {
			err = s.Worker.Submit(ctx, table.Task{Scope: task.Scope, Table: task.Table, Counters: true}, countersLag)
		}
		return done, err
	}

	return s.Rows.PurgeIndex(ctx, scope, task.Table, task.Index)
}

const (
	// countersLag is the delay in seconds after which the deletions of a table's last rows should be counted, and the
	// delay between two checks.
	countersLag = 60
	// maxLooks is the maximum number of checks, because a counter that drifted never becomes zero.
	maxLooks = 60
)

// purgeCounters deletes the counters of a deleted table once all deletions are counted: a deletion counted after the
// purge would create counters again.
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
	// The number of checks is limited because a drifted counter never becomes zero.
	if left > 0 && task.Looks < maxLooks {
		next := *task
		next.Looks++
		chain.Progressed(ctx) // the number of checks is bounded by itself
		return true, s.Worker.Submit(ctx, next, countersLag)
	}

	return s.OldCounts.Purge(ctx, tree.Collection)
}

// build adds the index entries of one page of rows. After the last page, it makes the index available to queries.
func (s *Service) build(ctx context.Context, scope tenant.Scope, t table.Table, task *table.Task) (done bool, err error) {
	all := t.Indexes()
	i := slices.IndexFunc(all, func(x table.Index) bool { return x.ID == task.Index })
	if i < 0 || all[i].BuildingSince == 0 {
		return true, s.forget(ctx, scope, task)
	}
	if wait := all[i].BuildingSince + int64(table.Grace/time.Second) - s.now(); wait > 0 {
		return true, s.Worker.Submit(ctx, *task, int(wait))
	}
	if task.Index == table.ReadersIndex {
		return s.buildReaders(ctx, scope, t, task)
	}

	if !task.Built {
		step, err := s.Rows.ScanRows(ctx, scope, t, table.RowScan{From: after(task.After)})
		if err != nil {
			return false, err
		}
		err = s.fill(ctx, scope, t, task.Index, step.Rows)
		if twice, ok := errors.AsType[*table.NotUnique](err); ok {
			return s.giveUp(ctx, scope, t, task, twice)
		}
		if err != nil {
			return false, err
		}
		if step.Last != "" {
			task.After = step.Last
			return false, nil
		}
		task.Built = true // a conflict below must not begin the build again
	}

	ready := withIndexes(t, func(x table.Index) table.Index {
		if x.ID == task.Index {
			x.BuildingSince = 0
		}
		return x
	})
	return s.end(ctx, scope, t, ready, task)
}

// end stores the table after a build, and forgets how far the build was. The tasks of indexes that the table no longer
// has are submitted first, see apply.
func (s *Service) end(ctx context.Context, scope tenant.Scope, old, next table.Table, task *table.Task) (done bool, err error) {
	if err := s.submit(ctx, tasks(scope, old, next)); err != nil {
		return false, err
	}
	err = s.Schemas.ReplaceTable(ctx, scope, old, next)
	if errs.Is(err, errs.KindConflict) {
		return false, nil // the table was changed meanwhile: the next step reads it and tries again
	}
	if err != nil {
		return false, err
	}
	return true, s.forget(ctx, scope, task)
}

// stalledAfter is the time in seconds without progress after which an unfinished index is stalled and a read of the table
// submits its task again, from where it was. Without it, an index whose task was lost or failed too often would stay
// unused forever.
const stalledAfter = 15 * 60

// Look is Named for endpoints that show the table. It also submits the tasks of stalled indexes again.
func (s *Service) Look(ctx context.Context, scope tenant.Scope, idOrName string) (table.Table, error) {
	t, err := s.Named(ctx, scope, idOrName)
	if err != nil {
		return t, err
	}
	tasks, err := s.stalled(ctx, scope, t)
	if err != nil || len(tasks) == 0 {
		return t, err
	}

	// Write the new BuildingSince first, so that only one of several concurrent readers submits the tasks.
	next := withIndexes(t, func(x table.Index) table.Index {
		if slices.ContainsFunc(tasks, func(task table.Task) bool { return task.Index == x.ID }) {
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

// submit submits tasks with a delay of Grace, after which no program writes with the earlier schema.
func (s *Service) submit(ctx context.Context, tasks []table.Task) error {
	for _, task := range tasks {
		if err := s.Worker.Submit(ctx, task, int(table.Grace/time.Second)); err != nil {
			return err
		}
	}
	return nil
}

// stalled returns the tasks of stalled indexes. Each goes on where the one before was.
func (s *Service) stalled(ctx context.Context, scope tenant.Scope, t table.Table) (list []table.Task, err error) {
	for _, x := range t.Indexes() {
		if x.BuildingSince == 0 || s.now()-x.BuildingSince <= stalledAfter {
			continue
		}
		// A large table takes longer: its build is not stalled as long as it gets on.
		at, err := s.Schemas.Build(ctx, scope, t.ID, x.ID)
		if err != nil {
			return nil, err
		}
		if s.now()-at.At <= stalledAfter {
			continue
		}
		task := table.Task{Scope: scope.String(), Table: t.ID, Index: x.ID, Build: true, Noted: at != table.Build{}}
		// A build of the index of readers begins again: what it has seen is lost with its task.
		if x.ID != table.ReadersIndex {
			task.After = at.After
		}
		list = append(list, task)
	}
	return list, nil
}

// after returns the smallest key after id, or "" (the start) if id is empty.
func after(id table.RowID) table.RowID {
	if id == "" {
		return ""
	}
	return id + "0"
}
