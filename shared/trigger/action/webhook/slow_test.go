package webhook_test

import (
	"context"
	"fmt"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"minicloud/shared/delivery"
	"minicloud/shared/errs"
	"minicloud/shared/trigger"
	"minicloud/shared/trigger/action"
)

const lazy = "https://lazy.example/hook"

// sitting returns a desk with the clock of the synctest bubble. Only the receiver lazy is slow.
func sitting(takes time.Duration, err error) *desk {
	d := newDesk()
	d.Clock = time.Now
	d.now = time.Now()
	d.Sender = senderFunc(func(ctx context.Context, r delivery.Request) (delivery.Answer, error) {
		if r.URL == lazy {
			time.Sleep(takes)
			if err != nil {
				return delivery.Answer{}, err
			}
		}
		return d.Send(ctx, r)
	})
	return d
}

type senderFunc func(context.Context, delivery.Request) (delivery.Answer, error)

func (f senderFunc) Send(ctx context.Context, r delivery.Request) (delivery.Answer, error) {
	return f(ctx, r)
}

// batch makes ten deliveries concurrently, like a batch from a queue; one is to the lazy receiver. It returns how long
// the slowest one held the batch, and the result of the lazy one.
func (d *desk) batch(t *testing.T, slow bool) (held time.Duration, result action.Result, failure error) {
	t.Helper()
	begun := time.Now()
	var all sync.WaitGroup
	for n := range 10 {
		a, url := trigger.ActionID(4), lazy
		if n > 0 {
			a, url = 5, fmt.Sprintf("https://quick%d.example/", n)
		}
		w := d.work(a, url)
		w.Slow = slow
		all.Go(func() {
			r, err := d.Do(t.Context(), w)
			if n == 0 {
				result, failure = r, err
			} else if err != nil || r.Unfinished {
				t.Errorf("a quick receiver: %+v, %v", r, err)
			}
		})
	}
	all.Wait()
	return time.Since(begun), result, failure
}

// TestSlowReceiverHoldsOneBatch checks that only one batch waits: while the first delivery waits, another instance
// moves its own to the slow queue. A minute later the receiver is tried in the fast queue again.
func TestSlowReceiverHoldsOneBatch(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		first := sitting(3*time.Second, nil)
		second := sitting(3*time.Second, nil)
		second.Endpoints = first // the state that instances share

		go func() {
			if held, r, err := first.batch(t, false); held != 3*time.Second || err != nil || r.StatusCode != 200 {
				t.Errorf("the first one: held for %v, %+v, %v", held, r, err)
			}
		}()
		time.Sleep(1500 * time.Millisecond)
		second.slow = first.slow // as if it had just read its trigger
		if held, r, err := second.batch(t, false); held != 0 || err != nil || !r.Unfinished || !r.Slow {
			t.Errorf("another instance: held for %v, %+v, %v", held, r, err)
		}
		time.Sleep(5 * time.Second)
		for _, d := range []*desk{first, second} {
			if held, r, err := d.batch(t, false); held != 0 || err != nil || !r.Unfinished || !r.Slow || r.After != 0 {
				t.Errorf("later: held for %v, %+v, %v", held, r, err)
			}
		}
		if held, r, err := first.batch(t, true); held != 3*time.Second || err != nil || r.StatusCode != 200 || r.Unfinished {
			t.Errorf("apart: held for %v, %+v, %v", held, r, err)
		}
		if marks := count(first.writes, "slow"); marks != 1 {
			t.Errorf("it was noted %d times", marks)
		}

		time.Sleep(70 * time.Second)
		first.Sender, first.now = first, time.Now()
		if held, r, err := first.batch(t, false); held != 0 || err != nil || r.StatusCode != 200 {
			t.Errorf("quick again: held for %v, %+v, %v", held, r, err)
		}
	})
}

// TestDeadReceiverHoldsOneBatch checks that one batch waits for 5 s. Retries and probes run in the slow queue, one at a
// time. Attempts that are due meanwhile are postponed without a request.
func TestDeadReceiverHoldsOneBatch(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		d := sitting(5*time.Second, errs.Timeout("lazy.example did not answer within 5s"))
		if held, r, err := d.batch(t, false); held != 5*time.Second || err == nil || !r.Slow {
			t.Fatalf("the first one: held for %v, %+v, %v", held, r, err)
		}
		for _, apart := range []time.Duration{5 * time.Second, 5 * time.Second} {
			if held, r, err := d.batch(t, false); held != 0 || err != nil || !r.Unfinished || !r.Slow {
				t.Errorf("not apart: held for %v, %+v, %v", held, r, err)
			}
			if held, r, err := d.batch(t, true); held != apart || err == nil || !r.Slow {
				t.Errorf("apart: held for %v, %+v, %v", held, r, err)
			}
		}
		if held, r, err := d.batch(t, false); held != 0 || !isHeld(err) || !r.Slow {
			t.Errorf("open: held for %v, %+v, %v", held, r, err)
		}

		time.Sleep(30 * time.Second)
		if held, r, err := d.batch(t, false); held != 0 || err != nil || !r.Unfinished || !r.Slow {
			t.Errorf("its pause is over: held for %v, %+v, %v", held, r, err)
		}
		done := make(chan struct{})
		go func() {
			defer close(done)
			if held, _, err := d.batch(t, true); held != 5*time.Second || isHeld(err) {
				t.Errorf("the probe: held for %v, %v", held, err)
			}
		}()
		time.Sleep(time.Second)
		if held, r, err := d.batch(t, true); held != 0 || !isHeld(err) || !r.Slow {
			t.Errorf("a second probe: held for %v, %+v, %v", held, r, err)
		}
		<-done
		if marks := count(d.writes, "slow"); marks != 1 {
			t.Errorf("it was noted %d times", marks)
		}
	})
}

func TestRateWaitsInItsQueue(t *testing.T) {
	d := newDesk()
	d.wait = time.Second
	for _, slow := range []bool{false, true} {
		w := d.work(4, lazy)
		w.Action.Settings.(*trigger.WebhookSettings).RatePerSecond = 1
		w.Slow = slow
		if r, err := d.Do(t.Context(), w); err != nil || !r.Unfinished || r.After != time.Second || r.Slow != slow {
			t.Errorf("slow %v: %+v, %v", slow, r, err)
		}
	}
}

func isHeld(err error) bool {
	f, ok := err.(*action.Failure)
	return ok && f.Type == "held" && !f.Permanent
}

func count(all []string, one string) (n int) {
	for _, s := range all {
		if s == one {
			n++
		}
	}
	return n
}
