// Package retry defines retry policies with exponential backoff and full jitter.
//
//	Calls   one call of an AWS API, retried when the service is busy or unreachable
//	Writes  a conditional write that conflicted with another; a retry reads again and succeeds within milliseconds
//
// When retries run out, callers return errs.Conflict (409), because a later request may succeed. A request refused
// because of its content is never retried.
package retry

import (
	"context"
	"math/rand/v2"
	"time"

	"minicloud/shared/clock"
	"minicloud/shared/errs"
)

// Policy limits the attempts of one operation.
type Policy struct {
	Tries   int           // including the first attempt
	First   time.Duration // maximum delay before the second attempt; it doubles with each further attempt
	Longest time.Duration // upper limit of the doubled delay
}

// The policies. Their delays are milliseconds, because a caller waits for the response.
var (
	Calls = Policy{Tries: 6, First: 25 * time.Millisecond, Longest: 500 * time.Millisecond}
	// 50 writers of one item need about 50 attempts each: one of them succeeds per round.
	Writes = Policy{Tries: 400, First: time.Millisecond, Longest: 128 * time.Millisecond}
)

// Jitter returns a random number below n. Simulations replace it to make a run repeatable by its seed.
var Jitter = rand.Int64N

// Delay returns the delay before a retry; try is 1 before the second attempt. Full jitter keeps operations that
// conflicted from conflicting again.
func (p Policy) Delay(try int) time.Duration {
	longest := p.Longest
	if shift := max(try-1, 0); shift < 30 {
		longest = min(longest, p.First<<shift)
	}
	return time.Duration(Jitter(int64(longest) + 1))
}

// Spread varies a delay by ±20 %, so that calls that failed together are not retried together.
func Spread(d time.Duration) time.Duration { return d + time.Duration(Jitter(int64(d/5*2)+1)) - d/5 }

// Sleep waits before a retry. It returns errs.Timeout if ctx ends first.
func (p Policy) Sleep(ctx context.Context, try int) error {
	if clock.Sleep(ctx, p.Delay(try)) != nil {
		return errs.Timeout("the request did not end in time")
	}
	return nil
}

// Do calls f with 0, 1, 2 … until f succeeds, again returns false for the error, or Tries calls have failed. It
// returns the last error, or errs.Timeout if ctx ends during a delay.
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

// OnConflict reports whether err is a write conflict.
func OnConflict(err error) bool { return errs.Is(err, errs.KindConflict) }

// Retryable reports whether an operation that failed with err may succeed when retried.
func Retryable(err error) bool {
	return errs.Is(err, errs.KindConflict) || errs.Is(err, errs.KindUnavailable) || errs.Is(err, errs.KindTimeout)
}
