package bulk_test

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/aws/aws-sdk-go-v2/service/dynamodb"
	"github.com/google/go-cmp/cmp"

	"minicloud/infra/local/dynamotest"
	"minicloud/shared/bulk"
	"minicloud/shared/dynamo/bulkdb"
	"minicloud/shared/dynamo/rowdb"
	"minicloud/shared/errs"
	"minicloud/shared/id"
	"minicloud/shared/idempotency/writetoken"
	"minicloud/shared/language/query"
	"minicloud/shared/language/value/update"
	"minicloud/shared/table"
	"minicloud/shared/tenant"
	"minicloud/shared/trace/chain"
)

var errDown = errors.New("no store")

// watched is a store that records its steps and fails the call named in fail.
type watched struct {
	bulk.Store
	changes []int // of each step
	at      []bulk.Operation
	fail    string
	step    func(n int) (refused map[int]error, err error) // replaces step n if it returns a result
}

func (w *watched) InsertOperation(ctx context.Context, scope tenant.Scope, o bulk.Operation) error {
	if w.fail == "insert" {
		return errDown
	}
	return w.Store.InsertOperation(ctx, scope, o)
}

func (w *watched) Operation(ctx context.Context, scope tenant.Scope, operation id.ID) (bulk.Operation, error) {
	if w.fail == "read" {
		return bulk.Operation{}, errDown
	}
	return w.Store.Operation(ctx, scope, operation)
}

func (w *watched) Advance(
	ctx context.Context, scope tenant.Scope, t table.Table, changes []table.Change, old, next bulk.Operation,
) (map[int]error, error) {
	if w.fail == "advance" {
		return nil, errDown
	}
	w.changes, w.at = append(w.changes, len(changes)), append(w.at, next)
	if w.step != nil {
		if refused, err := w.step(len(w.changes)); refused != nil || err != nil {
			return refused, err
		}
	}
	return w.Store.Advance(ctx, scope, t, changes, old, next)
}

// watch records the steps of the platform.
func (p *platform) watch() *watched {
	w := &watched{Store: p.Store}
	p.Store = w
	return w
}

// start changes all rows in the background.
func (p *platform) start(t *testing.T, c bulk.Change) id.ID {
	t.Helper()
	done, err := p.Start(t.Context(), scope, p.table, query.And(nil), c)
	if err != nil {
		t.Fatal(err)
	}
	return done.Operation
}

func (p *platform) operation(t *testing.T, operation id.ID) bulk.Operation {
	t.Helper()
	o, err := p.Store.Operation(t.Context(), scope, operation)
	if err != nil {
		t.Fatal(err)
	}
	return o
}

func TestOperationIDs(t *testing.T) {
	for text, want := range map[string]id.ID{
		"1": 1, "42": 42, "9007199254740991": 1<<53 - 1, "9007199254740992": 0, "0": 0, "-0": 0, "-1": 0, "01": 0, "+1": 0, "": 0, "x": 0, "1x": 0,
	} {
		got, err := bulk.ParseID(text)
		if got != want || (err == nil) != (want > 0) || err != nil && !errs.Is(err, errs.KindNotFound) {
			t.Errorf("%q: %d, %v, want %d", text, got, err, want)
		}
	}
}

func TestProgressOfOperations(t *testing.T) {
	for _, c := range []struct {
		status                   bulk.Status
		total, succeeded, failed int
		want                     float64
	}{
		{bulk.StatusWaiting, 10, 0, 0, 0}, {bulk.StatusExecuting, 10, 2, 3, 0.5}, {bulk.StatusExecuting, 10, 20, 0, 1},
		{bulk.StatusExecuting, 0, 5, 0, 0}, {bulk.StatusExecuting, -1, 5, 0, 0}, {bulk.StatusExecuting, 1, 1, 0, 1},
		{bulk.StatusSuccess, -1, 5, 0, 1}, {bulk.StatusFailed, 10, 2, 0, 1},
	} {
		o := bulk.Operation{Status: c.status, Total: c.total, Succeeded: c.succeeded, Failed: c.failed}
		if got := o.Matched(); got < o.Total || got < o.Succeeded+o.Failed {
			t.Errorf("%+v: %d match", o, got)
		}
		if got := o.Progress(); got != c.want {
			t.Errorf("%+v: %v", c, got)
		}
	}
}

