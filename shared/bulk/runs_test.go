package bulk_test

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"minicloud/shared/bulk"
	"minicloud/shared/dynamo/bulkdb"
	"minicloud/shared/dynamo/rowdb"
	"minicloud/shared/errs"
	"minicloud/shared/language/value/update"
	"minicloud/shared/table"
	"minicloud/shared/tenant"
)

// held is a Marks that blocks its first Advance until goOn is closed, and records all calls.
type held struct {
	bulk.Marks
	first  sync.Once
	came   chan struct{} // closed at the first Advance
	goOn   chan struct{}
	mu     sync.Mutex
	joints []int // number of steps per call
	items  int   // maximum items of one call
	before func(steps []bulk.RunStep) error
	refuse func(steps []bulk.RunStep) map[int]error // returns why rows cannot be stored
}

func (h *held) Advance(
	ctx context.Context, scope tenant.Scope, t table.Table, changes []table.Change, steps []bulk.RunStep,
) (map[int]error, map[int]*bulk.Moved, error) {
	h.first.Do(func() { close(h.came); <-h.goOn })
	h.mu.Lock()
	h.joints = append(h.joints, len(steps))
	h.items = max(h.items, len(steps)+3*len(changes)) // a row and its moved entry in the index of n
	h.mu.Unlock()
	if h.before != nil {
		if err := h.before(steps); err != nil {
			return nil, nil, err
		}
	}
	if h.refuse != nil {
		if refused := h.refuse(steps); refused != nil {
			return refused, nil, nil
		}
	}
	return h.Marks.Advance(ctx, scope, t, changes, steps)
}

// result is the result of one run.
type result struct {
	bulk.Operation
	err error
}

// runners has a table with some rows, and marks that block the first step until all other runs wait for it.
type runners struct {
	*platform
	marks *held
	runs  bulk.Runs
}

func newRunners(t *testing.T, rows int) *runners {
	p := newPlatform(t, rows, "x")
	store := p.Tables.Rows.(*rowdb.Rows)
	r := &runners{platform: p, marks: &held{
		Marks: &bulkdb.Marks{Client: store.Client, Rows: store}, came: make(chan struct{}), goOn: make(chan struct{}),
	}}
	p.Marks, p.Runs = r.marks, &r.runs
	return r
}

// all lets n runs change the same rows concurrently: the others arrive while the first one writes.
func (r *runners) all(t *testing.T, n int, where string, body func(i int) string) []result {
	t.Helper()
	found := make([]result, n)
	var wg sync.WaitGroup
	for i := range n {
		wg.Go(func() { found[i].Operation, found[i].err = r.one(t, fmt.Sprint("run ", i), where, body(i)) })
		if i == 0 {
			<-r.marks.came
		}
	}
	for limit := time.Now().Add(time.Minute); r.runs.Waiting() < n-1; time.Sleep(time.Millisecond) {
		if time.Now().After(limit) {
			t.Fatalf("%d of %d wait", r.runs.Waiting(), n-1)
		}
	}
	close(r.marks.goOn)
	wg.Wait()
	return found
}

func (r *runners) one(t *testing.T, run, where, body string) (bulk.Operation, error) {
	return r.follow(t.Context(), t, run, where, body)
}

func (r *runners) follow(ctx context.Context, t *testing.T, run, where, body string) (bulk.Operation, error) {
	operations, err := update.Parse([]byte(body), r.table.Writable(), nil)
	if err != nil {
		return bulk.Operation{}, err
	}
	at, _, err := r.Follow(ctx, scope, r.table, r.where(t, where).Where, bulk.Change{Operations: operations},
		bulk.Begun(r.time()), run, r.time().Add(time.Minute))
	return at, err
}

// row returns the only matching row.
func (r *runners) row(t *testing.T, where string) table.Row {
	t.Helper()
	found, err := r.Tables.Find(t.Context(), scope, r.table, r.where(t, where))
	if err != nil || len(found.Objects) != 1 {
		t.Fatalf("%d rows, %v", len(found.Objects), err)
	}
	return found.Objects[0]
}

func add(int) string { return `{"hits":{"$incr_by":1}}` }

