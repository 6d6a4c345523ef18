package sim

import (
	"context"
	"encoding/json"
	"fmt"
	"hash/fnv"
	"time"

	"github.com/aws/aws-lambda-go/events"

	"minicloud/infra/lab/sim/memdb"
)

// StreamHandler is a function behind a stream.
type StreamHandler = func(
	context.Context, events.DynamoDBTimeWindowEvent,
) (events.DynamoDBTimeWindowEventResponse, error)

// Mapping says how records of a table's stream get to a program.
type Mapping struct {
	Table   string
	Program string
	Start   Program
	Handler func(handlers any) StreamHandler
	// Filter passes records as the mapping's filters do, nil for all of them.
	Filter func(events.DynamoDBEventRecord) bool
	Shards int
	Batch  int

	shards []*shard
}

// shard is a part of the stream, which is delivered in order.
type shard struct {
	name  string
	read  int           // records that were delivered, or are none of this shard's
	nudge chan struct{} // there is something to read

	random Random
}

// pollEvery is how often a shard that has records is asked for them.
const pollEvery = 100 * time.Millisecond

// Follow delivers a stream to a program.
func (w *World) Follow(m *Mapping) {
	for n := range m.Shards {
		s := &shard{
			name: fmt.Sprintf("shard-%d", n), nudge: make(chan struct{}, 1), random: w.Random(fmt.Sprint(m.Table, " ", n)),
		}
		m.shards = append(m.shards, s)
		w.running.Go(func() { w.poll(m, s, n) })
	}
	w.mu.Lock()
	defer w.mu.Unlock()
	w.mappings = append(w.mappings, m)
}

// poll delivers the records of a shard.
func (w *World) poll(m *Mapping, s *shard, n int) {
	for {
		if len(w.DB.Stream(m.Table, s.read)) == 0 {
			select {
			case <-w.ctx.Done():
				return
			case <-s.nudge:
			}
		}

		select {
		case <-w.ctx.Done():
			return
		case <-time.After(s.random.Jitter(pollEvery)):
		}
		w.deliver(m, s, n)
	}
}

// changed wakes the shards of changed tables.
func (w *World) changed() {
	for _, m := range w.mappings {
		for _, s := range m.shards {
			if len(w.DB.Stream(m.Table, s.read)) == 0 {
				continue
			}
			select {
			case s.nudge <- struct{}{}:
			default:
			}
		}
	}
}

// Drained reports whether all records were delivered.
func (w *World) Drained(m *Mapping) bool {
	w.mu.Lock()
	defer w.mu.Unlock()
	for n, s := range m.shards {
		for _, r := range w.DB.Stream(m.Table, s.read) {
			if m.of(r) == n {
				return false
			}
		}
	}
	return true
}

// of is the shard of a record: all of an item are in one.
func (m *Mapping) of(r memdb.Record) int {
	text, _ := json.Marshal(r.Keys())
	h := fnv.New32a()
	_, _ = h.Write(text)
	return int(h.Sum32() % uint32(m.Shards))
}

// deliver gives the program the next batch of a shard.
func (w *World) deliver(m *Mapping, s *shard, n int) {
	var event events.DynamoDBTimeWindowEvent
	event.ShardID = s.name
	var behind []int // the place behind each record that is delivered
	at := s.read
	for _, r := range w.DB.Stream(m.Table, s.read) {
		at++
		if m.of(r) != n {
			continue
		}
		record := eventOf(m.Table, r)
		if m.Filter != nil && !m.Filter(record) {
			continue
		}
		event.Records, behind = append(event.Records, record), append(behind, at)
		if len(event.Records) == m.Batch {
			break
		}
	}
	if len(event.Records) == 0 {
		w.advance(s, at)
		return
	}

	var answer events.DynamoDBTimeWindowEventResponse
	err, alive := w.Do(m.Program, m.Start, func(ctx context.Context, handlers any) (err error) {
		answer, err = m.Handler(handlers)(ctx, event)
		return err
	})
	switch {
	case err != nil || !alive || w.doubled(s.random): // the whole batch comes again
		time.Sleep(s.random.Jitter(time.Second))
	case len(answer.BatchItemFailures) > 0:
		for i, r := range event.Records {
			if r.Change.SequenceNumber == answer.BatchItemFailures[0].ItemIdentifier {
				w.advance(s, behind[i]-1)
			}
		}
		time.Sleep(s.random.Jitter(time.Second))
	default:
		w.advance(s, behind[len(behind)-1])
	}
}

func (w *World) advance(s *shard, to int) {
	w.mu.Lock()
	defer w.mu.Unlock()
	s.read = max(s.read, to)
}

// eventOf is a record as Lambda sends it.
func eventOf(table string, r memdb.Record) events.DynamoDBEventRecord {
	return events.DynamoDBEventRecord{
		EventID: r.ID, EventName: r.Kind, EventSource: "aws:dynamodb",
		EventSourceArn: "arn:aws:dynamodb:us-east-1:000000000000:table/" + table + "/stream/2026",
		Change: events.DynamoDBStreamRecord{
			ApproximateCreationDateTime: events.SecondsEpochTime{Time: r.At}, SequenceNumber: r.Sequence,
			Keys: imageOf(r.Keys()), OldImage: imageOf(r.Old), NewImage: imageOf(r.New), StreamViewType: "NEW_AND_OLD_IMAGES",
		},
	}
}

func imageOf(item memdb.Item) map[string]events.DynamoDBAttributeValue {
	if item == nil {
		return nil
	}
	text, err := json.Marshal(item)
	if err != nil {
		panic(err) // it was read as JSON
	}
	var image map[string]events.DynamoDBAttributeValue
	if err := json.Unmarshal(text, &image); err != nil {
		panic(err)
	}
	return image
}
