package triggerdb_test

import (
	"fmt"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"minicloud/infra/local/dynamotest"
	"minicloud/shared/dynamo/rundb"
	"minicloud/shared/errs"
	"minicloud/shared/tenant"
	"minicloud/shared/trigger"
	"minicloud/shared/trigger/run"
)

var (
	noon = time.Date(2026, 11, 21, 12, 0, 0, 0, time.UTC)
	shop = tenant.Scope{App: 7, Env: tenant.Production}
)

const table = "TriggerLogTable"

// store returns a log with one pending run of an event that contains the given number of letters.
func store(t *testing.T, letters int) (*rundb.Runs, run.Run) {
	t.Helper()
	runs := &rundb.Runs{Client: dynamotest.Start(t, table), Table: table}
	return runs, start(t, runs, "one", letters)
}

func start(t *testing.T, runs *rundb.Runs, event string, letters int) run.Run {
	t.Helper()
	r := run.Run{
		ID: run.IDOf(shop, 3, event, 4), Scope: shop, Trigger: 3, TriggerName: "t", Action: 4,
		ActionType: trigger.CloudFunction, Status: run.Pending, CreatedAt: noon,
		Event: trigger.Event{
			ID: event, Scope: shop, Type: trigger.TypeTimer, Kind: trigger.OnTimer, At: noon,
			Payload: map[string]any{"text": incompressible(letters)},
		},
	}
	if _, err := runs.Start(t.Context(), r, trigger.Frequency{}, noon); err != nil {
		t.Fatal(err)
	}
	return r
}

func lease(owner string, until time.Time) run.Lease {
	return run.Lease{Owner: owner, Until: until}
}

func begin(t *testing.T, runs *rundb.Runs, r run.Run, owner string, now time.Time) run.Beginning {
	t.Helper()
	b, err := runs.Begin(t.Context(), shop, r.Ref(), lease(owner, now.Add(time.Minute)), now)
	if err != nil {
		t.Fatal(err)
	}
	return b
}

// TestRunBeginsOnce: a run begins once, with an event of any size, and again after its worker's lease has expired.
func TestRunBeginsOnce(t *testing.T) {
	for _, letters := range []int{16, 1 << 20} {
		runs, r := store(t, letters)
		b := begin(t, runs, r, "a", noon)
		if b.Standing != run.Begun || b.Run.Tries != 1 || !b.Run.Lost.IsZero() ||
			b.Run.Status != run.Running || !cmp.Equal(b.Run.Event, r.Event) {
			t.Fatalf("first: %+v", b)
		}

		until := noon.Add(time.Minute)
		if b := begin(t, runs, r, "b", until.Add(-time.Millisecond)); b.Standing != run.UnderWay ||
			!b.Until.Equal(until) {
			t.Errorf("while it is under way: %+v", b)
		}
		if b := begin(t, runs, r, "a", noon.Add(time.Second)); b.Standing != run.Begun || b.Run.Tries != 1 {
			t.Errorf("the same owner once more: %+v", b)
		}
		b = begin(t, runs, r, "b", until)
		if b.Standing != run.Begun || b.Run.Tries != 2 || !b.Run.Lost.Equal(noon) || !cmp.Equal(b.Run.Event, r.Event) {
			t.Errorf("after its lease: %+v", b)
		}
	}
}

// TestOnlyTheOwnerEndsALease: a worker with an expired lease changes nothing; a repeated End after a lost answer
// succeeds.
func TestOnlyTheOwnerEndsALease(t *testing.T) {
	runs, r := store(t, 16)
	late := begin(t, runs, r, "a", noon).Run
	own := begin(t, runs, r, "b", noon.Add(time.Hour)).Run

	late.Status = run.Failed
	if err := runs.End(t.Context(), late, "a"); !errs.Is(err, errs.KindNotFound) {
		t.Errorf("who has lost it ends it: %v", err)
	}
	late.Status, late.NextAttempt = run.WaitingRetry, noon.Add(2*time.Hour)
	if err := runs.Wait(t.Context(), late, "a"); !errs.Is(err, errs.KindNotFound) {
		t.Errorf("who has lost it puts it off: %v", err)
	}

	late.NextAttempt, late.FinishedAt = time.Time{}, noon
	own.Status, own.HasDone, own.FinishedAt = run.Succeeded, true, noon.Add(time.Hour)
	own.Attempts = []run.Attempt{{At: 1, DurationMS: 2, StatusCode: 200, Response: "fine"}}
	for range 2 {
		if err := runs.End(t.Context(), own, "b"); err != nil {
			t.Fatal(err)
		}
	}
	got, err := runs.Run(t.Context(), shop, r.Ref())
	if err != nil {
		t.Fatal(err)
	}
	own.Lost, own.NextAttempt = time.Time{}, time.Time{}
	if d := cmp.Diff(own, got); d != "" {
		t.Error(d)
	}
	own.Status, late.Status = run.Failed, run.Succeeded
	for owner, again := range map[string]run.Run{"b": own, "a": late} { // the same owner, or the same status
		if err := runs.End(t.Context(), again, owner); !errs.Is(err, errs.KindNotFound) {
			t.Errorf("%s ends it again as %s: %v", owner, again.Status, err)
		}
	}
	if b := begin(t, runs, r, "c", noon.Add(3*time.Hour)); b.Standing != run.Over {
		t.Errorf("ended: %+v", b)
	}
}