// TestStepFillsATransaction checks the maximum size of a step: 45 rows, 90 items with index entries, or 2 MB of old
// and new rows.
func TestStepFillsATransaction(t *testing.T) {
	set := func(body string) func(*platform) bulk.Change {
		return func(p *platform) bulk.Change {
			operations, err := update.Parse([]byte(body), p.table.Writable(), nil)
			if err != nil {
				t.Fatal(err)
			}
			return bulk.Change{Operations: operations}
		}
	}
	remove := func(*platform) bulk.Change { return bulk.Change{Delete: true} }

	for name, c := range map[string]struct {
		rows, bytes int
		change      func(*platform) bulk.Change
		steps       string // changes of each step; the last steps find nothing left
	}{
		"no index":         {46, 1, set(`{"hits":1}`), "[45 1 0]"},
		"an index moves":   {31, 1, set(`{"n":1}`), "[30 1 0]"},
		"two columns":      {31, 1, set(`{"n":1,"hits":1}`), "[30 1 0]"},
		"a deletion":       {46, 1, remove, "[45 1 0]"},
		"large rows":       {6, 200 << 10, set(`{"hits":1}`), "[5 0 1 0]"}, // as many as one read returns
		"a large update":   {9, 50 << 10, set(`{"text":"` + strings.Repeat("y", 200<<10) + `"}`), "[8 1 0]"},
		"nothing is there": {0, 1, remove, "[0]"},
	} {
		t.Run(name, func(t *testing.T) {
			p := newPlatform(t, c.rows, strings.Repeat("x", c.bytes))
			o, w := p.start(t, c.change(p)), p.watch()
			p.finish(t)
			if got := fmt.Sprint(w.changes); got != c.steps {
				t.Errorf("steps %s, want %s", got, c.steps)
			}

			var cursor table.RowID
			for i, at := range w.at {
				if at.Revision != int64(i+1) || at.UpdatedAt != p.now.Unix() || at.Cursor < cursor ||
					at.Status.Over() != (i == len(w.at)-1) || at.Status == bulk.StatusWaiting {
					t.Errorf("step %d: %+v", i, at)
				}
				cursor = at.Cursor
			}
			if at := p.operation(t, o); at.Status != bulk.StatusSuccess || at.Succeeded != c.rows || at.FinishedAt != p.now.Unix() {
				t.Errorf("%+v", at)
			}
		})
	}
}

// TestCountsRowsThatCannotBeChanged checks that failed rows are counted, that the first 50 are listed, and that all
// others are changed.
func TestCountsRowsThatCannotBeChanged(t *testing.T) {
	p := newPlatform(t, 120, "x")
	o, w := p.start(t, p.hit(t)), p.watch()
	first := true
	w.step = func(n int) (map[int]error, error) {
		if len(w.at[n-1].Errors) > 0 || w.changes[n-1] == 0 || !first && n%2 == 0 {
			return nil, nil
		}
		first = false
		refused := map[int]error{}
		for i := range 25 {
			refused[i] = errs.Invalid("row %d is too large", i)
		}
		return refused, nil
	}
	p.finish(t)
	at := p.operation(t, o)
	if at.Status != bulk.StatusSuccess || at.Succeeded+at.Failed != 120 || at.Failed < 25 || len(at.Errors) != min(at.Failed, bulk.MaxErrors) {
		t.Errorf("%d succeeded, %d failed, %d errors, %s", at.Succeeded, at.Failed, len(at.Errors), at.Status)
	}
	if e := at.Errors[3]; e.Kind != errs.KindInvalid || e.Message != "row 3 is too large" || e.Row == "" {
		t.Errorf("%+v", e)
	}
	if got := p.count(t, `{"hits":1,"n":{"$gte":1000}}`); got != at.Succeeded {
		t.Errorf("%d were changed, %d succeeded", got, at.Succeeded)
	}
}

