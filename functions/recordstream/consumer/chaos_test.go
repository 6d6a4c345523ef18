package consumer_test

import (
	"context"
	"fmt"
	"hash/fnv"
	"io"
	"math/rand/v2"
	"net/http"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/aws/aws-lambda-go/events"
	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb"

	"minicloud/functions/recordstream/consumer"
	"minicloud/infra/local/dynamotest"
	"minicloud/infra/recount/books"
	"minicloud/shared/clock"
	"minicloud/shared/count"
	"minicloud/shared/dynamo"
	"minicloud/shared/dynamo/countdb"
	"minicloud/shared/dynamo/rowdb"
	"minicloud/shared/errs"
	"minicloud/shared/id"
	"minicloud/shared/language/value"
	"minicloud/shared/language/value/update"
	"minicloud/shared/page"
	"minicloud/shared/program/lambdabatch"
	"minicloud/shared/table"
	"minicloud/shared/table/manage"
	"minicloud/shared/table/shard"
	"minicloud/shared/tenant"
)

// writes is the number of rows that are inserted, changed and deleted during the faults.
const writes = 3_000

// TestCountersSurviveFaults: rows are inserted and deleted while their counter is killed in the middle of its calls,
// gets batches twice, cut at other places, and those of different shards in any order. After it has read everything,
// a recount finds no drift. The recount then finds, reports and repairs planted drifts.
func TestCountersSurviveFaults(t *testing.T) {
	client := dynamotest.Start(t, "RowsTable", "RowIndexesTable", "TablesTable", "CountsTable")
	rows := &rowdb.Rows{Client: client, Table: "RowsTable", Indexes: "RowIndexesTable", Schemas: "TablesTable"}
	counts := &countdb.Store{Client: client, Table: "CountsTable", Clock: clock.System}
	schemas := &rowdb.Tables{Client: client, Name: "TablesTable"}
	for w := range 4 {
		if err := schemas.InsertTable(t.Context(), scopeOf(w), tableOf(w)); err != nil {
			t.Fatal(err)
		}
	}
	stream := dynamotest.OpenStream(t, client, "RowsTable")

	var writers sync.WaitGroup
	var written atomic.Int64
	for w := range 4 {
		writers.Go(func() { writeRows(t, rows, w, &written) })
	}
	done := make(chan struct{})
	go func() { writers.Wait(); close(done) }()
	deaths := feed(t, stream, client, done)
	t.Logf("%d writes, %d records, the counter died %d times", written.Load(), stream.Read, deaths)

	recount := books.Recount{Base: rows, Books: counts, Pause: 10 * time.Millisecond, Looks: 5}
	run := func(repair bool) books.Report {
		t.Helper()
		recount.Repair = repair
		report, err := recount.Run(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		return report
	}
	report := run(false)
	if len(report.Drifts)+len(report.Restless) > 0 || report.Collections != 4 || report.Records == 0 {
		t.Fatalf("after it drained: %+v", report)
	}
	for w := range 4 {
		tree := count.Tree{Reader: counts, Collection: table.Collection(scopeOf(w), tableOf(w).ID)}
		if total, err := tree.Total(t.Context()); err != nil || total == 0 {
			t.Errorf("total %d, %v", total, err)
		}
		dynamotest.CheckLevels(t, counts, tree.Collection)
	}

	// Plant five extra records in one leaf and all its ancestors.
	c := table.Collection(scopeOf(1), tableOf(1).ID)
	plant(t, counts, c, "", id.First(time.Now()), 5)
	// Counters of jobs are not counters of rows: the recount must not touch them.
	plant(t, counts, "7:production#job#f", "f", 1, 3)
	for _, repair := range []bool{false, true} {
		report = run(repair)
		if len(report.Drifts) != count.Levels || report.Total[c] != -5 || len(report.Total) != 1 {
			t.Errorf("repair %v of what was planted: %d counters, total by %v", repair, len(report.Drifts), report.Total)
		}
	}
	if report = run(false); len(report.Drifts) > 0 {
		t.Errorf("after the repair: %+v", report.Drifts)
	}
	dynamotest.CheckLevels(t, counts, c)

	// Plant a drift in the middle only, as a batch leaves it that is given up: the totals are right.
	node, child := count.NodeOf(id.First(time.Now()), 1)
	if err := counts.Correct(t.Context(), count.Key{Collection: c, Node: node}, map[int]int{child: 2}); err != nil {
		t.Fatal(err)
	}
	// The node above agrees with it once it is corrected.
	if report = run(true); len(report.Drifts) != 1 || len(report.Total) != 0 {
		t.Errorf("repair of the middle: %+v, total by %v", report.Drifts, report.Total)
	}
	dynamotest.CheckLevels(t, counts, c)
}

// plant adds to a number's counters at every level.
func plant(t *testing.T, counts *countdb.Store, c count.Collection, kind string, n id.ID, by int) {
	t.Helper()
	for level := range count.Levels {
		node, child := count.NodeOf(n, level)
		if err := counts.Correct(t.Context(), count.Key{Collection: c, Node: node, Kind: kind}, map[int]int{child: by}); err != nil {
			t.Fatal(err)
		}
	}
}

func scopeOf(w int) tenant.Scope {
	return tenant.Scope{App: tenant.AppID(7 + w%2), Env: tenant.Production}
}

// tableOf returns a table without an index for an even w, with one for an odd w.
func tableOf(w int) table.Table {
	c := table.Column{Column: value.Column{Name: "n", Type: value.Integer}, Key: "n"}
	if w%2 == 1 {
		c.Index = &table.Index{ID: "n"}
	}
	t := table.Table{ID: table.ID(5 + w), Name: fmt.Sprint("things", w), Columns: []table.Column{c}}
	if w > 1 {
		t.Epochs = shard.Epochs{{Shards: 3}}
	}
	return t
}

// writeRows executes one writer's part of the writes.
func writeRows(t *testing.T, rows *rowdb.Rows, w int, written *atomic.Int64) {
	s := &manage.Service{
		Rows: rows, Counts: &dynamotest.Counts{Client: rows.Client, Table: rows.Table}, Clock: clock.System,
		IDs: new(id.Source),
	}
	in, scope, r := tableOf(w), scopeOf(w), rand.New(rand.NewPCG(uint64(w), 9))
	change, err := update.FromObject(map[string]any{"n": map[string]any{"$incr_by": 1.0}}, in.Writable(), nil)
	if err != nil {
		t.Error(err)
		return
	}

	for n := 0; n < writes/4; {
		some := 1 + r.IntN(100)*r.IntN(2)
		var err error
		switch r.IntN(4) {
		case 0, 1:
			for _, o := range s.Insert(t.Context(), scope, in, make([]map[string]any, some), table.Author{}) {
				if o.Err != nil {
					err = o.Err
				}
			}
		case 2:
			_, err = s.UpdateMatching(
				t.Context(), scope, in, table.Query{Page: page.Request{Limit: some}}, change, table.Origin{},
			)
		default:
			q := table.Query{Page: page.Request{Limit: some, Offset: r.IntN(50)}}
			_, err = s.DeleteMatching(t.Context(), scope, in, q, table.Origin{Quiet: r.IntN(2) == 0})
		}
		if err != nil && !errs.Is(err, errs.KindConflict) {
			t.Error(err)
			return
		}
		n += some
		written.Add(int64(some))
	}
}

// shards is the number of shards; as in DynamoDB, all records of one row are in the same shard.
const shards = 3

// delivery is the queue of one shard; next is the position of the next record.
type delivery struct {
	records []events.DynamoDBEventRecord
	next    int
}

// feed delivers records until the writers have ended and everything is read. It returns how often the consumer died.
func feed(t *testing.T, stream *dynamotest.Stream, client *dynamodb.Client, done <-chan struct{}) (deaths int) {
	r := rand.New(rand.NewPCG(11, 13))
	var queues [shards]delivery
	line := &brokenLine{}
	group := newGroup(line.over(client))
	for idle := 0; idle < 2; {
		for _, record := range stream.Take() {
			h := fnv.New32a()
			_, _ = io.WriteString(h, record.Change.Keys["pk"].String()+record.Change.Keys["sk"].String())
			q := &queues[h.Sum32()%shards]
			q.records = append(q.records, record)
		}

		left := 0
		for _, i := range r.Perm(shards)[:1+r.IntN(shards)] {
			if !deliver(t, r, group, &queues[i], i, line) {
				deaths++
				group = newGroup(line.over(client)) // a new process
			}
		}
		for i := range queues {
			left += len(queues[i].records) - queues[i].next
		}

		select {
		case <-done:
			if idle++; left > 0 {
				idle = 0
			}
		default:
		}
	}
	return deaths
}

// deliver gives the consumer a batch of a shard, sometimes from an earlier position. It reports whether the consumer
// survived.
func deliver(t *testing.T, r *rand.Rand, group *consumer.Group, q *delivery, shard int, line *brokenLine) bool {
	if r.IntN(10) == 0 {
		q.next -= r.IntN(min(q.next, 200) + 1) // redelivery
	}
	batch := q.records[q.next:min(q.next+1+r.IntN(400), len(q.records))]
	if len(batch) == 0 {
		return true
	}

	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	kills := r.IntN(2) == 0
	if kills {
		line.killIn(int32(1+r.IntN(6)), cancel)
	}
	at := lambdabatch.Shard{
		Stream: "arn:aws:dynamodb:local:0:table/RowsTable/stream/1", Name: fmt.Sprint("shard-", shard),
	}
	counted, err := group.Count(ctx, at, batch)
	if line.calm(); err == nil {
		q.next += counted
		return true
	}
	if !kills {
		t.Error(err)
	}
	return false // without a result, the whole batch is redelivered
}

func newGroup(client *dynamodb.Client) *consumer.Group {
	counts := &countdb.Store{Client: client, Table: "CountsTable", Clock: clock.System}
	return &consumer.Group{
		Counter: &count.Counter{Store: counts}, Readers: map[string]consumer.Reader{"RowsTable": countdb.RowCount},
	}
}

// brokenLine is a connection on which a process dies: before a call is sent, or after it executed and before the
// response arrived.
type brokenLine struct {
	dynamodb.HTTPClient
	calls atomic.Int32 // calls left until the process dies; 0 means never
	kill  context.CancelFunc
}

func (l *brokenLine) over(client *dynamodb.Client) *dynamodb.Client {
	at := client.Options()
	as := dynamo.New(aws.Config{Region: at.Region, Credentials: at.Credentials, BaseEndpoint: at.BaseEndpoint}).Options()
	return dynamodb.New(as, func(o *dynamodb.Options) { l.HTTPClient, o.HTTPClient = o.HTTPClient, l })
}

func (l *brokenLine) killIn(calls int32, kill context.CancelFunc) {
	l.kill = kill
	l.calls.Store(calls)
}

func (l *brokenLine) calm() { l.calls.Store(0) }

func (l *brokenLine) Do(r *http.Request) (*http.Response, error) {
	left := l.calls.Add(-1)
	if left == 0 && rand.IntN(2) == 0 {
		l.kill()
		return nil, io.ErrUnexpectedEOF
	}
	answer, err := l.HTTPClient.Do(r)
	if left == 0 && err == nil {
		answer.Body.Close()
		l.kill()
		return nil, io.ErrUnexpectedEOF
	}
	return answer, err
}
