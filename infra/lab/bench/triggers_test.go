package bench

import (
	"context"
	"encoding/json"
	"fmt"
	"maps"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"
	"github.com/aws/aws-sdk-go-v2/service/sqs"
	sqstypes "github.com/aws/aws-sdk-go-v2/service/sqs/types"
	"golang.org/x/sync/errgroup"

	"minicloud/infra/local/cloud"
	"minicloud/shared/dynamo"
	"minicloud/shared/id"
	"minicloud/shared/trigger/run"
)

// plantedTrigger is the API's answer to the creation of a trigger.
type plantedTrigger struct {
	ID      int64
	HookURL string `json:"hook_url"`
}

// makeTrigger creates a trigger that calls a function.
func (p *platform) makeTrigger(b *testing.B, kind string, condition object, trace bool) (made plantedTrigger) {
	p.call(b, "POST", triggersPath, object{
		"name": kind, "type": kind, "condition": condition, "trace": trace,
		"actions": []object{{"type": "cloud_function", "settings": object{"function": "noted"}}},
	}, &made)
	return made
}

// onRow returns the condition of a trigger on new rows of a table.
func onRow(table string, rules ...object) object {
	return object{"table": table, "event": "create", "match": "all", "rules": rules}
}

// draft returns the fields of row n.
func draft(n int) object { return object{"city": fmt.Sprint("city ", n%10), "height": n % 100} }

// BenchmarkTriggers measures the way from a change to the queue message of an action: ≤ 60 ms from the request that
// writes a row, p99 ≤ 250 ms; a hook call stored within 5 ms; 1,000 events a second with 500 triggers. The queues feed
// no program: the benchmark receives the messages instead of a worker.
func BenchmarkTriggers(b *testing.B) {
	p := start(b, func(cfg *cloud.Config) { cfg.HeldQueues, cfg.StoppedClock = true, true })
	p.function(b, "noted", "exports.main = async () => 1")

	b.Run("row_to_message", p.rowToMessage)
	b.Run("hook", p.hook)
	b.Run("busy", p.busy)
}

// rowToMessage writes rows one after the other and waits for the queue message of each.
func (p *platform) rowToMessage(b *testing.B) {
	p.makeTable(b, "watched", "city string", "height integer")
	made := p.makeTrigger(b, "table", onRow("watched"), true)
	arrived := make(chan error, 16)
	receiving, stop := context.WithCancel(b.Context())
	defer stop()
	go p.watch(receiving, arrived)

	var whole, answered series
	n := 0
	write := func() {
		time.Sleep(30 * time.Millisecond)
		n++
		asked := time.Now()
		p.call(b, "POST", fmt.Sprintf(rowsPath, "watched"), draft(n), nil)
		began := time.Now()
		select {
		case err := <-arrived:
			must(b, err)
		case <-time.After(30 * time.Second):
			b.Fatalf("no message came of row %d", n)
		}
		whole, answered = append(whole, time.Since(asked)), append(answered, time.Since(began))
	}
	write()
	first := whole[0] // includes program starts and cold caches
	whole, answered = nil, nil
	for b.Loop() {
		write()
	}
	report(b, "", whole)
	b.ReportMetric(ms(first), "first-ms")
	b.ReportMetric(ms(whole.p(0.99)), "p99-ms")
	report(b, "after-the-answer", answered)
	p.call(b, "DELETE", fmt.Sprint(triggersPath, made.ID, "/"), nil, nil)
}

// watch sends to arrived for each message that asks for a run, until the context ends.
func (p *platform) watch(ctx context.Context, arrived chan<- error) {
	for ctx.Err() == nil {
		bodies, err := p.receive(ctx, "ActionQueue")
		if err != nil && ctx.Err() == nil {
			arrived <- err
			return
		}
		for _, body := range bodies {
			var m run.Message
			err := json.Unmarshal([]byte(body), &m)
			if err == nil && m.Run == "" {
				err = fmt.Errorf("a message that asks for no run: %s", body)
			}
			arrived <- err
		}
	}
}

