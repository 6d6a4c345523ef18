// Package clock makes the current time an injectable dependency.
package clock

import (
	"context"
	"time"
)

// Clock returns the current time. Services hold a Clock; programs set it to System, tests to a fixed time.
type Clock func() time.Time

// Sleep waits for d. If ctx ends first, it returns the error of ctx.
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

// System returns the machine's current time in UTC.
func System() time.Time { return time.Now().UTC() }

// Fixed returns a clock that always returns t.
func Fixed(t time.Time) Clock { return func() time.Time { return t } }

// Now returns the time of c. A nil clock is System, so a zero service works.
func (c Clock) Now() time.Time {
	if c == nil {
		return System()
	}
	return c()
}
