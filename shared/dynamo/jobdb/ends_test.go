package jobdb_test

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/aws/aws-sdk-go-v2/service/dynamodb"
	"github.com/google/go-cmp/cmp"

	"minicloud/infra/local/dynamotest"
	"minicloud/shared/dynamo"
	"minicloud/shared/dynamo/jobdb"
	"minicloud/shared/errs"
	"minicloud/shared/id"
	"minicloud/shared/idempotency/writetoken"
	"minicloud/shared/job"
	"minicloud/shared/job/callback"
	"minicloud/shared/job/event"
	"minicloud/shared/job/runlog"
	"minicloud/shared/language/value"
)

// TestEndKeepsAllFields: End stores all fields and frees the slot, in two writes, or in one transaction if more items
// are written.
func TestEndKeepsAllFields(t *testing.T) {
	s, ctx := newJobs(t), t.Context()
	calls := dynamotest.Record(s.Client)
	const single, transaction = "PutItem DeleteItem", "TransactWriteItems"
	// The first of 100 entries of a due list reads the number of its shards.
	const shards = "GetItem "
	token := func(r *job.Record) { r.Token = writetoken.Named(fmt.Sprint(r.ID), noon.Add(time.Hour)) }
	n := 0
	for name, c := range map[string]struct {
		change func(*job.Record)
		log    int // bytes
		status job.Status
		calls  string
	}{
		"asynchronous":  {nil, 0, job.StatusFulfilled, single},
		"synchronous":   {func(r *job.Record) { r.Service = job.TimeSensitive }, 0, job.StatusFulfilled, single},
		"failed":        {nil, 0, job.StatusExecutionFailed, transaction},
		"short log":     {nil, 2 << 10, job.StatusFulfilled, single},
		"long log":      {nil, 2<<10 + 1, job.StatusFulfilled, transaction},
		"two chunks":    {nil, 300<<10 + 1, job.StatusFulfilled, transaction},
		"with token":    {token, 0, job.StatusFulfilled, transaction},
		"with callback": {func(r *job.Record) { r.Callback = "https://books.example/" }, 0, job.StatusFulfilled, shards + transaction},
	} {
		r := madeAt(noon.Add(time.Duration(n) * time.Second))
		if r.Service = job.Batch; c.change != nil {
			c.change(&r)
		}
		run := running(r, n)
		if n++; s.Begin(ctx, run, job.Nowhere) != nil {
			t.Fatal(name)
		}
		over := ended(run.Record, c.status)
		over.Result, over.Log = []byte(`"result"`), runlog.Log{Stored: []byte(incompressible(2 * c.log))[:c.log], Bytes: 7}
		recorded := &jobdb.Store{Client: calls.Client, Table: s.Table}
		if _, err := recorded.End(ctx, shop, over, job.InSlot); err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		if got := strings.Join(calls.Take(), " "); got != c.calls {
			t.Errorf("%s: an end is %s, want %s", name, got, c.calls)
		}

		got, err := s.Read(ctx, shop, fn, r.ID, noon)
		if err != nil || got.Status != c.status || string(got.Log.Stored) != string(over.Log.Stored) {
			t.Errorf("%s: %s with a log of %d bytes, %v", name, got.Status, len(got.Log.Stored), err)
		}
		if held, err := s.Slots(ctx, shop.App); err != nil || len(held) != 0 {
			t.Errorf("%s: slots are held: %+v, %v", name, held, err)
		}
		if r.Token != "" {
			if started, err := s.Started(ctx, shop, r.Token); err != nil || started.Job != r.ID || !started.Known ||
				string(started.Result) != `"result"` {
				t.Errorf("%s: %+v, %v", name, started, err)
			}
		}
		callback, err := s.Callback(ctx, shop, fn, r.ID)
		if told := err == nil && string(callback.Result) == `"result"`; told != (r.Callback != "") {
			t.Errorf("%s: %+v, %v", name, callback, err)
		}
	}

	// For a job that was never in a slot only the record is written.
	r := madeAt(noon.Add(time.Hour))
	r.Service = job.Batch
	if _, err := (&jobdb.Store{Client: calls.Client, Table: s.Table}).End(
		ctx, shop, ended(r, job.StatusFulfilled), job.Nowhere,
	); err != nil || !cmp.Equal(calls.Take(), []string{"PutItem"}) {
		t.Errorf("from nowhere: %v", err)
	}
	w := job.PendingJob{Record: madeAt(noon.Add(2 * time.Hour)), Ready: noon}
	if err := s.Accept(ctx, shop, w, false); err != nil {
		t.Fatal(err)
	}
	for i, ok := range []bool{true, false} {
		err := failed(s.End(ctx, shop, ended(w.Record, job.StatusDeadlineExceeded), job.Pending))
		if (err == nil) != ok || !ok && !errs.Is(err, errs.KindNotFound) {
			t.Errorf("end %d of a pending job: %v", i, err)
		}
	}
}

