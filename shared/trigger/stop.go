package trigger

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"time"

	"minicloud/shared/clock"
	"minicloud/shared/errs"
	"minicloud/shared/retry"
	"minicloud/shared/tenant"
)

// Stopped are actions that the platform has disabled, with the reason: what they would do is skipped as disabled until
// the owner enables the trigger again or writes its actions. The others go on (G13).
type Stopped map[ActionID]string

// WhyStopped is one sentence on the actions that are disabled, "" for none.
func (t Trigger) WhyStopped() string {
	for _, number := range slices.Sorted(maps.Keys(t.Stopped)) {
		if a, there := t.Action(number); there {
			return fmt.Sprintf("action %d (%s) was disabled: %s; write enabled: true to enable it again",
				number, a.Type, t.Stopped[number])
		}
	}
	return ""
}

// Stopper disables actions.
type Stopper struct {
	Store Store
	Clock clock.Clock
}

// Stop disables an action of a trigger; one that is gone or stopped is left alone.
func (s *Stopper) Stop(ctx context.Context, scope tenant.Scope, number ID, action ActionID, why string) error {
	return retry.Writes.Do(ctx, retry.OnConflict, func(int) error {
		old, err := s.Store.Trigger(ctx, scope, number)
		if errs.Is(err, errs.KindNotFound) {
			return nil
		}
		if err != nil {
			return err
		}
		if _, there := old.Action(action); !there || old.Stopped[action] != "" {
			return nil
		}

		t, now := old, s.Clock.Now()
		t.Stopped = maps.Clone(old.Stopped)
		if t.Stopped == nil {
			t.Stopped = Stopped{}
		}
		t.Stopped[action], t.UpdatedAt, t.Revision = why, now.Unix(), old.Revision+1

		// A timer's next minute is of a revision: it is planned again.
		var next time.Time
		if t.Type == TypeTimer && t.Enabled {
			if next, err = t.Next(now); err != nil {
				return err
			}
		}
		return s.Store.Replace(ctx, scope, old, t, next)
	})
}