// receive waits for messages of a queue and deletes them.
func (p *platform) receive(ctx context.Context, queue string) (bodies []string, err error) {
	url := aws.String(p.queueURL(queue))
	got, err := p.queue.ReceiveMessage(ctx, &sqs.ReceiveMessageInput{
		QueueUrl: url, MaxNumberOfMessages: 10, WaitTimeSeconds: 20,
	})
	if err != nil {
		return nil, err
	}
	for _, m := range got.Messages {
		bodies = append(bodies, *m.Body)
		in := &sqs.DeleteMessageInput{QueueUrl: url, ReceiptHandle: m.ReceiptHandle}
		if _, err := p.queue.DeleteMessage(ctx, in); err != nil {
			return nil, err
		}
	}
	return bodies, nil
}

// hook calls a hook at the allowed rate, five times a second (G25), and then above it, from eight clients at once.
func (p *platform) hook(b *testing.B) {
	made := p.makeTrigger(b, "incoming_webhook", object{}, true)
	path := made.HookURL[strings.Index(made.HookURL, "/oserve/"):]
	call := func() error {
		return p.send(b.Context(), "POST", path, object{"n": 1, "text": "a call of a hook"}, nil)
	}

	b.Run("stored", func(b *testing.B) {
		var stored series
		before := p.Stats()
		for b.Loop() {
			time.Sleep(210 * time.Millisecond)
			began := time.Now()
			must(b, call())
			stored = append(stored, time.Since(began))
		}
		report(b, "", stored)
		p.cost(b, before, len(stored))
	})

	b.Run("over_the_rate", func(b *testing.B) {
		once(b, func() {
			var mu sync.Mutex
			var stored, refused series
			var clients errgroup.Group
			const lasting = 5 * time.Second
			end := time.Now().Add(lasting)
			client := func() error {
				for time.Now().Before(end) {
					began := time.Now()
					err := call()
					to := &stored
					if err != nil && strings.Contains(err.Error(), "status 429") {
						to, err = &refused, nil
					}
					if err != nil {
						return err
					}
					mu.Lock()
					*to = append(*to, time.Since(began))
					mu.Unlock()
				}
				return nil
			}
			for range 8 {
				clients.Go(client)
			}
			must(b, clients.Wait())
			report(b, "stored", stored)
			report(b, "refused", refused)
			if n := len(stored); n > 30 {
				b.Errorf("%d calls were stored within %v, want 30 at most", n, lasting)
			}
		})
	})
	p.call(b, "DELETE", fmt.Sprint(triggersPath, made.ID, "/"), nil, nil)
}

// Size of an application with the maximum of triggers: ten on each of its tables. One row in ten fires one trigger.
const (
	busyTables   = 50
	tableListens = 10
	rowsEach     = 100
	busyRows     = busyTables * rowsEach
)

func busyTable(n int) string { return fmt.Sprint("busy", n) }

// busy reports how many events a second are evaluated with 500 triggers, the row writes included: for rows written
// through the API, for rows put directly into the database so that each stream batch has rows of many tables, and for
// the latter with every trigger traced. The local database uses most of the time, because it writes and counts the
// rows; the processor time of the program shows how fast it would be alone.
func (p *platform) busy(b *testing.B) {
	var tables []int64
	var triggers []plantedTrigger
	for n := range busyTables {
		tables = append(tables, p.makeTable(b, busyTable(n), "city string", "height integer"))
		for k := range tableListens {
			triggers = append(triggers, p.makeTrigger(b, "table", onRow(busyTable(n),
				object{"field": "city", "operator": "=", "value": fmt.Sprint("city ", k)},
				object{"field": "height", "operator": ">=", "value": 90},
			), false))
		}
	}

	b.Run("rows_by_the_API", func(b *testing.B) { p.evaluated(b, func() { p.makeRows(b) }) })
	b.Run("rows_at_once", func(b *testing.B) {
		items := p.stored(b, tables)
		p.evaluated(b, func() { p.flood(b, items) })
	})
	for _, m := range triggers {
		p.call(b, "PUT", fmt.Sprint(triggersPath, m.ID, "/"), object{"trace": true}, nil)
	}
	p.makeRows(b) // rows written under the current triggers
	b.Run("rows_at_once_traced", func(b *testing.B) {
		items := p.stored(b, tables)
		p.evaluated(b, func() { p.flood(b, items) })
	})
}

