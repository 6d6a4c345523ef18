package jobdb_test

import (
	"bytes"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/aws/aws-sdk-go-v2/service/dynamodb"
	"github.com/google/go-cmp/cmp"

	"minicloud/infra/local/dynamotest"
	"minicloud/shared/clock"
	"minicloud/shared/dynamo/countdb"
	"minicloud/shared/dynamo/jobdb"
	"minicloud/shared/errs"
	"minicloud/shared/id"
	"minicloud/shared/job"
	"minicloud/shared/job/event"
	"minicloud/shared/job/runlog"
	"minicloud/shared/sandbox"
	"minicloud/shared/tenant"
)

const fn id.ID = 4242

func newJobs(t testing.TB) *jobdb.Store {
	client := dynamotest.Start(t, "JobsTable", "CountsTable")
	return &jobdb.Store{
		Client: client, Table: "JobsTable",
		Counts: &countdb.Store{Client: client, Table: "CountsTable", Clock: clock.System},
	}
}

// made counts the records, so that no two in a row have the same id, as random ids of one millisecond may.
var made atomic.Int64

func madeAt(at time.Time) job.Record {
	return job.Record{
		ID: id.First(at) + id.ID(made.Add(1)%4096), Function: fn, Name: "pay", Status: job.StatusWaiting,
		Source: job.SourceOpenAPI, Service: job.TimeSensitive, Plan: sandbox.PlanFree,
	}
}

func running(r job.Record, slot int) job.Running {
	r.Status, r.StartedAt, r.Slot, r.Lease = job.StatusExecuting, r.CreatedAt(), slot, r.CreatedAt().Add(10*time.Second)
	return job.Running{Record: r, Scope: shop}
}

func ended(r job.Record, status job.Status) job.Record {
	r.Status, r.FinishedAt = status, r.CreatedAt().Add(7*time.Millisecond)
	r.Execution, r.MemUsage = 3.25, 1<<20
	return r
}

func TestJobMovesBetweenStates(t *testing.T) {
	s, ctx := newJobs(t), t.Context()
	r := madeAt(noon)
	w := job.PendingJob{
		Record: r, Ready: noon, Input: event.Input{Data: []byte(`{"a":1}`), Meta: event.Meta{IP: "192.0.2.1"}},
	}
	if err := s.Accept(ctx, shop, w, false); err != nil {
		t.Fatal(err)
	}
	if err := s.Accept(ctx, shop, w, false); !errs.Is(err, errs.KindConflict) {
		t.Errorf("accepted twice: %v", err)
	}
	got, err := s.ReadPending(ctx, shop, fn, r.ID)
	if err != nil {
		t.Fatal(err)
	}
	w.Lease = job.PendingUntil(noon)
	if diff := cmp.Diff(w, got); diff != "" {
		t.Errorf("waiting (-want +got):\n%s", diff)
	}
	if err := s.Begin(ctx, running(r, 3), job.Pending); err != nil {
		t.Fatal(err)
	}
	if err := s.Begin(ctx, running(r, 4), job.Pending); !errs.Is(err, errs.KindNotFound) {
		t.Errorf("begun twice: %v", err)
	}
	if err := s.Begin(ctx, running(madeAt(noon), 3), job.Nowhere); !errs.Is(err, errs.KindConflict) {
		t.Errorf("slot taken twice: %v", err)
	}
	slots, err := s.Slots(ctx, shop.App)
	if err != nil || len(slots) != 1 {
		t.Fatalf("slots %v, %v", slots, err)
	}
	if diff := cmp.Diff(running(r, 3), slots[0]); diff != "" {
		t.Errorf("slot (-want +got):\n%s", diff)
	}
	e := ended(slots[0].Record, job.StatusExecutionFailed)
	e.Error = &sandbox.Error{Type: "TypeError", Message: "x is not a function", Stack: "at main (pay.js:1:1)"}
	e.Log = runlog.Pack("a line\n")
	if err := failed(s.End(ctx, shop, e, job.InSlot)); err != nil {
		t.Fatal(err)
	}
	if err := failed(s.End(
		ctx, shop, ended(slots[0].Record, job.StatusDeadlineExceeded), job.InSlot,
	)); !errs.Is(err, errs.KindNotFound) {
		t.Errorf("ended twice: %v", err)
	}
	read, err := s.Read(ctx, shop, fn, r.ID, noon)
	if err != nil {
		t.Fatal(err)
	}
	e.Slot, e.Lease = 0, time.Time{}
	if diff := cmp.Diff(e, read); diff != "" {
		t.Errorf("read (-want +got):\n%s", diff)
	}
	if slots, _ := s.Slots(ctx, shop.App); len(slots) != 0 {
		t.Errorf("slot is held by %v", slots)
	}
}

