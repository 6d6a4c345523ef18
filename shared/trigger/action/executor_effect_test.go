package action_test

import (
	"context"
	"strings"
	"testing"
	"time"

	"minicloud/shared/errs"
	"minicloud/shared/trigger"
	"minicloud/shared/trigger/action"
	"minicloud/shared/trigger/run"
)

// TestSkipsDisabledActions checks the reason of each skipped run.
func TestSkipsDisabledActions(t *testing.T) {
	for _, c := range []struct {
		what   string
		change func(*trigger.Trigger)
		why    string
	}{
		{"disabled", func(t *trigger.Trigger) { t.Enabled = false }, "the trigger is disabled"},
		{"removed", func(t *trigger.Trigger) { t.Actions = t.Actions[:1] }, "the action was removed from its trigger"},
		{"stopped", func(t *trigger.Trigger) { t.Stopped = trigger.Stopped{5: "gone away"} }, "gone away"},
	} {
		t.Run(c.what, func(t *testing.T) {
			k := newKit(t)
			m := k.fire("one", 5)
			k.change(c.change)
			k.handle(m)
			r := k.run(m)
			if r.Status != run.Skipped || r.Error.Type != "disabled" || r.Error.Message != c.why {
				t.Errorf("%+v", r)
			}
			if len(k.doer.works) > 0 {
				t.Error("it was done")
			}
		})
	}
}

// TestFinishesActionOfDeletedTrigger uses the settings at the time of deletion (G9).
func TestFinishesActionOfDeletedTrigger(t *testing.T) {
	k := newKit(t)
	m := k.fire("one", 4)
	if err := k.triggers.Delete(t.Context(), here, k.trigger); err != nil {
		t.Fatal(err)
	}
	k.handle(m)
	if r := k.run(m); r.Status != run.Succeeded {
		t.Fatalf("%+v", r)
	}
	if s := k.doer.works[0].Action.Settings.(*trigger.WebhookSettings); s.URL != "https://example.com/" {
		t.Errorf("settings: %+v", s)
	}
}

func TestUnsupportedTypeFails(t *testing.T) {
	k := newKit(t)
	m := k.fire("one", 6)
	k.handle(m)
	if r := k.run(m); r.Status != run.Failed || r.Error.Type != "unsupported" {
		t.Errorf("%+v", r)
	}
}

// TestStopsAction checks that an action stays disabled until its owner enables it. Other actions of the trigger
// continue (G13).
func TestStopsAction(t *testing.T) {
	k := newKit(t)
	m := k.fire("one", 4)
	k.doer.fails(action.Disable("gone", "the receiver answered 410"))
	k.handle(m)
	if r := k.run(m); r.Status != run.Failed || r.Error.Type != "gone" {
		t.Errorf("%+v", r)
	}
	stopped, err := k.triggers.Trigger(t.Context(), here, 3)
	if err != nil || stopped.Stopped[4] != "the receiver answered 410" || !stopped.Enabled ||
		!strings.Contains(stopped.WhyStopped(), "action 4 (webhook) was disabled: the receiver answered 410") {
		t.Errorf("%+v, %v", stopped, err)
	}

	e := trigger.MessageEvent(here, "two", k.now, nil)
	if _, err := k.engine.Fire(t.Context(), []trigger.Event{e}); err != nil {
		t.Fatal(err)
	}
	for _, a := range []trigger.ActionID{4, 5} {
		r, err := k.runs.Run(t.Context(), here, run.Ref{Trigger: 3, At: morning, ID: run.IDOf(here, 3, e.ID, a)})
		if err != nil || (r.Status == run.Skipped) != (a == 4) {
			t.Errorf("action %d: %+v, %v", a, r, err)
		}
	}
}

// TestReplayFindsEffectDone checks that a replay does not repeat an effect (G27), but sends a webhook again.
func TestReplayFindsEffectDone(t *testing.T) {
	for number, want := range map[trigger.ActionID]string{4: "fine", 5: action.AlreadyDone} {
		k := newKit(t)
		m := k.fire("one", number)
		k.handle(m)
		if err := k.runs.Replay(t.Context(), here, k.run(m).Ref(), k.now, 1); err != nil {
			t.Fatal(err)
		}
		k.handle(m)
		r := k.run(m)
		if r.Status != run.Succeeded || len(r.Attempts) != 2 || r.Attempts[1].Response != want {
			t.Errorf("action %d: %+v", number, r)
		}
	}
}

// TestLongActionContinuesInParts checks that parts keep the state and do not count as attempts.
func TestLongActionContinuesInParts(t *testing.T) {
	k := newKit(t)
	m := k.fire("one", 5)
	for part := range 20 {
		k.doer.do = func(_ context.Context, w action.Work) (action.Result, error) {
			if part == 3 { // a failure keeps the state as well
				return action.Result{}, action.Again(0, "busy", "later")
			}
			if part == 19 {
				return action.Result{Response: string(w.State)}, nil
			}
			return action.Result{Unfinished: true, After: time.Minute, State: append(w.State, 'x')}, nil
		}
		k.handle(m)
		if part == 19 {
			break
		}
		if asked := k.queue.take(); len(asked) != 1 || part != 3 && asked[0].delay != time.Minute {
			t.Fatalf("part %d: asked %v", part, asked)
		}
		k.now = k.run(m).NextAttempt
	}

	r := k.run(m)
	if r.Status != run.Succeeded || len(r.Attempts) != 2 || r.Attempts[1].Response != strings.Repeat("x", 18) {
		t.Errorf("%+v", r)
	}
}

// TestKeepsMessageWithoutSuccessor checks that the message of an unfinished run is not deleted if the queue refuses its
// next message.
func TestKeepsMessageWithoutSuccessor(t *testing.T) {
	k := newKit(t)
	m := k.fire("one", 5)
	k.doer.fails(action.Again(0, "busy", "later"))
	k.queue.fail = errs.Unavailable(1, "no queue")
	if err := k.executor.Handle(t.Context(), m); err == nil {
		t.Fatal("the message was given up")
	}

	k.queue.fail = nil
	k.handle(m) // it is delivered again
	if asked := k.queue.take(); len(asked) != 1 || len(k.doer.works) != 1 {
		t.Errorf("asked %v, %d worked", asked, len(k.doer.works))
	}
}

func TestRefusesInvalidMessages(t *testing.T) {
	k := newKit(t)
	m := k.fire("one", 5)
	for _, c := range []struct {
		change func(*run.Message)
		want   errs.Kind
	}{
		{func(m *run.Message) { m.Scope = "x" }, errs.KindInvalid},
		{func(m *run.Message) { m.Run = "" }, errs.KindInvalid},
		{func(m *run.Message) { m.Trigger = 0 }, errs.KindInvalid},
		{func(m *run.Message) { m.At = 0 }, errs.KindInvalid},
		{func(m *run.Message) { m.At++ }, errs.KindNotFound},
	} {
		bad := m
		c.change(&bad)
		if err := k.executor.Handle(t.Context(), bad); errs.KindOf(err) != c.want {
			t.Errorf("%+v: %v, want %s", bad, err, c.want)
		}
	}
}
