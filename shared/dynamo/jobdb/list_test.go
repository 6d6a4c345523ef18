package jobdb_test

import (
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/aws/aws-lambda-go/events"
	"github.com/google/go-cmp/cmp"

	"minicloud/infra/local/dynamotest"
	"minicloud/shared/count"
	"minicloud/shared/dynamo/countdb"
	"minicloud/shared/dynamo/jobdb"
	"minicloud/shared/id"
	"minicloud/shared/job"
	"minicloud/shared/page"
	"minicloud/shared/sandbox"
	"minicloud/shared/tenant"
)

// rounds is the number of lists to compare with the model.
const rounds = 15

// TestListAgreesWithAModel compares filters and pages with a plain slice. One run has few jobs and counters that lag so
// far that they know none of them; the other has many jobs, most of them pending.
func TestListAgreesWithAModel(t *testing.T) {
	for _, pending := range []int{7, 270} {
		t.Run(fmt.Sprint(pending, " are pending"), func(t *testing.T) {
			s, rng := newJobs(t), rand.New(rand.NewPCG(1, 2))
			all := many(t, s, rng, pending+243, pending)
			if pending > 256 {
				countJobs(t, s, all)
			}
			for i := range rounds {
				compareList(t, s, rng, all, i)
			}
		})
	}
}

// TestLongLists: long lists also agree with the model when they are counted, and a page takes as few calls as in a
// short history: five for the first page, including the read of the function by its name. Jobs of a rare status or
// source are found without a scan of all jobs.
func TestLongLists(t *testing.T) {
	s, rng := newJobs(t), rand.New(rand.NewPCG(1, 2))
	all := many(t, s, rng, 1500, 7)
	countJobs(t, s, all)
	for i := range rounds {
		compareList(t, s, rng, all, i)
	}

	for i, offset := range []int{1000, 1001, 1250, 1492} { // large offsets
		for _, f := range []job.Filter{
			{}, {From: noon.Add(-100 * 24 * time.Hour)}, {To: noon.Add(-time.Hour)}, {Source: job.SourceOpenAPI},
		} {
			comparePages(t, s, all, f, page.Request{Limit: 3, Offset: offset}, rounds+i)
		}
	}

	calls := dynamotest.Record(s.Client)
	counted := &jobdb.Store{
		Client: calls.Client, Table: s.Table, Counts: &countdb.Store{Client: calls.Client, Table: "CountsTable"},
	}
	for _, c := range []struct {
		what   string
		f      job.Filter
		offset int
		most   int
	}{
		{"first page", job.Filter{}, 0, 4},
		{"rare status", job.Filter{Status: job.StatusScheduleFailed}, 0, 1},
		{"frequent status and source", job.Filter{Status: job.StatusFulfilled, Source: job.SourceOpenAPI}, 0, 3},
		{"rare source", job.Filter{Source: job.SourceTimer}, 0, 25},
		{"far page", job.Filter{}, 1200, 12},
		{"far page of a status", job.Filter{Status: job.StatusFulfilled}, 1010, 9},
	} {
		list := func() {
			req := page.Request{Limit: firstPage.Limit, Offset: c.offset}
			if _, err := counted.List(t.Context(), shop, fn, c.f, noon, req); err != nil {
				t.Fatal(err)
			}
		}
		list() // learns that the list is long
		calls.Take()
		list()
		if n := len(calls.Take()); n > c.most {
			t.Errorf("%s: %d calls, want %d", c.what, n, c.most)
		}
	}
}

