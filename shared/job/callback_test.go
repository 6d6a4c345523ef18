package job

import (
	"context"
	"errors"
	"slices"
	"testing"
	"time"

	"minicloud/shared/errs"
	"minicloud/shared/tenant"
)

// attempts is a fake Callbacks that counts attempts and returns the same result for each.
type attempts struct {
	made int
	next time.Duration
	err  error
}

func (a *attempts) Deliver(context.Context, tenant.Scope, Record) (time.Duration, error) {
	a.made++
	return a.next, a.err
}

// TestSendsCallbackMessages checks that a worker sends the callback message when its job has ended, and that a tick
// sends it again if it was lost. The worker that receives it reads the job first.
func TestSendsCallbackMessages(t *testing.T) {
	d, b := withBooks(t)
	receiver := &attempts{}
	d.Callbacks = receiver
	r, m := d.start(0, Call{Callback: "https://a.example/"})
	d.take()
	d.work(m)
	asked := d.take()
	if len(asked) != 1 || !asked[0].Callback || asked[0].Job != r.ID || asked[0].Function != 1 || asked[0].delay != 0 {
		t.Fatalf("sent %+v", asked)
	}

	d.store.due = []Due{{Scope: shop, Function: 1, Job: r.ID, RunAt: d.now.Add(time.Minute), Callback: true}}
	if _, err := d.Tick(t.Context()); err != nil || len(d.store.due) != 0 {
		t.Errorf("%v, due %v", err, d.store.due)
	}
	again := slices.DeleteFunc(d.take(), func(m sent) bool { return m.Sweep })
	if len(again) != 1 || again[0].Message != asked[0].Message || again[0].delay != time.Minute {
		t.Errorf("a tick sent %+v", again)
	}

	b.fails["Read"] = errDown
	if err := d.Work(t.Context(), asked[0].Message); !errors.Is(err, errDown) || receiver.made != 0 {
		t.Errorf("%v, %d attempts", err, receiver.made)
	}
	b.fails["Read"] = errs.NotFound("its function was deleted")
	d.work(asked[0].Message)
	if receiver.made != 0 {
		t.Errorf("%d attempts for a deleted job", receiver.made)
	}
	b.fails["Read"] = nil
	d.work(asked[0].Message)
	if receiver.made != 1 || len(d.take()) != 0 {
		t.Errorf("%d attempts", receiver.made)
	}

	d.full = errDown
	if _, err := d.Tick(t.Context()); !errors.Is(err, errDown) {
		t.Errorf("the queue is down: %v", err)
	}
}

// TestSendsTheNextAttemptUnlessATickDoes: workers send only the next attempts that are due before a tick would send
// them.
func TestSendsTheNextAttemptUnlessATickDoes(t *testing.T) {
	for name, c := range map[string]struct {
		next time.Duration
		sent bool
		err  error
		full error
	}{
		"ended":        {0, false, nil, nil},
		"soon":         {5 * time.Second, true, nil, nil},
		"at the limit": {tickAhead, true, nil, nil},
		"later":        {tickAhead + time.Second, false, nil, nil},
		"failed":       {0, false, errDown, nil},
		"queue down":   {5 * time.Second, false, nil, errDown},
	} {
		d, _ := withBooks(t)
		d.Callbacks = &attempts{next: c.next, err: c.err}
		r, m := d.start(0, Call{Callback: "https://a.example/"})
		d.work(m)
		d.take()
		d.full = c.full

		m = Message{Scope: shop.String(), Function: 1, Job: r.ID, Callback: true}
		fails := c.err != nil || c.full != nil
		if err := d.Work(t.Context(), m); fails != errors.Is(err, errDown) || !fails && err != nil {
			t.Errorf("%s: %v", name, err)
		}
		sent := d.take()
		if (len(sent) == 1) != c.sent || c.sent && (sent[0].Message != m || sent[0].delay != c.next || sent[0].Group() != "7") {
			t.Errorf("%s: sent %+v", name, sent)
		}
	}
}
