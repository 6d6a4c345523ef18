package console

import (
	"context"
	"time"

	"minicloud/shared/app"
	"minicloud/shared/errs"
)

// Limits of wrong passwords within LockOut, per email and per address.
const (
	AccountAttempts = 5
	AddressAttempts = 20
	LockOut         = 15 * time.Minute
)

// AttemptStore counts wrong passwords. An attempt is counted before its password is checked, so that concurrent
// attempts have the same limit as consecutive ones.
type AttemptStore interface {
	// Attempt counts an attempt under a key and returns 0. If the key already has most attempts, it returns the time to
	// wait. The first attempt starts a period, after which the count is reset.
	Attempt(ctx context.Context, key string, most int, period time.Duration, now time.Time) (wait time.Duration, err error)
	// Forget resets the count of a key.
	Forget(ctx context.Context, key string) error
	// TakeBack decrements the count of a key.
	TakeBack(ctx context.Context, key string) error
}

// attempt counts an attempt. It returns errs.TooMany if the key has no attempts left.
func (s *Service) attempt(ctx context.Context, key string, most int) error {
	wait, err := s.Attempts.Attempt(ctx, key, most, LockOut, s.Clock.Now())
	if err != nil || wait <= 0 {
		return err
	}
	seconds := int(wait/time.Second) + 1
	return errs.TooMany(seconds, "too many failed sign-ins: try again in %d seconds", seconds)
}

// The keys contain digests, since the email in a sign-in request is arbitrary text and may be long.
func accountKey(folded string) string  { return "account#" + string(app.DigestOf(folded)) }
func addressKey(address string) string { return "address#" + address }
