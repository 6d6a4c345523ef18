package jobs

import (
	"context"
	"fmt"
	"maps"
	"os"
	"slices"
	"strconv"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"

	"minicloud/infra/lab/bench/api"
	"minicloud/infra/lab/bench/measure"
	"minicloud/infra/local/ddb"
	"minicloud/shared/count"
	"minicloud/shared/dynamo/countdb"
	"minicloud/shared/dynamo/jobdb"
	"minicloud/shared/id"
	"minicloud/shared/job"
	"minicloud/shared/sandbox"
	"minicloud/shared/tenant"
)

// rareEvery is how many jobs there are for each rejected one, which has a source of its own, too.
const rareEvery = 50_000

// history lists many jobs of one function.
func (b *bench) history(ctx context.Context) error {
	n := 200_000
	if text := os.Getenv("JOBS"); text != "" {
		var err error
		if n, err = strconv.Atoi(text); err != nil || n < rareEvery {
			return fmt.Errorf("JOBS must be a number of at least %d, not %q", rareEvery, text)
		}
	}
	p, err := b.plough(ctx)
	if err != nil {
		return fmt.Errorf("plough: %w", err)
	}
	return b.historyOf(ctx, p, n)
}

// plot is a function with what a few of its jobs left: records of those that ended, a rare one first, and their copies
// by status.
type plot struct {
	collection count.Collection
	ended      []item
}

// plough makes a plot, and waits until its jobs are counted.
func (b *bench) plough(ctx context.Context) (p plot, err error) {
	fn, err := b.create(ctx, "history", trivial)
	if err != nil {
		return p, err
	}
	client, scope := ddb.NewClient(b.cloud.Database), tenant.Scope{App: b.miniapp(), Env: tenant.Production}
	p.collection = jobdb.Collection(scope, fn)
	if err := originals(ctx, &jobdb.Store{Client: client, Table: b.table("JobsTable")}, scope, fn); err != nil {
		return p, err
	}

	query := &dynamodb.QueryInput{
		TableName:              aws.String(b.table("JobsTable")),
		KeyConditionExpression: aws.String("pk = :pk AND begins_with(sk, :ended)"),
		ExpressionAttributeValues: item{
			":pk":    &types.AttributeValueMemberS{Value: string(p.collection)},
			":ended": &types.AttributeValueMemberS{Value: "ended#"},
		},
	}
	out, err := client.Query(ctx, query)
	if err != nil {
		return p, err
	}
	p.ended = out.Items
	rare := slices.IndexFunc(
		p.ended, func(it item) bool { return str(it["status"]) == string(job.StatusExecutionRejected) },
	)
	p.ended[0], p.ended[rare] = p.ended[rare], p.ended[0]

	began := time.Now()
	for counted := 0; counted < len(p.ended); time.Sleep(10 * time.Millisecond) {
		tree := count.Tree{Reader: &countdb.Store{Client: client, Table: b.table("CountsTable")}, Collection: p.collection}
		if counted, err = tree.Total(ctx); err != nil || time.Since(began) > time.Minute {
			return p, fmt.Errorf("%d of %d jobs counted: %w", counted, len(p.ended), err)
		}
	}
	b.Row("jobs counted after", fmt.Sprintf("%.1f s", time.Since(began).Seconds()), "≤ 2 s", "")
	return p, nil
}

// historyOf plants n more jobs and lists them.
func (b *bench) historyOf(ctx context.Context, p plot, n int) error {
	began := time.Now()
	if err := b.plant(ctx, p, n); err != nil {
		return fmt.Errorf("plant %d jobs: %w", n, err)
	}
	total := len(p.ended) + n
	b.Row(
		"jobs of one function planted", fmt.Sprint(total), "",
		fmt.Sprintf("in %.0f s, over 170 days, 3 kinds and a rare one", time.Since(began).Seconds()),
	)

	for _, row := range []struct {
		name, query string
		want        int // total_count; -1 = any
	}{
		{"first page of 20", "", total},
		{"the page after 1,000", "offset=1000", total},
		{"the page after 10,000", "offset=10000", total},
		{"a rare status", "status=execution_rejected", n/rareEvery + 1},
		{"a rare source", "source=timer", n/rareEvery + 1},
		{"a frequent status", "status=fulfilled&source=open_api", -1},
		{
			"ten days of it",
			fmt.Sprintf(
				"created_at__gte=%d&created_at__lte=%d", began.AddDate(0, 0, -60).Unix(), began.AddDate(0, 0, -50).Unix(),
			),
			-1,
		},
	} {
		if err := b.listing(ctx, row.name, functions+"history/job/?limit=20&"+row.query, row.want); err != nil {
			return fmt.Errorf("%s: %w", row.name, err)
		}
	}
	return nil
}

func (b *bench) listing(ctx context.Context, name, path string, want int) error {
	const n = 30
	once := func() error {
		p, err := b.page(ctx, path)
		if err == nil && (want >= 0 && p.Meta.Total != want || len(p.Objects) == 0) {
			err = fmt.Errorf("%d objects, total_count %d, want %d", len(p.Objects), p.Meta.Total, want)
		}
		return err
	}
	if _, err := measure.Times(3, 0, once); err != nil {
		return err
	}

	before := b.cloud.Stats()
	s, err := measure.Times(0, n, once)
	if err != nil {
		return err
	}

	b.Series(name, s, "")
	b.Row("  DynamoDB calls each", api.Calls(before, b.cloud.Stats(), n), "", "")

	return nil
}

