package engine_test

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"sync"
	"testing"
	"time"

	"minicloud/shared/clock"
	"minicloud/shared/tenant"
	"minicloud/shared/trigger"
	"minicloud/shared/trigger/engine"
	"minicloud/shared/trigger/run"
)

// plan is a run.Wakes in memory.
type plan struct {
	all      []run.Wake
	dropping error
}

func (p *plan) Plan(_ context.Context, w run.Wake) error {
	if !slices.Contains(p.all, w) {
		p.all = append(p.all, w)
	}
	return nil
}

func (p *plan) Planned(_ context.Context, until time.Time, limit int) (due []run.Wake, err error) {
	for _, w := range p.all {
		if !w.At.After(until) && len(due) < limit {
			due = append(due, w)
		}
	}
	return due, nil
}

func (p *plan) Drop(_ context.Context, all []run.Wake) error {
	if p.dropping == nil {
		p.all = slices.DeleteFunc(p.all, func(w run.Wake) bool { return slices.Contains(all, w) })
	}
	return p.dropping
}

// wakeQueue notes the delay of each run, and does not take one of them.
type wakeQueue struct {
	mu     sync.Mutex
	delays map[string][]time.Duration
	refuse string
}

func (q *wakeQueue) Send(_ context.Context, m run.Message, group string, delay time.Duration) error {
	q.mu.Lock()
	defer q.mu.Unlock()
	if m.Run == q.refuse || group != "7" {
		return errors.New("refused")
	}
	q.delays[m.Run] = append(q.delays[m.Run], delay)
	return nil
}

func newWaker(at time.Time) (*run.Waker, *wakeQueue, *plan) {
	q, p := &wakeQueue{delays: map[string][]time.Duration{}}, &plan{}
	return &run.Waker{Queue: q, Wakes: p, Clock: clock.Fixed(at)}, q, p
}

func asks(name string) run.Message {
	return run.Message{Scope: "7.production", Trigger: 3, Run: name, At: 1}
}

// TestWakeSendsOrPlans checks that only what is more than 15 minutes ahead is planned.
func TestWakeSendsOrPlans(t *testing.T) {
	now := time.Date(2026, 11, 22, 12, 0, 0, 0, time.UTC)
	for wait, want := range map[time.Duration]time.Duration{
		-time.Hour: 0, 0: 0, time.Second: time.Second, 15 * time.Minute: 15 * time.Minute, 15*time.Minute + 1: -1,
	} {
		w, q, p := newWaker(now)
		for range 2 {
			if err := w.Wake(t.Context(), asks("r"), now.Add(wait)); err != nil {
				t.Fatal(err)
			}
		}
		if want < 0 && (len(p.all) != 1 || len(q.delays) != 0) || want >= 0 && (len(p.all) != 0 ||
			q.delays["r"][0] != want) {
			t.Errorf("in %v: sent with %v, planned %v", wait, q.delays, p.all)
		}
	}
}

// TestSlowRunsUseSlowQueue where there is one. Planned runs come back by the other.
func TestSlowRunsUseSlowQueue(t *testing.T) {
	now := time.Date(2026, 11, 22, 12, 0, 0, 0, time.UTC)
	w, q, p := newWaker(now)
	apart := &wakeQueue{delays: map[string][]time.Duration{}}
	slow := asks("slow")
	slow.Slow = true
	wake := func(m run.Message, in time.Duration) {
		t.Helper()
		if err := w.Wake(t.Context(), m, now.Add(in)); err != nil {
			t.Fatal(err)
		}
	}

	wake(slow, time.Second)
	if len(q.delays["slow"]) != 1 {
		t.Errorf("without a queue of its own it was sent as %v", q.delays)
	}
	w.Slow = apart
	wake(slow, time.Second)
	wake(asks("quick"), time.Second)
	wake(slow, time.Hour)
	if len(q.delays["slow"]) != 1 || len(q.delays["quick"]) != 1 || len(apart.delays) != 1 ||
		len(apart.delays["slow"]) != 1 || len(p.all) != 1 || p.all[0].Message != asks("slow") {
		t.Errorf("sent %v, apart %v, planned %v", q.delays, apart.delays, p.all)
	}
}

// TestTickSendsAllDueWakes thousands of them, up to a minute ahead. One that the queue refuses stays, and so do
// those that could not be dropped.
func TestTickSendsAllDueWakes(t *testing.T) {
	now := time.Date(2026, 11, 22, 12, 0, 0, 0, time.UTC)
	w, q, p := newWaker(now)
	for i := range 2600 {
		at := now.Add(time.Duration(i-2500) * time.Second)
		p.all = append(p.all, run.Wake{At: at, Message: asks(fmt.Sprint(i))})
	}
	sent, err := w.Tick(t.Context())
	if err != nil || sent != 2561 || len(p.all) != 2600-2561 {
		t.Fatalf("%d sent, %d left: %v", sent, len(p.all), err)
	}
	for i, want := range map[int]time.Duration{0: 0, 2500: 0, 2530: 30 * time.Second, 2560: time.Minute} {
		if got := q.delays[fmt.Sprint(i)]; len(got) != 1 || got[0] != want {
			t.Errorf("run %d was sent with %v, want %v", i, got, want)
		}
	}

	w.Clock = clock.Fixed(now.Add(time.Hour))
	q.refuse = "2570"
	if sent, err := w.Tick(t.Context()); err == nil || sent != 38 || len(p.all) != 1 {
		t.Errorf("one is not taken: %d sent, %d left: %v", sent, len(p.all), err)
	}
	q.refuse, p.dropping = "", errors.New("no database")
	if sent, err := w.Tick(t.Context()); err == nil || sent != 1 || len(p.all) != 1 {
		t.Errorf("it cannot be dropped: %d sent, %d left: %v", sent, len(p.all), err)
	}
	p.dropping = nil
	if sent, err := w.Tick(t.Context()); err != nil || sent != 1 || len(p.all) != 0 || len(q.delays["2570"]) != 2 {
		t.Errorf("the next tick: %d sent, %d left: %v", sent, len(p.all), err)
	}
}

