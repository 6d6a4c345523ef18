// Package engine fires triggers: it matches events with the conditions of triggers, stores a run for each action, and
// sends the messages that start them.
//
//	Engine   events → triggers → runs and their messages         engine.go matcher.go rule.go outbox.go broken.go
//	Timers   the minutes of timers that are due                   timer.go
//	Map      which triggers fire which, and loops of them          map.go loop.go
//	Try      matching without effect, for dry runs and back-tests  try.go
package engine

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"slices"
	"sync"

	"golang.org/x/sync/errgroup"

	"minicloud/shared/cache"
	"minicloud/shared/clock"
	"minicloud/shared/errs"
	"minicloud/shared/logging"
	"minicloud/shared/table"
	"minicloud/shared/tenant"
	"minicloud/shared/trigger"
	"minicloud/shared/trigger/run"
)

// Candidates finds the triggers that may care about an event.
type Candidates interface {
	// Candidates returns the enabled triggers of an index key.
	Candidates(ctx context.Context, scope tenant.Scope, key string) ([]trigger.Trigger, error)
}

// Schemas tells what a table is like.
type Schemas interface {
	// Table returns a table, errs.NotFound when there is none.
	Table(ctx context.Context, scope tenant.Scope, id table.ID) (table.Table, error)
}

// Engine turns events into runs of actions.
//
// The same event may come any number of times: a run is stored once, under an id that follows from trigger, event
// and action, and its message is sent until a worker has begun it. So no run is lost when the engine dies, and no run
// is done twice.
type Engine struct {
	Triggers    Candidates
	Schemas     Schemas
	Runs        run.Store
	Evaluations run.Evaluations
	Queue       run.BatchQueue
	Wakes       run.Wakes
	Clock       clock.Clock
	Log         *slog.Logger

	ready cache.Map[cacheKey, readyMatchers]
}

// Fire gives events to the triggers that wait for them. Events of one key are taken in their order. It returns how
// many are done from the first on; with an error, the others may be done or not, and are to be given again.
func (e *Engine) Fire(ctx context.Context, events []trigger.Event) (done int, err error) {
	all := seriesOf(events)
	box := e.outbox(len(events), all)
	notes := &notebook{}
	group := errgroup.Group{}
	group.SetLimit(atOnce)
	for _, s := range all {
		group.Go(func() error {
			defer box.end(ctx, s.application)
			for _, i := range s.events {
				started, err := e.fire(ctx, events[i], notes)
				box.add(ctx, s.application, i, started, err)
				if err != nil {
					return nil // those behind it wait for it
				}
			}
			return nil
		})
	}
	_ = group.Wait()

	// Evaluations are best effort: failing to store one must not retry the batch.
	if err := notes.keep(ctx, e.Evaluations); err != nil {
		e.log().WarnContext(ctx, "evaluations were not kept", "error", err.Error())
	}
	for i, err := range box.outcomes {
		if err != nil {
			return i, fmt.Errorf("event %s: %w", events[i].ID, err)
		}
	}
	return len(events), nil
}

// atOnce is how many events are worked on at a time.
const atOnce = 8

// fire gives one event to the triggers that wait for it, and returns the runs to ask for. One trigger that fails keeps
// no other from it (G13).
func (e *Engine) fire(ctx context.Context, event trigger.Event, notes *notebook) (pending []run.Run, err error) {
	matchers, err := e.matchers(ctx, event)
	if err != nil {
		return nil, err
	}

	var failures []error
	for _, m := range matchers {
		runs, err := e.startRuns(ctx, m, event, notes)
		if pending = append(pending, runs...); err != nil {
			failures = append(failures, fmt.Errorf("trigger %d: %w", m.Trigger.ID, err))
		}
	}
	return pending, errors.Join(failures...)
}

// startRuns has one trigger look at an event, and returns the runs to enqueue.
func (e *Engine) startRuns(ctx context.Context, m *Matcher, event trigger.Event, notes *notebook) (pending []run.Run, failed error) {
	traced := m.Trigger.Traces(e.Clock.Now())
	var seen Evaluation
	if traced {
		seen = m.Evaluate(event)
	} else {
		seen.Held = m.Holds(event)
	}

	note := seen.Of(event)
	if seen.Held {
		var runs []run.Run
		runs, pending, failed = e.startAll(ctx, m, event)
		for _, r := range runs {
			note.Actions = append(note.Actions, r.Decided())
		}
	}

	if traced && failed == nil {
		notes.add(event, m.Trigger.ID, note)
	}
	return pending, failed
}

// startAll stores the runs of a trigger's actions, and returns those to ask for. One that fails keeps no other from it.
func (e *Engine) startAll(ctx context.Context, m *Matcher, event trigger.Event) (runs, pending []run.Run, err error) {
	var failures []error
	for _, a := range m.Trigger.Actions {
		started, err := e.start(ctx, m, a, event)
		if err != nil {
			failures = append(failures, fmt.Errorf("action %d: %w", a.ID, err))
			continue
		}
		runs, pending = append(runs, started.Run), append(pending, started.Enqueue...)
	}
	return runs, pending, errors.Join(failures...)
}

