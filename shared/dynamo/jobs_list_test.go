package dynamo_test

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"minicloud/shared/dynamo"
	"minicloud/shared/id"
	"minicloud/shared/job"
	"minicloud/shared/page"
	"minicloud/shared/sandbox"
)

// TestListAgreesWithAModel compares every filter and page with a plain slice:
// with days that were folded and got late jobs, then with all of them folded.
func TestListAgreesWithAModel(t *testing.T) {
	s, ctx := newJobs(t), t.Context()
	rng := rand.New(rand.NewPCG(1, 2))
	now := noon
	var all []job.Record
	ends := []job.Status{job.StatusFulfilled, job.StatusFulfilled, job.StatusFulfilled, job.StatusExecutionFailed, job.StatusDeadlineExceeded}
	var wg sync.WaitGroup
	for i := range 250 {
		if i == 150 {
			wg.Wait()
			fold(t, s, now)
		}
		// Crowded around a few hours of the last days, some far back.
		age := time.Duration(rng.Int64N(int64(3 * time.Hour)))
		switch i % 4 {
		case 0:
			age = time.Duration(rng.Int64N(int64(170 * 24 * time.Hour)))
		case 1:
			age = crowdedAge(rng)
		}
		r := madeAt(now.Add(-age))
		r.Source = job.Sources[rng.IntN(3)]
		r.Service = job.ServiceTypes[rng.IntN(2)]
		switch {
		case i < 7:
			if err := s.Accept(ctx, shop, job.Waiting{Record: r, Ready: now}, false, time.Time{}); err != nil {
				t.Fatal(err)
			}
		case i < 15:
			run := running(r, i)
			if err := s.Begin(ctx, run, job.Nowhere, noon.Add(time.Hour)); err != nil {
				t.Fatal(err)
			}
			r = run.Record
		default:
			r = ended(running(r, 0).Record, ends[rng.IntN(len(ends))])
			wg.Go(func() {
				if err := s.End(ctx, shop, r, job.Nowhere, 0); err != nil {
					t.Error(err)
				}
			})
		}
		all = append(all, r)
	}
	wg.Wait()
	slices.SortFunc(all, func(a, b job.Record) int { return int(b.ID - a.ID) })
	for i := range 100 {
		if i == 50 {
			fold(t, s, now)
		}
		f := randomFilter(rng, now)
		var want []job.Record
		for _, r := range all {
			if f.Matches(r) {
				want = append(want, r)
			}
		}
		req := page.Request{Limit: 1 + rng.IntN(30), Offset: rng.IntN(len(want) + 5)}
		got, err := s.List(ctx, shop, fn, f, now, req)
		if err != nil {
			t.Fatalf("%+v: %v", f, err)
		}
		comparePage(t, fmt.Sprintf("%d: %+v %+v", i, f, req), want, req, got)
		if got.Next == "" {
			continue
		}
		next := page.Request{Limit: req.Limit, Offset: req.Offset + req.Limit, After: got.Next}
		if got, err = s.List(ctx, shop, fn, f, now, next); err != nil {
			t.Fatal(err)
		}
		comparePage(t, fmt.Sprintf("%d by cursor: %+v %+v", i, f, next), want, next, got)
	}
}

// fold folds every hour that has passed.
func fold(t *testing.T, s *dynamo.Jobs, now time.Time) {
	t.Helper()
	if err := s.Fold(t.Context(), shop, fn, now.Truncate(time.Hour)); err != nil {
		t.Fatal(err)
	}
}

// crowdedAge is an age in two minutes that have many jobs.
func crowdedAge(rng *rand.Rand) time.Duration {
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
			return now.Add(-crowdedAge(rng)).Truncate(time.Second)
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

// TestJobListEndsBeforeItsAnswer: long errors make a page shorter, and no job is
// left out between two.
func TestJobListEndsBeforeItsAnswer(t *testing.T) {
	s, ctx := newJobs(t), t.Context()
	const jobs = 120
	for n := range jobs {
		r := ended(madeAt(noon.Add(time.Duration(n)*time.Second)), job.StatusExecutionFailed)
		r.Error = &sandbox.Error{Type: "Error", Message: strings.Repeat("\x01", 8<<10)} // 48 KB as JSON
		if err := s.End(ctx, shop, r, job.Nowhere, 0); err != nil {
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
