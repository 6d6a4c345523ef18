package bench

import (
	"fmt"
	"maps"
	"net/url"
	"slices"
	"strconv"
	"testing"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"
	"golang.org/x/sync/errgroup"

	"minicloud/shared/count"
	"minicloud/shared/dynamo"
	"minicloud/shared/dynamo/countdb"
	"minicloud/shared/dynamo/jobdb"
	"minicloud/shared/id"
	"minicloud/shared/job"
	"minicloud/shared/job/runlog"
	"minicloud/shared/sandbox"
)

// jobPage holds the fields of a page of jobs that the benchmarks read. Times are in seconds.
type jobPage struct {
	Meta struct {
		Next  *string
		Total int `json:"total_count"`
	}
	Objects []jobRecord
}

type jobRecord struct {
	Status   string
	Created  float64 `json:"created_at"`
	Started  float64 `json:"started_at"`
	Finished float64 `json:"finished_at"`
}

// ended waits until a function has no pending or running job, and returns its newest n jobs, newest first.
func (p *platform) ended(b *testing.B, name string, n int) (all []jobRecord) {
	for _, status := range []string{"waiting", "executing"} {
		for {
			var open jobPage
			if p.call(b, "GET", functionsPath+name+"/job/?limit=1&status="+status, nil, &open); open.Meta.Total == 0 {
				break
			}
			time.Sleep(20 * time.Millisecond)
		}
	}

	for path := functionsPath + name + "/job/?limit=1000"; len(all) < n; {
		var page jobPage
		p.call(b, "GET", path, nil, &page)
		all = append(all, page.Objects...)
		if page.Meta.Next == nil {
			break
		}
		next, err := url.Parse(*page.Meta.Next)
		must(b, err)
		path = next.RequestURI()
	}
	if len(all) < n {
		b.Fatalf("%d jobs, want %d", len(all), n)
	}
	return all[:n]
}

func seconds(jobs []jobRecord, of func(jobRecord) float64) (s series) {
	for _, j := range jobs {
		s = append(s, time.Duration(of(j)*float64(time.Second)))
	}
	return s
}

func wait(j jobRecord) float64 { return j.Started - j.Created }

// asynchronous is the request body of an asynchronous run.
var asynchronous = object{"data": object{"n": 1}, "sync": false}

// BenchmarkJobs measures asynchronous runs. One after the other on an idle cloud: accepted within 5 ms, started within
// 100 ms, ≤ 5 writes each (D30). At 200 a second: all have ended one second after the last request, with ≤ 10 ms of
// processor time each, which is all that two cores have.
func BenchmarkJobs(b *testing.B) {
	p := start(b)
	for _, name := range []string{"idle", "steady"} {
		p.function(b, name, "exports.main = async (event) => event.data.n")
	}

	b.Run("idle", func(b *testing.B) {
		once(b, func() {
			const warm, counted = 20, 200
			for range warm {
				p.call(b, "POST", functionsPath+"idle/job/", asynchronous, nil)
			}
			p.ended(b, "idle", warm)

			var accepted series
			before := p.Stats()
			for range counted {
				began := time.Now()
				p.call(b, "POST", functionsPath+"idle/job/", asynchronous, nil)
				accepted = append(accepted, time.Since(began))
				time.Sleep(40 * time.Millisecond)
			}
			p.cost(b, before, counted)
			jobs := p.ended(b, "idle", counted)
			report(b, "accepted", accepted)
			report(b, "begun", seconds(jobs, wait))
			report(b, "ended", seconds(jobs, func(j jobRecord) float64 { return j.Finished - j.Created }))
		})
	})
	b.Run("steady", func(b *testing.B) { once(b, func() { p.steady(b) }) })
}

// steady starts runs at a steady rate and checks that they do not pile up.
func (p *platform) steady(b *testing.B) {
	const perSecond, n = 200, 15 * 200
	used, began := processor(""), time.Now()
	var clients errgroup.Group
	clients.SetLimit(16)
	for i := range n {
		time.Sleep(time.Until(began.Add(time.Duration(i) * time.Second / perSecond)))
		clients.Go(func() error {
			return p.send(b.Context(), "POST", functionsPath+"steady/job/", asynchronous, nil)
		})
	}
	must(b, clients.Wait())
	accepted := time.Since(began)

	jobs := p.ended(b, "steady", n)
	b.ReportMetric(float64(n)/accepted.Seconds(), "accepted/s")
	b.ReportMetric(ms(time.Since(began)-accepted), "left-over-ms")
	b.ReportMetric(ms(processor("")-used)/n, "cpu-ms/op")
	report(b, "first-third-begun", seconds(jobs[2*n/3:], wait))
	report(b, "last-third-begun", seconds(jobs[:n/3], wait))
	if i := slices.IndexFunc(jobs, func(j jobRecord) bool { return j.Status != "fulfilled" }); i >= 0 {
		b.Errorf("a job is %s", jobs[i].Status)
	}
}

// rareEvery is the number of planted jobs per rejected job; the rejected ones also have a source of their own.
const rareEvery = 50_000

