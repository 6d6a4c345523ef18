package cloud

import (
	"context"
	"errors"
	"log/slog"
	"testing"
	"time"
)

// TestAnEventSourceBeginsAgain after an error: a disk that was full for a moment
// must not stop queues until the next start.
func TestAnEventSourceBeginsAgain(t *testing.T) {
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
