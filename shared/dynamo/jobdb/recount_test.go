package jobdb_test

import (
	"math/rand/v2"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"minicloud/infra/recount/books"
	"minicloud/shared/count"
	"minicloud/shared/dynamo/jobdb"
	"minicloud/shared/job"
)

// TestRecountOfJobs: a recount finds and repairs wrong counters by kind. Only ended jobs count, each function and
// environment separately; open jobs and copies do not.
func TestRecountOfJobs(t *testing.T) {
	s, ctx, rng := newJobs(t), t.Context(), rand.New(rand.NewPCG(5, 6))
	all := many(t, s, rng, 300, 7)
	var terminal []job.Record
	for _, r := range all {
		if r.Status.Terminal() {
			terminal = append(terminal, r)
		}
	}
	countJobs(t, s, terminal[10:])

	// A deleted job was counted, and a job of another environment was not.
	gone, elsewhere := ended(
		madeAt(noon), job.StatusFulfilled,
	), ended(madeAt(noon.Add(time.Second)), job.StatusExecutionFailed)
	counter := count.Counter{Store: s.Counts.(count.Store)}
	change := count.Change{
		Sequence: "1", Collection: jobdb.Collection(shop, fn), Kind: jobdb.Kind(gone.Status, gone.Source, gone.Service),
		ID: gone.ID, By: 1,
	}
	if _, err := counter.Count(ctx, count.Shard{Stream: "s", Name: "2"}, []count.Change{change}); err != nil {
		t.Fatal(err)
	}
	if err := failed(s.End(ctx, shopTest, elsewhere, job.Nowhere)); err != nil {
		t.Fatal(err)
	}

	want := map[count.Collection]int{jobdb.Collection(shop, fn): 10 - 1, jobdb.Collection(shopTest, fn): 1}
	for _, repair := range []bool{false, true} {
		recount := books.Recount{Base: s, Books: s.Counts.(books.Books), Pause: time.Millisecond, Looks: 3, Repair: repair}
		found, err := recount.Run(ctx)
		if err != nil || found.Collections != 2 || found.Records != len(terminal)+1 || len(found.Restless) > 0 {
			t.Errorf("repair %v: %+v, %v", repair, found, err)
		}
		if diff := cmp.Diff(want, found.Total); diff != "" {
			t.Errorf("repair %v, totals are wrong by (-want +got):\n%s", repair, diff)
		}
	}

	again := books.Recount{Base: s, Books: s.Counts.(books.Books), Pause: time.Millisecond, Looks: 3}
	if found, err := again.Run(ctx); err != nil || len(found.Drifts) > 0 {
		t.Errorf("after the repair: %+v, %v", found, err)
	}
	for _, status := range job.Statuses {
		tree := count.Tree{Reader: s.Counts, Collection: jobdb.Collection(shop, fn), Kinds: func(kind string) bool {
			return kind[0] == jobdb.Kind(status, job.SourceSDK, job.Batch)[0]
		}}
		n := 0
		for _, r := range terminal {
			if r.Status == status {
				n++
			}
		}
		if got, err := tree.Total(ctx); err != nil || got != n {
			t.Errorf("%s: %d counted, %v, want %d", status, got, err, n)
		}
	}
}
