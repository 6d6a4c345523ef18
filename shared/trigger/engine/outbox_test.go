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

// shared is a queue and a log of runs that several applications use.
type shared struct {
	*stage
	mu      sync.Mutex
	calls   map[string][]int // how many messages each call sent, by group
	refuses string           // takes no messages of this group
	told    chan struct{}    // closed when a message of application 8 was sent
	behind  string           // events of application 7 from this one on are stored after that only
}

func (s *shared) SendAll(_ context.Context, all []run.Message, group string) error {
	s.mu.Lock()
	defer s.mu.Unlock()
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

// newShared has a batch of 100 events, of which the last one is another application's.
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

// TestSendsMessagesOfBatchTogether ten in a call, those of each application in calls of their own.
func TestSendsMessagesOfBatchTogether(t *testing.T) {
	s, engine, events := newShared()
	if done, err := engine.Fire(t.Context(), events); done != 100 || err != nil {
		t.Fatal(done, err)
	}
	slices.Sort(s.calls["7"])
	if got := fmt.Sprint(s.calls["7"], s.calls["8"]); got != "[9 10 10 10 10 10 10 10 10 10] [1]" {
		t.Errorf("messages in each call: %s", got)
	}

	// Messages that the queue refuses fail the events of their application only.
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

// TestApplicationDoesNotWaitForAnother stores the event of one application before most events of another.
func TestApplicationDoesNotWaitForAnother(t *testing.T) {
	s, engine, events := newShared()
	s.behind = "e10"
	ctx, cancel := context.WithTimeout(t.Context(), 3*time.Minute)
	defer cancel()
	if done, err := engine.Fire(ctx, events); done != 100 || err != nil {
		t.Errorf("%d done, %v", done, err)
	}
}

// TestKeepsOrderOfOneKey however many applications take turns.
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