// TestTokenStartsOneJob: a second job with the same token is refused in any place, unless the first one did not run.
func TestTokenStartsOneJob(t *testing.T) {
	s, ctx := newJobs(t), t.Context()
	token := writetoken.Named("one", noon.Add(time.Hour))
	job1 := func(n int) job.Record {
		r := madeAt(noon.Add(time.Duration(n) * time.Second))
		r.Token = token
		return r
	}
	first := running(job1(0), 0)
	if err := s.Begin(ctx, first, job.Nowhere); err != nil {
		t.Fatal(err)
	}
	for name, err := range map[string]error{
		"begun":    s.Begin(ctx, running(job1(1), 1), job.Nowhere),
		"accepted": s.Accept(ctx, shop, job.PendingJob{Record: job1(2), Ready: noon}, false),
		"delayed":  s.Accept(ctx, shop, job.PendingJob{Record: job1(3), Ready: noon}, true),
		"ended":    failed(s.End(ctx, shop, ended(job1(4), job.StatusFulfilled), job.Nowhere)),
		"rejected": failed(s.End(ctx, shop, ended(job1(5), job.StatusExecutionRejected), job.Nowhere)),
	} {
		if !errs.Is(err, errs.KindDuplicate) {
			t.Errorf("a second job is %s: %v", name, err)
		}
	}
	if started, err := s.Started(ctx, shop, token); err != nil || started.Job != first.ID || started.Function != fn ||
		started.Known {
		t.Errorf("%+v, %v", started, err)
	}
	if list, err := s.List(ctx, shop, fn, job.Filter{}, noon, firstPage); err != nil || list.Total != 1 {
		t.Errorf("%d jobs, %v", list.Total, err)
	}

	if err := failed(s.End(ctx, shop, ended(first.Record, job.StatusScheduleFailed), job.InSlot)); err != nil {
		t.Fatal(err)
	}
	second := running(job1(6), 0)
	if err := s.Begin(ctx, second, job.Nowhere); err != nil {
		t.Errorf("after one that did not run: %v", err)
	}
	over := ended(second.Record, job.StatusFulfilled)
	over.Result = []byte(incompressible(2*job.MaxKeptResult + 2000))
	if err := failed(s.End(ctx, shop, over, job.InSlot)); err != nil {
		t.Fatal(err)
	}
	if started, err := s.Started(ctx, shop, token); err != nil || started.Job != second.ID || started.Known {
		t.Errorf("a result that is too large: job %d, known %v, %v", started.Job, started.Known, err)
	}
}

