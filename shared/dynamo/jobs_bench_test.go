package dynamo

import (
	"context"
	"flag"
	"fmt"
	"math/rand/v2"
	"sync"
	"testing"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/feature/dynamodb/attributevalue"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"

	"minicloud/infra/local/dynamotest"
	"minicloud/shared/id"
	"minicloud/shared/job"
	"minicloud/shared/page"
	"minicloud/shared/sandbox"
	"minicloud/shared/tenant"
)

// jobCount is how many jobs of one function BenchmarkListJobs lists:
//
//	go test ./shared/dynamo -run - -bench ListJobs -jobs 1000000
var jobCount = flag.Int("jobs", 100_000, "jobs of one function in BenchmarkListJobs")

var (
	benchScope       = tenant.Scope{App: 7, Env: tenant.Production}
	benchFn    id.ID = 4242
	benchNow         = time.Date(2026, 11, 21, 12, 0, 0, 0, time.UTC)
)

// plant writes n ended jobs of the last 170 days as End would, many at once.
// One in 100,000 is a rejected one.
func plant(b *testing.B, s *Jobs, n int) {
	tallies := make(map[string]map[string]int64)
	work := make(chan []types.WriteRequest)
	var wg sync.WaitGroup
	for range 4 {
		wg.Go(func() {
			for writes := range work {
				if err := batchWrite(context.Background(), s.Client, s.Table, writes); err != nil {
					b.Error(err)
				}
			}
		})
	}
	var writes []types.WriteRequest
	for i := range n {
		at := benchNow.Add(-time.Duration(i) * (170 * day / time.Duration(n)))
		r := job.Record{
			ID: id.First(at.Truncate(time.Millisecond)) + id.ID(rand.N(4096)), Function: benchFn, Name: "pay", Status: job.StatusFulfilled,
			Source: job.SourceOpenAPI, Service: job.TimeSensitive, Plan: sandbox.PlanFree, StartedAt: at, FinishedAt: at, MemUsage: 1 << 20, Execution: 1,
		}
		if i%100_000 == 99_999 {
			r.Status = job.StatusExecutionRejected
		}
		it := encodeJob(historyKey(benchScope, benchFn, kindOf(r), 0), r.ID.Key(), r)
		it.Log = make([]byte, 200)
		av, err := attributevalue.MarshalMap(it)
		if err != nil {
			b.Fatal(err)
		}
		if writes = append(writes, types.WriteRequest{PutRequest: &types.PutRequest{Item: av}}); len(writes) == 25 || i == n-1 {
			work <- writes
			writes = nil
		}
		tally := s.tally(benchScope, r, 0).Update
		sk := stringOf(tally.Key["sk"])
		if tallies[sk] == nil {
			tallies[sk] = make(map[string]int64)
		}
		tallies[sk][tally.ExpressionAttributeNames["#n"]]++
		tallies[sk]["all"]++
	}
	close(work)
	wg.Wait()
	for sk, counts := range tallies {
		it := itemKey(tallyKey(benchScope, benchFn), sk)
		for name, count := range counts {
			it[name] = number(count)
		}
		if _, err := s.Client.PutItem(b.Context(), &dynamodb.PutItemInput{TableName: aws.String(s.Table), Item: it}); err != nil {
			b.Fatal(err)
		}
	}
}

// BenchmarkListJobs lists a long history: what a page costs must not depend on
// how long it is.
func BenchmarkListJobs(b *testing.B) {
	s := &Jobs{Client: dynamotest.Start(b, "JobsTable"), Table: "JobsTable"}
	n := *jobCount
	start := time.Now()
	plant(b, s, n)
	b.Logf("%d jobs planted in %v", n, time.Since(start).Round(time.Second))
	if err := s.Fold(b.Context(), benchScope, benchFn, benchNow.Truncate(time.Hour)); err != nil {
		b.Fatal(err)
	}
	for _, c := range []struct {
		name   string
		filter job.Filter
		offset int
		total  int
	}{
		{"first page", job.Filter{}, 0, n},
		{"middle page by offset", job.Filter{}, n / 2, n},
		{"last page by offset", job.Filter{}, n - 20, n},
		{"rare status", job.Filter{Status: job.StatusExecutionRejected}, 0, n / 100_000},
		{"ten days", job.Filter{From: benchNow.Add(-60 * day), To: benchNow.Add(-50*day - time.Second)}, 0, -1},
		{"ten minutes", job.Filter{From: benchNow.Add(-60 * day), To: benchNow.Add(-60*day + 10*time.Minute)}, 0, -1},
	} {
		b.Run(fmt.Sprintf("%s of %d", c.name, n), func(b *testing.B) {
			for b.Loop() {
				got, err := s.List(b.Context(), benchScope, benchFn, c.filter, benchNow.Add(time.Minute), page.Request{Limit: 20, Offset: c.offset})
				if err != nil || c.total >= 0 && got.Total != c.total || got.Total > 0 && len(got.Objects) == 0 {
					b.Fatalf("%d of %d, %v", len(got.Objects), got.Total, err)
				}
			}
		})
	}
}