// TestReadsConcurrentlyChangedRowsAgain checks that rows that were deleted or no longer match are left out.
func TestReadsConcurrentlyChangedRowsAgain(t *testing.T) {
	p := newPlatform(t, 10, "x")
	done, err := p.Start(t.Context(), scope, p.table, p.where(t, `{"hits":0}`).Where, p.hit(t))
	if err != nil {
		t.Fatal(err)
	}
	found, err := p.Tables.Find(t.Context(), scope, p.table, p.where(t, `{}`))
	if err != nil {
		t.Fatal(err)
	}
	rows := found.Objects
	w := p.watch()
	w.step = func(n int) (map[int]error, error) {
		if n > 1 {
			return nil, nil
		}
		for i, body := range []string{`{"hits":7}`, `{"text":"y"}`} {
			operations, err := update.Parse([]byte(body), p.table.Writable(), nil)
			if err != nil {
				t.Fatal(err)
			}
			if _, err := p.Tables.Update(t.Context(), scope, p.table, rows[i].ID, operations, table.Author{}); err != nil {
				t.Fatal(err)
			}
		}
		if _, err := p.Tables.Delete(t.Context(), scope, p.table, rows[2].ID, table.Author{}); err != nil {
			t.Fatal(err)
		}
		return nil, nil // the store detects the conflict
	}
	p.finish(t)
	at := p.operation(t, done.Operation)
	if at.Status != bulk.StatusSuccess || at.Succeeded != 8 || at.Failed != 0 || !slices.Equal(w.changes, []int{10, 8, 0}) {
		t.Errorf("%+v by steps of %v", at, w.changes)
	}
	if hit, left, both := p.count(t, `{"hits":1}`), p.count(t, `{"hits":7,"n":{"$lt":1000}}`), p.count(t, `{"hits":1,"text":"y"}`); hit != 8 || left != 1 || both != 1 {
		t.Errorf("%d were changed, %d left as somebody made them, %d of those", hit, left, both)
	}
}

// TestSkipsDeletedRows checks that a row deleted meanwhile is not changed, even if the condition matches every row.
func TestSkipsDeletedRows(t *testing.T) {
	p := newPlatform(t, 3, "x")
	o, w := p.start(t, p.hit(t)), p.watch()
	w.step = func(n int) (map[int]error, error) {
		found, err := p.Tables.Find(t.Context(), scope, p.table, p.where(t, `{"n":1}`))
		if err == nil && n == 1 {
			_, err = p.Tables.Delete(t.Context(), scope, p.table, found.Objects[0].ID, table.Author{})
		}
		return nil, err
	}
	p.finish(t)
	if at := p.operation(t, o); at.Succeeded != 2 || at.Failed != 0 || p.count(t, `{"hits":1}`) != 2 {
		t.Errorf("%+v, %d are changed", at, p.count(t, `{"hits":1}`))
	}
}

// TestWorkerSubmitsUnfinishedOperations checks that a worker submits an operation again at its deadline, ignores
// finished operations, and reads the schema again after 20 s.
func TestWorkerSubmitsUnfinishedOperations(t *testing.T) {
	p := newPlatform(t, 100, "x")
	o, w := p.start(t, p.hit(t)), p.watch()
	p.submitted = nil
	inChain := func() context.Context {
		return chain.NewContext(t.Context(), chain.Link{Generation: 4, Idle: 2}, "bulk")
	}
	if err := p.Work(inChain(), scope, o, p.now); err != nil || len(p.submitted) != 1 || p.delay != 0 || len(w.changes) != 0 {
		t.Errorf("no time: %v, submitted %v, steps %v", err, p.submitted, w.changes)
	}
	if p.link != (chain.Link{Generation: 5, Idle: 3}) {
		t.Errorf("no time: the next message is %+v", p.link)
	}

	// Each step takes 15 s.
	w.step = func(int) (map[int]error, error) { p.now = p.now.Add(15 * time.Second); return nil, nil }
	if err := p.Work(inChain(), scope, o, p.now.Add(20*time.Second)); err != nil || len(p.submitted) != 2 {
		t.Errorf("%v, submitted %v", err, p.submitted)
	}
	if p.link != (chain.Link{Generation: 5}) {
		t.Errorf("after two steps the next message is %+v", p.link)
	}
	if !slices.Equal(w.changes, []int{30, 30}) || p.operation(t, o).Status != bulk.StatusExecuting {
		t.Errorf("steps %v of an old schema", w.changes)
	}
	p.finish(t)
	if at := p.operation(t, o); at.Status != bulk.StatusSuccess || at.Succeeded != 100 {
		t.Errorf("%+v", at)
	}

	steps := len(w.changes)
	if err := p.Work(t.Context(), scope, o, p.now.Add(time.Minute)); err != nil || len(w.changes) != steps {
		t.Errorf("one that is over: %v, %d steps more", err, len(w.changes)-steps)
	}
	if err := p.Work(t.Context(), scope, 4, p.now.Add(time.Minute)); !errs.Is(err, errs.KindNotFound) {
		t.Errorf("of none: %v", err)
	}
}

