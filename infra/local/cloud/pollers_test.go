package cloud

import (
	"context"
	"errors"
	"log/slog"
	"slices"
	"testing"
	"testing/synctest"
	"time"
)

// TestRestartsEventSourceAfterError: a full disk must not stop the queues until the next start.
func TestRestartsEventSourceAfterError(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	begun := 0
	keepRunning(ctx, slog.New(slog.DiscardHandler), time.Millisecond, func(ctx context.Context) error {
		if begun++; begun == 3 {
			cancel()
			return ctx.Err()
		}
		return errors.New("no space left on device")
	})
	if begun != 3 {
		t.Errorf("it began %d times, want 3", begun)
	}
}

// TestPauseIsResetAfterLongRun: the backoff grows only with consecutive errors.
func TestPauseIsResetAfterLongRun(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		ctx, cancel := context.WithCancel(t.Context())
		lasts := []time.Duration{0, 0, 0, time.Hour, 0, 0}
		var waited []time.Duration
		last := time.Now()
		keepRunning(ctx, slog.New(slog.DiscardHandler), time.Second, func(context.Context) error {
			waited = append(waited, time.Since(last))
			if len(waited) == len(lasts) {
				cancel()
			}
			time.Sleep(lasts[len(waited)-1])
			last = time.Now()
			return errors.New("the database is away")
		})

		want := []time.Duration{0, time.Second, 2 * time.Second, 4 * time.Second, time.Second, 2 * time.Second}
		if !slices.Equal(waited, want) {
			t.Errorf("waited %v, want %v", waited, want)
		}
	})
}