// TestMergesRunsOfOneRow checks that runs arriving during a write are merged into one transaction of at most 100
// items, and that each run has its mark.
func TestMergesRunsOfOneRow(t *testing.T) {
	r := newRunners(t, 2)
	const n = 150
	for i, at := range r.all(t, n, `{"n":1}`, add) {
		if at.err != nil {
			t.Errorf("run %d: %v", i, at.err)
		}
	}
	if row := r.row(t, `{"n":1}`); row.Fields["hits"] != int64(n) {
		t.Errorf("%v", row.Fields)
	}
	if len(r.marks.joints) != 3 || r.marks.items > 100 {
		t.Errorf("transactions of %v runs, %d items", r.marks.joints, r.marks.items)
	}

	// A repetition finds each run finished.
	for i := range n {
		if at, err := r.one(t, fmt.Sprint("run ", i), `{"n":1}`, add(0)); err != nil || at.Succeeded != 1 ||
			at.Status != bulk.StatusSuccess || at.Revision != 1 {
			t.Errorf("run %d again: %+v %v", i, at, err)
		}
	}
	if row := r.row(t, `{"n":1}`); row.Fields["hits"] != int64(n) || r.row(t, `{"n":0}`).Fields["hits"] != int64(0) {
		t.Errorf("again: %v", row.Fields)
	}
}

// TestMergedRunsOfManyRows checks that every run changes each row, and that the transaction has room for the index
// entries.
func TestMergedRunsOfManyRows(t *testing.T) {
	r := newRunners(t, 20)
	close(r.marks.goOn)
	if _, err := r.one(t, "first", `{"n":{"$gte":10}}`, `{"text":"y"}`); err != nil {
		t.Fatal(err)
	}
	r.marks.first, r.marks.came, r.marks.goOn = sync.Once{}, make(chan struct{}), make(chan struct{})
	for i, at := range r.all(t, 60, `{}`, add) {
		if at.err != nil || at.Succeeded != 20 {
			t.Errorf("run %d: %+v", i, at)
		}
	}
	for n := range 20 {
		if row := r.row(t, fmt.Sprintf(`{"n":%d}`, n)); row.Fields["hits"] != int64(60) || (row.Fields["text"] == "y") != (n >= 10) {
			t.Errorf("row %d: %v", n, row.Fields)
		}
	}
	if r.marks.items > 100 || len(r.marks.joints) != 4 {
		t.Errorf("%d items, transactions of %v runs", r.marks.items, r.marks.joints)
	}
}

// TestDeletionsAreNotMerged checks that a row is deleted once, and that the other runs find no row.
func TestDeletionsAreNotMerged(t *testing.T) {
	r := newRunners(t, 2)
	deleted := make(chan int)
	for i := range 3 {
		go func() {
			at, _, err := r.Follow(t.Context(), scope, r.table, r.where(t, `{"n":0}`).Where, bulk.Change{Delete: true},
				bulk.Begun(r.time()), fmt.Sprint("run ", i), r.time().Add(time.Minute))
			if err != nil || at.Status != bulk.StatusSuccess {
				t.Errorf("%+v, %v", at, err)
			}
			deleted <- at.Succeeded
		}()
	}
	<-r.marks.came
	close(r.marks.goOn)
	if n := <-deleted + <-deleted + <-deleted; n != 1 || r.count(t, `{}`) != 1 {
		t.Errorf("%d were deleted, %d are left", n, r.count(t, `{}`))
	}
}

// TestWaitsForTheStepBeingMade checks that a run waits for its step in progress, even after its context ends.
func TestWaitsForTheStepBeingMade(t *testing.T) {
	r := newRunners(t, 1)
	joined, release := make(chan struct{}), make(chan struct{})
	r.marks.before = func(steps []bulk.RunStep) error {
		if len(steps) == 2 {
			close(joined)
			<-release
		}
		return nil
	}
	ctx, cancel := context.WithCancel(t.Context())
	var wg sync.WaitGroup
	for i, with := range []context.Context{t.Context(), t.Context(), ctx} {
		wg.Go(func() {
			if at, err := r.follow(with, t, fmt.Sprint("run ", i), `{"n":0}`, add(0)); err != nil || at.Succeeded != 1 {
				t.Errorf("run %d: %+v, %v", i, at, err)
			}
		})
		if i == 0 {
			<-r.marks.came
		}
		for r.runs.Waiting() != i {
			time.Sleep(time.Millisecond)
		}
	}
	close(r.marks.goOn)
	<-joined
	cancel()
	time.Sleep(10 * time.Millisecond) // let the run notice that its context ended
	close(release)
	wg.Wait()
	if row := r.row(t, `{}`); row.Fields["hits"] != int64(3) {
		t.Errorf("%v", row.Fields)
	}
}