func TestJobIsPendingAgain(t *testing.T) {
	s, ctx := newJobs(t), t.Context()
	for _, data := range []string{`{"a":1}`, `"` + incompressible(100<<10) + `"`, `"` +
		strings.Repeat("<", job.MaxEventData-2) + `"`} {
		w := job.PendingJob{Record: madeAt(noon), Ready: noon, Input: event.Input{Data: []byte(data)}}
		if err := s.Accept(ctx, shop, w, false); err != nil {
			t.Fatal(err)
		}
		r := running(w.Record, 3)
		if err := s.Begin(ctx, r, job.Pending); err != nil {
			t.Fatal(err)
		}
		if err := s.PutBack(ctx, r, w); err != nil {
			t.Fatal(err)
		}
		if err := s.PutBack(ctx, r, w); !errs.Is(err, errs.KindNotFound) {
			t.Errorf("put back twice: %v", err)
		}
		got, err := s.ReadPending(ctx, shop, fn, w.ID)
		w.Lease = job.PendingUntil(noon)
		if diff := cmp.Diff(w, got, cmp.Comparer(bytes.Equal)); diff != "" || err != nil {
			t.Errorf("%v, put back (-want +got):\n%s", err, diff)
		}
		if slots, _ := s.Slots(ctx, shop.App); len(slots) != 0 {
			t.Errorf("slots are held: %v", slots)
		}
	}
}

func TestReadsJobInEveryStateOfItsTenant(t *testing.T) {
	s, ctx := newJobs(t), t.Context()
	pending, slot, over := madeAt(noon), madeAt(noon.Add(time.Second)), madeAt(noon.Add(2*time.Second))
	large := event.Input{Data: bytes.Repeat([]byte("7"), 200<<10)}
	if err := s.Accept(ctx, shop, job.PendingJob{Record: pending, Ready: noon, Input: large}, false); err != nil {
		t.Fatal(err)
	}
	if w, err := s.ReadPending(ctx, shop, fn, pending.ID); err != nil || len(w.Input.Data) != 200<<10 {
		t.Errorf("large input: %d, %v", len(w.Input.Data), err)
	}
	if err := s.Begin(ctx, running(slot, 0), job.Nowhere); err != nil {
		t.Fatal(err)
	}
	e := ended(over, job.StatusExecutionRejected)
	e.Log = runlog.Pack(incompressible(1 << 20))
	if err := failed(s.End(ctx, shop, e, job.Nowhere)); err != nil {
		t.Fatal(err)
	}
	for _, want := range []struct {
		id     id.ID
		status job.Status
	}{{pending.ID, job.StatusWaiting}, {slot.ID, job.StatusExecuting}, {over.ID, job.StatusExecutionRejected}} {
		if got, err := s.Read(ctx, shop, fn, want.id, noon); err != nil || got.Status != want.status || got.ID != want.id {
			t.Errorf("read %d: %+v, %v, want %s", want.id, got.Status, err, want.status)
		}
		if _, err := s.Read(ctx, shopTest, fn, want.id, noon); !errs.Is(err, errs.KindNotFound) {
			t.Errorf("another environment reads a %s job: %v", want.status, err)
		}
		if _, err := s.Read(ctx, shop, fn+1, want.id, noon); !errs.Is(err, errs.KindNotFound) {
			t.Errorf("another function reads a %s job: %v", want.status, err)
		}
	}
	got, err := s.Read(ctx, shop, fn, over.ID, noon)
	if err != nil || !bytes.Equal(got.Log.Stored, e.Log.Stored) {
		t.Errorf("large log: %d of %d bytes, %v", len(got.Log.Stored), len(e.Log.Stored), err)
	}
	if got, err := s.Read(ctx, shop, fn, over.ID, noon.Add(31*24*time.Hour)); err != nil || got.Log.Bytes != 0 {
		t.Errorf("the log outlives its retention: %v", err)
	}
	if _, err := s.Read(ctx, shop, fn, over.ID, noon.Add(182*24*time.Hour)); !errs.Is(err, errs.KindNotFound) {
		t.Errorf("the record outlives its retention: %v", err)
	}
	list, err := s.List(ctx, shop, fn, job.Filter{}, noon, firstPage)
	if err != nil || list.Total != 3 || len(list.Objects) != 3 || list.Objects[0].ID != over.ID {
		t.Errorf("list %+v, %v", list, err)
	}
}