// TestEnvironmentsAreIsolated: lists contain no jobs of other environments or functions, even if these have the same
// ids or use slots of the same application.
func TestEnvironmentsAreIsolated(t *testing.T) {
	s := newJobs(t)
	places := []struct {
		scope tenant.Scope
		fn    id.ID
	}{{shop, fn}, {shop, fn + 1}, {shopTest, fn}, {tenant.Scope{App: 8, Env: tenant.Production}, fn}}
	for i, in := range places {
		for n, state := range []string{"pending", "runs", "overdue", "ended", "failed"} {
			r := madeAt(noon)
			r.ID, r.Function, r.Name = id.First(noon)+id.ID(n), in.fn, fmt.Sprint(i, state)
			var err error
			switch run := running(r, 5*i+n); state {
			case "pending":
				err = s.Accept(t.Context(), in.scope, job.PendingJob{Record: r, Ready: noon}, false)
			case "ended":
				err = failed(s.End(t.Context(), in.scope, ended(r, job.StatusFulfilled), job.Nowhere))
			case "failed":
				err = failed(s.End(t.Context(), in.scope, ended(r, job.StatusExecutionFailed), job.Nowhere))
			default:
				run.Scope = in.scope
				if run.Lease = noon.Add(time.Minute); state == "overdue" {
					run.Lease = noon.Add(-time.Second)
				}
				err = s.Begin(t.Context(), run, job.Nowhere)
			}
			if err != nil {
				t.Fatal(err)
			}
		}
	}

	for i, in := range places {
		for status, want := range map[job.Status]string{
			"": "failed ended runs pending", job.StatusWaiting: "pending", job.StatusExecuting: "runs",
			job.StatusFulfilled: "ended", job.StatusExecutionFailed: "failed", job.StatusDeadlineExceeded: "",
		} {
			got, err := s.List(t.Context(), in.scope, in.fn, job.Filter{Status: status}, noon, firstPage)
			var names []string
			for _, r := range got.Objects {
				names = append(names, strings.TrimPrefix(r.Name, fmt.Sprint(i)))
			}
			if strings.Join(names, " ") != want || err != nil || got.Total != len(names) {
				t.Errorf("%v, function %d, %q: %d are %v, %v", in.scope, in.fn, status, got.Total, names, err)
			}
			late := status == "" || status == job.StatusExecuting || status == job.StatusExecutionFailed
			if late != (len(got.Overdue) == 1) || late && got.Overdue[0].Name != fmt.Sprint(i)+"overdue" {
				t.Errorf("%v, function %d, %q: overdue are %v", in.scope, in.fn, status, got.Overdue)
			}
		}
	}
}

// TestListsOverdueJobsOnEveryPage: every page lists overdue jobs, also pending ones, so that the service ends them. The
// count for a total on a later page reads only keys, which have no lease.
func TestListsOverdueJobsOnEveryPage(t *testing.T) {
	s := newJobs(t)
	for i := range 3 {
		r := madeAt(noon.Add(time.Duration(i) * time.Second))
		if err := s.Accept(t.Context(), shop, job.PendingJob{Record: r, Ready: noon}, false); err != nil {
			t.Fatal(err)
		}
	}
	late := running(madeAt(noon), 1)
	if err := s.Begin(t.Context(), late, job.Nowhere); err != nil {
		t.Fatal(err)
	}

	now := job.PendingUntil(noon).Add(time.Hour)
	for offset := range 2 {
		got, err := s.List(t.Context(), shop, fn, job.Filter{}, now, page.Request{Limit: 20, Offset: offset})
		if err != nil || len(got.Objects) != 3-offset || got.Total != 3 || len(got.Overdue) != 4-offset {
			t.Errorf("offset %d: %d jobs of %d, %d overdue, %v", offset, len(got.Objects), got.Total, len(got.Overdue), err)
		}
	}
}

// many creates n jobs of the last 170 days in every state, of which pending are pending, and returns them newest first.
func many(t *testing.T, s *jobdb.Store, rng *rand.Rand, n, pending int) (all []job.Record) {
	t.Helper()
	ctx := t.Context()
	ends := []job.Status{
		job.StatusFulfilled, job.StatusFulfilled, job.StatusFulfilled, job.StatusExecutionFailed, job.StatusDeadlineExceeded,
	}
	var wg sync.WaitGroup
	gate := make(chan struct{}, 16)
	for i := range n {
		// Most are from a few hours of the last days, some are much older.
		age := time.Duration(rng.Int64N(int64(3 * time.Hour)))
		switch i % 4 {
		case 0:
			age = time.Duration(rng.Int64N(int64(170 * 24 * time.Hour)))
		case 1:
			age = denseAge(rng)
		}
		r := madeAt(noon.Add(-age))
		r.Source, r.Service = job.Sources[rng.IntN(3)], job.ServiceTypes[rng.IntN(2)]
		if i%200 == 100 {
			r.Source = job.SourceTimer
		}
		write := func() error { return s.Accept(ctx, shop, job.PendingJob{Record: r, Ready: noon}, false) }
		switch {
		case i >= pending+8:
			r = ended(r, ends[rng.IntN(len(ends))])
			write = func() error { return failed(s.End(ctx, shop, r, job.Nowhere)) }
		case i >= pending:
			run := running(r, i)
			run.Lease = noon.Add(time.Minute)
			r = run.Record
			write = func() error { return s.Begin(ctx, run, job.Nowhere) }
		}
		gate <- struct{}{}
		wg.Go(func() {
			if err := write(); err != nil {
				t.Error(err)
			}
			<-gate
		})
		all = append(all, r)
	}
	wg.Wait()
	slices.SortFunc(all, func(a, b job.Record) int { return int(b.ID - a.ID) })
	return all
}