// TestMergedRunsApplyInOrder checks that each merged run sees the changes of the earlier runs in its condition and in
// the range check of its numbers.
func TestMergedRunsApplyInOrder(t *testing.T) {
	r := newRunners(t, 2)
	for i, at := range r.all(t, 12, `{"n":1,"hits":{"$lt":5}}`, add) {
		if at.err != nil {
			t.Errorf("run %d: %v", i, at.err)
		}
	}
	if row := r.row(t, `{"n":1}`); row.Fields["hits"] != int64(5) {
		t.Errorf("%v", row.Fields)
	}

	r = newRunners(t, 1)
	failed := 0
	for i, at := range r.all(t, 4, `{"n":0}`, func(int) string { return `{"hits":{"$incr_by":4503599627370496}}` }) {
		if failed += at.Failed; at.err != nil || at.Failed+at.Succeeded != 1 || at.Failed != len(at.Errors) {
			t.Errorf("run %d: %+v", i, at)
		}
	}
	if row := r.row(t, `{}`); row.Fields["hits"] != int64(4503599627370496) || failed != 3 || len(r.marks.joints) < 2 {
		t.Errorf("%v, %d failed, transactions of %v", row.Fields, failed, r.marks.joints)
	}
}

// TestListenersPreventMerging checks that updates are not merged if triggers listen to them.
func TestListenersPreventMerging(t *testing.T) {
	r := newRunners(t, 1)
	r.table.Listeners.Update = 1
	for i, at := range r.all(t, 10, `{"n":0}`, add) {
		if at.err != nil {
			t.Errorf("run %d: %v", i, at.err)
		}
	}
	row := r.row(t, `{}`)
	if row.Fields["hits"] != int64(10) || len(r.marks.joints) != 10 || r.marks.items != 4 {
		t.Errorf("%v, transactions of %v", row.Fields, r.marks.joints)
	}
}

// TestSkipsFinishedRunsInAMerge checks that a finished run is left out of a merge without delaying the others.
func TestSkipsFinishedRunsInAMerge(t *testing.T) {
	r := newRunners(t, 1)
	close(r.marks.goOn)
	if _, err := r.one(t, "run 3", `{"n":0}`, add(0)); err != nil {
		t.Fatal(err)
	}
	r.marks.first, r.marks.joints = sync.Once{}, nil
	r.marks.came, r.marks.goOn = make(chan struct{}), make(chan struct{})
	for i, at := range r.all(t, 6, `{"n":0}`, add) {
		if at.err != nil {
			t.Errorf("run %d: %v", i, at.err)
		}
	}
	if row := r.row(t, `{}`); row.Fields["hits"] != int64(6) || fmt.Sprint(r.marks.joints) != "[1 5 4]" {
		t.Errorf("%v, transactions of %v", row.Fields, r.marks.joints)
	}
}

// TestRetriesFailedMergesSeparately checks that a run that cannot be stored, or whose response is lost, does not fail
// the others.
func TestRetriesFailedMergesSeparately(t *testing.T) {
	r := newRunners(t, 1)
	lost := errors.New("no answer")
	r.marks.before = func(steps []bulk.RunStep) error {
		for _, s := range steps {
			if s.Run == "run 2" {
				return lost
			}
		}
		return nil
	}
	for i, at := range r.all(t, 5, `{"n":0}`, add) {
		if (i == 2) != errors.Is(at.err, lost) || i != 2 && at.err != nil {
			t.Errorf("run %d: %v", i, at.err)
		}
	}
	if row := r.row(t, `{}`); row.Fields["hits"] != int64(4) || r.runs.Waiting() != 0 {
		t.Errorf("%v, %d wait", row.Fields, r.runs.Waiting())
	}

	r = newRunners(t, 1)
	r.marks.refuse = func(steps []bulk.RunStep) map[int]error {
		if len(steps) > 1 {
			return map[int]error{0: table.ErrTooLarge}
		}
		return nil
	}
	for i, at := range r.all(t, 5, `{"n":0}`, add) {
		if at.err != nil || at.Failed > 0 {
			t.Errorf("run %d: %+v", i, at)
		}
	}
}

