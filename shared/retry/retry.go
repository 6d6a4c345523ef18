// Package retry has the policies by which operations are retried, with exponential backoff and full jitter.
//
//	Calls   one call of an AWS API: the service is busy, or cannot be reached
//	Writes  a conditional write that met another one: the next attempt reads again, and succeeds within milliseconds
//
// When retries run out, callers return errs.Conflict (409), since a later request may succeed. A request that was
// refused for its content is never retried.
package retry

import (
	"context"
	"math/rand/v2"
	"time"

	"minicloud/shared/clock"
	"minicloud/shared/errs"
)

// Policy bounds the attempts at one operation.
type Policy struct {
	Tries   int           // the first one included
	First   time.Duration // the longest delay before the second try; it doubles with each further one
	Longest time.Duration // the delay at which doubling ends
}

// The policies. A caller waits for the answer, so the delays are milliseconds.
var (
	Calls = Policy{Tries: 6, First: 25 * time.Millisecond, Longest: 500 * time.Millisecond}
	// 50 writers of one item need about 50 tries each: one of them succeeds per round.
	Writes = Policy{Tries: 400, First: time.Millisecond, Longest: 128 * time.Millisecond}
)

// Jitter returns a random number below n. Simulations replace it, so that a seed repeats a run.
var Jitter = rand.Int64N

// Delay returns the delay before a try, counted from 1 for the second. It has full jitter, so that operations that
// conflicted do not conflict again.
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

// Do calls f with 0, 1, 2 … until f succeeds, again is false for its error, or Tries are used up. It returns the last
// error.
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

// Retryable reports whether an operation with this error may succeed when it is repeated.
func Retryable(err error) bool {
	return errs.Is(err, errs.KindConflict) || errs.Is(err, errs.KindUnavailable) || errs.Is(err, errs.KindTimeout)
}
