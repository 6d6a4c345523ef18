package eventsource

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"log/slog"
	"net/http"
	"slices"
	"strings"
	"sync/atomic"
	"time"

	"minicloud/infra/local/lambdahost"
	"minicloud/infra/local/pattern"
	"minicloud/infra/local/queue"
	"minicloud/infra/local/template"
	"minicloud/infra/local/unkind"
	"minicloud/infra/local/watch"
	"minicloud/shared/clock"
)

const (
	idlePoll   = 250 * time.Millisecond // Lambda's polling interval
	retention  = 24 * time.Hour         // age after which records are dropped
	retryFirst = 100 * time.Millisecond // doubled up to retryMost
	retryMost  = 5 * time.Second
)

// afterWrite lists the pauses before the reads after a nudge. dynoxide adds the stream record before it acknowledges
// the write; other databases may be slightly later.
var afterWrite = []time.Duration{0, 5 * time.Millisecond, 40 * time.Millisecond}

// StreamPoller feeds the stream of one table to one function, each record at least once, in one or several lanes
// (lanes.go). Records of one lane stay in order.
type StreamPoller struct {
	Database    string            // URL of the database, without the counting proxy
	HTTP        unkind.HTTPClient // client for the database; nil means http.DefaultClient
	Region      string
	Invoker     lambdahost.Invoker
	Broker      *queue.Broker // for the on-failure queue
	Bucket      Bucket        // for the on-failure bucket; nil if there is none
	Function    string
	Mapping     template.StreamEvent
	Checkpoints *Checkpoints
	Log         *slog.Logger
	Metrics     *watch.Metrics
	Pace        time.Duration    // polling interval without a nudge; 0 means Lambda's
	Unkind      *unkind.Switches // splits shards, and lets iterators expire; nil does neither

	nudged  chan struct{}
	looked  atomic.Int64 // number of reads that found nothing while no record was being processed
	held    atomic.Int64 // number of records in the lanes
	lanes   *lanes
	client  *streamClient
	filters pattern.Filters
	shards  []*shard

	generation int // of shards
}

// Bucket stores objects; *bucket.Store implements it.
type Bucket interface {
	Put(bucket, key string, body []byte) error
}

// Nudge makes the poller read at once because the table was written to. It may be called at any time, also before Run.
// A mapping with a batching window keeps Lambda's polling interval: a read after each write would
// cost the database as much as the write.
func (p *StreamPoller) Nudge() {
	if p.Mapping.Window == 0 {
		p.Wake()
	}
}

// Wake makes the poller read at once, with or without a batching window.
func (p *StreamPoller) Wake() {
	select {
	case p.nudged <- struct{}{}:
	default:
	}
}

// Drained waits until every record in the stream at the time of the call is processed. Run must be running.
func (p *StreamPoller) Drained(ctx context.Context) error {
	// The first empty read may have begun before the call; the second began after it.
	for enough := p.looked.Load() + 2; p.looked.Load() < enough; {
		// A read while records are being processed would only load the database.
		if p.held.Load() == 0 {
			p.Wake()
		}
		if err := clock.Sleep(ctx, time.Millisecond); err != nil {
			return err
		}
	}
	return nil
}

// Position returns the sequence number up to which all records are done, "" before the first.
func (p *StreamPoller) Position() string {
	sequence, _ := p.Checkpoints.get(p.key())
	return sequence
}

// Init prepares the poller; call it before any other method.
func (p *StreamPoller) Init() error {
	var err error
	p.nudged = make(chan struct{}, 1)
	if p.HTTP == nil {
		p.HTTP = http.DefaultClient
	}
	if p.Unkind != nil {
		p.HTTP = &unkind.Streams{Next: p.HTTP, Switches: p.Unkind}
	}
	p.client = &streamClient{http: p.HTTP, url: p.Database, table: p.Mapping.Table, region: p.Region}
	p.filters, err = pattern.CompileFilters(p.Mapping.Filters)
	return err
}

// Run polls until the context ends.
func (p *StreamPoller) Run(ctx context.Context) error {
	iterator, err := p.begin(ctx)
	if err == nil {
		err = p.runLanes(ctx, iterator)
	}
	if ctx.Err() != nil {
		return nil
	}
	return err
}

func (p *StreamPoller) key() string { return p.Mapping.Name + " " + p.client.arn }