type item = map[string]types.AttributeValue

// plant gives the function n ended jobs of the last 170 days, as if they had run. A few do go through the store; the
// rest are their copies, with another id, and their counters, written straight into the database's file: through its
// API a million would take an hour.
func (b *bench) plant(ctx context.Context, p plot, n int) error {
	records, err := openFile(ctx, b.cloud.DataDir(), b.table("JobsTable"))
	if err != nil {
		return err
	}
	defer records.rollback()

	counters, now := count.Delta{}, time.Now().UTC()
	for _, it := range p.ended {
		counters.Add(p.collection, kind(it), idOf(it), 1)
	}
	for i := range n {
		original := p.ended[1+i%(len(p.ended)-1)]
		if i%rareEvery == rareEvery-1 {
			original = p.ended[0]
		}
		at := now.Add(-time.Hour - time.Duration(i)*(170*24*time.Hour/time.Duration(n))).Truncate(time.Millisecond)
		it := copied(original, at, i)
		if err := records.put(ctx, it); err != nil {
			return err
		}
		counters.Add(p.collection, kind(it), idOf(it), 1)

		if status := str(it["status"]); status != string(job.StatusFulfilled) {
			it["sk"] = &types.AttributeValueMemberS{Value: status + "#" + idOf(it).Key()}
			delete(it, "log")
			if err := records.put(ctx, it); err != nil {
				return err
			}
		}
	}
	if err := records.commit(); err != nil {
		return err
	}
	return b.plantCounters(ctx, counters)
}

func (b *bench) plantCounters(ctx context.Context, counters count.Delta) error {
	file, err := openFile(ctx, b.cloud.DataDir(), b.table("CountsTable"))
	if err != nil {
		return err
	}
	defer file.rollback()

	for key, children := range counters {
		it, sum := item{
			"pk": &types.AttributeValueMemberS{Value: string(key.Collection)},
			"sk": &types.AttributeValueMemberS{Value: fmt.Sprintf("%d#%010x#%s", key.Node.Level, key.Node.Prefix, key.Kind)},
		}, 0
		for child, records := range children {
			it[fmt.Sprintf("c%x", child)] = num(int64(records))
			sum += records
		}
		it["n"] = num(int64(sum))
		if err := file.put(ctx, it); err != nil {
			return err
		}
	}
	return file.commit()
}

// originals run through the store: three kinds, and a rare one.
func originals(ctx context.Context, store *jobdb.Store, scope tenant.Scope, fn id.ID) error {
	ids := new(id.Source)
	for slot, r := range []job.Record{
		{Status: job.StatusFulfilled, Source: job.SourceOpenAPI, Service: job.TimeSensitive},
		{Status: job.StatusFulfilled, Source: job.SourceOpenAPI, Service: job.Batch},
		{
			Status: job.StatusExecutionFailed, Source: job.SourceSDK, Service: job.TimeSensitive,
			Error: &sandbox.Error{Type: "TypeError", Message: "not a function"},
		},
		{Status: job.StatusExecutionRejected, Source: job.SourceTimer, Service: job.TimeSensitive},
	} {
		now := time.Now().UTC().Truncate(time.Millisecond)
		r.ID, r.Function, r.Name, r.Plan, r.StartedAt, r.FinishedAt = ids.New(now), fn, "history", sandbox.PlanFree, now, now
		r.Slot, r.Lease, r.Execution, r.MemUsage = slot, now.Add(time.Minute), 1.5, 300_000
		r.Log = job.PackLog("event.data: {}\nreturn: 1\n")
		if err := store.Begin(ctx, job.Running{Record: r, Scope: scope}, job.Nowhere); err != nil {
			return err
		}
		if err := store.End(ctx, scope, r, job.InSlot); err != nil {
			return err
		}
	}

	return nil
}

// copied is an ended job of another moment.
func copied(original item, at time.Time, n int) item {
	jobID := id.First(at) + id.ID(n%4096)
	it := maps.Clone(original)
	it["sk"], it["id"] = &types.AttributeValueMemberS{Value: "ended#" + jobID.Key()}, num(int64(jobID))
	it["started"], it["finished"] = num(at.UnixMilli()), num(at.UnixMilli()+2)
	it["expires_at"] = num(at.Add(job.KeepRecord).Unix())
	return it
}

func kind(it item) string {
	return jobdb.Kind(job.Status(str(it["status"])), job.Source(str(it["source"])), job.ServiceType(str(it["service"])))
}

func idOf(it item) id.ID {
	var n id.ID
	if v, ok := it["id"].(*types.AttributeValueMemberN); ok {
		fmt.Sscan(v.Value, &n) // a number we or the store wrote
	}
	return n
}

func str(v types.AttributeValue) string {
	if s, ok := v.(*types.AttributeValueMemberS); ok {
		return s.Value
	}
	return ""
}

func num(n int64) types.AttributeValue {
	return &types.AttributeValueMemberN{Value: strconv.FormatInt(n, 10)}
}