// makeRows creates rows in all tables through the API.
func (p *platform) makeRows(b *testing.B) {
	for n := range busyTables {
		var drafts []object
		for i := range rowsEach {
			drafts = append(drafts, draft(i))
		}
		p.call(b, "POST", fmt.Sprintf(rowsPath, busyTable(n)), drafts, nil)
	}
}

// stored returns the newest rows of all tables in their stored form.
func (p *platform) stored(b *testing.B, tables []int64) (items []dynamo.Item) {
	for _, id := range tables {
		query := dynamo.Query(p.table("RowsTable"), fmt.Sprintf("%s#%d", p.scope(), id), "", "", true, rowsEach)
		out, err := p.database.Query(b.Context(), query)
		must(b, err)
		items = append(items, out.Items...)
	}
	return items
}

// flood puts copies of the rows into the database, alternating between tables, as fast as it accepts them.
func (p *platform) flood(b *testing.B, items []dynamo.Item) {
	const atOnce, batch = 4, 25
	table, ids := p.table("RowsTable"), new(id.Source)
	var group errgroup.Group
	group.SetLimit(atOnce)
	for from := 0; from < len(items); from += batch {
		var puts []types.WriteRequest
		for i := from; i < min(from+batch, len(items)); i++ {
			it := maps.Clone(items[i%busyTables*rowsEach+i/busyTables])
			it["sk"] = dynamo.Text(fmt.Sprintf("%014x%010x", int64(ids.New(time.Now())), i))
			puts = append(puts, types.WriteRequest{PutRequest: &types.PutRequest{Item: it}})
		}
		group.Go(func() error {
			_, err := p.database.BatchWriteItem(b.Context(), &dynamodb.BatchWriteItemInput{
				RequestItems: map[string][]types.WriteRequest{table: puts},
			})
			return err
		})
	}
	must(b, group.Wait())
}

// evaluated runs do, which makes busyRows events, and measures the time until all are evaluated.
func (p *platform) evaluated(b *testing.B, do func()) {
	once(b, func() {
		must(b, p.Drain(b.Context()))
		messages, before, used := p.messages(b), p.Stats(), processor("recordtrigger")
		began := time.Now()
		do()
		must(b, p.Drain(b.Context()))
		took := time.Since(began)

		if asked := p.messages(b) - messages; asked != busyRows/10 {
			b.Fatalf("%d runs were asked for, want %d", asked, busyRows/10)
		}
		b.ReportMetric(busyRows/took.Seconds(), "events/s")
		b.ReportMetric(ms(processor("recordtrigger")-used)/busyRows, "cpu-ms/event")
		p.cost(b, before, busyRows)
	})
}

// messages returns the number of pending runs in the action queue.
func (p *platform) messages(b *testing.B) int {
	const visible = sqstypes.QueueAttributeNameApproximateNumberOfMessages
	about, err := p.queue.GetQueueAttributes(b.Context(), &sqs.GetQueueAttributesInput{
		QueueUrl: aws.String(p.queueURL("ActionQueue")), AttributeNames: []sqstypes.QueueAttributeName{visible},
	})
	must(b, err)
	n, err := strconv.Atoi(about.Attributes[string(visible)])
	must(b, err)
	return n
}