// TestSubmitsMovedOperationsAgain checks that a moved operation is submitted again with a delay of 30 s, unless it is
// finished.
func TestSubmitsMovedOperationsAgain(t *testing.T) {
	p := newPlatform(t, 3, "x")
	o, w := p.start(t, p.hit(t)), p.watch()
	p.submitted = nil
	w.step = func(int) (map[int]error, error) { return nil, errs.NotFound("another worker is at it") }
	if err := p.Work(t.Context(), scope, o, p.now.Add(time.Minute)); err != nil || len(p.submitted) != 1 || p.delay != 30*time.Second {
		t.Errorf("%v, submitted %v after %v", err, p.submitted, p.delay)
	}
	p.full = errDown
	if err := p.Work(t.Context(), scope, o, p.now.Add(time.Minute)); !errors.Is(err, errDown) {
		t.Errorf("the queue is down: %v", err)
	}

	p.full, p.submitted = nil, nil
	w.step = func(int) (map[int]error, error) {
		w.step = nil
		if err := p.Work(t.Context(), scope, o, p.now.Add(time.Minute)); err != nil {
			t.Error(err)
		}
		return nil, nil // the store detects that the operation moved
	}
	if err := p.Work(t.Context(), scope, o, p.now.Add(time.Minute)); err != nil || len(p.submitted) != 0 {
		t.Errorf("another one has finished it: %v, submitted %v", err, p.submitted)
	}
}

// TestFailsImpossibleOperations checks that an operation that cannot succeed, such as one on deleted columns, fails
// with a reason.
func TestFailsImpossibleOperations(t *testing.T) {
	p := newPlatform(t, 3, "x")
	for _, o := range []bulk.Operation{
		{Where: `{"gone":1}`, Delete: true}, {Where: `{}`, Body: []byte(`{"gone":1}`)}, {Where: `{"gone":1}`, Body: []byte(`{"n":1}`)},
	} {
		o.ID, o.Table, o.Status = p.IDs.New(p.now), p.table.ID, bulk.StatusWaiting
		if err := p.Store.InsertOperation(t.Context(), scope, o); err != nil {
			t.Fatal(err)
		}
		if err := p.Work(t.Context(), scope, o.ID, p.now.Add(time.Minute)); err != nil {
			t.Fatal(err)
		}
		at := p.operation(t, o.ID)
		if at.Status != bulk.StatusFailed || !strings.Contains(at.Reason, "gone") || at.FinishedAt != p.now.Unix() || at.Revision != 1 {
			t.Errorf("%+v", at)
		}
	}
	if p.count(t, `{"hits":0,"n":{"$lt":3}}`) != 3 {
		t.Error("a row was changed")
	}
}

// TestReturnsErrorsOfDependencies checks that an error of the store or queue is returned and the operation stays
// unchanged.
func TestReturnsErrorsOfDependencies(t *testing.T) {
	p := newPlatform(t, 3, "x")
	w := p.watch()
	start := func() error {
		_, err := p.Start(t.Context(), scope, p.table, query.And(nil), p.hit(t))
		return err
	}
	if w.fail = "insert"; !errors.Is(start(), errDown) || len(p.submitted) != 0 {
		t.Errorf("not stored, and submitted %v", p.submitted)
	}
	if w.fail, p.full = "", errDown; !errors.Is(start(), errDown) {
		t.Error("it is not submitted, and nobody is told")
	}

	p.full = nil
	o := p.start(t, p.hit(t))
	for _, call := range []string{"read", "advance"} {
		w.fail = call
		if err := p.Work(t.Context(), scope, o, p.now.Add(time.Minute)); !errors.Is(err, errDown) {
			t.Errorf("%s fails: work says %v", call, err)
		}
		p.now = p.now.Add(time.Hour)
		if _, err := p.Operation(t.Context(), scope, o); !errors.Is(err, errDown) {
			t.Errorf("%s fails: who asks is told %v", call, err)
		}
	}
	if w.fail = ""; p.operation(t, o).Revision != 0 {
		t.Errorf("%+v", p.operation(t, o))
	}
	p.AtOnce, p.full = 1, errDown
	if _, err := p.All(t.Context(), scope, p.table, p.where(t, `{}`), p.hit(t)); !errors.Is(err, errDown) {
		t.Errorf("all of them: %v", err)
	}
}

