// Package engine fires triggers: it matches events with the conditions of triggers, stores a run for each action, and
// sends the messages that start the runs.
//
//	Engine   matches events and starts runs: engine.go matcher.go rule.go flow_key.go outbox.go
//	         logs triggers that a table change breaks: broken.go
//	Timers   fires the due minutes of timers: timer.go
//	Map      which triggers fire which others, and their loops: map.go loop.go
//	Try      fires one trigger for a made-up event: try.go
package engine

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"log/slog"
	"slices"
	"strings"
	"sync"

	"golang.org/x/sync/errgroup"

	"minicloud/shared/cache"
	"minicloud/shared/clock"
	"minicloud/shared/errs"
	"minicloud/shared/table"
	"minicloud/shared/tenant"
	"minicloud/shared/trace/logging"
	"minicloud/shared/trigger"
	"minicloud/shared/trigger/run"
)

// Candidates finds the triggers that an event may fire.
type Candidates interface {
	// Candidates returns the enabled triggers with an index key.
	Candidates(ctx context.Context, scope tenant.Scope, key string) ([]trigger.Trigger, error)
}

// Schemas reads the schemas of tables.
type Schemas interface {
	// Table returns a table. It returns errs.NotFound if the table does not exist.
	Table(ctx context.Context, scope tenant.Scope, id table.ID) (table.Table, error)
}

// Engine matches events with triggers and starts the runs of their actions.
//
// An event may be delivered any number of times: a run has an id that follows from trigger, event and action, is stored
// once, and is enqueued until a worker has begun it. So a crash of the engine loses no run and doubles none.
type Engine struct {
	Triggers    Candidates
	Schemas     Schemas
	Runs        run.Store
	Evaluations run.Evaluations
	Queue       run.Queue
	Wakes       run.Wakes
	Clock       clock.Clock
	Log         *slog.Logger

	ready cache.Map[cacheKey, readyMatchers]
}

// Fire evaluates events and starts the runs of the triggers that match. It processes events with the same key in order.
// done is the number of leading events that are complete. After an error, the caller must deliver the remaining events
// again, although some of them may be complete.
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
					return nil // later events of the key must wait for this one
				}
			}
			return nil
		})
	}
	_ = group.Wait()

	// Evaluations are best effort: failing to store them must not retry the batch.
	if err := notes.keep(ctx, e.Evaluations); err != nil {
		// A line for each trigger: no line names two tenants.
		for _, key := range notes.keys {
			e.log().WarnContext(ctx, "evaluations were not kept", "error", err.Error(),
				"trigger", fmt.Sprintf("%s#%d", key.scope, key.trigger), "lost", notes.pages[key].Seen)
		}
	}
	for i, err := range box.outcomes {
		if err != nil {
			return i, fmt.Errorf("event %s: %w", events[i].ID, err)
		}
	}
	return len(events), nil
}

// atOnce is the maximum number of series, or of due timers, processed concurrently.
const atOnce = 8

// fire processes one event and returns the runs to enqueue. A failing trigger does not keep others from firing (G13).
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

// startRuns evaluates one trigger for an event, starts its runs if it matches, and returns the runs to enqueue.
func (e *Engine) startRuns(
	ctx context.Context, m *Matcher, event trigger.Event, notes *notebook,
) (pending []run.Run, err error) {
	var seen Evaluation
	if m.Trigger.Traces(e.Clock.Now()) {
		seen = m.Evaluate(event)
	} else {
		seen.Held = m.Holds(event)
	}
	_, pending, err = e.act(ctx, m, event, seen, notes)
	return pending, err
}

// act starts the runs of an evaluated event, and notes the evaluation if the trigger is traced.
func (e *Engine) act(
	ctx context.Context, m *Matcher, event trigger.Event, seen Evaluation, notes *notebook,
) (runs, pending []run.Run, err error) {
	note := seen.Of(event)
	if seen.Held {
		runs, pending, err = e.startAll(ctx, m, event)
		for _, r := range runs {
			note.Actions = append(note.Actions, r.Decided())
		}
	}
	if err == nil && m.Trigger.Traces(e.Clock.Now()) {
		notes.add(event, m.Trigger.ID, note)
	}
	return runs, pending, err
}

// startAll stores the runs of a trigger's actions and returns those to enqueue. A failing action does not stop the
// others.
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

// start stores the run of an action. Started.Enqueue has the runs to enqueue.
func (e *Engine) start(ctx context.Context, m *Matcher, a trigger.Action, event trigger.Event) (run.Started, error) {
	r := m.NewRun(a, event)
	if event.Depth >= trigger.MaxDepth {
		r = r.Skipped(run.SkippedLoop, fmt.Sprintf("the event is the %dth of a chain of triggers, which ends here", event.Depth))
	} else if why, stopped := m.Trigger.Stopped[a.ID]; stopped {
		r = r.Skipped(run.SkippedDisabled, why)
	}
	return e.Runs.Start(ctx, r, a.Frequency, e.Clock.Now())
}

// Resume enqueues the stored runs of an event that are still pending, in case the engine crashed after it stored them
// and before it sent their messages. It starts no new runs. Use it for an event that will not be delivered again.
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

// matchers returns the matchers of the event's candidates, from the cache if it is fresh enough.
func (e *Engine) matchers(ctx context.Context, event trigger.Event) ([]*Matcher, error) {
	at := cacheKey{event.Scope, event.IndexKey()}
	// Every change of a table's triggers raises the table's revision, and the event has the revision that its writer
	// read. The few events without one bypass the cache.
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
			// A column of the condition was removed, so the trigger cannot fire. Reading the trigger reports it.
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

// schema returns the table of a row event. It is nil if the table was removed, if the event is not about a row, or if
// there are no candidates.
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

// cacheKey identifies the candidates with one index key.
type cacheKey struct {
	scope tenant.Scope
	index string
}

// readyMatchers are the cached matchers of one index key, as of a revision of their table.
type readyMatchers struct {
	revision int64
	matchers []*Matcher
}

// notebook collects the evaluations of a batch of events, per trigger.
type notebook struct {
	mu    sync.Mutex
	keys  []noteKey // in order of first evaluation
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
	// Series run concurrently: of two events of a millisecond, the id decides, so that a repeated batch has the same pages.
	if cmp.Or(e.At.Compare(page.First.At), strings.Compare(e.ID, page.First.ID)) < 0 {
		page.First = e
	}
	page.List = append(page.List, seen)
	page.Seen++
	if seen.Held {
		page.Held++
	}
}

// keep stores the collected evaluations, one item per trigger.
func (n *notebook) keep(ctx context.Context, in run.Evaluations) error {
	if in == nil || len(n.pages) == 0 {
		return nil
	}

	all := make([]run.Notes, 0, len(n.pages))
	for _, key := range n.keys {
		page := n.pages[key]
		slices.SortFunc(page.List, func(a, b run.Evaluated) int {
			return cmp.Or(cmp.Compare(b.At, a.At), strings.Compare(a.EventID, b.EventID))
		})
		page.List = page.List[:min(len(page.List), run.MaxEvaluations)]
		all = append(all, *page)
	}
	return in.Note(ctx, all)
}
