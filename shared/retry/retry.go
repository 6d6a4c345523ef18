// Package retry says how often, and how patiently, something is tried again, and what is.
//
//	Calls   one call of an AWS API: the service is busy, or cannot be reached
//	Writes  a write that met another one: who reads again, or just tries again, has its turn in milliseconds
//
// Who still has met others when a policy ends says errs.Conflict (409): trying again later may help. What is refused
// for its content is never tried again.
package retry

import (
	"context"
	"math/rand/v2"
	"time"

	"minicloud/shared/clock"
	"minicloud/shared/errs"
)

// Policy bounds the tries of one thing.
type Policy struct {
	Tries   int           // the first one included
	First   time.Duration // the longest delay before the second try; it doubles with each further one
	Longest time.Duration // where doubling ends
}

// The policies. A caller waits for the answer, so the delays are milliseconds.
var (
	Calls = Policy{Tries: 6, First: 25 * time.Millisecond, Longest: 500 * time.Millisecond}
	// With the jitter between them, 50 writers of one thing need about as many tries.
	Writes = Policy{Tries: 400, First: time.Millisecond, Longest: 128 * time.Millisecond}
)

// Jitter returns a random number below n. Simulations, which must go the same way again, replace it.
var Jitter = rand.Int64N

// Delay is how long to wait before a try, counted from 1 for the second: full jitter, so that those who met do not
// meet again.
func (p Policy) Delay(try int) time.Duration {
	longest := p.Longest
	if shift := max(try-1, 0); shift < 30 {
		longest = min(longest, p.First<<shift)
	}
	return time.Duration(Jitter(int64(longest) + 1))
}

// Spread varies a delay by 20 % both ways, so that calls that failed together are not repeated together.
func Spread(d time.Duration) time.Duration { return d + time.Duration(Jitter(int64(d/5*2)+1)) - d/5 }

// Sleep waits before a try. errs.Timeout when ctx ends before.
func (p Policy) Sleep(ctx context.Context, try int) error {
	if clock.Sleep(ctx, p.Delay(try)) != nil {
		return errs.Timeout("the request did not end in time")
	}
	return nil
}

// Do calls f, with 0, 1, 2 …, until it succeeds, fails with what is not to be tried again, or has been tried often
// enough; it returns the last error.
func (p Policy) Do(ctx context.Context, again func(error) bool, f func(try int) error) error {
	for try := 0; ; try++ {
		err := f(try)
		if err == nil || !again(err) || try+1 >= p.Tries {
			return err
		}
		if err := p.Sleep(ctx, try+1); err != nil {
			return err
		}
	}
}

// OnConflict reports whether a write met another one.
func OnConflict(err error) bool { return errs.Is(err, errs.KindConflict) }

// Retryable reports whether what failed so may succeed when it is tried again.
func Retryable(err error) bool {
	return errs.Is(err, errs.KindConflict) || errs.Is(err, errs.KindUnavailable) || errs.Is(err, errs.KindTimeout)
}
