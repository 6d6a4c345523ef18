package dynamo_test

import (
	"context"
	"math/rand/v2"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"
	"github.com/aws/smithy-go/middleware"

	"minicloud/shared/dynamo"
	"minicloud/shared/errs"
	"minicloud/shared/id"
	"minicloud/shared/job"
	"minicloud/shared/page"
)

// TestFoldsCountEveryJobOnce ends jobs of several days from several writers, whose
// calls are broken off at random, while others fold and list. A total is never
// less than what had ended before the list began, nor more than what was begun
// to be ended when it was there; at last it is what a recount finds.
func TestFoldsCountEveryJobOnce(t *testing.T) {
	s, now := newJobs(t), noon
	var begun, ended atomic.Int64
	var writers, folders, lister sync.WaitGroup
	for w := range 4 {
		writers.Go(func() {
			rng := rand.New(rand.NewPCG(3, uint64(w)))
			for range 100 {
				begun.Add(1)
				endSomewhere(t, s, rng, now)
				ended.Add(1)
			}
		})
	}
	done := make(chan struct{})
	for range 2 {
		folders.Go(func() {
			for {
				select {
				case <-done:
					return
				default:
				}
				if err := s.Fold(t.Context(), shop, fn, now.Add(24*time.Hour)); err != nil && !errs.Is(err, errs.KindConflict) {
					t.Error(err)
				}
				time.Sleep(rand.N(20 * time.Millisecond))
			}
		})
	}
	lister.Go(func() {
		for listed, refused := 0, 0; listed < 10 || ended.Load() < 400; {
			least := ended.Load()
			got, err := s.List(t.Context(), shop, fn, job.Filter{}, now, page.Request{Limit: 1, Offset: int(least / 2)})
			if most := begun.Load(); errs.Is(err, errs.KindUnavailable) {
				if refused++; refused < 1000 {
					continue // folded all the time
				}
				t.Errorf("listed %d times, refused %d times", listed, refused)
				return
			} else if err != nil || int64(got.Total) < least || int64(got.Total) > most {
				t.Errorf("total %d, %v: %d had ended, %d were begun", got.Total, err, least, most)
			}
			listed++
		}
	})
	writers.Wait()
	lister.Wait()
	close(done)
	folders.Wait()
	fold(t, s, now.Add(48*time.Hour))
	want := recount(t, s)
	got, err := s.List(t.Context(), shop, fn, job.Filter{}, now, page.Request{Limit: 1000})
	if err != nil || got.Total != len(want) || !slices.Equal(ids(got.Objects), want) || int64(len(want)) != ended.Load() {
		t.Errorf("total %d, %d listed, %d found, %d ended, %v", got.Total, len(got.Objects), len(want), ended.Load(), err)
	}
	for _, jobID := range want[:20] {
		if r, err := s.Read(t.Context(), shop, fn, jobID, now); err != nil || r.ID != jobID {
			t.Errorf("read %d: %v", jobID, err)
		}
	}
}

// endSomewhere ends a job of the last three days; a call in ten is broken off and
// made again, as a worker does.
func endSomewhere(t *testing.T, s *dynamo.Jobs, rng *rand.Rand, now time.Time) {
	r := madeAt(now.Add(-time.Duration(rng.Int64N(int64(72 * time.Hour)))).Truncate(time.Millisecond))
	r.Source = job.Sources[rng.IntN(2)]
	if rng.IntN(5) == 0 {
		r.Service = job.Batch
	}
	slot := rng.IntN(1 << 20) // nobody else's, in any lane
	run := running(r, slot)
	if err := s.Begin(t.Context(), run, job.Nowhere, time.Time{}); err != nil {
		t.Error(err)
		return
	}
	record := ended(run.Record, job.StatusFulfilled)
	if rng.IntN(10) == 0 {
		ctx, cancel := context.WithTimeout(t.Context(), time.Duration(rng.Int64N(int64(3*time.Millisecond))))
		err := s.End(ctx, shop, record, job.InSlot, slot)
		cancel()
		if err == nil {
			return
		}
	}
	for range 1000 {
		err := s.End(t.Context(), shop, record, job.InSlot, slot)
		if err == nil || errs.Is(err, errs.KindNotFound) { // the call that was broken off did it
			return
		}
		if !errs.Is(err, errs.KindConflict) {
			t.Error(err)
			return
		}
	}
	t.Errorf("job %d cannot be ended: others are faster for ever", record.ID)
}