// failed drops the id of End's results and returns its error.
func failed(_ id.ID, err error) error { return err }

// TestTwoJobsOfOneID: two processes may draw the same id in a millisecond. Every list then has two jobs; the record of
// the second one gets a new id, which End returns.
func TestTwoJobsOfOneID(t *testing.T) {
	s, ctx := newJobs(t), t.Context()
	r := madeAt(noon)
	var jobs []job.Running
	for slot := range 2 {
		jobs = append(jobs, running(r, slot))
		jobs[slot].Lease = noon.Add(time.Minute)
		// The second one waited for its slot.
		jobs[slot].StartedAt = noon.Add(time.Duration(slot) * time.Second)
		if err := s.Begin(ctx, jobs[slot], job.Nowhere); err != nil {
			t.Fatal(err)
		}
	}

	compare := func(status job.Status, want ...id.ID) {
		t.Helper()
		got, err := s.List(ctx, shop, fn, job.Filter{Status: status}, noon, firstPage)
		if diff := cmp.Diff(want, ids(got.Objects)); diff != "" || err != nil || got.Total != len(want) {
			t.Errorf("%q: total %d, %v, %s", status, got.Total, err, diff)
		}
	}
	compare("", r.ID, r.ID)
	compare(job.StatusExecuting, r.ID, r.ID)
	for slot, want := range []id.ID{r.ID, r.ID + 2} {
		over := ended(jobs[slot].Record, job.StatusFulfilled)
		over.MemUsage = int64(slot)
		if recorded, err := s.End(ctx, shop, over, job.InSlot); err != nil || recorded != want {
			t.Fatalf("recorded as %d, want %d: %v", recorded, want, err)
		}
		if slot == 0 {
			compare("", r.ID, r.ID)
			compare(job.StatusExecuting, r.ID)
		}
		if got, err := s.Read(ctx, shop, fn, want, noon); err != nil || got.MemUsage != int64(slot) {
			t.Errorf("job %d is %+v, %v", want, got, err)
		}
	}

	compare("", r.ID+2, r.ID)
	if slots, err := s.Slots(ctx, shop.App); err != nil || len(slots) != 0 {
		t.Errorf("slots are held: %v, %v", slots, err)
	}
}

func TestSlotsHoldUnderConcurrency(t *testing.T) {
	s, ctx := newJobs(t), t.Context()
	var won atomic.Int32
	var wg sync.WaitGroup
	for i := range 200 {
		r := madeAt(noon.Add(time.Duration(i) * time.Millisecond))
		wg.Go(func() {
			err := s.Begin(ctx, running(r, i%10), job.Nowhere)
			if err == nil {
				won.Add(1)
			} else if !errs.Is(err, errs.KindConflict) {
				t.Error(err)
			}
		})
	}
	wg.Wait()
	if won.Load() != 10 {
		t.Errorf("%d jobs in 10 slots", won.Load())
	}
}