// TestPanicSkipsNoRow checks a run of several steps whose first step is merged with a run that panics: the run must
// make that step before its second step moves the cursor.
func TestPanicSkipsNoRow(t *testing.T) {
	r := newRunners(t, 0)
	r.insert(t, 25, strings.Repeat("x", 100<<10)) // two steps of 2 MB
	r.now = r.now.Add(3 * time.Second)
	var panicked atomic.Bool
	r.marks.before = func(steps []bulk.RunStep) error {
		if len(steps) > 1 && panicked.CompareAndSwap(false, true) {
			panic("planted")
		}
		return nil
	}
	var wg sync.WaitGroup
	for i := range 3 {
		wg.Go(func() {
			defer func() { _ = recover() }()
			if at, err := r.one(t, fmt.Sprint("run ", i), `{}`, add(0)); err != nil || at.Succeeded != 25 {
				t.Errorf("%d rows, %v", at.Succeeded, err)
			}
		})
	}
	for r.runs.Waiting() < 2 {
		time.Sleep(time.Millisecond)
	}
	close(r.marks.goOn)
	wg.Wait()

	found, err := r.Tables.Find(t.Context(), scope, r.table, r.where(t, `{}`))
	if err != nil || !panicked.Load() {
		t.Fatal(err, panicked.Load())
	}
	for _, row := range found.Objects {
		if row.Fields["hits"] != int64(2) {
			t.Fatalf("row %v: %v", row.Fields["n"], row.Fields["hits"])
		}
	}
}

// TestBusyStoreFailsNoRow checks that a row is not counted as failed if the store was busy; the step is repeated
// later.
func TestBusyStoreFailsNoRow(t *testing.T) {
	r := newRunners(t, 1)
	close(r.marks.goOn)
	busy := true
	r.marks.refuse = func([]bulk.RunStep) map[int]error {
		if busy {
			return map[int]error{0: errs.Unavailable(0, "the store is busy")}
		}
		return nil
	}
	if at, err := r.one(t, "run", `{"n":0}`, add(0)); !errs.Is(err, errs.KindUnavailable) || at.Revision != 0 {
		t.Errorf("%+v, %v", at, err)
	}
	busy = false
	if at, err := r.one(t, "run", `{"n":0}`, add(0)); err != nil || at.Succeeded != 1 || at.Failed != 0 {
		t.Errorf("%+v, %v", at, err)
	}
}

// TestPanicDoesNotStopMergedRuns checks that a run merged with a run that panics continues alone.
func TestPanicDoesNotStopMergedRuns(t *testing.T) {
	r := newRunners(t, 1)
	r.marks.before = func(steps []bulk.RunStep) error {
		if len(steps) > 1 {
			panic("planted")
		}
		return nil
	}
	var wg sync.WaitGroup
	var panics atomic.Int32
	for i := range 3 {
		wg.Go(func() {
			defer func() {
				if recover() != nil {
					panics.Add(1)
				}
			}()
			if _, err := r.one(t, fmt.Sprint("run ", i), `{"n":0}`, add(0)); err != nil {
				t.Error(err)
			}
		})
	}
	for r.runs.Waiting() < 2 {
		time.Sleep(time.Millisecond)
	}
	close(r.marks.goOn)
	wg.Wait()
	if row := r.row(t, `{}`); row.Fields["hits"] != int64(2) || panics.Load() != 1 {
		t.Errorf("%v, %d panics", row.Fields, panics.Load())
	}
}

// TestReturnsConflictAfterMilliseconds checks that a run returns errs.Conflict and changes nothing if other programs
// keep changing its row.
func TestReturnsConflictAfterMilliseconds(t *testing.T) {
	r := newRunners(t, 1)
	r.marks.before = func([]bulk.RunStep) error { return errs.Conflict("always another") }
	for i, at := range r.all(t, 5, `{"n":0}`, add) {
		if !errs.Is(at.err, errs.KindConflict) {
			t.Errorf("run %d: %v", i, at.err)
		}
	}
	if n := len(r.marks.joints); n > 10 || r.row(t, `{}`).Fields["hits"] != int64(0) {
		t.Errorf("%d transactions", n)
	}
}