// TestFailedRunsKeepTheirError. Also: a run keeps the time of a lost attempt while it waits for a retry.
func TestFailedRunsKeepTheirError(t *testing.T) {
	runs, r := store(t, 16)
	begin(t, runs, r, "a", noon)
	lost := begin(t, runs, r, "b", noon.Add(time.Hour)).Run
	lost.Status, lost.NextAttempt = run.WaitingRetry, noon.Add(2*time.Hour)
	if err := runs.Wait(t.Context(), lost, "b"); err != nil {
		t.Fatal(err)
	}
	b := begin(t, runs, r, "c", noon.Add(2*time.Hour))
	if !b.Run.Lost.Equal(noon) || b.Run.Tries != 3 {
		t.Errorf("after a worker that died and one that waited: %+v", b.Run)
	}
	b.Run.Status, b.Run.FinishedAt = run.Failed, noon.Add(3*time.Hour)
	b.Run.Error = &run.Error{Type: "t", Message: "why"}
	if err := runs.End(t.Context(), b.Run, "c"); err != nil {
		t.Fatal(err)
	}
	got, err := runs.Run(t.Context(), shop, r.Ref())
	if err != nil || !cmp.Equal(got.Error, b.Run.Error) || got.HasDone || !got.FinishedAt.Equal(b.Run.FinishedAt) {
		t.Errorf("%+v, %v", got, err)
	}
}

// TestWaitingRunDoesNotBeginEarly: once due, it begins with the progress of the previous attempt.
func TestWaitingRunDoesNotBeginEarly(t *testing.T) {
	runs, r := store(t, 16)
	own, next := begin(t, runs, r, "a", noon).Run, noon.Add(5*time.Second)
	own.Status, own.NextAttempt, own.Progress = run.WaitingRetry, next, []byte("half")
	own.Attempts = []run.Attempt{{At: 1, Error: "no"}}
	for range 2 {
		if err := runs.Wait(t.Context(), own, "a"); err != nil {
			t.Fatal(err)
		}
	}

	if b := begin(t, runs, r, "b", next.Add(-time.Millisecond)); b.Standing != run.Early || !b.Until.Equal(next) {
		t.Errorf("early: %+v", b)
	}
	b := begin(t, runs, r, "b", next)
	if b.Standing != run.Begun || string(b.Run.Progress) != "half" || len(b.Run.Attempts) != 1 ||
		b.Run.Tries != 2 || !b.Run.NextAttempt.IsZero() || !b.Run.Lost.IsZero() {
		t.Errorf("in time: %+v", b)
	}
}

func TestMissingRunDoesNotBegin(t *testing.T) {
	runs, r := store(t, 16)
	other := r.Ref()
	other.ID = run.IDOf(shop, 3, "two", 4)
	_, err := runs.Begin(t.Context(), shop, other, lease("a", noon), noon)
	if !errs.Is(err, errs.KindNotFound) {
		t.Error(err)
	}
	stranger := tenant.Scope{App: 8, Env: tenant.Production}
	if _, err := runs.Begin(t.Context(), stranger, r.Ref(), lease("a", noon), noon); !errs.Is(err, errs.KindNotFound) {
		t.Errorf("of another application: %v", err)
	}
}

// TestReplaysIdleRunsOnly: a running run is not replayed; a run whose worker died and whose message is lost is.
func TestReplaysIdleRunsOnly(t *testing.T) {
	runs, r := store(t, 16)
	own := begin(t, runs, r, "a", noon).Run
	if err := runs.Replay(t.Context(), shop, r.Ref(), noon, 1); !errs.Is(err, errs.KindConflict) {
		t.Errorf("under way: %v", err)
	}
	own.Status, own.NextAttempt = run.WaitingRetry, noon.Add(time.Hour)
	if err := runs.Wait(t.Context(), own, "a"); err != nil {
		t.Fatal(err)
	}
	if err := runs.Replay(t.Context(), shop, r.Ref(), noon, 2); !errs.Is(err, errs.KindConflict) {
		t.Errorf("waits: %v", err)
	}

	if err := runs.Replay(t.Context(), shop, r.Ref(), noon.Add(time.Hour), 3); err != nil {
		t.Errorf("should have gone on: %v", err)
	}
	if b := begin(t, runs, r, "b", noon); b.Standing != run.Begun || b.Run.Tries != 1 {
		t.Errorf("replayed: %+v", b)
	}
	if err := runs.Replay(t.Context(), shop, r.Ref(), noon.Add(time.Minute), 4); err != nil {
		t.Errorf("its worker has died: %v", err)
	}
	if b := begin(t, runs, r, "c", noon.Add(time.Minute)); b.Standing != run.Begun || !b.Run.Lost.Equal(noon) {
		t.Errorf("replayed once more: %+v", b)
	}
}

// TestWakesComeInTime: a wake-up planned twice exists once, and a dropped one is gone.
func TestWakesComeInTime(t *testing.T) {
	runs := &rundb.Runs{Client: dynamotest.Start(t, table), Table: table}
	var all []run.Wake
	for i := range 60 {
		w := run.Wake{At: noon.Add(time.Duration(i) * time.Second), Message: run.Message{
			Scope: shop.String(), Trigger: 3, At: noon.UnixMilli(), Run: run.IDOf(shop, 3, fmt.Sprint(i), 4),
		}}
		all = append(all, w)
		for range 2 {
			if err := runs.Plan(t.Context(), w); err != nil {
				t.Fatal(err)
			}
		}
	}

	got, err := runs.Planned(t.Context(), noon.Add(49*time.Second), 100)
	if err != nil {
		t.Fatal(err)
	}
	withoutShard := cmpopts.IgnoreFields(run.Wake{}, "Shard")
	if d := cmp.Diff(all[:50], got, withoutShard); d != "" {
		t.Error(d)
	}
	if err := runs.Drop(t.Context(), got); err != nil {
		t.Fatal(err)
	}
	if got, err = runs.Planned(t.Context(), noon.Add(time.Hour), 25); err != nil || !cmp.Equal(got, all[50:], withoutShard) {
		t.Errorf("after they were dropped: %v, %v", got, err)
	}
}