// start stores the run of an action. Those that it says are to be pending for.
func (e *Engine) start(ctx context.Context, m *Matcher, a trigger.Action, event trigger.Event) (run.Started, error) {
	r := m.NewRun(a, event)
	if event.Depth >= trigger.MaxDepth {
		r = r.Skipped(run.SkippedLoop, fmt.Sprintf("the event is the %dth of a chain of triggers, which ends here", event.Depth))
	} else if why, stopped := m.Trigger.Stopped[a.ID]; stopped {
		r = r.Skipped(run.SkippedDisabled, why)
	}
	return e.Runs.Start(ctx, r, a.Frequency, e.Clock.Now())
}

// Resume asks again for the runs of an event that are stored and that nobody has begun: who stored them may have died
// before it pending. It starts none. It is for an event that does not come again.
func (e *Engine) Resume(ctx context.Context, t trigger.Trigger, event trigger.Event) error {
	waker := run.Waker{Queue: e.Queue, Wakes: e.Wakes, Clock: e.Clock}
	for _, a := range t.Actions {
		r := run.New(t, a, event)
		stored, err := e.Runs.Run(ctx, r.Scope, r.Ref())
		if errs.Is(err, errs.KindNotFound) || err == nil && stored.Status != run.Pending {
			continue
		}
		if err == nil {
			err = waker.Wake(ctx, run.MessageFor(r), stored.NextAttempt)
		}
		if err != nil {
			return fmt.Errorf("action %d: %w", a.ID, err)
		}
	}
	return nil
}

// matchers are the triggers that wait for the event, made ready.
func (e *Engine) matchers(ctx context.Context, event trigger.Event) ([]*Matcher, error) {
	at := cacheKey{event.Scope, event.IndexKey()}
	// An event says which revision of the triggers its writer has seen. The few events without one bypass the cache.
	if known, ok := e.ready.Get(at); ok && event.Revision > 0 && known.revision >= event.Revision {
		return known.matchers, nil
	}

	triggers, err := e.Triggers.Candidates(ctx, event.Scope, event.IndexKey())
	if err != nil {
		return nil, fmt.Errorf("candidates: %w", err)
	}
	in, err := e.schema(ctx, event, len(triggers))
	if err != nil {
		return nil, err
	}

	ready := make([]*Matcher, 0, len(triggers))
	for _, t := range triggers {
		m, err := NewMatcher(t, in)
		if err != nil {
			// A column of the condition is gone, so the trigger cannot fire. Reading the trigger reports it.
			e.log().WarnContext(ctx, "a trigger is broken", "trigger", t.ID, "error", err.Error())
			continue
		}
		ready = append(ready, m)
	}
	if event.Revision > 0 {
		e.ready.Put(at, readyMatchers{event.Revision, ready})
	}
	return ready, nil
}

// schema returns the table of a row's event, nil where it is gone or nobody asks.
func (e *Engine) schema(ctx context.Context, event trigger.Event, wanted int) (*table.Table, error) {
	if !event.Type.Definition().Actions.Row || wanted == 0 {
		return nil, nil
	}

	in, err := e.Schemas.Table(ctx, event.Scope, event.Table)
	if errs.Is(err, errs.KindNotFound) {
		return nil, nil
	}
	if err != nil {
		return nil, fmt.Errorf("table %d: %w", event.Table, err)
	}
	return &in, nil
}

func (e *Engine) log() *slog.Logger { return logging.OrNone(e.Log) }

// cacheKey names the triggers that wait for one kind of event.
type cacheKey struct {
	scope tenant.Scope
	index string
}

// readyMatchers are the matchers as of a revision of their table's triggers.
type readyMatchers struct {
	revision int64
	matchers []*Matcher
}

// notebook gathers what the triggers of a batch have seen.
type notebook struct {
	mu    sync.Mutex
	keys  []noteKey // in the order of their first evaluations
	pages map[noteKey]*run.Notes
}

type noteKey struct {
	scope   tenant.Scope
	trigger trigger.ID
}

func (n *notebook) add(e trigger.Event, t trigger.ID, seen run.Evaluated) {
	n.mu.Lock()
	defer n.mu.Unlock()
	key := noteKey{e.Scope, t}
	if n.pages == nil {
		n.pages = map[noteKey]*run.Notes{}
	}
	if n.pages[key] == nil {
		n.pages[key] = &run.Notes{Scope: e.Scope, Trigger: t, First: e}
		n.keys = append(n.keys, key)
	}

	page := n.pages[key]
	if e.At.Before(page.First.At) {
		page.First = e
	}
	page.List = append(page.List, seen)
	page.Seen++
	if seen.Held {
		page.Held++
	}
}

// keep stores what was seen: one item for each trigger.
func (n *notebook) keep(ctx context.Context, in run.Evaluations) error {
	if in == nil || len(n.pages) == 0 {
		return nil
	}

	all := make([]run.Notes, 0, len(n.pages))
	for _, key := range n.keys {
		page := n.pages[key]
		slices.SortFunc(page.List, func(a, b run.Evaluated) int { return int(b.At - a.At) })
		page.List = page.List[:min(len(page.List), run.MaxEvaluations)]
		all = append(all, *page)
	}
	return in.Note(ctx, all)
}
