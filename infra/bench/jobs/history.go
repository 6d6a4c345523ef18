package jobs

import (
	"context"
	"fmt"
	"maps"
	"os"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"

	"minicloud/infra/bench/measure"
	"minicloud/infra/local/ddb"
	"minicloud/shared/dynamo"
	"minicloud/shared/id"
	"minicloud/shared/job"
	"minicloud/shared/sandbox"
	"minicloud/shared/tenant"
)

// rareEvery is how many jobs there are for each rejected one.
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
	var plots []plot
	for _, slots := range []int{1, 16} {
		p, err := b.plough(ctx, slots)
		if err != nil {
			return fmt.Errorf("history of %d slots: %w", slots, err)
		}
		plots = append(plots, p)
	}
	for _, p := range plots {
		if err := b.historyOf(ctx, p, n); err != nil {
			return fmt.Errorf("history of %d slots: %w", p.slots, err)
		}
	}
	return nil
}

// plot is a function whose jobs ran in so many slots at once, with what a few of
// them left: ended jobs, a rare one first, and tallies by key. A tally lies in a
// lane by the slot, of which there are 16.
type plot struct {
	name    string
	fn      id.ID
	slots   int
	total   int
	ended   []item
	tallies map[string]item
}

// plough makes a plot, while the table is small: what there is is found by reading
// all of it.
func (b *bench) plough(ctx context.Context, slots int) (p plot, err error) {
	p.name, p.slots = fmt.Sprintf("history%d", slots), slots
	if p.fn, err = b.create(ctx, p.name, trivial); err != nil {
		return p, err
	}
	client, table := ddb.NewClient(b.cloud.Database), b.jobsTable()
	scope := tenant.Scope{App: b.miniapp(), Env: tenant.Production}
	if p.total, err = originals(ctx, &dynamo.Jobs{Client: client, Table: table}, scope, p.fn, slots); err != nil {
		return p, err
	}
	if p.ended, p.tallies, err = read(ctx, client, table, p.fn); err != nil {
		return p, err
	}
	rare := slices.IndexFunc(p.ended, func(it item) bool { return str(it["status"]) == string(job.StatusExecutionRejected) })
	p.ended[0], p.ended[rare] = p.ended[rare], p.ended[0]
	return p, nil
}

// historyOf plants n more jobs and lists them.
func (b *bench) historyOf(ctx context.Context, p plot, n int) error {
	began := time.Now()
	if err := b.plant(ctx, p, n); err != nil {
		return fmt.Errorf("plant %d jobs: %w", n, err)
	}
	total := p.total + n
	b.Row("jobs of one function planted", fmt.Sprint(total), "", fmt.Sprintf("in %.0f s, over 170 days, %d at once, 3 kinds and a rare one", time.Since(began).Seconds(), p.slots))
	if err := b.fold(ctx, p.fn); err != nil {
		return fmt.Errorf("fold: %w", err)
	}
	for _, row := range []struct {
		name, query string
		want        int // total_count; -1 = any
	}{
		{"first page of 20", "", total},
		{"middle page, by offset", fmt.Sprintf("offset=%d", total/2), total},
		{"last page, by offset", fmt.Sprintf("offset=%d", total-20), total},
		{"a rare status", "status=execution_rejected", n/rareEvery + 1},
		{"a frequent status", "status=fulfilled&source=open_api", -1},
		{"ten days of it", fmt.Sprintf("created_at__gte=%d&created_at__lte=%d", began.AddDate(0, 0, -60).Unix(), began.AddDate(0, 0, -50).Unix()), -1},
	} {
		if err := b.listing(ctx, row.name, functions+p.name+"/job/?limit=20&"+row.query, row.want); err != nil {
			return fmt.Errorf("%s: %w", row.name, err)
		}
	}
	return nil
}

// fold sums up the hours that have passed, as the reaper does with each of them
// once it is over.
func (b *bench) fold(ctx context.Context, fn id.ID) error {
	store := &dynamo.Jobs{Client: ddb.NewClient(b.cloud.Database), Table: b.jobsTable()}
	began := time.Now()
	err := store.Fold(ctx, tenant.Scope{App: b.miniapp(), Env: tenant.Production}, fn, began.UTC().Truncate(time.Hour))
	b.Row("  an hour folded", fmt.Sprintf("%.1f ms", measure.MS(time.Since(began))/(170*24)), "", "once an hour for each function that runs")
	return err
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
	b.Row("  DynamoDB calls each", calls(before, b.cloud.Stats(), n), "", "")
	return nil
}

type item = map[string]types.AttributeValue

// plant gives the function n ended jobs of the last 170 days, as if they had
// run. A few do go through the store; the rest are their copies, with another
// id and another minute in the tallies, written straight into the database's
// file: through its API a million would take an hour.
func (b *bench) plant(ctx context.Context, p plot, n int) error {
	file, err := openFile(ctx, b.cloud.DataDir(), b.jobsTable())
	if err != nil {
		return err
	}
	defer file.rollback()
	now := time.Now().UTC()
	// One partition after the other: the database is a tree.
	for first := range len(p.ended) - 1 {
		for i := first; i < n; i += len(p.ended) - 1 {
			original := p.ended[1+first]
			if i%rareEvery == rareEvery-1 {
				original = p.ended[0]
			}
			at := now.Add(-time.Hour - time.Duration(i)*(170*24*time.Hour/time.Duration(n))).Truncate(time.Millisecond)
			if err := file.put(ctx, copied(original, at, i, p.slots, p.tallies)); err != nil {
				return err
			}
		}
	}
	for _, tally := range p.tallies {
		if err := file.put(ctx, tally); err != nil {
			return err
		}
	}
	return file.commit()
}