// TestPatientRunsTryForLonger checks that patient runs retry longer, until their deadline.
func TestPatientRunsTryForLonger(t *testing.T) {
	for _, c := range []struct {
		what    string
		patient bool
		left    time.Duration
		done    bool
	}{
		{"other work waits behind it", false, time.Minute, false},
		{"only others that met wait behind it", true, time.Minute, true},
		{"its time is up", true, 0, false},
	} {
		r := newRunners(t, 1)
		close(r.marks.goOn)
		r.Patient = c.patient
		met := 0
		r.marks.before = func([]bulk.RunStep) error {
			if met++; met > 8 {
				return nil
			}
			return errs.Conflict("another program")
		}
		at, _, err := r.Follow(t.Context(), scope, r.table, r.where(t, `{"n":0}`).Where, r.hit(t), bulk.Begun(r.time()),
			"run", r.time().Add(c.left))
		if c.done != (err == nil) || c.done != at.Status.Over() || err != nil && !errs.Is(err, errs.KindConflict) {
			t.Errorf("%s: %+v, %v after %d tries", c.what, at, err, met)
		}
	}
}

// reading counts reads of rows by id.
type reading struct {
	table.RowStore
	n atomic.Int64
}

func (r *reading) ReadRows(
	ctx context.Context, scope tenant.Scope, t table.Table, ids []table.RowID,
) (map[table.RowID]table.Row, error) {
	r.n.Add(1)
	return r.RowStore.ReadRows(ctx, scope, t, ids)
}

// TestRetriesFromTheRowOfTheConflict checks that a run uses the row in the conflict error instead of reading it
// again.
func TestRetriesFromTheRowOfTheConflict(t *testing.T) {
	r := newRunners(t, 1)
	close(r.marks.goOn)
	row := r.row(t, `{}`)
	other, reads, met := *r.Tables, &reading{RowStore: r.Tables.Rows}, 0
	r.marks.before = func([]bulk.RunStep) error {
		if met++; met > 3 {
			return nil
		}
		operations, err := update.Parse([]byte(`{"hits":{"$incr_by":10}}`), r.table.Writable(), nil)
		if err == nil {
			_, err = other.Update(t.Context(), scope, r.table, row.ID, operations, table.Author{})
		}
		return err
	}
	r.Tables.Rows = reads
	if at, err := r.one(t, "a", fmt.Sprintf(`{"id":%q}`, row.ID), add(0)); err != nil || at.Succeeded != 1 {
		t.Errorf("%+v, %v", at, err)
	}
	r.Tables.Rows = reads.RowStore
	if got := r.row(t, `{}`).Fields["hits"]; got != int64(31) || met != 4 {
		t.Errorf("the row has %v after %d transactions", got, met)
	}
	if n := reads.n.Load(); n > 1 { // the run finds its row by id
		t.Errorf("%d reads", n)
	}
}

// TestWaitingRunLeavesAtItsTimeout checks that a waiting run returns when its context ends, and that the others
// continue.
func TestWaitingRunLeavesAtItsTimeout(t *testing.T) {
	r := newRunners(t, 1)
	ctx, cancel := context.WithCancel(t.Context())
	var wg sync.WaitGroup
	var gone error
	wait := func(n int) {
		for r.runs.Waiting() != n {
			time.Sleep(time.Millisecond)
		}
	}
	for i, with := range []context.Context{t.Context(), t.Context(), ctx} {
		began := r.marks.came
		wg.Go(func() {
			_, err := r.follow(with, t, fmt.Sprint("run ", i), `{"n":0}`, add(0))
			if i == 2 {
				gone = err
			} else if err != nil {
				t.Error(err)
			}
		})
		if i == 0 {
			<-began
		}
		wait(i)
	}
	cancel()
	wait(1)
	close(r.marks.goOn)
	wg.Wait()
	if gone == nil || r.row(t, `{}`).Fields["hits"] != int64(2) {
		t.Errorf("%v %v", gone, r.row(t, `{}`).Fields)
	}
}