// recount returns the ids of all ended jobs of the table, newest first, and holds
// that no tally is left.
func recount(t *testing.T, s *dynamo.Jobs) (found []id.ID) {
	t.Helper()
	pages := dynamodb.NewScanPaginator(s.Client, &dynamodb.ScanInput{TableName: &s.Table, ConsistentRead: aws.Bool(true)})
	for pages.HasMorePages() {
		got, err := pages.NextPage(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		for _, it := range got.Items {
			pk := it["pk"].(*types.AttributeValueMemberS).Value
			if strings.Contains(pk, "#lanes#") {
				t.Errorf("a tally is left: %v", it)
			}
			if strings.Contains(pk, "#job#") {
				var n int64
				for _, c := range it["id"].(*types.AttributeValueMemberN).Value {
					n = n*10 + int64(c-'0')
				}
				found = append(found, id.ID(n))
			}
		}
	}
	slices.Sort(found)
	slices.Reverse(found)
	return found
}

// TestFoldedDaysEndWithTheirRecords looks at a folded history from later on: what
// is past its retention is in no total and on no page, though nobody swept it.
func TestFoldedDaysEndWithTheirRecords(t *testing.T) {
	s, ctx := newJobs(t), t.Context()
	for age := range 20 {
		r := ended(madeAt(noon.Add(-time.Duration(age)*24*time.Hour)), job.StatusFulfilled)
		if err := s.End(ctx, shop, r, job.Nowhere, 0); err != nil {
			t.Fatal(err)
		}
	}
	fold(t, s, noon)
	later := noon.Add(job.KeepRecord - 9*24*time.Hour)
	for range 2 {
		got, err := s.List(ctx, shop, fn, job.Filter{}, later, firstPage)
		if err != nil || got.Total != 10 || len(got.Objects) != 10 {
			t.Fatalf("%d jobs, %d on the page, %v", got.Total, len(got.Objects), err)
		}
		// A fold forgets the days nobody keeps.
		if err := s.End(ctx, shop, ended(madeAt(later.Add(-48*time.Hour)), job.StatusFulfilled), job.Nowhere, 0); err != nil {
			t.Fatal(err)
		}
		fold(t, s, later)
		later = later.Add(24 * time.Hour) // one more is over, one more has come
	}
}

// around is a client whose calls go through a function.
func around(client *dynamodb.Client, call func(ctx context.Context, in middleware.InitializeInput, next middleware.InitializeHandler) (middleware.InitializeOutput, middleware.Metadata, error)) *dynamodb.Client {
	return dynamodb.New(client.Options(), func(o *dynamodb.Options) {
		o.APIOptions = append(slices.Clone(o.APIOptions), func(stack *middleware.Stack) error {
			return stack.Initialize.Add(middleware.InitializeMiddlewareFunc("around", call), middleware.After)
		})
	})
}

// endAt ends a job made then, in the first lane.
func endAt(t *testing.T, s *dynamo.Jobs, at time.Time) {
	t.Helper()
	r := madeAt(at)
	r.ID -= r.ID % 16
	if err := s.End(t.Context(), shop, ended(r, job.StatusFulfilled), job.Nowhere, 0); err != nil {
		t.Fatal(err)
	}
}

// TestFoldsOfOneDayMeet: a batch is no snapshot. While one fold reads the hours of
// the day, another changes them, and the first reads the summary only then. Nothing
// of the other may be overwritten.
func TestFoldsOfOneDayMeet(t *testing.T) {
	s, now := newJobs(t), noon
	endAt(t, s, now.Add(-3*time.Hour))
	fold(t, s, now)
	endAt(t, s, now.Add(-2*time.Hour))
	met := 0
	slow := &dynamo.Jobs{Table: s.Table, Client: around(s.Client, func(ctx context.Context, in middleware.InitializeInput, next middleware.InitializeHandler) (middleware.InitializeOutput, middleware.Metadata, error) {
		out, meta, err := next.HandleInitialize(ctx, in)
		read, batch := out.Result.(*dynamodb.BatchGetItemOutput)
		if err != nil || !batch {
			return out, meta, err
		}
		met++
		endAt(t, s, now.Add(-30*time.Minute))
		fold(t, s, now.Add(time.Hour))     // the other, of everything
		endAt(t, s, now.Add(-2*time.Hour)) // the first removes a tally as large as the one it has read
		for i, it := range read.Responses[s.Table] {
			if it["sk"].(*types.AttributeValueMemberS).Value != "summary" {
				continue
			}
			newer, err := s.Client.GetItem(ctx, &dynamodb.GetItemInput{TableName: &s.Table, Key: map[string]types.AttributeValue{"pk": it["pk"], "sk": it["sk"]}})
			if err != nil {
				t.Error(err)
				continue
			}
			read.Responses[s.Table][i] = newer.Item
		}
		return out, meta, nil
	})}
	if err := slow.Fold(t.Context(), shop, fn, now); !errs.Is(err, errs.KindConflict) || met != 1 {
		t.Errorf("the fold that read two moments: %v, met %d", err, met)
	}
	for range 2 {
		for offset := range 4 {
			got, err := s.List(t.Context(), shop, fn, job.Filter{}, now, page.Request{Limit: 10, Offset: offset})
			if err != nil || got.Total != 4 || len(got.Objects) != 4-offset {
				t.Errorf("offset %d: %d of %d jobs, %v", offset, len(got.Objects), got.Total, err)
			}
		}
		fold(t, s, now.Add(time.Hour))
	}
}

// TestManyHoursAreFoldedAtOnce: delayed jobs end in the tallies of the hours they
// were made in, days ago. These share the summary that is written, and what
// DynamoDB takes in a transaction is not passed.
func TestManyHoursAreFoldedAtOnce(t *testing.T) {
	s := newJobs(t)
	const hours = 70
	for n := range hours {
		endAt(t, s, noon.Add(-time.Duration(n)*25*time.Hour))
	}
	writes := 0
	counted := &dynamo.Jobs{Table: s.Table, Client: around(s.Client, func(ctx context.Context, in middleware.InitializeInput, next middleware.InitializeHandler) (middleware.InitializeOutput, middleware.Metadata, error) {
		if w, ok := in.Parameters.(*dynamodb.TransactWriteItemsInput); ok {
			if writes++; len(w.TransactItems) > 100 {
				t.Errorf("a transaction of %d items", len(w.TransactItems))
			}
		}
		return next.HandleInitialize(ctx, in)
	})}
	fold(t, counted, noon.Add(time.Hour))
	if writes > 5 {
		t.Errorf("%d hours take %d transactions", hours, writes)
	}
	recount(t, s)
	for offset := range hours {
		got, err := s.List(t.Context(), shop, fn, job.Filter{}, noon, page.Request{Limit: 1, Offset: offset})
		if err != nil || got.Total != hours || len(got.Objects) != 1 || !got.Objects[0].CreatedAt().Truncate(time.Second).Equal(noon.Add(-time.Duration(offset)*25*time.Hour)) {
			t.Errorf("offset %d: %+v, %v", offset, got, err)
		}
	}
}