// countJobs counts the ended jobs, as the stream's consumer would.
func countJobs(t *testing.T, s *jobdb.Store, all []job.Record) {
	t.Helper()
	counter := count.Counter{Store: s.Counts.(count.Store)}
	var changes []count.Change
	for i, r := range all {
		if r.Status.Terminal() {
			changes = append(changes, jobChange(t, i, r))
		}
	}
	if n, err := counter.Count(t.Context(), count.Shard{Stream: "s", Name: "1"}, changes); err != nil ||
		n != len(changes) {
		t.Fatal(n, err)
	}
}

// jobChange returns the change in the stream record of an ended job.
func jobChange(t *testing.T, i int, r job.Record) count.Change {
	t.Helper()
	var record events.DynamoDBEventRecord
	text := fmt.Sprintf(`{"eventName":"INSERT","dynamodb":{"SequenceNumber":"%d","Keys":{"pk":{"S":%q},"sk":{"S":"ended#%s"}},"NewImage":
		{"id":{"N":"%d"},"status":{"S":%q},"source":{"S":%q},"service":{"S":%q}}}}`,
		i+1, jobdb.Collection(shop, fn), r.ID.Key(), r.ID, r.Status, r.Source, r.Service)
	if err := json.Unmarshal([]byte(text), &record); err != nil {
		t.Fatal(err)
	}
	change, err := jobdb.Change(record)
	if err != nil || change.By != 1 || change.ID != r.ID {
		t.Fatalf("%+v, %v", change, err)
	}
	return change
}

// compareList compares a random page of a random list, and the next page.
func compareList(t *testing.T, s *jobdb.Store, rng *rand.Rand, all []job.Record, i int) {
	t.Helper()
	f, n := randomFilter(rng, noon), 0
	for _, r := range all {
		if f.Matches(r) {
			n++
		}
	}
	req := page.Request{Limit: 1 + rng.IntN(30), Offset: rng.IntN(n + 5)}
	comparePages(t, s, all, f, req, i)
}

func comparePages(t *testing.T, s *jobdb.Store, all []job.Record, f job.Filter, req page.Request, i int) {
	t.Helper()
	var want []job.Record
	for _, r := range all {
		if f.Matches(r) {
			want = append(want, r)
		}
	}
	got, err := s.List(t.Context(), shop, fn, f, noon, req)
	if err != nil {
		t.Fatalf("%+v: %v", f, err)
	}
	comparePage(t, fmt.Sprintf("%d: %+v %+v", i, f, req), want, req, got.Page)
	if got.Next == "" {
		return
	}

	next := page.Request{Limit: req.Limit, Offset: req.Offset + req.Limit, After: got.Next}
	if got, err = s.List(t.Context(), shop, fn, f, noon, next); err != nil {
		t.Fatal(err)
	}
	comparePage(t, fmt.Sprintf("%d by cursor: %+v %+v", i, f, next), want, next, got.Page)
}

// denseAge returns an age within two minutes that have many jobs.
func denseAge(rng *rand.Rand) time.Duration {
	return 100*time.Minute + time.Duration(rng.Int64N(int64(2*time.Minute)))
}

func randomFilter(rng *rand.Rand, now time.Time) job.Filter {
	var f job.Filter
	if rng.IntN(3) == 0 {
		f.Source = job.Sources[rng.IntN(4)]
	}
	if rng.IntN(3) == 0 {
		f.Status = job.Statuses[rng.IntN(len(job.Statuses))]
	}
	if rng.IntN(3) == 0 {
		f.Service = job.ServiceTypes[rng.IntN(2)]
	}
	times := []time.Duration{4 * time.Hour, 40 * time.Hour, 180 * 24 * time.Hour}
	instant := func() time.Time {
		switch rng.IntN(4) {
		case 0:
			return now.Add(-denseAge(rng)).Truncate(time.Second)
		case 1:
			return now.Truncate(time.Hour).Add(-time.Duration(rng.IntN(3)) * time.Hour)
		}
		return now.Add(-time.Duration(rng.Int64N(int64(times[rng.IntN(3)])))).Truncate(time.Second)
	}
	if rng.IntN(3) == 0 {
		f.From = instant()
	}
	if rng.IntN(3) == 0 {
		f.To = instant()
	}
	return f
}