// begin returns the start position. On the first run it stores the position at once, so that a crash cannot skip
// records written after LATEST was resolved.
func (p *StreamPoller) begin(ctx context.Context) (iterator string, err error) {
	if err := p.client.open(ctx); err != nil {
		return "", err
	}

	sequence, known := p.Checkpoints.get(p.key())
	if !known && !p.Mapping.FromStart {
		if sequence, err = p.last(ctx); err != nil {
			return "", err
		}
	}

	// The checkpoint may come from another dynoxide version, which writes sequence numbers in another width.
	sequence = p.client.spell(sequence)
	if err := p.Checkpoints.set(p.key(), sequence); err != nil {
		return "", err
	}
	return p.client.after(ctx, sequence)
}

// last returns the sequence number of the newest record, "" if there is none.
func (p *StreamPoller) last(ctx context.Context) (string, error) {
	iterator, err := p.client.iterator(ctx, "TRIM_HORIZON", "")
	sequence := ""
	for err == nil {
		var records []record
		records, iterator, err = p.client.read(ctx, iterator, 1000)
		if len(records) == 0 {
			break
		}
		sequence = records[len(records)-1].sequence
	}
	return sequence, err
}

// gather waits for records and, with a batching window, for more.
func (p *StreamPoller) gather(ctx context.Context, iterator string) ([]record, string, error) {
	var batch []record
	var closes time.Time
	looks := 0 // remaining reads after a nudge
	for {
		records, next, err := p.client.read(ctx, iterator, p.Mapping.Size-len(batch))
		if err != nil {
			return nil, "", err
		}

		batch, iterator = append(batch, records...), next
		if len(batch) == 0 && p.held.Load() == 0 {
			p.looked.Add(1)
		}
		if len(batch) > 0 && closes.IsZero() {
			closes = time.Now().Add(p.Mapping.Window)
		}
		if len(batch) >= p.Mapping.Size || (len(batch) > 0 && !time.Now().Before(closes)) {
			return batch, iterator, nil
		}

		pause := cmp.Or(p.Pace, idlePoll)
		if looks > 0 {
			pause = afterWrite[len(afterWrite)-looks]
			looks--
		}
		nudged := p.nudged
		if !closes.IsZero() {
			pause = min(pause, time.Until(closes))
			nudged = nil // Drained wakes each millisecond, and nothing is delivered before the window closes
		}

		select {
		case <-ctx.Done():
			return nil, "", ctx.Err()
		case <-nudged:
			looks = len(afterWrite)
			if p.held.Load() > 0 {
				time.Sleep(lookAgain) // a read costs the database as much as a write
			}
		case <-time.After(pause):
		}
	}
}

func (p *StreamPoller) wants(r record) bool {
	return !r.changesNothing() && (len(p.filters) == 0 || p.filters.Match(r.view()))
}

// process invokes the function until all records succeed: it retries, bisects the batch, and finally gives up. It
// returns an error only if the poller must stop.
func (p *StreamPoller) process(ctx context.Context, s *shard, batch []record, tries int) error {
	wait := retryFirst
	for len(batch) > 0 {
		if expired := p.expired(batch); expired > 0 {
			if err := p.giveUp(batch[:expired], "RecordAgeExceeded", tries, nil); err != nil {
				return err
			}
			batch = batch[expired:]
			continue
		}

		age := p.Metrics.Now().Sub(batch[len(batch)-1].at)
		p.Metrics.Put("AWS/Lambda", "IteratorAge", float64(age.Milliseconds()), "FunctionName", p.Function)
		answer, err := s.invoke(ctx, p, batch)
		if ctx.Err() != nil {
			return ctx.Err()
		}
		// A throttle uses no retry: AWS's mappings retry it until the records are too old, as the next look finds.
		if errors.Is(err, errThrottled) {
			if err := clock.Sleep(ctx, retryFirst); err != nil {
				return err
			}
			continue
		}

		done := p.succeeded(batch, answer, err)
		if done == len(batch) {
			return nil
		}

		if done > 0 {
			// Checkpoint the successful records, so that a crash does not repeat them.
			if err := p.lanes.pass(batch[:done]); err != nil {
				return err
			}
			batch, tries, wait = batch[done:], 0, retryFirst
		}

		complain(p.Log, p.Function, errFailed, answer)
		tries++
		if p.Mapping.MaxRetries >= 0 && tries > p.Mapping.MaxRetries {
			return p.giveUp(batch, "RetryAttemptsExhausted", tries, answer)
		}

		if err := clock.Sleep(ctx, wait); err != nil {
			return err
		}
		wait = min(2*wait, retryMost)

		if p.Mapping.Bisect && len(batch) > 1 {
			half := len(batch) / 2
			if err := p.process(ctx, s, batch[:half], tries); err != nil {
				return err
			}
			batch = batch[half:]
		}
	}

	return nil
}

