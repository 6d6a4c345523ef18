package engine

import (
	"testing"
	"testing/synctest"
	"time"
)

// TestAlarmEndsBeforeNextRun is a regression test: if a run ended while its alarm fired, the stop hit the next run,
// which then failed as timed out.
func TestAlarmEndsBeforeNextRun(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		stopped := false
		cancel := alarm(time.Second, func() {
			time.Sleep(time.Minute) // simulates a busy machine
			stopped = true
		})
		time.Sleep(2 * time.Second)
		if cancel(); !stopped {
			t.Error("the stop is still to come")
		}
	})
}

func TestCancelledAlarmDoesNotStop(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		cancel := alarm(time.Second, func() { t.Error("it went off") })
		cancel()
		time.Sleep(time.Minute)
	})
}
