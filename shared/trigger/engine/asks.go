package engine

import (
	"cmp"
	"context"
	"maps"
	"slices"
	"sync"

	"minicloud/shared/trigger"
	"minicloud/shared/trigger/run"
)

// askTogether is how many messages of a batch of events go together: what a queue takes in one call.
const askTogether = 10

// asks gathers the messages that a batch of events has to send. Those of one application go together, as soon as there
// are ten of them, and the last ones as soon as all of its events have been taken: nobody waits for events of others.
type asks struct {
	waker run.Waker

	mu       sync.Mutex
	outcomes []error          // by event
	left     map[string]int   // series of events that are not taken yet, by application
	waiting  map[string][]ask // by application
}

// ask is a message with the place of its event in the batch.
type ask struct {
	event   int
	message run.Message
}

// series are the places of events of one key, which are taken in their order.
type series struct {
	application string
	events      []int
}

// seriesOf returns the series of a batch, those of each application in turn: what many events of one ask for must not
// come before what the others ask for.
func seriesOf(events []trigger.Event) []series {
	byKey := map[string]*series{}
	for i, event := range events {
		scope := event.Scope.String()
		key := scope + "#" + event.Key
		if byKey[key] == nil {
			byKey[key] = &series{application: run.FairnessKey(scope)}
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

// asks returns the gathering of a batch of so many events.
func (e *Engine) asks(events int, all []series) *asks {
	a := &asks{
		waker:    run.Waker{Queue: e.Queue, Wakes: e.Wakes, Clock: e.Clock},
		outcomes: make([]error, events), left: map[string]int{}, waiting: map[string][]ask{},
	}
	for _, s := range all {
		a.left[s.application]++
	}
	return a
}

// askFor sends the messages of one event.
func (e *Engine) askFor(ctx context.Context, event trigger.Event, runs []run.Run) error {
	all := seriesOf([]trigger.Event{event})
	asks := e.asks(1, all)
	asks.add(ctx, all[0].application, 0, runs, nil)
	asks.end(ctx, all[0].application)
	return asks.outcomes[0]
}

// add takes what an event came to: the runs to ask for, and why it is not done.
func (a *asks) add(ctx context.Context, application string, event int, runs []run.Run, err error) {
	a.fail(event, err)
	now := a.waker.Clock.Now()
	_, together := a.waker.Queue.(run.Together)
	for _, r := range runs {
		if !together || r.NextAttempt.After(now) {
			a.fail(event, a.waker.Wake(ctx, run.AskFor(r), r.NextAttempt))
			continue
		}
		a.mu.Lock()
		a.waiting[application] = append(a.waiting[application], ask{event, run.AskFor(r)})
		a.mu.Unlock()
	}
	a.send(ctx, application, false)
}

// end notes that all events of a series were taken.
func (a *asks) end(ctx context.Context, application string) { a.send(ctx, application, true) }

func (a *asks) send(ctx context.Context, application string, taken bool) {
	a.mu.Lock()
	if taken {
		a.left[application]--
	}
	waiting := a.waiting[application]
	n := len(waiting) / askTogether * askTogether
	if a.left[application] == 0 {
		n = len(waiting)
	}
	a.waiting[application] = waiting[n:]
	a.mu.Unlock()

	for some := range slices.Chunk(waiting[:n], askTogether) {
		messages := make([]run.Message, len(some))
		for i, each := range some {
			messages[i] = each.message
		}
		err := a.waker.Queue.(run.Together).SendAll(ctx, messages, application)
		for _, each := range some {
			a.fail(each.event, err)
		}
	}
}

// fail notes why an event is not done, unless err is nil.
func (a *asks) fail(event int, err error) {
	a.mu.Lock()
	defer a.mu.Unlock()
	a.outcomes[event] = cmp.Or(a.outcomes[event], err)
}