func TestActiveAndDue(t *testing.T) {
	s, ctx := newJobs(t), t.Context()
	r := madeAt(noon)
	runAt := noon.Add(time.Hour)
	if err := s.Accept(ctx, shop, job.PendingJob{Record: r, Ready: runAt}, true); err != nil {
		t.Fatal(err)
	}
	want := job.Active{Scope: shop, Function: fn, Until: noon.Add(time.Minute)}
	if err := s.Announce(ctx, want); err != nil {
		t.Fatal(err)
	}
	active, err := s.Active(ctx)
	if err != nil || len(active) != 1 || active[0] != want {
		t.Fatalf("active %+v, %v", active, err)
	}
	renewed := want
	renewed.Until = noon.Add(time.Hour)
	if err := s.Announce(ctx, renewed); err != nil {
		t.Fatal(err)
	}
	if err := s.Forget(ctx, want); err != nil {
		t.Fatal(err)
	}
	if active, _ = s.Active(ctx); len(active) != 1 {
		t.Error("a renewed announcement was forgotten")
	}
	if err := s.Forget(ctx, renewed); err != nil {
		t.Fatal(err)
	}
	if active, _ = s.Active(ctx); len(active) != 0 {
		t.Error("it is still announced")
	}
	if due, err := s.Due(ctx, runAt, 10); err != nil || len(due) != 0 {
		t.Errorf("due too early: %v, %v", due, err)
	}
	for before, want := range map[time.Time]int{runAt: 0, runAt.Add(time.Second): 1, {}: 1} {
		if pending, err := s.Pending(ctx, shop, fn, before); err != nil || len(pending) != want {
			t.Errorf("pending before %s: %v, %v", before, pending, err)
		}
	}
	due, err := s.Due(ctx, runAt.Add(time.Second), 10)
	if err != nil || len(due) != 1 {
		t.Fatalf("due %+v, %v", due, err)
	}
	planned := job.Due{Scope: shop, Function: fn, Job: r.ID, RunAt: runAt, Shard: due[0].Shard}
	if due[0] != planned {
		t.Fatalf("due %+v, want %+v", due[0], planned)
	}
	if err := s.Drop(ctx, due[0]); err != nil {
		t.Fatal(err)
	}
	if due, _ = s.Due(ctx, runAt.Add(time.Second), 10); len(due) != 0 {
		t.Error("it is still due")
	}
}

// TestKeepsTheFirstLinkKey: the first key of a period stays, because others have signed with it.
func TestKeepsTheFirstLinkKey(t *testing.T) {
	s := newJobs(t)
	if _, err := s.LinkKey(t.Context(), 700); !errs.Is(err, errs.KindNotFound) {
		t.Errorf("a key of a new period: %v", err)
	}
	for _, sealed := range []string{"first", "second"} {
		if err := s.InsertLinkKey(t.Context(), 700, []byte(sealed), noon); err != nil {
			t.Fatal(err)
		}
	}
	if got, err := s.LinkKey(t.Context(), 700); err != nil || string(got) != "first" {
		t.Errorf("%q, %v", got, err)
	}
}

// TestCountsDescendantsOnce: concurrent calls count exactly, for each root and environment.
func TestCountsDescendantsOnce(t *testing.T) {
	s, until := newJobs(t), noon.Add(time.Hour)
	other := tenant.Scope{App: shop.App, Env: "0123456789abcdef0123"}
	var started, refused atomic.Int32
	var wg sync.WaitGroup
	for range 60 {
		wg.Go(func() {
			switch err := s.Descend(t.Context(), shop, 1, 40, until); {
			case err == nil:
				started.Add(1)
			case errs.Is(err, errs.KindTooMany):
				refused.Add(1)
			default:
				t.Error(err)
			}
		})
	}
	wg.Wait()
	if started.Load() != 40 || refused.Load() != 20 {
		t.Errorf("%d started, %d refused", started.Load(), refused.Load())
	}
	for _, err := range []error{s.Descend(t.Context(), shop, 2, 40, until), s.Descend(t.Context(), other, 1, 40, until)} {
		if err != nil {
			t.Error(err)
		}
	}
}

// TestRenewedLeases: only the job that is in the slot can renew its lease.
func TestRenewedLeases(t *testing.T) {
	s, ctx := newJobs(t), t.Context()
	r := running(madeAt(noon), 3)
	if err := s.Begin(ctx, r, job.Nowhere); err != nil {
		t.Fatal(err)
	}
	until := noon.Add(time.Minute)
	if err := s.Renew(ctx, r, until); err != nil {
		t.Error(err)
	}
	if held, err := s.Slots(ctx, shop.App); err != nil || len(held) != 1 || !held[0].Lease.Equal(until) ||
		held[0].ID != r.ID {
		t.Errorf("slots %+v, %v", held, err)
	}
	earlier, elsewhere := r, r
	earlier.StartedAt, elsewhere.Slot = r.StartedAt.Add(-time.Second), 4
	for what, other := range map[string]job.Running{"begun at another time": earlier, "in another slot": elsewhere} {
		if err := s.Renew(ctx, other, until); !errs.Is(err, errs.KindNotFound) {
			t.Errorf("%s: %v", what, err)
		}
	}
	if err := failed(s.End(ctx, shop, ended(r.Record, job.StatusFulfilled), job.InSlot)); err != nil {
		t.Fatal(err)
	}
	if err := s.Renew(ctx, r, until); !errs.Is(err, errs.KindNotFound) {
		t.Errorf("after its end: %v", err)
	}
	if held, err := s.Slots(ctx, shop.App); err != nil || len(held) != 0 {
		t.Errorf("an ended job has a slot again: %+v, %v", held, err)
	}
}

