package action

import (
	"context"
	"maps"

	"minicloud/shared/errs"
	"minicloud/shared/retry"
	"minicloud/shared/tenant"
	"minicloud/shared/trigger"
)

// stop disables an action of a trigger. It does nothing if the trigger or the action is deleted or already disabled.
func (x *Executor) stop(
	ctx context.Context, scope tenant.Scope, number trigger.ID, action trigger.ActionID, why string,
) error {
	return retry.Writes.Do(ctx, retry.OnConflict, func(int) error {
		old, err := x.Triggers.Trigger(ctx, scope, number)
		if errs.Is(err, errs.KindNotFound) {
			return nil
		}
		if err != nil {
			return err
		}
		if _, there := old.Action(action); !there || old.Stopped[action] != "" {
			return nil
		}

		t, now := old, x.Clock.Now()
		t.Stopped = maps.Clone(old.Stopped)
		if t.Stopped == nil {
			t.Stopped = trigger.Stopped{}
		}
		t.Stopped[action], t.UpdatedAt, t.Revision = why, now.Unix(), old.Revision+1

		// The planned minute of a timer belongs to a revision, so it is planned again.
		next, err := t.Planned(now)
		if err != nil {
			return err
		}
		return x.Triggers.Replace(ctx, scope, old, t, next)
	})
}