func comparePage(t *testing.T, what string, want []job.Record, req page.Request, got page.Page[job.Record]) {
	t.Helper()
	if got.Total != len(want) {
		t.Errorf("%s: total %d, want %d", what, got.Total, len(want))
	}
	from := min(req.Offset, len(want))
	to := min(from+req.Limit, len(want))
	if diff := cmp.Diff(ids(want[from:to]), ids(got.Objects)); diff != "" {
		t.Errorf("%s (-want +got):\n%s", what, diff)
	}
	if (got.Next != "") != (to < len(want)) {
		t.Errorf("%s: next %q", what, got.Next)
	}
}

func ids(records []job.Record) []id.ID {
	list := []id.ID{}
	for _, r := range records {
		list = append(list, r.ID)
	}
	return list
}

// TestJobListEndsBeforeItsAnswer: long errors make pages shorter, and no job is lost between two pages.
func TestJobListEndsBeforeItsAnswer(t *testing.T) {
	s, ctx := newJobs(t), t.Context()
	const jobs = 120
	for n := range jobs {
		r := ended(madeAt(noon.Add(time.Duration(n)*time.Second)), job.StatusExecutionFailed)
		r.Error = &sandbox.Error{Type: "Error", Message: strings.Repeat("\x01", 8<<10)} // 48 KB as JSON
		if err := failed(s.End(ctx, shop, r, job.Nowhere)); err != nil {
			t.Fatal(err)
		}
	}
	seen, req := map[id.ID]bool{}, page.Request{Limit: page.MaxLimit}
	for pages := 1; ; pages++ {
		got, err := s.List(ctx, shop, fn, job.Filter{}, noon.Add(time.Hour), req)
		if err != nil {
			t.Fatal(err)
		}
		wire := 0
		for _, r := range got.Objects {
			seen[r.ID], wire = true, wire+page.Wire(r.Error.Message)
		}
		if got.Total != jobs || len(got.Objects) == 0 || wire > page.MaxBytes {
			t.Fatalf("page %d: %d jobs of %d, %d bytes", pages, len(got.Objects), got.Total, wire)
		}
		if req.After = got.Next; got.Next == "" {
			break
		}
	}
	if len(seen) != jobs {
		t.Errorf("the pages show %d jobs of %d", len(seen), jobs)
	}
}

// TestJobCount: jobs count when they end and when they expire, and nothing else does.
func TestJobCount(t *testing.T) {
	const image = `{"id":{"N":"4095"},"status":{"S":"fulfilled"},"source":{"S":"timer"},"service":{"S":"batch"}}`
	for name, tt := range map[string]struct {
		event, sk, image string
		by               int
		fails            bool
	}{
		"ended":     {"INSERT", "ended#0000000000004095", `"NewImage":` + image, 1, false},
		"gone":      {"REMOVE", "ended#0000000000004095", `"OldImage":` + image, -1, false},
		"changed":   {"MODIFY", "ended#0000000000004095", `"NewImage":` + image, 0, false},
		"waits":     {"INSERT", "waiting#0000000000004095", `"NewImage":` + image, 0, false},
		"copy":      {"INSERT", "execution_failed#0000000000004095", `"NewImage":` + image, 0, false},
		"no job":    {"INSERT", "ended#0000000000004095", `"NewImage":{}`, 0, true},
		"no number": {"INSERT", "ended#x", `"NewImage":` + image, 0, true},
		"number 0":  {"INSERT", "ended#0000000000000000", `"NewImage":` + image, 0, true},
		"unknown status": {
			"INSERT", "ended#0000000000004095", `"NewImage":` + strings.Replace(image, "fulfilled", "lost", 1), 0, true,
		},
	} {
		t.Run(name, func(t *testing.T) {
			var record events.DynamoDBEventRecord
			text := fmt.Sprintf(`{"eventName":%q,"dynamodb":{"Keys":{"pk":{"S":"7.production#job#1"},"sk":{"S":%q}},"SequenceNumber":"5",%s}}`,
				tt.event, tt.sk, tt.image)
			if err := json.Unmarshal([]byte(text), &record); err != nil {
				t.Fatal(err)
			}
			got, err := jobdb.Change(record)
			if (err != nil) != tt.fails || err == nil && (got.By != tt.by || got.Collection != "7.production#job#1" ||
				tt.by != 0 && (got.ID != 4095 || got.Kind != "cfb")) {
				t.Errorf("%+v, %v", got, err)
			}
		})
	}
}