// TestResubmitsStalledOperations checks that the first read after ten minutes submits a stalled operation again.
func TestResubmitsStalledOperations(t *testing.T) {
	p := newPlatform(t, 3, "x")
	o, w := p.start(t, p.hit(t)), p.watch()
	p.submitted = nil
	ask := func(submitted int, revision int64) {
		t.Helper()
		got, err := p.Operation(t.Context(), scope, o)
		if err != nil || len(p.submitted) != submitted || got.Revision != revision || got.ID != o {
			t.Errorf("%+v, %v, submitted %v", got, err, p.submitted)
		}
	}
	p.now = p.now.Add(10 * time.Minute)
	ask(0, 0)
	p.now = p.now.Add(time.Second)
	w.step = func(int) (map[int]error, error) { return nil, errs.NotFound("it moves") }
	ask(0, 0)
	w.step = nil
	ask(1, 1)
	ask(1, 1)
	p.now = p.now.Add(10*time.Minute + time.Second)
	p.full = errDown
	if _, err := p.Operation(t.Context(), scope, o); !errors.Is(err, errDown) {
		t.Errorf("it cannot be submitted: %v", err)
	}
	p.full = nil
	p.finish(t)
	p.now = p.now.Add(time.Hour)
	steps := len(w.changes)
	if got, err := p.Operation(t.Context(), scope, o); err != nil || got.Status != bulk.StatusSuccess || len(w.changes) != steps {
		t.Errorf("one that is over: %+v, %v", got, err)
	}
}

// TestRepeatedRequestMakesOneOperation checks that requests with the same write token create one operation.
func TestRepeatedRequestMakesOneOperation(t *testing.T) {
	p := newPlatform(t, 3, "x")
	made := map[id.ID]bool{}
	for range 2 {
		ctx := writetoken.NewContext(t.Context(), &writetoken.Request{At: p.now, Seed: "one"})
		done, err := p.Start(ctx, scope, p.table, query.And(nil), p.hit(t))
		if err != nil || p.operation(t, done.Operation).Token == "" {
			t.Fatal(done, err)
		}
		made[done.Operation] = true
	}
	if other := p.start(t, p.hit(t)); len(made) != 1 || made[other] || p.operation(t, other).Token != "" {
		t.Errorf("made %v, and %d", made, other)
	}
}

// TestRefusesLargeBackgroundOperations checks that 400 KB of values or 16 KB of conditions are refused before
// anything is stored.
func TestRefusesLargeBackgroundOperations(t *testing.T) {
	p := newPlatform(t, 0, "")
	long := func(bytes int) update.Operations {
		operations, err := update.FromObject(map[string]any{"text": strings.Repeat("x", bytes)}, p.table.Writable(), nil)
		if err != nil {
			t.Fatal(err)
		}
		return operations
	}
	size := table.Size(long(1000)[0].Value) - 1000 // size without the text
	for bytes, ok := range map[int]bool{table.MaxRowBytes - size: true, table.MaxRowBytes - size + 1: false} {
		_, err := p.NewOperation(p.table, query.And(nil), bulk.Change{Operations: long(bytes)}, 0)
		if (err == nil) != ok || err != nil && !errs.Is(err, errs.KindInvalid) {
			t.Errorf("%d bytes: %v", bytes, err)
		}
	}

	where := func(bytes int) query.Predicate {
		empty := p.where(t, `{"text":""}`).Where
		return p.where(t, `{"text":"`+strings.Repeat("x", bytes-len(empty.String()))+`"}`).Where
	}
	for bytes, ok := range map[int]bool{query.MaxBytes: true, query.MaxBytes + 1: false} {
		_, err := p.NewOperation(p.table, where(bytes), bulk.Change{Delete: true}, 0)
		if (err == nil) != ok || err != nil && !errs.Is(err, errs.KindInvalid) {
			t.Errorf("conditions of %d bytes: %v", bytes, err)
		}
	}
}

// parts is a Stepper whose operations have this many steps.
type parts struct {
	steps  int
	failed error
}

func (s parts) Step(_ context.Context, _ tenant.Scope, o bulk.Operation, _ time.Time) (bulk.Step, error) {
	n, _ := strconv.Atoi(string(o.Cursor))
	done := bulk.Step{Cursor: table.RowID(strconv.Itoa(n + 1)), Last: n+1 == s.steps}
	if n == 1 {
		done.Cursor = ""
		if o.Failed < 60 {
			for range 30 {
				done.Add("row", errs.Invalid("no"))
			}
			return done, s.failed
		}
		done.Cursor = "2"
	}
	done.Add("row", nil)
	return done, s.failed
}

