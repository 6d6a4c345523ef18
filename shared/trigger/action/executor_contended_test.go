package action_test

import (
	"context"
	"testing"
	"time"

	"minicloud/shared/trigger/action"
	"minicloud/shared/trigger/run"
)

// TestContendedActionIsHandedOver checks that runs of a contended action go to the slow queue without a call of the
// database. Other actions of the trigger are executed at once.
func TestContendedActionIsHandedOver(t *testing.T) {
	k, apart := newSlowKit(t)
	contended := true
	k.doer.do = func(_ context.Context, w action.Work) (action.Result, error) {
		if contended && !w.Slow && w.Action.ID == 4 {
			return action.Result{Unfinished: true, Slow: true, Contended: true, After: time.Second}, nil
		}
		return action.Result{StatusCode: 200, Response: "done"}, nil
	}
	before := k.fire("before", 4)
	k.handle(before)
	if back := k.handed(apart); back.delay < time.Second {
		t.Errorf("the run that met others comes back after %v", back.delay)
	}

	next, other := k.fire("next", 4), k.fire("next", 5)
	k.client.Take()
	k.handle(next)
	if calls := k.client.Take(); len(calls) > 0 {
		t.Errorf("a run that is handed over costs %v", calls)
	}
	over := k.handed(apart)
	if want := next; over.message.Run != want.Run || over.message.Group() != "7" || over.delay != 0 {
		t.Errorf("%+v", over)
	}
	k.handle(other)
	k.handle(over.message)
	for _, m := range []run.Message{next, other} {
		if r := k.run(m); r.Status != run.Succeeded || r.Tries != 1 || len(r.Attempts) != 1 {
			t.Errorf("%+v", r)
		}
	}

	contended, k.now = false, k.now.Add(10*time.Second)
	later := k.fire("later", 4)
	k.handle(later)
	if r := k.run(later); r.Status != run.Succeeded || len(apart.take()) > 0 {
		t.Errorf("after a while: %+v", r)
	}
}