// TestCallbacksStayDueUntilDelivered: each attempt moves the due time, and one of two concurrent attempts wins.
func TestCallbacksStayDueUntilDelivered(t *testing.T) {
	s, ctx := newJobs(t), t.Context()
	r := ended(madeAt(noon), job.StatusFulfilled) // 7 ms after the second
	r.Callback, r.Result = "https://books.example/", []byte("7")
	if err := failed(s.End(ctx, shop, r, job.Nowhere)); err != nil {
		t.Fatal(err)
	}
	due := func(want ...time.Time) {
		t.Helper()
		list, err := s.Due(ctx, noon.Add(24*time.Hour), 10)
		var got []time.Time
		for _, d := range list {
			if got = append(got, d.RunAt); !d.Callback || d.Job != r.ID || d.Function != fn || d.Scope != shop {
				t.Errorf("%+v", d)
			}
		}
		if !cmp.Equal(got, want) || err != nil {
			t.Errorf("due at %v, want %v, %v", got, want, err)
		}
	}
	first := noon.Add(time.Minute)
	want := callback.Callback{
		Function: fn, Job: r.ID, URL: r.Callback, Status: callback.Pending, Next: first, Result: []byte("7"),
	}
	read := func() callback.Callback {
		t.Helper()
		got, err := s.Callback(ctx, shop, fn, r.ID)
		if diff := cmp.Diff(want, got); diff != "" || err != nil {
			t.Errorf("%v (-want +got):\n%s", err, diff)
		}
		return got
	}
	old := read()
	due(first)

	want.Attempts, want.Next, want.StatusCode, want.Error = 1, first.Add(time.Minute), 503, "no answer"
	if err := s.PutCallback(ctx, shop, old, want); err != nil {
		t.Fatal(err)
	}
	due(want.Next)
	if err := s.PutCallback(ctx, shop, old, want); !errs.Is(err, errs.KindConflict) {
		t.Errorf("another attempt: %v", err)
	}
	old = read()
	want.Attempts = 2
	if err := s.PutCallback(ctx, shop, old, want); err != nil {
		t.Fatal(err)
	}
	due(want.Next) // as before
	old = read()
	want.Attempts, want.Status, want.Result = 3, callback.Delivered, nil
	if err := s.PutCallback(ctx, shop, old, want); err != nil {
		t.Fatal(err)
	}
	due()
	read()

	r.ID++
	r.Result = []byte(incompressible(2*job.MaxKeptResult + 2000))
	if err := failed(s.End(ctx, shop, r, job.Nowhere)); err != nil {
		t.Fatal(err)
	}
	if got, err := s.Callback(ctx, shop, fn, r.ID); err != nil || !got.Omitted || len(got.Result) > 0 {
		t.Errorf("a result that is too large: %v, %d bytes, %v", got.Omitted, len(got.Result), err)
	}

	// One of several concurrent writers creates or replaces the signing key.
	made, second := callback.Key{Sealed: []byte("1"), MadeAt: noon}, callback.Key{
		Sealed: []byte("2"), Before: []byte("1"), MadeAt: noon.Add(time.Second), Tokens: "t",
	}
	for i, c := range []struct {
		next callback.Key
		was  time.Time
		ok   bool
	}{
		{made, time.Time{}, true}, {second, time.Time{}, false}, {second, noon.Add(1), true}, {made, noon, false},
	} {
		err := s.PutCallbackKey(ctx, shop, c.next, c.was)
		if c.ok != (err == nil) || !c.ok && !errs.Is(err, errs.KindConflict) {
			t.Errorf("key %d: %v", i, err)
		}
	}
	if got, err := s.CallbackKey(ctx, shop); err != nil || !cmp.Equal(got, second) {
		t.Errorf("%+v, %v", got, err)
	}
}

// TestLostAnswers: a write repeated after a lost answer succeeds and has one effect.
func TestLostAnswers(t *testing.T) {
	lossy := &dynamotest.Lossy{}
	s, ctx := newJobs(t), t.Context()
	s = &jobdb.Store{Client: lossy.Over(s.Client), Table: s.Table, Counts: s.Counts}
	made := madeAt(noon)
	made.Service = job.Batch
	pending, direct := running(made, 1), running(made, 2)
	direct.ID++
	steps := []func() error{
		func() error { return s.Accept(ctx, shop, job.PendingJob{Record: made, Ready: noon}, false) },
		func() error { return s.Begin(ctx, pending, job.Pending) },
		func() error { return failed(s.End(ctx, shop, ended(pending.Record, job.StatusFulfilled), job.InSlot)) },
		func() error { return s.Begin(ctx, direct, job.Nowhere) },
		func() error { return s.PutBack(ctx, direct, job.PendingJob{Record: direct.Record, Ready: noon}) },
		func() error { return s.Begin(ctx, direct, job.Pending) },
		func() error { return failed(s.Expire(ctx, shop, ended(direct.Record, job.StatusExecutionFailed))) },
		func() error { return s.PutCallbackKey(ctx, shop, callback.Key{MadeAt: noon}, time.Time{}) },
	}
	for i, do := range steps {
		lossy.Cut.Store(true)
		if err := do(); err != nil || lossy.Lost != i+1 {
			t.Errorf("step %d: %v after %d lost answers", i, err, lossy.Lost)
		}
	}
	list, err := s.List(ctx, shop, fn, job.Filter{}, noon, firstPage)
	if err != nil || list.Total != 2 || list.Objects[0].Status != job.StatusExecutionFailed ||
		list.Objects[1].Status != job.StatusFulfilled {
		t.Errorf("%+v, %v", list, err)
	}
}

