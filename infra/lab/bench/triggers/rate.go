package triggers

import (
	"context"
	"fmt"
	"maps"
	"strconv"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"
	"github.com/aws/aws-sdk-go-v2/service/sqs"
	sqstypes "github.com/aws/aws-sdk-go-v2/service/sqs/types"
	"golang.org/x/sync/errgroup"

	"minicloud/infra/lab/bench/api"
	"minicloud/infra/lab/bench/measure"
	"minicloud/shared/dynamo"
	"minicloud/shared/id"
)

// An application as full of triggers as it may be: ten on each of its tables. Of ten rows one fires one of them.
const (
	busyTables   = 50
	tableListens = 10
	rowsEach     = 100
	busyRows     = busyTables * rowsEach
	busyRuns     = busyRows / 10
)

// rate prints how many events a second are evaluated with 500 triggers, their writes included. Rows that are put into
// the stream at once come from many tables in each batch: it is the local database that takes the time then, which
// writes and counts them, and the program's processor time says how fast it would be alone.
func (b *bench) rate(ctx context.Context) error {
	began := time.Now()
	ids, err := b.plant(ctx)
	if err != nil {
		return err
	}
	b.Row("500 triggers on 50 tables made in", fmt.Sprintf("%.1f s", time.Since(began).Seconds()), "", "")

	name := fmt.Sprintf("%d rows by the API, requests of %d", busyRows, rowsEach)
	if err := b.evaluated(ctx, name, "≥ 1000/s", func() error { return b.make(ctx) }); err != nil {
		return err
	}
	// The platform has made them: others like them can be put into the stream faster than it makes them.
	items, err := b.stored(ctx, ids)
	if err != nil {
		return err
	}

	if err := b.direct(ctx, ids); err != nil {
		return err
	}
	name = fmt.Sprintf("%d rows put into the stream at once", len(items))
	if err := b.evaluated(ctx, name, "", func() error { return b.flood(ctx, items) }); err != nil {
		return err
	}

	if err := b.trace(ctx); err != nil {
		return err
	}
	if err := b.make(ctx); err != nil { // rows that know of the triggers as they are now
		return err
	}
	if items, err = b.stored(ctx, ids); err != nil {
		return err
	}
	return b.evaluated(
		ctx, "  the same, every trigger traced", "", func() error { return b.flood(ctx, items) },
	)
}

// busy is the name of table n.
func busy(n int) string { return fmt.Sprintf("busy%d", n) }

// rule are the conditions of trigger k of a table: one row of a hundred meets them.
func rule(k int) []object {
	return []object{
		{"field": "city", "operator": "=", "value": fmt.Sprint("city ", k)},
		{"field": "height", "operator": ">=", "value": 90},
	}
}

// plant makes the tables and the triggers, and returns the tables' ids.
func (b *bench) plant(ctx context.Context) (ids []string, err error) {
	for n := range busyTables {
		if err := b.makeTable(ctx, busy(n)); err != nil {
			return nil, err
		}
		for k := range tableListens {
			if _, err := b.makeTrigger(ctx, "table", onRow(busy(n), rule(k)...), false); err != nil {
				return nil, fmt.Errorf("trigger %d of table %d: %w", k, n, err)
			}
		}

		var table struct {
			ID int64 `json:"id"`
		}
		if err := b.send(ctx, "GET", tables+busy(n)+"/", nil, &table); err != nil {
			return nil, err
		}
		ids = append(ids, strconv.FormatInt(table.ID, 10))
	}
	return ids, nil
}

// trace switches the trace of all triggers on.
func (b *bench) trace(ctx context.Context) error {
	var list struct {
		Objects []made `json:"objects"`
	}
	if err := b.send(ctx, "GET", triggers+"?type=table&limit=1000&name__contains=table", nil, &list); err != nil {
		return err
	}
	for _, m := range list.Objects {
		if err := b.send(ctx, "PUT", fmt.Sprint(triggers, m.ID, "/"), object{"trace": true}, nil); err != nil {
			return err
		}
	}
	return nil
}

