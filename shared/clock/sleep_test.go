package clock_test

import (
	"context"
	"errors"
	"testing"
	"testing/synctest"
	"time"

	"minicloud/shared/clock"
)

// TestSleepEndsWithItsContext checks that Sleep waits for the given time, or until its context ends.
func TestSleepEndsWithItsContext(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
		defer cancel()

		begin := time.Now()
		if err := clock.Sleep(ctx, 50*time.Second); err != nil || time.Since(begin) != 50*time.Second {
			t.Errorf("slept %v, %v", time.Since(begin), err)
		}
		if err := clock.Sleep(ctx, 50*time.Second); !errors.Is(err, context.DeadlineExceeded) ||
			time.Since(begin) != time.Minute {
			t.Errorf("slept until %v, %v", time.Since(begin), err)
		}
	})
}
