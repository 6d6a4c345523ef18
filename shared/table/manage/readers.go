package manage

import (
	"context"

	"minicloud/shared/errs"
	"minicloud/shared/permission"
	"minicloud/shared/table"
	"minicloud/shared/tenant"
)

// indexReaders submits a build of the index of readers if the subject's rows are not all in it: the table is of an
// earlier release, or has rows of a new kind. Until the build is over, lists read each row. It does nothing in a program
// without a worker.
func (s *Service) indexReaders(
	ctx context.Context, scope tenant.Scope, t table.Table, subject *permission.Subject,
) error {
	see := t.SightOf(subject)
	if s.Worker == nil || see.All || see.Indexed || t.Readers != nil && t.Readers.BuildingSince != 0 {
		return nil
	}

	// Write BuildingSince first, so that only one of several concurrent readers submits the task.
	next := t
	next.Revision++
	if t.Readers == nil {
		next.Readers = &table.Readers{}
	}
	next.Readers = next.Readers.Building(s.now())
	err := s.Schemas.ReplaceTable(ctx, scope, t, next)
	if errs.Is(err, errs.KindConflict) {
		return nil
	}
	if err != nil {
		return err
	}
	return s.submit(ctx, []table.Task{readersTask(scope, t.ID)})
}

func readersTask(scope tenant.Scope, id table.ID) table.Task {
	return table.Task{Scope: scope.String(), Table: id, Index: table.ReadersIndex, Build: true}
}

// buildReaders adds the entries of one page of rows. After the last page, it makes the index available to queries.
func (s *Service) buildReaders(
	ctx context.Context, scope tenant.Scope, t table.Table, task *table.Task,
) (done bool, err error) {
	if task.After == "" {
		task.Needed = t.Readers.Needs()
	}
	if !task.Built {
		step, err := s.Rows.ScanRows(ctx, scope, t, table.RowScan{
			From: after(task.After), Only: []string{"_read_perm", "_write_perm", "created_by"},
		})
		if err != nil {
			return false, err
		}
		if err := s.Rows.ReindexReaders(ctx, scope, t, step.Rows); err != nil {
			return false, err
		}
		task.Seen |= t.KindsOf(step.Rows...)
		if step.Last != "" {
			task.After = step.Last
			return false, nil
		}
		task.Built = true // a conflict below must not begin the build again
	}

	next, complete := t, false
	next.Revision++
	if next.Readers, complete = t.Readers.Built(task.Seen, task.Needed); !complete {
		// Rows that were read before the new kind was noted need entries, also of writers with an earlier schema.
		next.Readers = next.Readers.Building(s.now())
	}
	done, err = s.end(ctx, scope, t, next, task)
	if done && err == nil && !complete {
		err = s.submit(ctx, []table.Task{readersTask(scope, t.ID)})
	}
	return done, err
}
