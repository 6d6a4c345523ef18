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

// shared is a fake queue and run store that several applications use.
type shared struct {
	*stage
	mu      sync.Mutex
	calls   map[string][]int // number of messages in each call, by group
	refuses string           // group whose messages are refused
	told    chan struct{}    // closed when a message of application 8 has been sent
	behind  string           // events of application 7 from this id on wait for told
}

func (s *shared) Send(_ context.Context, _ time.Duration, all ...run.Message) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	group := all[0].Group()
	if group == s.refuses {
		return errDown
	}
	s.calls[group] = append(s.calls[group], len(all))
	if group == "8" && s.behind != "" {
		close(s.told)
	}
	return nil
}

func (s *shared) Start(
	ctx context.Context, r run.Run, f trigger.Frequency, now time.Time,
) (run.Started, error) {
	if s.behind != "" && r.Scope.App == 7 && r.Event.ID >= s.behind {
		select {
		case <-s.told:
		case <-ctx.Done():
			return run.Started{}, ctx.Err()
		}
	}
	return s.stage.Start(ctx, r, f, now)
}

// newShared returns fakes, an engine and a batch of 100 events; the last one belongs to application 8.
func newShared() (*shared, *engine.Engine, []trigger.Event) {
	stage, _ := newStage()
	stage.triggers[0].Actions = stage.triggers[0].Actions[:1]
	s := &shared{stage: stage, calls: map[string][]int{}, told: make(chan struct{})}
	var events []trigger.Event
	for i := range 100 {
		e := message(fmt.Sprintf("e%02d", i))
		if e.Scope.App = 7; i == 99 {
			e.Scope.App = 8
		}
		e.Key = e.ID
		events = append(events, e)
	}
	return s, &engine.Engine{Triggers: s, Runs: s, Queue: s, Clock: clock.Fixed(noon)}, events
}

// TestSendsMessagesOfBatchTogether checks that messages are sent ten per call, in separate calls per application.
func TestSendsMessagesOfBatchTogether(t *testing.T) {
	s, engine, events := newShared()
	if done, err := engine.Fire(t.Context(), events); done != 100 || err != nil {
		t.Fatal(done, err)
	}
	slices.Sort(s.calls["7"])
	if got := fmt.Sprint(s.calls["7"], s.calls["8"]); got != "[9 10 10 10 10 10 10 10 10 10] [1]" {
		t.Errorf("messages in each call: %s", got)
	}

	// Refused messages fail only the events of their application.
	s, engine, events = newShared()
	s.refuses = "7"
	if done, err := engine.Fire(t.Context(), events); done != 0 || !errors.Is(err, errDown) || len(s.calls["8"]) != 1 {
		t.Errorf("%d done, %v, sent %v", done, err, s.calls)
	}
	s, engine, events = newShared()
	s.refuses = "8"
	if done, err := engine.Fire(t.Context(), events); done != 99 || !errors.Is(err, errDown) || len(s.calls["7"]) != 10 {
		t.Errorf("%d done, %v, sent %v", done, err, s.calls)
	}
}

// TestApplicationDoesNotWaitForAnother checks that the message of one application is sent while most events of another
// are still blocked.
func TestApplicationDoesNotWaitForAnother(t *testing.T) {
	s, engine, events := newShared()
	s.behind = "e10"
	ctx, cancel := context.WithTimeout(t.Context(), 3*time.Minute)
	defer cancel()
	if done, err := engine.Fire(ctx, events); done != 100 || err != nil {
		t.Errorf("%d done, %v", done, err)
	}
}

// TestKeepsOrderOfOneKey checks that the events of one key stay in order when applications take turns.
func TestKeepsOrderOfOneKey(t *testing.T) {
	s, engine, events := newShared()
	for i := range events {
		events[i].Scope.App = tenant.AppID(7 + i%2)
		events[i].Key = fmt.Sprint(i % 6)
	}
	seen := map[string][]string{}
	if done, err := engine.Fire(t.Context(), events); done != 100 || err != nil {
		t.Fatal(done, err)
	}
	for _, r := range s.started {
		seen[r.Event.Key] = append(seen[r.Event.Key], r.Event.ID)
	}
	for key, ids := range seen {
		if !slices.IsSorted(ids) {
			t.Errorf("events of key %s were taken as %v", key, ids)
		}
	}
}

// bulkQueue is a fake run.Queue and a run.Store that stores nothing.
type bulkQueue struct {
	mu       sync.Mutex
	delays   map[string][]time.Duration // of delayed messages, by run
	refuse   string                     // run whose delayed message is refused
	together [][]run.Message
	full     bool             // refuses messages without delay
	later    trigger.ActionID // action whose run begins in a minute
	fails    trigger.ActionID // action whose run cannot be stored
}

func (c *bulkQueue) Send(_ context.Context, delay time.Duration, all ...run.Message) error {
	c.mu.Lock()
	defer c.mu.Unlock()
	if delay > 0 && all[0].Run != c.refuse {
		c.delays[all[0].Run] = append(c.delays[all[0].Run], delay)
		return nil
	}
	if delay > 0 || c.full {
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

// TestSendsActionsOfEventTogether checks that runs that begin now are sent in one call. An action that cannot be stored
// blocks no other, and fails the event.
func TestSendsActionsOfEventTogether(t *testing.T) {
	for fails, want := range map[trigger.ActionID]int{0: 3, 3: 2} {
		c := &bulkQueue{delays: map[string][]time.Duration{}, later: 2, fails: fails}
		engine := &engine.Engine{Triggers: c, Runs: c, Queue: c, Clock: clock.Fixed(noon)}
		event := trigger.MessageEvent(scope, "e", noon, map[string]any{"text": "hi"})

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

// TestUnsentMessageFailsEvent checks that a message that cannot be sent fails the event, and that its other messages
// are still sent.
func TestUnsentMessageFailsEvent(t *testing.T) {
	event := trigger.MessageEvent(scope, "e", noon, map[string]any{"text": "hi"})
	later := run.IDOf(event.Scope, 3, event.ID, 2)
	for _, c := range []struct {
		full   bool
		refuse string
	}{{false, later}, {true, ""}, {true, later}, {false, ""}} {
		q := &bulkQueue{later: 2, full: c.full, delays: map[string][]time.Duration{}, refuse: c.refuse}
		engine := &engine.Engine{Triggers: q, Runs: q, Queue: q, Clock: clock.Fixed(noon)}
		lost := c.full || c.refuse != ""
		if done, err := engine.Fire(t.Context(), []trigger.Event{event}); (err != nil) != lost || done == 1 == lost {
			t.Errorf("%+v: %d done, %v", c, done, err)
		}
		if len(q.together) == 1 == c.full || len(q.delays[later]) == 1 == (c.refuse != "") {
			t.Errorf("%+v: sent together %v, later %v", c, q.together, q.delays)
		}
	}
}