// make has the platform make rows in all tables.
func (b *bench) make(ctx context.Context) error {
	for n := range busyTables {
		var drafts []object
		for i := range rowsEach {
			drafts = append(drafts, draft(i))
		}
		if err := b.send(ctx, "POST", fmt.Sprintf(rows, busy(n)), drafts, nil); err != nil {
			return err
		}
	}
	return nil
}

// stored are the newest rows of all tables, as they are stored.
func (b *bench) stored(ctx context.Context, tables []string) (items []dynamo.Item, err error) {
	for _, id := range tables {
		query := dynamo.Query(b.table("RowsTable"), b.scope().String()+"#"+id, "", "", true, rowsEach)
		out, err := b.database.Query(ctx, query)
		if err != nil {
			return nil, err
		}
		items = append(items, out.Items...)
	}
	return items, nil
}

// flood puts rows like these into the database, those of one table one after the other, as fast as it takes them.
func (b *bench) flood(ctx context.Context, items []dynamo.Item) error {
	const atOnce, batch = 4, 25
	table, ids := b.table("RowsTable"), new(id.Source)
	group, ctx := errgroup.WithContext(ctx)
	group.SetLimit(atOnce)
	for from := 0; from < len(items); from += batch {
		var puts []types.WriteRequest
		for i := from; i < min(from+batch, len(items)); i++ {
			// From table to table: the rows of many come together.
			it := maps.Clone(items[i%busyTables*rowsEach+i/busyTables])
			it["sk"] = dynamo.Text(fmt.Sprintf("%014x%010x", int64(ids.New(time.Now())), i))
			puts = append(puts, types.WriteRequest{PutRequest: &types.PutRequest{Item: it}})
		}

		group.Go(func() error {
			_, err := b.database.BatchWriteItem(ctx, &dynamodb.BatchWriteItemInput{
				RequestItems: map[string][]types.WriteRequest{table: puts},
			})
			return err
		})
	}

	return group.Wait()
}

// evaluated does something that makes busyRows events, and times it until all are evaluated.
func (b *bench) evaluated(ctx context.Context, name, bound string, do func() error) error {
	if err := b.cloud.Drain(ctx); err != nil {
		return err
	}
	messages, err := b.messages(ctx)
	if err != nil {
		return err
	}
	before, used, all := b.cloud.Stats(), measure.Processor("recordtrigger"), measure.Processor("")

	began := time.Now()
	if err := do(); err != nil {
		return err
	}
	written := time.Since(began)
	if err := b.cloud.Drain(ctx); err != nil {
		return err
	}
	took := time.Since(began)

	after := b.cloud.Stats()
	came, err := b.messages(ctx)
	if err != nil {
		return err
	}
	if came-messages != busyRuns {
		return fmt.Errorf("%s: %d runs were asked for, want %d", name, came-messages, busyRuns)
	}
	each := func(d time.Duration) float64 { return measure.MS(d) / busyRows }
	b.Row(name, fmt.Sprintf("%.0f/s", busyRows/took.Seconds()), bound, fmt.Sprintf(
		"written in %.1f s, evaluated in %.1f s, %d invocations",
		written.Seconds(), took.Seconds(), after.Invoke[recordtrigger]-before.Invoke[recordtrigger],
	))
	b.Row("  processor time each", fmt.Sprintf("%.2f ms", each(measure.Processor("recordtrigger")-used)), "",
		fmt.Sprintf("of recordtrigger; %.2f ms of everything with the writes", each(measure.Processor("")-all)))
	b.Row("  DynamoDB calls each", api.Calls(before, after, busyRows), "", "with the writes")
	return nil
}

// messages is how many runs wait to be worked on.
func (b *bench) messages(ctx context.Context) (int, error) {
	const visible = sqstypes.QueueAttributeNameApproximateNumberOfMessages
	about, err := b.queue.GetQueueAttributes(ctx, &sqs.GetQueueAttributesInput{
		QueueUrl: aws.String(b.queueURL("ActionQueue")), AttributeNames: []sqstypes.QueueAttributeName{visible},
	})
	if err != nil {
		return 0, err
	}
	return strconv.Atoi(about.Attributes[string(visible)])
}
