package run_test

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"sync"
	"testing"
	"time"

	"minicloud/shared/clock"
	"minicloud/shared/trigger/run"
)

// plan is an in-memory run.Wakes.
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

// wakeQueue is a fake queue that records the delay of each run and refuses the messages of one run.
type wakeQueue struct {
	mu     sync.Mutex
	delays map[string][]time.Duration
	refuse string
}

func (q *wakeQueue) Send(_ context.Context, delay time.Duration, all ...run.Message) error {
	q.mu.Lock()
	defer q.mu.Unlock()
	for _, m := range all {
		if m.Run == q.refuse || m.Group() != "7" {
			return errors.New("refused")
		}
		q.delays[m.Run] = append(q.delays[m.Run], delay)
	}
	return nil
}

func newWaker(at time.Time) (*run.Waker, *wakeQueue, *plan) {
	q, p := &wakeQueue{delays: map[string][]time.Duration{}}, &plan{}
	return &run.Waker{Queue: q, Wakes: p, Clock: clock.Fixed(at)}, q, p
}

func asks(name string) run.Message {
	return run.Message{Scope: "7.production", Trigger: 3, Run: name, At: 1}
}

// TestWakeSendsOrPlans checks that only wakes more than 15 minutes ahead are stored.
func TestWakeSendsOrPlans(t *testing.T) {
	for wait, want := range map[time.Duration]time.Duration{
		-time.Hour: 0, 0: 0, time.Second: time.Second, 15 * time.Minute: 15 * time.Minute, 15*time.Minute + 1: -1,
	} {
		w, q, p := newWaker(noon)
		for range 2 {
			if err := w.Wake(t.Context(), asks("r"), noon.Add(wait)); err != nil {
				t.Fatal(err)
			}
		}
		if want < 0 && (len(p.all) != 1 || len(q.delays) != 0) || want >= 0 && (len(p.all) != 0 ||
			q.delays["r"][0] != want) {
			t.Errorf("in %v: sent with %v, planned %v", wait, q.delays, p.all)
		}
	}
}

// TestSlowRunsUseSlowQueue checks that slow messages use the slow queue if there is one, and that stored wakes use the
// normal queue.
func TestSlowRunsUseSlowQueue(t *testing.T) {
	w, q, p := newWaker(noon)
	apart := &wakeQueue{delays: map[string][]time.Duration{}}
	slow := asks("slow")
	slow.Slow = true
	wake := func(m run.Message, in time.Duration) {
		t.Helper()
		if err := w.Wake(t.Context(), m, noon.Add(in)); err != nil {
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

// TestTickSendsAllDueWakes checks that a tick sends thousands of wakes, up to a minute ahead. A wake stays if the queue
// refuses it or if it could not be deleted.
func TestTickSendsAllDueWakes(t *testing.T) {
	w, q, p := newWaker(noon)
	for i := range 2600 {
		at := noon.Add(time.Duration(i-2500) * time.Second)
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

	w.Clock = clock.Fixed(noon.Add(time.Hour))
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