// BenchmarkHistory lists the jobs of a function that has JOBS=50000 ended jobs.
func BenchmarkHistory(b *testing.B) {
	n := number(b, "JOBS", 50_000)
	p := start(b)
	total := p.plantJobs(b, id.ID(p.function(b, "history", trivial)), n)

	now := time.Now()
	for _, q := range []struct {
		name, query string
		want        int // total_count; -1 = any
	}{
		{"first_page", "", total},
		{"after_1000", "offset=1000", total},
		{"after_10000", "offset=10000", total},
		{"a_rare_status", "status=execution_rejected", n/rareEvery + 1},
		{"a_rare_source", "source=timer", n/rareEvery + 1},
		{"a_frequent_status", "status=fulfilled&source=open_api", -1},
		{"ten_hours", fmt.Sprintf(
			"created_at__gte=%d&created_at__lte=%d", now.Add(-20*time.Hour).Unix(), now.Add(-10*time.Hour).Unix(),
		), -1},
	} {
		b.Run(q.name, func(b *testing.B) {
			p.each(b, "cloudfunction", func() {
				var page jobPage
				p.call(b, "GET", functionsPath+"history/job/?limit=20&"+q.query, nil, &page)
				if q.want >= 0 && page.Meta.Total != q.want || len(page.Objects) == 0 {
					b.Fatalf("%d objects, total_count %d, want %d", len(page.Objects), page.Meta.Total, q.want)
				}
			})
		})
	}
}

type item = map[string]types.AttributeValue

// plantJobs gives a function n ended jobs of the last 31 hours and returns its total number of jobs. The originals go
// through the store; the others are copies with new ids. The program that reads the stream counts all.
func (p *platform) plantJobs(b *testing.B, fn id.ID, n int) (total int) {
	collection, jobs := jobdb.Collection(p.scope(), fn), p.table("JobsTable")
	originals := p.originals(b, fn)
	out, err := p.database.Query(b.Context(), &dynamodb.QueryInput{
		TableName: &jobs, KeyConditionExpression: aws.String("pk = :pk AND begins_with(sk, :ended)"),
		ExpressionAttributeValues: item{":pk": text(string(collection)), ":ended": text("ended#")},
	})
	must(b, err)
	if len(out.Items) != originals {
		b.Fatalf("%d ended jobs", len(out.Items))
	}
	isRare := func(it item) bool { return str(it["status"]) == string(job.StatusExecutionRejected) }
	rare := out.Items[slices.IndexFunc(out.Items, isRare)]
	usual := slices.DeleteFunc(out.Items, isRare)

	var writes []types.WriteRequest
	put := func(it item) {
		writes = append(writes, types.WriteRequest{PutRequest: &types.PutRequest{Item: maps.Clone(it)}})
	}
	now := time.Now().UTC()
	for i := range n {
		it := maps.Clone(usual[i%len(usual)])
		if i%rareEvery == rareEvery-1 {
			it = maps.Clone(rare)
		}
		at := now.Add(-time.Hour - time.Duration(i)*(30*time.Hour/time.Duration(n))).Truncate(time.Millisecond)
		jobID := id.First(at) + id.ID(i%4096)
		it["sk"], it["id"] = text("ended#"+jobID.Key()), num(int64(jobID))
		it["started"], it["finished"] = num(at.UnixMilli()), num(at.UnixMilli()+2)
		it["expires_at"] = num(at.Add(job.KeepRecord).Unix())
		put(it)
		status := job.Status(str(it["status"]))
		if status != job.StatusFulfilled {
			it["sk"] = text(string(status) + "#" + jobID.Key())
			delete(it, "log")
			put(it)
		}
	}

	must(b, dynamo.BatchWrite(b.Context(), p.database, jobs, writes))
	p.counted(b, collection, originals+n)
	return originals + n
}

// originals stores ended jobs through the job store, three common kinds and a rare one, and returns their number.
func (p *platform) originals(b *testing.B, fn id.ID) int {
	store, ids := &jobdb.Store{Client: p.database, Table: p.table("JobsTable")}, new(id.Source)
	all := []job.Record{
		{Status: job.StatusFulfilled, Source: job.SourceOpenAPI, Service: job.TimeSensitive},
		{Status: job.StatusFulfilled, Source: job.SourceOpenAPI, Service: job.Batch},
		{
			Status: job.StatusExecutionFailed, Source: job.SourceSDK, Service: job.TimeSensitive,
			Error: &sandbox.Error{Type: "TypeError", Message: "not a function"},
		},
		{Status: job.StatusExecutionRejected, Source: job.SourceTimer, Service: job.TimeSensitive},
	}
	for slot, r := range all {
		now := time.Now().UTC().Truncate(time.Millisecond)
		r.ID, r.Function, r.Name, r.Plan, r.StartedAt, r.FinishedAt = ids.New(now), fn, "history", sandbox.PlanFree, now, now
		r.Slot, r.Lease, r.Execution, r.MemUsage = slot, now.Add(time.Minute), 1.5, 300_000
		r.Log = runlog.Pack("event.data: {}\nreturn: 1\n")
		must(b, store.Begin(b.Context(), job.Running{Record: r, Scope: p.scope()}, job.Nowhere))
		_, err := store.End(b.Context(), p.scope(), r, job.InSlot)
		must(b, err)
	}
	return len(all)
}

// counted waits until the counters of a collection reach want, at most a minute without progress.
func (p *platform) counted(b *testing.B, c count.Collection, want int) {
	counts, last, moved := &countdb.Store{Client: p.database, Table: p.table("CountsTable")}, 0, time.Now()
	for ; ; time.Sleep(100 * time.Millisecond) {
		tree := count.Tree{Reader: counts, Collection: c} // it remembers what it has read
		n, err := tree.Total(b.Context())
		must(b, err)
		if n == want {
			return
		}
		if n != last {
			last, moved = n, time.Now()
		}
		if time.Since(moved) > time.Minute {
			b.Fatalf("%d of %d are counted", n, want)
		}
	}
}

func text(s string) types.AttributeValue { return &types.AttributeValueMemberS{Value: s} }

func str(v types.AttributeValue) string {
	if s, ok := v.(*types.AttributeValueMemberS); ok {
		return s.Value
	}
	return ""
}

func num(n int64) types.AttributeValue {
	return &types.AttributeValueMemberN{Value: strconv.FormatInt(n, 10)}
}