// TestJobEndsOnce: whether the worker or the expired lease ends a job first, the first record stays and the slot is
// freed.
func TestJobEndsOnce(t *testing.T) {
	for _, service := range job.ServiceTypes {
		for _, workerFirst := range []bool{true, false} {
			s, ctx := newJobs(t), t.Context()
			r := madeAt(noon)
			r.Service = service
			run := running(r, 3)
			if err := s.Begin(ctx, run, job.Nowhere); err != nil {
				t.Fatal(err)
			}
			worker := func() error { return failed(s.End(ctx, shop, ended(run.Record, job.StatusFulfilled), job.InSlot)) }
			expiry := func() error { return failed(s.Expire(ctx, shop, ended(run.Record, job.StatusExecutionFailed))) }
			first, second, want := worker, expiry, job.StatusFulfilled
			if !workerFirst {
				first, second, want = expiry, worker, job.StatusExecutionFailed
			}
			if err := first(); err != nil {
				t.Fatal(err)
			}
			if err := second(); !errs.Is(err, errs.KindNotFound) {
				t.Errorf("%s, ended again: %v", service, err)
			}
			compareEnd(t, s, run, want)
		}
	}
}

// TestWorkerDiesBetweenRecordAndSlot: the record stays, the job is not listed as running, and the slot is freed.
func TestWorkerDiesBetweenRecordAndSlot(t *testing.T) {
	s, ctx := newJobs(t), t.Context()
	r := madeAt(noon)
	r.Service = job.Batch
	run := running(r, 3)
	if err := s.Begin(ctx, run, job.Nowhere); err != nil {
		t.Fatal(err)
	}
	slot, err := s.Client.Scan(ctx, &dynamodb.ScanInput{TableName: &s.Table})
	if err != nil {
		t.Fatal(err)
	}
	for range 2 { // as if its answer were lost
		if err := failed(s.End(ctx, shop, ended(run.Record, job.StatusFulfilled), job.InSlot)); err != nil {
			t.Fatal(err)
		}
	}
	for _, it := range slot.Items { // as if the worker had died
		if _, err := s.Client.PutItem(ctx, &dynamodb.PutItemInput{TableName: &s.Table, Item: it}); err != nil {
			t.Fatal(err)
		}
	}

	for status, want := range map[job.Status]int{"": 1, job.StatusFulfilled: 1, job.StatusExecuting: 0} {
		got, err := s.List(ctx, shop, fn, job.Filter{Status: status}, noon, firstPage)
		if err != nil || got.Total != want || len(got.Objects) != want {
			t.Errorf("%q: %+v, %v", status, got, err)
		}
	}
	if err := failed(s.Expire(ctx, shop, ended(run.Record, job.StatusExecutionFailed))); err != nil {
		t.Error(err)
	}
	compareEnd(t, s, run, job.StatusFulfilled)
}

// compareEnd expects one record of the job with the given status, and no held slot.
func compareEnd(t *testing.T, s *jobdb.Store, r job.Running, want job.Status) {
	t.Helper()
	got, err := s.List(t.Context(), shop, fn, job.Filter{}, noon, firstPage)
	if err != nil || got.Total != 1 || len(got.Objects) != 1 || got.Objects[0].Status != want {
		t.Errorf("%s, want %s: %+v, %v", r.Service, want, got, err)
	}
	if held, err := s.Slots(t.Context(), shop.App); err != nil || len(held) != 0 {
		t.Errorf("slots are held: %+v, %v", held, err)
	}
}