// TestStepsOfOtherKinds checks that steps that do not change rows are counted, with the first 50 errors, and that a
// step without a cursor leaves the cursor unchanged.
func TestStepsOfOtherKinds(t *testing.T) {
	p := newPlatform(t, 0, "")
	made, err := p.NewOperation(table.Table{}, query.And(nil), bulk.Change{}, 4)
	if err != nil || p.Store.InsertOperation(t.Context(), scope, made) != nil {
		t.Fatal(err)
	}
	p.Others = parts{3, errDown}
	if err := p.Work(t.Context(), scope, made.ID, p.now.Add(time.Minute)); !errors.Is(err, errDown) {
		t.Errorf("%v", err)
	}
	p.Others = parts{3, nil}
	if err := p.Work(t.Context(), scope, made.ID, p.now.Add(time.Minute)); err != nil {
		t.Fatal(err)
	}
	at := p.operation(t, made.ID)
	want := bulk.Operation{
		ID: made.ID, Status: bulk.StatusSuccess, Cursor: "3", Succeeded: 3, Failed: 60, Total: 4, Revision: 5,
		UpdatedAt: p.now.Unix(), FinishedAt: p.now.Unix(), Where: made.Where, Body: at.Body, Errors: at.Errors,
	}
	if diff := cmp.Diff(want, at); diff != "" || len(at.Errors) != bulk.MaxErrors {
		t.Errorf("%d errors: %s", len(at.Errors), diff)
	}
}

// TestReturnsDatabaseErrors checks that no row is reported as changed if any database call fails.
func TestReturnsDatabaseErrors(t *testing.T) {
	p := newPlatform(t, 6, "x")
	client := p.Tables.Rows.(*rowdb.Rows).Client
	found, err := p.Tables.Find(t.Context(), scope, p.table, p.where(t, `{"n":5}`))
	if err != nil {
		t.Fatal(err)
	}

	n, first := 0, found.Objects[0]
	all := func(o *platform, c bulk.Change, q table.Query) error {
		done, err := o.All(t.Context(), scope, p.table, q, c)
		for _, outcome := range done.Outcomes {
			err = errors.Join(err, outcome.Err)
		}
		return err
	}

	for name, do := range map[string]func(o *platform) error{
		"at once":       func(o *platform) error { return all(o, p.hit(t), p.where(t, `{"n":{"$gte":1}}`)) },
		"deleted":       func(o *platform) error { return all(o, bulk.Change{Delete: true}, p.where(t, `{"n":0}`)) },
		"in background": func(o *platform) error { o.AtOnce = 1; return all(o, p.hit(t), p.where(t, `{}`)) },
		"an operation": func(o *platform) error {
			made := p.start(t, p.hit(t))
			o.watch().step = func(n int) (map[int]error, error) {
				if n == 1 {
					return map[int]error{0: errs.Conflict("another has changed it")}, nil
				}
				return nil, nil
			}

			if err := o.Work(t.Context(), scope, made, p.now.Add(time.Minute)); err != nil {
				return err
			}
			at, err := o.Operation(t.Context(), scope, made)
			if err == nil && (at.Status != bulk.StatusSuccess || at.Succeeded != p.count(t, `{}`)) {
				err = fmt.Errorf("%+v", at)
			}
			return err
		},
		"a run": func(o *platform) error {
			rows := o.Tables.Rows.(*rowdb.Rows)
			o.Marks, o.Runs = &bulkdb.Marks{Client: rows.Client, Rows: rows}, new(bulk.Runs)
			n++

			begun := bulk.Begun(p.now)
			begun.Failed, begun.Errors = 1, []bulk.RowError{{Row: first.ID}}
			at, _, err := o.Follow(t.Context(), scope, p.table, query.And(nil), p.hit(t), begun, fmt.Sprint(n),
				p.now.Add(time.Minute))
			if err == nil && (at.Status != bulk.StatusSuccess || at.Failed != 0) {
				err = fmt.Errorf("%+v", at)
			}
			return err
		},
	} {
		t.Run(name, func(t *testing.T) {
			dynamotest.FailEach(t, client, func(c *dynamodb.Client) error {
				o := newPlatformOver(c)
				o.now = p.now
				return do(o)
			})
		})
	}
}