// succeeded returns the number of records at the front of the batch that are done.
func (p *StreamPoller) succeeded(batch []record, answer []byte, err error) int {
	if err != nil {
		return 0
	}
	if !p.Mapping.PartialAnswer {
		return len(batch)
	}

	known := make([]string, len(batch))
	for i, r := range batch {
		known[i] = r.sequence
	}

	failed, all := failedItems(answer, known)
	if all {
		return 0
	}

	done := len(batch)
	for _, sequence := range failed {
		// Lambda retries a stream from the first failed record, including later ones that succeeded.
		done = min(done, slices.Index(known, sequence))
	}

	return done
}

// oldest returns the age from which records are not processed.
func (p *StreamPoller) oldest() time.Duration {
	if p.Mapping.MaxAge > 0 {
		return min(retention, p.Mapping.MaxAge)
	}
	return retention
}

// expired returns the number of records at the front of the batch that are too old to process.
func (p *StreamPoller) expired(batch []record) int {
	n, oldest := 0, p.oldest()
	for n < len(batch) && time.Since(batch[n].at) > oldest {
		n++
	}
	return n
}

// giveUp discards records: it puts them into the on-failure bucket, or their position into the on-failure queue, in
// Lambda's format.
func (p *StreamPoller) giveUp(batch []record, condition string, tries int, answer []byte) error {
	first, last, now := batch[0], batch[len(batch)-1], time.Now().UTC()
	p.Log.Error("records of a stream were given up", "function", p.Function, "condition", condition,
		"from", first.sequence, "to", last.sequence, "answer", string(answer[:min(len(answer), 500)]))
	if p.Mapping.OnFailureQueue == "" && p.Mapping.OnFailureBucket == "" {
		return nil
	}

	about := map[string]any{
		"version": "1.0", "timestamp": now.Format(time.RFC3339Nano),
		"requestContext": map[string]any{
			"condition": condition, "approximateInvokeCount": tries,
			"functionArn": "arn:aws:lambda:" + p.Region + ":" + template.Account + ":function:" + p.Function,
		},
		"DDBStreamBatchInfo": map[string]any{
			"shardId": p.client.shard, "streamArn": p.client.arn, "batchSize": len(batch),
			"startSequenceNumber": first.sequence, "endSequenceNumber": last.sequence,
			"approximateArrivalOfFirstRecord": first.at.UTC().Format(time.RFC3339),
			"approximateArrivalOfLastRecord":  last.at.UTC().Format(time.RFC3339),
		},
	}
	if p.Mapping.OnFailureBucket != "" {
		return p.store(about, batch, now)
	}
	// A queue gets no records: they stay in the stream for 24 hours.
	body, err := json.Marshal(about)
	if err != nil {
		return err
	}
	_, err = p.Broker.Send(p.Mapping.OnFailureQueue, queue.Outgoing{Body: string(body)})
	return err
}

// store puts discarded records into the bucket, with the event of their invocation as text.
func (p *StreamPoller) store(about map[string]any, batch []record, now time.Time) error {
	event, err := json.Marshal(map[string]any{"Records": batch})
	if err != nil {
		return err
	}
	about["payload"] = string(event)
	body, err := json.Marshal(about)
	if err != nil {
		return err
	}
	// aws/lambda/<ESM-UUID>/<shardID>/YYYY/MM/DD/YYYY-MM-DDTHH.MM.SS-<Random UUID>
	key := strings.Join([]string{
		"aws/lambda", p.Mapping.Name, p.client.shard, now.Format("2006/01/02"),
		now.Format("2006-01-02T15.04.05-") + queue.NewID(),
	}, "/")
	return p.Bucket.Put(p.Mapping.OnFailureBucket, key, body)
}
