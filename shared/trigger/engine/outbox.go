package engine

import (
	"cmp"
	"context"
	"maps"
	"slices"
	"sync"

	"minicloud/shared/tenant"
	"minicloud/shared/trigger"
	"minicloud/shared/trigger/run"
)

// sendBatch is the maximum number of messages per call of the queue.
const sendBatch = 10

// outbox collects the messages of a batch of events and sends those of one application together, ten per call. It sends
// the last ones as soon as all events of the application have been processed, so no application waits for another.
type outbox struct {
	queue run.Queue
	waker run.Waker

	mu       sync.Mutex
	outcomes []error               // by index of the event
	left     map[string]int        // unfinished series, by application
	waiting  map[string][]outgoing // unsent messages, by application
}

// outgoing is a message with the index of its event in the batch.
type outgoing struct {
	event   int
	message run.Message
}

// series holds the indexes of the events with one key, which must be processed in order.
type series struct {
	application string
	events      []int
}

// seriesOf splits a batch into series and alternates between applications, so that many events of one application do
// not delay the messages of others.
func seriesOf(events []trigger.Event) []series {
	byKey := map[string]*series{}
	for i, event := range events {
		scope := event.Scope.String()
		key := scope + "#" + event.Key
		if byKey[key] == nil {
			byKey[key] = &series{application: tenant.FairnessKey(scope)}
		}
		byKey[key].events = append(byKey[key].events, i)
	}

	type placed struct {
		series
		turn int
		key  string
	}
	var all []placed
	turns := map[string]int{}
	for _, key := range slices.Sorted(maps.Keys(byKey)) {
		s := *byKey[key]
		all = append(all, placed{s, turns[s.application], key})
		turns[s.application]++
	}
	slices.SortFunc(all, func(a, b placed) int { return cmp.Or(a.turn-b.turn, cmp.Compare(a.key, b.key)) })
	out := make([]series, len(all))
	for i, p := range all {
		out[i] = p.series
	}
	return out
}

// outbox returns an outbox for a batch of that many events.
func (e *Engine) outbox(events int, all []series) *outbox {
	o := &outbox{
		queue:    e.Queue,
		waker:    run.Waker{Queue: e.Queue, Wakes: e.Wakes, Clock: e.Clock},
		outcomes: make([]error, events), left: map[string]int{}, waiting: map[string][]outgoing{},
	}
	for _, s := range all {
		o.left[s.application]++
	}
	return o
}

// enqueue sends the messages of one event's runs.
func (e *Engine) enqueue(ctx context.Context, event trigger.Event, runs []run.Run) error {
	all := seriesOf([]trigger.Event{event})
	box := e.outbox(1, all)
	box.add(ctx, all[0].application, 0, runs, nil)
	box.end(ctx, all[0].application)
	return box.outcomes[0]
}

// add adds the result of an event: the runs to enqueue and its error.
func (o *outbox) add(ctx context.Context, application string, event int, runs []run.Run, err error) {
	o.fail(event, err)
	now := o.waker.Clock.Now()
	for _, r := range runs {
		if r.NextAttempt.After(now) {
			o.fail(event, o.waker.Wake(ctx, run.MessageFor(r), r.NextAttempt))
			continue
		}
		o.mu.Lock()
		o.waiting[application] = append(o.waiting[application], outgoing{event, run.MessageFor(r)})
		o.mu.Unlock()
	}
	o.send(ctx, application, false)
}

// end marks a series of the application as finished.
func (o *outbox) end(ctx context.Context, application string) { o.send(ctx, application, true) }

func (o *outbox) send(ctx context.Context, application string, taken bool) {
	o.mu.Lock()
	if taken {
		o.left[application]--
	}
	waiting := o.waiting[application]
	n := len(waiting) / sendBatch * sendBatch
	if o.left[application] == 0 {
		n = len(waiting)
	}
	o.waiting[application] = waiting[n:]
	o.mu.Unlock()

	for some := range slices.Chunk(waiting[:n], sendBatch) {
		messages := make([]run.Message, len(some))
		for i, each := range some {
			messages[i] = each.message
		}
		err := o.queue.Send(ctx, 0, messages...)
		for _, each := range some {
			o.fail(each.event, err)
		}
	}
}

// fail records the first error of an event; a nil err is ignored.
func (o *outbox) fail(event int, err error) {
	o.mu.Lock()
	defer o.mu.Unlock()
	o.outcomes[event] = cmp.Or(o.outcomes[event], err)
}
