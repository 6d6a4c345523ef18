package eventsource

import (
	"cmp"
	"context"
	"encoding/json"
	"log/slog"
	"slices"
	"sync"
	"time"

	"github.com/aws/aws-lambda-go/events"

	"minicloud/infra/local/lambdahost"
	"minicloud/infra/local/pattern"
	"minicloud/infra/local/queue"
	"minicloud/infra/local/template"
)

// defaultConcurrency limits the concurrent batches of a queue if the template sets no limit. Lambda allows up to
// 1,000; here each batch runs in a process.
const defaultConcurrency = 50

// firstBatches and makesRoom limit the scale-up. Lambda begins with five concurrent batches and adds up to 300 a
// minute. Here a batch that runs for makesRoom, longer than ten short runs on a busy machine, gives up its slot among
// the first five to another batch: long runs do not block short ones, and short runs do not start fifty processes
// where five keep up.
const (
	firstBatches = 5
	makesRoom    = 500 * time.Millisecond
)

// QueuePoller feeds one queue to one function.
type QueuePoller struct {
	Broker   *queue.Broker
	Invoker  lambdahost.Invoker
	Function string
	Mapping  template.QueueEvent
	Region   string
	Log      *slog.Logger
}

// Run polls until the context ends, then waits for the running batches.
func (p *QueuePoller) Run(ctx context.Context) error {
	filters, err := pattern.CompileFilters(p.Mapping.Filters)
	if err != nil {
		return err
	}

	concurrency := cmp.Or(p.Mapping.MaxConcurrency, defaultConcurrency)

	slots, first := make(chan struct{}, concurrency), make(chan struct{}, firstBatches)
	var batches sync.WaitGroup
	defer batches.Wait()
	for {
		// Take the slots before receiving: the visibility timeout of messages runs while they wait for a slot.
		for _, places := range []chan struct{}{slots, first} {
			select {
			case places <- struct{}{}:
			case <-ctx.Done():
				return nil
			}
		}

		messages, visible, err := p.gather(ctx)
		if ctx.Err() != nil {
			return nil
		}
		if err != nil {
			return err
		}

		batches.Go(func() {
			defer func() { <-slots }()
			makeRoom := sync.OnceFunc(func() { <-first })
			defer makeRoom()
			defer time.AfterFunc(makesRoom, makeRoom).Stop()
			p.process(ctx, filters, messages, visible)
		})
	}
}

// gather receives until the batch is full, the batching window closes, or, without a window, at least one message has
// arrived. visible is when the first message becomes visible again.
func (p *QueuePoller) gather(ctx context.Context) (batch []queue.Message, visible time.Time, err error) {
	hidden, err := p.Broker.Visibility(p.Mapping.Queue)
	if err != nil {
		return nil, visible, err
	}
	wait := queue.MaxWait
	var closes time.Time
	for len(batch) < p.Mapping.Size {
		messages, err := p.Broker.Receive(ctx, p.Mapping.Queue, min(queue.MaxBatch, p.Mapping.Size-len(batch)), wait, -1)
		if err != nil {
			return nil, visible, err
		}

		batch = append(batch, messages...)
		if len(batch) == 0 {
			continue
		}
		if closes.IsZero() {
			closes, visible = time.Now().Add(p.Mapping.Window), time.Now().Add(hidden)
		}

		wait = min(time.Until(closes), queue.MaxWait)
		// A full response means that more messages are visible, so receive again even without a wait.
		if wait <= 0 && len(messages) < queue.MaxBatch {
			break
		}

		wait = max(wait, 0)
	}

	return batch, visible, nil
}

// process invokes the function with a batch and deletes the successful messages; the others become visible again after
// their visibility timeout. A throttled batch is retried until then; after that its messages count as received, although
// no function has seen them.
func (p *QueuePoller) process(
	ctx context.Context, filters pattern.Filters, messages []queue.Message, visible time.Time,
) {
	var records []events.SQSMessage
	var ids []string
	for _, m := range messages {
		if !filters.Match(filterView(m)) {
			_ = p.Broker.Delete(p.Mapping.Queue, m.Handle()) // on an error the message comes again and is dropped then
			continue
		}
		records = append(records, p.record(m))
		ids = append(ids, m.ID)
	}

	if len(records) == 0 {
		return
	}

	answer, err := invoke(ctx, p.Invoker, p.Function, longest(messages, p.Function), map[string]any{"Records": records}, visible)
	if err != nil {
		complain(p.Log, p.Function, err, answer)
		return
	}

	var failed []string
	if p.Mapping.PartialAnswer {
		var all bool
		if failed, all = failedItems(answer, ids); all {
			complain(p.Log, p.Function, errFailed, answer)
			return
		}
	}

	for _, r := range records {
		if slices.Contains(failed, r.MessageId) {
			continue
		}
		if err := p.Broker.Delete(p.Mapping.Queue, r.ReceiptHandle); err != nil {
			complain(p.Log, p.Function, err, nil)
		}
	}
}

// longest returns the trace of the longest chain in a batch.
func longest(messages []queue.Message, function string) (trace string) {
	for _, m := range messages {
		if trace == "" || lambdahost.Rounds(m.Trace, function) > lambdahost.Rounds(trace, function) {
			trace = m.Trace
		}
	}
	return trace
}

// record returns a message in the event that functions receive.
func (p *QueuePoller) record(m queue.Message) events.SQSMessage {
	r := events.SQSMessage{
		MessageId: m.ID, ReceiptHandle: m.Handle(), Body: m.Body, Md5OfBody: queue.Checksum(m.Body),
		Attributes: m.SystemAttributes(), MessageAttributes: map[string]events.SQSMessageAttribute{},
		EventSource: "aws:sqs", AWSRegion: p.Region,
		EventSourceARN: "arn:aws:sqs:" + p.Region + ":" + template.Account + ":" + p.Mapping.Queue,
	}
	for name, a := range m.Attributes {
		r.MessageAttributes[name] = events.SQSMessageAttribute{
			StringValue: &a.StringValue, BinaryValue: a.BinaryValue, DataType: a.DataType,
		}
	}
	return r
}

// filterView returns a message in the form that filters match: its body is decoded if it is JSON.
func filterView(m queue.Message) any {
	var body any
	if json.Unmarshal([]byte(m.Body), &body) != nil {
		body = m.Body
	}
	return map[string]any{"messageId": m.ID, "body": body}
}
