package eventsource

import (
	"context"
	"testing"
	"time"
)

// TestDrainedDoesNotWakeBusyPoller: Drained wakes its poller, but not while records are being processed.
func TestDrainedDoesNotWakeBusyPoller(t *testing.T) {
	ended, end := context.WithCancel(t.Context())
	end()
	for held, want := range []int{1, 0} {
		p := &StreamPoller{nudged: make(chan struct{}, 1)}
		p.held.Store(int64(held))
		if err := p.Drained(ended); err == nil || len(p.nudged) != want {
			t.Errorf("%d records held: woken %d times, want %d; %v", held, len(p.nudged), want, err)
		}
	}
}

// TestOpenWindowIsNotCutShort: once a batching window is open, waking the poller causes no read.
func TestOpenWindowIsNotCutShort(t *testing.T) {
	mapping := forever
	mapping.Window = time.Hour
	r := openStream(t, mapping, nil)
	r.put("a", "1")
	r.wait("the window", func() bool {
		r.poller.Wake()
		time.Sleep(100 * time.Millisecond) // longer than the pauses between the reads after a write
		return len(r.poller.nudged) == 1
	})
}
