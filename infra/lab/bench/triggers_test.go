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
	"github.com/aws/aws-sdk-go-v2/service/lambda"
	"github.com/aws/aws-sdk-go-v2/service/sqs"
	sqstypes "github.com/aws/aws-sdk-go-v2/service/sqs/types"
	"golang.org/x/sync/errgroup"

	"minicloud/infra/local/cloud"
	"minicloud/shared/dynamo"
	"minicloud/shared/id"
	"minicloud/shared/trigger/run"
)

// recordtrigger is the function that fires what streams tell.
const recordtrigger = "RecordtriggerFunction"

// plantedTrigger is a trigger as the API answers it.
type plantedTrigger struct {
	ID      int64
	HookURL string `json:"hook_url"`
}

// makeTrigger makes a trigger that calls a function.
func (p *platform) makeTrigger(b *testing.B, kind string, condition object, trace bool) (made plantedTrigger) {
	p.call(b, "POST", triggersPath, object{
		"name": kind, "type": kind, "condition": condition, "trace": trace,
		"actions": []object{{"type": "cloud_function", "settings": object{"function": "noted"}}},
	}, &made)
	return made
}

// onRow is the condition of a trigger that waits for new rows of a table.
func onRow(table string, rules ...object) object {
	return object{"table": table, "event": "create", "match": "all", "rules": rules}
}

// draft is row n.
func draft(n int) object { return object{"city": fmt.Sprint("city ", n%10), "height": n % 100} }

// BenchmarkTriggers is what happens between a change and the message that asks for an action: ≤ 60 ms from the request
// that writes a row, p99 ≤ 250 ms; nothing for writes that nobody waits for; a call of a hook stored within 5 ms; 1,000
// events a second with 500 triggers. Queues feed nobody: the benchmark receives the messages, as a worker would. What
// the same steps cost without any of our code is the floor.
func BenchmarkTriggers(b *testing.B) {
	p := start(b, func(cfg *cloud.Config) { cfg.HeldQueues, cfg.StoppedClock = true, true })
	p.function(b, "noted", "exports.main = async () => 1")

	b.Run("row_to_message", p.rowToMessage)
	b.Run("floor", p.floors)
	b.Run("silence", func(b *testing.B) { once(b, func() { p.silence(b) }) })
	b.Run("hook", p.hook)
	b.Run("busy", p.busy)
}

// rowToMessage writes rows one after the other, and waits for the message of each.
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
	first := whole[0] // programs start, nothing is cached
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

// watch tells of each message that asks for a run, until the context ends.
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

// receive waits for messages of a queue and removes them.
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

// floors are the steps of a row's way and of a hook's call that are not ours.
func (p *platform) floors(b *testing.B) {
	table := p.table("TriggersTable")
	for _, step := range []struct {
		name string
		do   func() error
	}{
		{"PutItem", func() error {
			it := dynamo.Key("bench", "floor")
			it["at"], it["text"] = dynamo.Number(time.Now().UnixNano()), dynamo.Text(fmt.Sprintf("%300d", 1))
			_, err := p.database.PutItem(b.Context(), &dynamodb.PutItemInput{TableName: &table, Item: it})
			return err
		}},
		{"GetItem", func() error {
			_, err := dynamo.GetItem(b.Context(), p.database, table, "bench", "floor")
			return err
		}},
		{"UpdateItem_that_counts", func() error {
			_, err := dynamo.UpdateItem(b.Context(), p.database, dynamo.Update(
				table, "bench", "count", "ADD n :one", "", dynamo.Item{":one": dynamo.Number(1)},
			))
			return err
		}},
		{"Invoke_without_a_record", func() error {
			_, err := p.lambda.Invoke(b.Context(), &lambda.InvokeInput{
				FunctionName: aws.String(recordtrigger), Payload: []byte(`{"Records":[]}`),
			})
			return err
		}},
		{"SendMessage_until_received", func() error {
			_, err := p.queue.SendMessage(b.Context(), &sqs.SendMessageInput{
				QueueUrl: aws.String(p.queueURL("ActionQueue")), MessageBody: aws.String("{}"),
			})
			if err == nil {
				_, err = p.receive(b.Context(), "ActionQueue")
			}
			return err
		}},
	} {
		b.Run(step.name, func(b *testing.B) { loop(b, func() { must(b, step.do()) }) })
	}
}

// silence writes to a table without triggers and counts whom that wakes.
func (p *platform) silence(b *testing.B) {
	p.makeTable(b, "silent", "city string", "height integer")
	must(b, p.Drain(b.Context()))
	before := p.Stats().Invoke[recordtrigger]
	for n := range 200 {
		p.call(b, "POST", fmt.Sprintf(rowsPath, "silent"), draft(n), nil)
	}
	must(b, p.Drain(b.Context()))
	if woken := p.Stats().Invoke[recordtrigger] - before; woken > 0 {
		b.Errorf("%d invocations of %s for writes that nobody waits for", woken, recordtrigger)
	}
}

// hook calls a hook at the rate that is allowed, five times a second (G25), and eight clients at once, over it.
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

// An application as full of triggers as it may be: ten on each of its tables. Of ten rows one fires one of them.
const (
	busyTables   = 50
	tableListens = 10
	rowsEach     = 100
	busyRows     = busyTables * rowsEach
)

func busyTable(n int) string { return fmt.Sprint("busy", n) }

// busy is how many events a second are evaluated with 500 triggers, their writes included: rows by the API, rows that
// are put into the stream at once, from many tables in each batch, and these with every trigger traced. The local
// database takes most of the time, which writes and counts them; the program's processor time says how fast it would be
// alone.
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
	p.makeRows(b) // rows that know of the triggers as they are now
	b.Run("rows_at_once_traced", func(b *testing.B) {
		items := p.stored(b, tables)
		p.evaluated(b, func() { p.flood(b, items) })
	})
}

// makeRows has the platform make rows in all tables.
func (p *platform) makeRows(b *testing.B) {
	for n := range busyTables {
		var drafts []object
		for i := range rowsEach {
			drafts = append(drafts, draft(i))
		}
		p.call(b, "POST", fmt.Sprintf(rowsPath, busyTable(n)), drafts, nil)
	}
}

// stored are the newest rows of all tables, as they are stored.
func (p *platform) stored(b *testing.B, tables []int64) (items []dynamo.Item) {
	for _, id := range tables {
		query := dynamo.Query(p.table("RowsTable"), fmt.Sprintf("%s#%d", p.scope(), id), "", "", true, rowsEach)
		out, err := p.database.Query(b.Context(), query)
		must(b, err)
		items = append(items, out.Items...)
	}
	return items
}

// flood puts rows like these into the database, from table to table, as fast as it takes them.
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

// evaluated does something that makes busyRows events, and measures until all are evaluated.
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

// messages is how many runs wait to be worked on.
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
