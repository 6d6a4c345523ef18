package consoledb_test

import (
	"testing"
	"time"

	"minicloud/infra/local/dynamotest"
	"minicloud/shared/console"
	"minicloud/shared/dynamo"
	"minicloud/shared/errs"
)

// allowed returns how many of n concurrent attempts are allowed.
func (p *platform) allowed(key string, n int) int {
	return atOnce(n, func(int) bool {
		wait, err := p.Attempts.Attempt(p.Context(), key, 5, console.LockOut, p.Clock())
		if err != nil || wait < 0 || wait > console.LockOut {
			p.Errorf("wait %v, %v", wait, err)
		}
		return err == nil && wait == 0
	})[true]
}

// TestLimitsConcurrentAttempts: the limit holds at first and after a lock-out, when the old item may still exist
// because DynamoDB deletes it late.
func TestLimitsConcurrentAttempts(t *testing.T) {
	p := newPlatform(t)
	for round := range 3 {
		if got := p.allowed("key", 50); got != 5 {
			t.Errorf("round %d: %d of 50 at once", round, got)
		}
		if got := p.allowed("other key", 3); round == 0 && got != 3 {
			t.Errorf("another key: %d of 3", got)
		}
		p.later(console.LockOut - time.Second)
		if got := p.allowed("key", 10); got != 0 {
			t.Errorf("round %d: %d while it is locked", round, got)
		}
		p.later(time.Second)
	}
}

func TestTakesBackAttempts(t *testing.T) {
	p := newPlatform(t)
	p.must(p.Attempts.TakeBack(t.Context(), "key")) // no attempt is counted
	if got := p.allowed("key", 4); got != 4 {
		t.Errorf("%d of 4", got)
	}
	for range 9 { // never below zero
		p.must(p.Attempts.TakeBack(t.Context(), "key"))
	}
	if got := p.allowed("key", 10); got != 5 {
		t.Errorf("%d of 5", got)
	}
	p.must(p.Attempts.Forget(t.Context(), "key"))
	p.must(p.Attempts.Forget(t.Context(), "key"))
	if got := p.allowed("key", 10); got != 5 {
		t.Errorf("after they are forgotten %d of 5", got)
	}

	p.later(console.LockOut)
	p.must(p.Attempts.TakeBack(t.Context(), "key")) // in an ended period
	if got := p.allowed("key", 10); got != 5 {
		t.Errorf("in a new time %d of 5", got)
	}
	it, err := dynamo.GetItem(t.Context(), p.client, "ConsoleTable", "key", "attempts")
	if want := p.Clock().Add(console.LockOut).Unix(); err != nil || dynamo.IntegerOf(it["expires_at"]) != want {
		t.Errorf("%v, %v: want it swept at %d", it, err, want)
	}
}

func TestRefusesSignInWithoutCounting(t *testing.T) {
	p := newPlatform(t)
	p.account("ada", console.Owner)
	busy := p.on(dynamotest.Faulty(p.client, times(1e9, "UpdateItem", dynamotest.Throttled)))
	in := console.SignIn{Email: "ada@example.com", Password: secret, Address: "192.0.2.1"}
	if _, _, _, err := busy.SignIn(t.Context(), in); !errs.Is(err, errs.KindUnavailable) {
		t.Errorf("throttled: %v", err)
	}

	// An attempt whose answer is lost counts at most twice.
	lost := p.on(dynamotest.Faulty(p.client, times(1, "UpdateItem", dynamotest.Unheard)))
	_, err := lost.Attempts.Attempt(t.Context(), "key", 5, console.LockOut, p.Clock())
	p.must(err)
	if got := p.allowed("key", 10); got != 3 && got != 4 {
		t.Errorf("%d of 5 are left", got)
	}
}
