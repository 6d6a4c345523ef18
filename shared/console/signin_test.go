package console_test

import (
	"context"
	"fmt"
	"testing"
	"time"

	"minicloud/shared/clock"
	"minicloud/shared/console"
	"minicloud/shared/errs"
	"minicloud/shared/secret/password"
)

// nobody is an AccountStore without accounts.
type nobody struct{ console.AccountStore }

func (nobody) ByEmail(context.Context, string) (console.Account, error) {
	return console.Account{}, errs.NotFound("no account")
}

// attempts is an in-memory AttemptStore whose counts do not expire.
type attempts map[string]int

func (a attempts) Attempt(_ context.Context, key string, most int, _ time.Duration, _ time.Time) (time.Duration, error) {
	if a[key] >= most {
		return time.Minute, nil
	}
	a[key]++
	return 0, nil
}

func (a attempts) Forget(_ context.Context, key string) error   { delete(a, key); return nil }
func (a attempts) TakeBack(_ context.Context, key string) error { a[key]--; return nil }

// TestLimitsAttemptsPerAddress: a new email for each attempt does not raise the limit. Other addresses may still sign
// in.
func TestLimitsAttemptsPerAddress(t *testing.T) {
	counts := attempts{}
	s := &console.Service{
		Accounts: nobody{}, Attempts: counts, Passwords: password.New(1), Clock: clock.Fixed(time.Unix(1_790_000_000, 0)),
	}
	try := func(address, email string) error {
		_, _, _, err := s.SignIn(t.Context(), console.SignIn{Email: email, Password: "wrong", Address: address})
		return err
	}
	if err := try("192.0.2.1", "a@example.com"); !errs.Is(err, errs.KindUnauthenticated) {
		t.Fatal(err)
	}
	for key, n := range counts { // skip the attempts in between: each costs a hash
		if n == 1 && key == "address#192.0.2.1" {
			counts[key] = console.AddressAttempts - 1
		}
	}
	if err := try("192.0.2.1", "last@example.com"); !errs.Is(err, errs.KindUnauthenticated) {
		t.Errorf("the last attempt: %v", err)
	}

	for i := range 3 {
		err := try("192.0.2.1", fmt.Sprintf("x%d@example.com", i))
		if !errs.Is(err, errs.KindTooMany) || errs.RetryAfter(err) != 61 {
			t.Errorf("one more: %v, again after %d s", err, errs.RetryAfter(err))
		}
	}
	if err := try("192.0.2.2", "x0@example.com"); !errs.Is(err, errs.KindUnauthenticated) {
		t.Errorf("from another address: %v", err)
	}
}