// TestAllItemsExpire: every item whose number grows with the jobs expires.
func TestAllItemsExpire(t *testing.T) {
	s, ctx := newJobs(t), t.Context()
	r := madeAt(noon)
	token := writetoken.Named("one", noon)
	w := job.PendingJob{Record: r, Ready: noon.Add(time.Hour)}
	w.Input.Data = []byte(`"` + incompressible(3<<10) + `"`)
	over := ended(r, job.StatusExecutionFailed)
	over.ID, over.Token, over.Callback = r.ID+1, token, "https://books.example/"
	over.Log = runlog.Pack(incompressible(20 << 10))
	for _, err := range []error{
		s.Accept(ctx, shop, w, false), failed(s.End(ctx, shop, over, job.Nowhere)), s.Descend(ctx, shop, 7, 1, noon),
	} {
		if err != nil {
			t.Fatal(err)
		}
	}

	found, err := s.Client.Scan(ctx, &dynamodb.ScanInput{TableName: &s.Table})
	if err != nil {
		t.Fatal(err)
	}
	got := map[string]time.Time{}
	for _, it := range found.Items {
		pk := strings.Split(dynamo.TextOf(it["pk"]), "#")
		sk, _, _ := strings.Cut(dynamo.TextOf(it["sk"]), "#")
		if expires := dynamo.IntegerOf(it["expires_at"]); len(pk) > 1 && expires > 0 {
			got[pk[1]+" "+strings.TrimPrefix(sk, r.ID.Key()[:8])] = time.Unix(expires, 0).UTC()
		}
	}
	rest := func(n id.ID) string { return strings.TrimPrefix(n.Key(), r.ID.Key()[:8]) }
	record := noon.Truncate(24 * time.Hour).Add(job.KeepRecord + 24*time.Hour)
	want := map[string]time.Time{
		"input " + rest(r.ID): noon.Add(25 * time.Hour), "job ended": record, "job execution_failed": record,
		"log " + rest(over.ID): noon.Add(job.KeepLog), "descendants count": noon,
		"token job":                 writetoken.Expires(token).Add(time.Hour),
		"callback " + rest(over.ID): noon.Add(time.Minute + callback.Keep),
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

// TestStoresLargeInputsSeparately: a small input is stored in the job's item, in one write.
func TestStoresLargeInputsSeparately(t *testing.T) {
	s, ctx := newJobs(t), t.Context()
	calls := dynamotest.Record(s.Client)
	recorded := &jobdb.Store{Client: calls.Client, Table: s.Table}
	empty, err := value.Encode(event.Input{Data: []byte("7")})
	if err != nil {
		t.Fatal(err)
	}
	for size, want := range map[int]string{
		len(empty): "PutItem", 2 << 10: "PutItem", 2<<10 + 1: "TransactWriteItems", 100 << 10: "TransactWriteItems",
	} {
		w := job.PendingJob{Record: madeAt(noon.Add(time.Duration(size) * time.Second)), Ready: noon}
		w.Input.Data = []byte(strings.Repeat("7", size-len(empty)+1))
		if err := recorded.Accept(ctx, shop, w, false); err != nil {
			t.Fatal(err)
		}
		if got := strings.Join(calls.Take(), " "); got != want {
			t.Errorf("%d bytes are %s, want %s", size, got, want)
		}
		if got, err := s.ReadPending(ctx, shop, fn, w.ID); err != nil || string(got.Input.Data) != string(w.Input.Data) {
			t.Errorf("%d bytes: %d, %v", size, len(got.Input.Data), err)
		}
	}
}
