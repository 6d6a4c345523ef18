package sim

import (
	"context"
	"encoding/json"
	"fmt"
	"hash/fnv"
	"io"
	"log/slog"
	"net/http"
	"slices"
	"sync/atomic"
	"time"

	"github.com/aws/aws-lambda-go/events"

	"minicloud/infra/lab/sim/memdb"
	"minicloud/infra/local/eventsource"
	"minicloud/infra/local/template"
)

// StreamHandler is a function behind a stream.
type StreamHandler = func(
	context.Context, events.DynamoDBTimeWindowEvent,
) (events.DynamoDBTimeWindowEventResponse, error)

// Mapping says how records of a table's stream get to a program.
type Mapping struct {
	template.StreamEvent
	Program string
	Start   Program
	Handler func(handlers any) StreamHandler
	Shards  int

	shards []*shard
}

// shard is a part of the stream, which is delivered in order. Its poller uses it as its HTTP client.
type shard struct {
	db     *memdb.DB
	table  string
	number int
	of     int // shards

	random  Random
	poller  *eventsource.StreamPoller
	told    int         // records that the poller was nudged for, or that are none of this shard's
	waiting atomic.Bool // a nudge is on its way
}

const (
	// latency is how long a poller takes at most to see a record.
	latency = 100 * time.Millisecond
	// noPoll is between looks at a stream that has nothing: its pollers are nudged.
	noPoll = 1000 * time.Hour
)

// Follow delivers a stream to a program.
func (w *World) Follow(m *Mapping) {
	for n := range m.Shards {
		s := &shard{db: w.DB, table: m.Table, number: n, of: m.Shards, random: w.Random(fmt.Sprint(m.Table, " ", n))}
		s.poller = &eventsource.StreamPoller{
			HTTP: s, Database: "http://simulated", Region: region, Broker: w.broker, Bucket: lostRecords{w}, Function: m.Program,
			Mapping: m.StreamEvent, Checkpoints: new(eventsource.Checkpoints), Log: slog.New(slog.DiscardHandler),
			Pace: noPoll, Unkind: w.Unkind, Invoker: invoker{w, []string{m.Program}, m.Start, batchOfStream{w, m.Handler}.invoke},
		}
		check(s.poller.Init())
		m.shards = append(m.shards, s)
		w.running.Go(func() { check(s.poller.Run(w.ctx)) })
	}
	w.mu.Lock()
	defer w.mu.Unlock()
	w.mappings = append(w.mappings, m)
}

// lostRecords counts records that were given up.
type lostRecords struct{ world *World }

// Put implements eventsource.Bucket.
func (l lostRecords) Put(string, string, []byte) error {
	l.world.Count("records given up")
	return nil
}

// changed nudges the pollers of changed tables.
func (w *World) changed() {
	w.mu.Lock()
	defer w.mu.Unlock()
	for _, m := range w.mappings {
		for _, s := range m.shards {
			records := w.DB.Stream(m.Table, s.told)
			s.told += len(records)
			for _, r := range records {
				if s.has(r) && !s.waiting.Swap(true) {
					// Later than the write, because its writer is awake at this instant.
					time.AfterFunc(s.random.Jitter(time.Duration(s.random.IntN(int(latency)))), func() {
						s.waiting.Store(false)
						s.poller.Wake()
					})
				}
			}
		}
	}
}

// Drained reports whether all records were delivered.
func (w *World) Drained(m *Mapping) bool {
	for _, s := range m.shards {
		records, position := w.DB.Stream(m.Table, 0), s.poller.Position()
		for i := len(records) - 1; i >= 0 && records[i].Sequence != position; i-- {
			if s.has(records[i]) {
				return false
			}
		}
	}
	return true
}

// has reports whether a record is of the shard: all of an item are in one.
func (s *shard) has(r memdb.Record) bool {
	text, _ := json.Marshal(r.Keys()) // it was read as JSON
	h := fnv.New32a()
	_, _ = h.Write(text)
	return int(h.Sum32()%uint32(s.of)) == s.number
}

// streamOf is the ARN of a table's stream.
func streamOf(table string) string {
	return "arn:aws:dynamodb:" + region + ":" + template.Account + ":table/" + table + "/stream/2026"
}

// EventID is the id of a record of a table's stream as programs get it.
func EventID(table string, r memdb.Record) string {
	return eventsource.EventID(streamOf(table), r.Sequence)
}

// Do implements eventsource.HTTPClient: DynamoDB Streams, for this one shard.
func (s *shard) Do(r *http.Request) (*http.Response, error) {
	body, err := io.ReadAll(r.Body)
	if err != nil {
		return nil, err
	}
	var in struct {
		ShardIterator int `json:",string"` // how many records of the table are behind it
		Limit         int

		SequenceNumber string
	}
	_ = json.Unmarshal(body, &in) // of other operations it has no members

	var out any
	switch target := r.Header.Get("X-Amz-Target"); target {
	case "DynamoDB_20120810.DescribeTable":
		out = map[string]any{"Table": map[string]any{"LatestStreamArn": streamOf(s.table)}}
	case "DynamoDBStreams_20120810.DescribeStream":
		shards := []any{map[string]any{"ShardId": fmt.Sprintf("shard-%d", s.number)}}
		out = map[string]any{"StreamDescription": map[string]any{"Shards": shards}}
	case "DynamoDBStreams_20120810.GetShardIterator":
		out = map[string]any{"ShardIterator": fmt.Sprint(s.after(in.SequenceNumber))}
	case "DynamoDBStreams_20120810.GetRecords":
		out = s.records(in.ShardIterator, in.Limit)
	default:
		return nil, fmt.Errorf("the simulation has no %s", target)
	}
	text, err := json.Marshal(out)
	return response(r, answer{status: http.StatusOK, body: text}), err
}

// after returns the place behind a record of the stream, the first one for "".
func (s *shard) after(sequence string) int {
	return 1 + slices.IndexFunc(s.db.Stream(s.table, 0), func(r memdb.Record) bool { return r.Sequence == sequence })
}

// records returns those from a place on, as GetRecords does.
func (s *shard) records(at, limit int) any {
	records := []any{}
	for _, r := range s.db.Stream(s.table, at) {
		at++
		if !s.has(r) {
			continue
		}
		records = append(records, eventOf(r))
		if len(records) == limit {
			break
		}
	}
	return map[string]any{"Records": records, "NextShardIterator": fmt.Sprint(at)}
}

// eventOf is a record as DynamoDB Streams has it.
func eventOf(r memdb.Record) any {
	change := map[string]any{
		// DynamoDB rounds the time down to the second.
		"ApproximateCreationDateTime": r.At.Unix(), "SequenceNumber": r.Sequence, "Keys": r.Keys(),
		"StreamViewType": "NEW_AND_OLD_IMAGES",
	}
	if r.Old != nil {
		change["OldImage"] = r.Old
	}
	if r.New != nil {
		change["NewImage"] = r.New
	}
	return map[string]any{"eventName": r.Kind, "eventSource": "aws:dynamodb", "eventVersion": "1.1", "dynamodb": change}
}