// originals run through the store: three kinds in every slot, and a rare one.
func originals(ctx context.Context, store *dynamo.Jobs, scope tenant.Scope, fn id.ID, slots int) (total int, err error) {
	ids := new(id.Source)
	for slot := range slots {
		for _, r := range []job.Record{
			{Status: job.StatusFulfilled, Source: job.SourceOpenAPI, Service: job.TimeSensitive},
			{Status: job.StatusFulfilled, Source: job.SourceOpenAPI, Service: job.Batch},
			{Status: job.StatusExecutionFailed, Source: job.SourceSDK, Service: job.TimeSensitive, Error: &sandbox.Error{Type: "TypeError", Message: "not a function"}},
			{Status: job.StatusExecutionRejected, Source: job.SourceOpenAPI, Service: job.TimeSensitive},
		} {
			if r.Status == job.StatusExecutionRejected && slot > 0 {
				continue
			}
			now := time.Now().UTC().Truncate(time.Millisecond)
			r.ID, r.Function, r.Name, r.Plan, r.StartedAt, r.FinishedAt = ids.New(now), fn, "history", sandbox.PlanFree, now, now
			r.Execution, r.MemUsage = 1.5, 300_000
			r.Log = job.PackLog("event.data: {}\nreturn: 1\n")
			running := job.Running{Record: r, Scope: scope, Slot: slot, Lease: now.Add(time.Minute)}
			if err := store.Begin(ctx, running, job.Nowhere, time.Time{}); err != nil {
				return total, err
			}
			if err := store.End(ctx, scope, r, job.InSlot, slot); err != nil {
				return total, err
			}
			total++
		}
	}
	return total, nil
}

// read finds what the originals left: ended jobs, and tallies by key.
func read(ctx context.Context, client *dynamodb.Client, table string, fn id.ID) (ended []item, tallies map[string]item, err error) {
	tallies = map[string]item{}
	pages := dynamodb.NewScanPaginator(client, &dynamodb.ScanInput{
		TableName: &table, FilterExpression: aws.String("contains(pk, :fn) AND (contains(pk, :job) OR contains(pk, :tally))"),
		ExpressionAttributeValues: item{":fn": &types.AttributeValueMemberS{Value: fn.Key()},
			":job": &types.AttributeValueMemberS{Value: "#job#"}, ":tally": &types.AttributeValueMemberS{Value: "#lanes#"}},
	})
	for pages.HasMorePages() {
		page, err := pages.NextPage(ctx)
		if err != nil {
			return nil, nil, err
		}
		for _, it := range page.Items {
			if strings.Contains(str(it["pk"]), "#lanes#") {
				tallies[str(it["sk"])] = it
			} else {
				ended = append(ended, it)
			}
		}
	}
	if len(ended) == 0 || len(tallies) == 0 {
		return nil, nil, fmt.Errorf("%d ended jobs and %d tallies found", len(ended), len(tallies))
	}
	return ended, tallies, nil
}

// copied is an ended job of another moment, counted in the tallies. Its
// partition ends in the kind, three letters, and the lane, two digits; a tally's
// key is its own lane and the hour, and it has a number for each minute and kind,
// and one for all of them.
func copied(original item, at time.Time, n, slots int, tallies map[string]item) item {
	jobID, pk := id.First(at)+id.ID(n%4096), str(original["pk"])
	it := maps.Clone(original)
	it["sk"], it["id"] = &types.AttributeValueMemberS{Value: jobID.Key()}, num(int64(jobID))
	it["started"], it["finished"] = num(at.UnixMilli()), num(at.UnixMilli()+2)
	it["expires_at"] = num(at.Add(job.KeepRecord).Unix())
	kind := pk[len(pk)-5 : len(pk)-2]
	lane, _ := strconv.Atoi(pk[len(pk)-2:]) // the store wrote it
	if slots > 1 {
		lane += n / 7 % 4 * 4 // four tallies count each lane of the history
	}
	key := fmt.Sprintf("%02d#%s", lane, at.Format("2006010215"))
	tally := tallies[key]
	if tally == nil {
		var any item
		for _, any = range tallies {
			break
		}
		tally = item{"pk": any["pk"], "sk": &types.AttributeValueMemberS{Value: key}, "expires_at": it["expires_at"]}
		tallies[key] = tally
	}
	count(tally, fmt.Sprintf("%02d%s", at.Minute(), kind))
	count(tally, "all")
	return it
}

func count(tally item, name string) {
	n := int64(0)
	if had, ok := tally[name].(*types.AttributeValueMemberN); ok {
		n, _ = strconv.ParseInt(had.Value, 10, 64) // a number we or the store wrote
	}
	tally[name] = num(n + 1)
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
