package job

import (
	"context"
	"errors"
	"testing"
	"time"

	"minicloud/shared/clock"
	"minicloud/shared/errs"
	"minicloud/shared/sandbox"
	"minicloud/shared/tenant"
)

// contested is a store in which other processes win the race for a slot a number of times, while a number of slots is
// held.
type contested struct {
	Store
	faster, held int
	begins, asks int
}

// count fails an endless loop: the clock of these tests moves only in pauses, so a loop without pauses never reaches
// its patience.
func (s *contested) count() error {
	if s.asks++; s.asks > 100_000 {
		return errors.New("it tries for ever")
	}
	return nil
}

func (s *contested) Announce(context.Context, Active) error { return nil }

func (s *contested) Begin(context.Context, Running, Place) error {
	if err := s.count(); err != nil {
		return err
	}
	if s.begins++; s.begins <= s.faster {
		return errs.Conflict("slot is taken")
	}
	return nil
}

func (s *contested) Slots(context.Context, tenant.AppID) ([]Running, error) {
	if err := s.count(); err != nil {
		return nil, err
	}
	var held []Running
	for n := range s.held {
		held = append(
			held, Running{Record: Record{Plan: sandbox.PlanPersonal, Slot: n, Lease: clock.System().Add(time.Hour)}},
		)
	}
	return held, nil
}

// TestRetriesWhileSlotsAreFree: a run that loses the race for a slot tries the next one while any is free. When all are
// taken it waits for its patience and no longer.
func TestRetriesWhileSlotsAreFree(t *testing.T) {
	for _, c := range []struct {
		what         string
		faster, held int
		patience     time.Duration
		begun        bool
		waited       time.Duration // at most
	}{
		{"free", 0, 0, 0, true, 0},
		{"others are faster, without patience", 30, 9, 0, true, racePatience},
		{"others are faster", 30, 9, syncPatience, true, racePatience},
		{"others are faster for ever", 1 << 30, 9, syncPatience, false, syncPatience + racePatience + time.Second},
		{"full", 1 << 30, 10, syncPatience, false, syncPatience + time.Second},
		{"full, without patience", 1 << 30, 10, 0, false, 0},
	} {
		began := time.Now()
		now := began
		store := &contested{faster: c.faster, held: c.held}
		s := &Service{Store: store, Clock: func() time.Time { return now }, Pause: func(_ context.Context, d time.Duration) error {
			now = now.Add(d)
			return nil
		}}
		_, err := s.begin(t.Context(), Running{Record: Record{Plan: sandbox.PlanPersonal}}, Nowhere, c.patience)
		if c.begun != (err == nil) || !c.begun && !errors.Is(err, errNoSlot) || now.Sub(began) > c.waited {
			t.Errorf("%s: %v after %v and %d tries", c.what, err, now.Sub(began), store.begins)
		}
	}
}