// TestResumesRunsOfManyRows checks that a run of many rows changes the oldest first, 45 per step, until its deadline,
// and that the last step also ends the operation. The next call retries failed rows first.
func TestResumesRunsOfManyRows(t *testing.T) {
	r := newRunners(t, 100)
	close(r.marks.goOn)
	o := bulk.Begun(r.time())
	follow := func(c bulk.Change, until time.Time) (changed bool) {
		t.Helper()
		at, changed, err := r.Follow(t.Context(), scope, r.table, r.where(t, `{}`).Where, c, o, "run", until)
		if err != nil {
			t.Fatal(err)
		}
		o = at
		return changed
	}
	is := func(what string, status bulk.Status, succeeded, failed, steps int) {
		t.Helper()
		kept, err := r.marks.Marks.(*bulkdb.Marks).Mark(t.Context(), scope, "run")
		if err != nil || o.Status != status || kept.Status != status || o.Succeeded != succeeded || o.Failed != failed ||
			len(o.Errors) != failed || len(r.marks.joints) != steps {
			t.Errorf("%s: %+v, %v, %d steps; kept %s", what, o, err, len(r.marks.joints), kept.Status)
		}
	}
	operations, err := update.Parse([]byte(`{"hits":{"$incr_by":1}}`), r.table.Writable(), nil)
	if err != nil {
		t.Fatal(err)
	}
	hit, soon := bulk.Change{Operations: operations}, r.time().Add(time.Minute)

	refusals := 0
	r.marks.refuse = func([]bulk.RunStep) map[int]error {
		if refusals++; refusals > 3 || refusals == 2 {
			return nil
		}
		refused := map[int]error{}
		for i := range 6 {
			refused[i] = errs.Invalid("no")
		}
		return refused
	}
	if !follow(hit, soon) {
		t.Error("it has made a step")
	}
	is("six are too many that cannot be changed", bulk.StatusExecuting, 39, 6, 4)
	follow(hit, r.time())
	is("they come first, and one step more when it is late", bulk.StatusExecuting, 90, 0, 6)
	r.marks.before = func([]bulk.RunStep) error { r.now = r.now.Add(21 * time.Second); return nil }
	follow(hit, soon)
	is("the last ones", bulk.StatusSuccess, 100, 0, 7)
	if follow(hit, soon) {
		t.Error("there was nothing to do")
	}
	is("once more", bulk.StatusSuccess, 100, 0, 7)
	if got := r.count(t, `{"hits":1}`); got != 100 {
		t.Errorf("%d were changed once", got)
	}

	o, r.marks.joints = bulk.Begun(r.time()), nil
	late := bulk.Change{Operations: operations}
	at, _, err := r.Follow(t.Context(), scope, r.table, r.where(t, `{}`).Where, late, o, "late", r.time().Add(time.Hour))
	if err != nil || at.Succeeded != 90 || at.Status != bulk.StatusExecuting {
		t.Errorf("its schema is old: %+v, %v", at, err)
	}
	o = bulk.Begun(r.time())
	at, changed, err := r.Follow(t.Context(), scope, r.table, r.where(t, `{"hits":2}`).Where, bulk.Change{Delete: true}, o,
		"deletion", r.time())
	if err != nil || !changed || at.Succeeded != 45 || r.count(t, `{"n":{"$gte":0}}`) != 55 {
		t.Errorf("a deletion: %+v, %v, %d are left", at, err, r.count(t, `{}`))
	}
}

// TestResumesAtStoredPosition checks that a run continues from the stored state even if its caller passes an older
// one, and that it deletes only rows that existed when it began.
func TestResumesAtStoredPosition(t *testing.T) {
	r := newRunners(t, 100)
	close(r.marks.goOn)
	begun := bulk.Begun(r.time())
	for i, succeeded := range []int{45, 90, 100} {
		at, changed, err := r.Follow(t.Context(), scope, r.table, r.where(t, `{}`).Where, bulk.Change{Delete: true}, begun,
			"run", r.time())
		if err != nil || !changed || at.Succeeded != succeeded || at.Status.Over() != (i == 2) {
			t.Errorf("call %d: %+v, %v", i, at, err)
		}
		if i == 0 {
			r.now = r.now.Add(2 * time.Second)
			r.insert(t, 5, "later")
		}
	}
	if n := r.count(t, `{}`); n != 5 || r.count(t, `{"text":"later"}`) != 5 {
		t.Errorf("%d are left", n)
	}

	// A schema is not yet too old after 20 s.
	r = newRunners(t, 100)
	close(r.marks.goOn)
	r.marks.before = func([]bulk.RunStep) error { r.now = r.now.Add(10 * time.Second); return nil }
	at, _, err := r.Follow(t.Context(), scope, r.table, r.where(t, `{}`).Where, r.hit(t), bulk.Begun(r.time()), "run",
		r.time().Add(time.Hour))
	if err != nil || at.Succeeded != 100 || at.Status != bulk.StatusSuccess {
		t.Errorf("%+v, %v", at, err)
	}
}
