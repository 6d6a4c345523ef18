// Package clock lets time come in as a value.
package clock

import (
	"context"
	"time"
)

// Clock returns the current time. Services hold one as a dependency; programs
// give them System, tests a fixed one.
type Clock func() time.Time

// Sleep waits for d, or until ctx ends: then it returns ctx's error.
func Sleep(ctx context.Context, d time.Duration) error {
	timer := time.NewTimer(d)
	defer timer.Stop()
	select {
	case <-ctx.Done():
		return ctx.Err()
	case <-timer.C:
		return nil
	}
}

// System is the machine's clock in UTC.
func System() time.Time { return time.Now().UTC() }

// Fixed returns a clock that stands still at t.
func Fixed(t time.Time) Clock { return func() time.Time { return t } }

// Now returns the time of c; a nil clock is System, so that a zero service works.
func (c Clock) Now() time.Time {
	if c == nil {
		return System()
	}
	return c()
}
