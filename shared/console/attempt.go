package console

import (
	"context"
	"time"

	"minicloud/shared/app"
	"minicloud/shared/errs"
)

// How many wrong passwords are taken within the lock-out's time, for one email and from one address.
const (
	AccountAttempts = 5
	AddressAttempts = 20
	LockOut         = 15 * time.Minute
)

// AttemptStore counts wrong passwords. An attempt counts before its password is looked at, so that a hundred at once
// are no more than one after another.
type AttemptStore interface {
	// Attempt counts one under a key and returns 0, or how long to wait when there are most of them already. The first
	// one begins a time of LockOut, after which all are forgotten.
	Attempt(ctx context.Context, key string, most int, now time.Time) (wait time.Duration, err error)
	// Forget sets the count of a key to none.
	Forget(ctx context.Context, key string) error
	// TakeBack takes one from the count of a key.
	TakeBack(ctx context.Context, key string) error
}

// attempt returns errs.TooMany when a key has had its attempts.
func (s *Service) attempt(ctx context.Context, key string, most int) error {
	wait, err := s.Attempts.Attempt(ctx, key, most, s.Clock.Now())
	if err != nil || wait <= 0 {
		return err
	}
	seconds := int(wait/time.Second) + 1
	return errs.TooMany(seconds, "too many failed sign-ins: try again in %d seconds", seconds)
}

// The keys hold digests: emails are others' words, and may be long.
func accountKey(folded string) string  { return "account#" + string(app.DigestOf(folded)) }
func addressKey(address string) string { return "address#" + address }