// bulkQueue is a queue that takes many at once, and a run.Store that stores nothing.
type bulkQueue struct {
	wakeQueue
	together [][]run.Message
	full     bool             // takes no messages together
	later    trigger.ActionID // begins in a minute
	fails    trigger.ActionID // cannot be stored
}

func (c *bulkQueue) SendAll(_ context.Context, all []run.Message, group string) error {
	if group != "7" || c.full {
		return errors.New("refused")
	}
	c.together = append(c.together, all)
	return nil
}

func (c *bulkQueue) Start(
	_ context.Context, r run.Run, _ trigger.Frequency, now time.Time,
) (run.Started, error) {
	switch r.Action {
	case c.fails:
		return run.Started{}, errors.New("no database")
	case c.later:
		r.NextAttempt = now.Add(time.Minute)
	}
	return run.Started{Run: r, Enqueue: []run.Run{r}}, nil
}

func (c *bulkQueue) Run(context.Context, tenant.Scope, run.Ref) (run.Run, error) {
	return run.Run{}, nil
}

func (c *bulkQueue) Candidates(context.Context, tenant.Scope, string) ([]trigger.Trigger, error) {
	return []trigger.Trigger{{
		ID: 3, Enabled: true, Type: trigger.TypeChatMessage, Condition: &trigger.MessageCondition{},
		Actions: []trigger.Action{{ID: 1}, {ID: 2}, {ID: 3}, {ID: 4}},
	}}, nil
}

// TestSendsActionsOfEventTogether if they begin at once. An action that cannot be stored blocks no other, and the
// event comes again.
func TestSendsActionsOfEventTogether(t *testing.T) {
	now := time.Date(2026, 11, 22, 12, 0, 0, 0, time.UTC)
	for fails, want := range map[trigger.ActionID]int{0: 3, 3: 2} {
		c := &bulkQueue{wakeQueue: wakeQueue{delays: map[string][]time.Duration{}}, later: 2, fails: fails}
		engine := &engine.Engine{Triggers: c, Runs: c, Queue: c, Clock: clock.Fixed(now)}
		scope := tenant.Scope{App: 7, Env: tenant.Production}
		event := trigger.MessageEvent(scope, "e", now, map[string]any{"text": "hi"})

		done, err := engine.Fire(t.Context(), []trigger.Event{event})
		if (err != nil) != (fails > 0) || (done == 1) != (fails == 0) {
			t.Errorf("action %d fails: %d done, %v", fails, done, err)
		}
		if len(c.together) != 1 || len(c.together[0]) != want {
			t.Errorf("action %d fails: asked for together %v, want %d", fails, c.together, want)
		}
		if got := c.delays[run.IDOf(scope, 3, event.ID, 2)]; !slices.Equal(got, []time.Duration{time.Minute}) {
			t.Errorf("action %d fails: the later one was asked for with %v", fails, got)
		}
	}
}

// TestUnsentMessageFailsEvent while another message is sent all the same.
func TestUnsentMessageFailsEvent(t *testing.T) {
	now := time.Date(2026, 11, 22, 12, 0, 0, 0, time.UTC)
	event := trigger.MessageEvent(tenant.Scope{App: 7, Env: tenant.Production}, "e", now, map[string]any{"text": "hi"})
	later := run.IDOf(event.Scope, 3, event.ID, 2)
	for _, c := range []struct {
		full   bool
		refuse string
	}{{false, later}, {true, ""}, {true, later}, {false, ""}} {
		q := &bulkQueue{later: 2, full: c.full, wakeQueue: wakeQueue{delays: map[string][]time.Duration{}, refuse: c.refuse}}
		engine := &engine.Engine{Triggers: q, Runs: q, Queue: q, Clock: clock.Fixed(now)}
		lost := c.full || c.refuse != ""
		if done, err := engine.Fire(t.Context(), []trigger.Event{event}); (err != nil) != lost || done == 1 == lost {
			t.Errorf("%+v: %d done, %v", c, done, err)
		}
		if len(q.together) == 1 == c.full || len(q.delays[later]) == 1 == (c.refuse != "") {
			t.Errorf("%+v: sent together %v, later %v", c, q.together, q.delays)
		}
	}
}
