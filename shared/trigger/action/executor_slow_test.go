package action_test

import (
	"context"
	"errors"
	"testing"
	"time"

	"minicloud/shared/trigger/action"
	"minicloud/shared/trigger/run"
)

// newSlowKit returns a kit with a separate slow queue, and a doer that works only on runs from that queue.
func newSlowKit(t *testing.T) (k *kit, apart *queue) {
	k, apart = newKit(t), &queue{}
	k.executor.Waker.Slow = apart
	k.doer.do = func(_ context.Context, w action.Work) (action.Result, error) {
		if !w.Slow {
			return action.Result{Unfinished: true, Slow: true}, nil
		}
		return action.Result{StatusCode: 200, Response: "at last"}, nil
	}
	return k, apart
}

// handed returns the only message in the slow queue.
func (k *kit) handed(apart *queue) sent {
	k.Helper()
	all := apart.take()
	if len(all) != 1 || !all[0].message.Slow || len(k.queue.take()) != 0 {
		k.Fatalf("handed over: %+v", all)
	}
	return all[0]
}

// TestSlowRunsGoToSlowQueue checks that a slow run moves to the slow queue at once, without an attempt. A failed run
// remains there until the doer reports that it is not slow.
func TestSlowRunsGoToSlowQueue(t *testing.T) {
	k, apart := newSlowKit(t)
	m := k.fire("one", 4)
	k.handle(m)
	over := k.handed(apart)
	if r := k.run(m); over.delay != 0 || over.message.Group() != "7" || len(r.Attempts) != 0 || r.Tries != 0 {
		t.Errorf("%+v, %+v", over, r)
	}

	k.now = k.now.Add(-time.Minute)
	k.handle(over.message)
	if early := k.handed(apart); early.message != over.message {
		t.Errorf("found early: %+v", early)
	}

	k.now = k.now.Add(2 * time.Minute)
	slow := true
	k.doer.do = func(_ context.Context, w action.Work) (action.Result, error) {
		if !w.Slow {
			t.Error("it was done among the quick ones")
		}
		return action.Result{Slow: slow}, action.Again(0, "timeout", "no answer")
	}
	k.handle(over.message)
	again := k.handed(apart)
	if r := k.run(m); again.delay < 4*time.Second || len(r.Attempts) != 1 {
		t.Errorf("%+v, %+v", again, r)
	}

	k.now, slow = k.now.Add(time.Minute), false
	k.handle(again.message)
	if back := k.queue.take(); len(back) != 1 || back[0].message != m || len(apart.take()) != 0 {
		t.Errorf("quick again: %+v", back)
	}
}

// TestSurvivesDeathBetweenQueues checks that a redelivered message is enough, wherever the worker dies.
func TestSurvivesDeathBetweenQueues(t *testing.T) {
	dies := errors.New("killed")
	for what, die := range map[string]func(k *kit, apart *queue, m run.Message) run.Message{
		"before it is put off": func(k *kit, _ *queue, m run.Message) run.Message {
			k.executor.Runs = mortal{k.runs, dies}
			return m
		},
		"before it is handed over": func(_ *kit, apart *queue, m run.Message) run.Message {
			apart.fail = dies
			return m
		},
		"there, before its end": func(k *kit, apart *queue, m run.Message) run.Message {
			k.handle(m)
			k.executor.Runs, k.now = mortal{k.runs, dies}, k.now.Add(time.Second)
			return k.handed(apart).message
		},
	} {
		t.Run(what, func(t *testing.T) {
			k, apart := newSlowKit(t)
			m := die(k, apart, k.fire("one", 4))
			if err := k.executor.Handle(t.Context(), m); err == nil {
				t.Fatal("the message was taken off its queue")
			}

			k.executor.Runs, apart.fail = k.runs, nil
			for waiting := []run.Message{m}; len(waiting) > 0; waiting = waiting[1:] {
				k.now = k.now.Add(action.LeaseTime + time.Second)
				k.handle(waiting[0])
				for _, s := range append(apart.take(), k.queue.take()...) {
					waiting = append(waiting, s.message)
				}
			}
			r := k.run(m)
			if r.Status != run.Succeeded || r.Attempts[len(r.Attempts)-1].Response != "at last" {
				t.Errorf("%+v", r)
			}
		})
	}
}
