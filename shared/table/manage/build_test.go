package manage_test

import (
	"context"
	"testing"
	"time"

	"minicloud/shared/errs"
	"minicloud/shared/language/value"
	"minicloud/shared/table"
	"minicloud/shared/table/manage"
	"minicloud/shared/tenant"
)

// slowRows reads five rows at a time, and each read takes longer than a worker may work on one message.
type slowRows struct {
	table.RowStore
	clock *watch
	read  int
}

func (r *slowRows) ScanRows(
	ctx context.Context, scope tenant.Scope, t table.Table, scan table.RowScan,
) (table.RowStep, error) {
	r.clock.move(20 * time.Second)
	scan.Limit = 5
	step, err := r.RowStore.ScanRows(ctx, scope, t, scan)
	r.read += len(step.Rows)
	return step, err
}

// busySchemas refuses some replacements, as if others changed the table.
type busySchemas struct {
	table.TableStore
	conflicts int
}

func (s *busySchemas) ReplaceTable(ctx context.Context, scope tenant.Scope, old, next table.Table) error {
	if s.conflicts > 0 {
		s.conflicts--
		return errs.Conflict("another request is changing the table")
	}
	return s.TableStore.ReplaceTable(ctx, scope, old, next)
}

// largeRows is how many rows the table of large has: their build takes 60 messages.
const largeRows = 300

// large returns a table whose index was just added, and whose build takes many messages.
func large(t *testing.T) (s *manage.Service, clock *watch, worker *tasks, rows *slowRows, schemas *busySchemas) {
	s, clock, worker = start(t)
	made := create(t, s, "things", column("n", value.Integer, false))
	for range largeRows / 100 {
		drafts := make([]map[string]any, 100)
		for i := range drafts {
			drafts[i] = map[string]any{"n": i}
		}
		insert(t, s, made, drafts...)
	}
	if _, err := s.Modify(t.Context(), scope, made.ID, definition("", column("n", value.Integer, true))); err != nil {
		t.Fatal(err)
	}
	rows, schemas = &slowRows{RowStore: s.Rows, clock: clock}, &busySchemas{TableStore: s.Schemas}
	s.Rows, s.Schemas = rows, schemas
	clock.move(table.Grace + time.Second)
	return s, clock, worker, rows, schemas
}

// work works on messages until there are none, at most so many, and returns how many there were.
func work(t *testing.T, s *manage.Service, worker *tasks, most int) (n int) {
	t.Helper()
	for ; n < most && len(worker.list) > 0; n++ {
		for _, task := range worker.take() {
			if err := s.Work(t.Context(), task); err != nil {
				t.Fatal(err)
			}
		}
	}
	return n
}

func ready(t *testing.T, s *manage.Service) bool {
	t.Helper()
	got, err := s.Named(t.Context(), scope, "things")
	if err != nil {
		t.Fatal(err)
	}
	return got.Columns[0].Usable()
}

// TestLargeIndexTakesManyMessages: each message goes on where the one before was, also when others change the table at the
// end. A reader in the middle does not start the build again.
func TestLargeIndexTakesManyMessages(t *testing.T) {
	s, clock, worker, rows, schemas := large(t)
	begun := clock.Now()
	work(t, s, worker, 50)
	if took := clock.Now().Sub(begun); took < 16*time.Minute {
		t.Fatalf("the reader comes after %v, too early to start it again", took)
	}
	if _, err := s.Look(t.Context(), scope, "things"); err != nil || len(worker.list) != 1 {
		t.Fatalf("after a reader there are %d tasks, %v", len(worker.list), err)
	}
	schemas.conflicts = 3
	n := 50 + work(t, s, worker, 100)
	if rows.read != largeRows || !ready(t, s) {
		t.Errorf("%d messages read %d rows of %d, ready %v", n, rows.read, largeRows, ready(t, s))
	}
	if n < largeRows/5-1 {
		t.Errorf("%d messages were enough", n)
	}
}

// TestReaderTakesOverLostBuild: the task that a reader submits goes on where the lost one was.
func TestReaderTakesOverLostBuild(t *testing.T) {
	s, clock, worker, rows, _ := large(t)
	work(t, s, worker, 40)
	worker.take() // lost
	before := rows.read
	clock.move(16 * time.Minute)
	if _, err := s.Look(t.Context(), scope, "things"); err != nil || len(worker.list) != 1 {
		t.Fatalf("after a reader there are %d tasks, %v", len(worker.list), err)
	}
	clock.move(table.Grace + time.Second)
	work(t, s, worker, 200)
	if before == 0 || rows.read != largeRows || !ready(t, s) {
		t.Errorf("%d rows were read before, %d in all, ready %v", before, rows.read, ready(t, s))
	}
	// Nothing is left of the build.
	index := table.Build{}
	got, err := s.Named(t.Context(), scope, "things")
	if err != nil {
		t.Fatal(err)
	}
	if at, err := s.Schemas.Build(t.Context(), scope, got.ID, got.Columns[0].Index.ID); err != nil || at != index {
		t.Errorf("left %+v, %v", at, err)
	}
}
