package action_test

import (
	"context"
	"strings"
	"testing"
	"time"

	"minicloud/shared/errs"
	"minicloud/shared/tenant"
	"minicloud/shared/trigger"
	"minicloud/shared/trigger/action"
	"minicloud/shared/trigger/run"
)

// awayOnce fails the first read of a trigger while away is true.
type awayOnce struct {
	action.Triggers
	away *bool
}

// Trigger implements action.Triggers.
func (a awayOnce) Trigger(ctx context.Context, scope tenant.Scope, t trigger.ID) (trigger.Trigger, error) {
	if *a.away {
		*a.away = false
		return trigger.Trigger{}, errs.Unavailable(1, "the platform is busy, try again")
	}
	return a.Triggers.Trigger(ctx, scope, t)
}

// TestLaterAttemptsKnowOfDeath checks that the doer learns of a lost attempt even if another attempt ended before it
// called the doer.
func TestLaterAttemptsKnowOfDeath(t *testing.T) {
	k := newKit(t)
	k.executor.Doers[trigger.Email] = k.doer
	m := k.fire("m1", 6)
	lease := run.Lease{Owner: "dies", Until: k.now.Add(action.LeaseTime)}
	if _, err := k.runs.Begin(t.Context(), here, ref(m), lease, k.now); err != nil {
		t.Fatal(err)
	}

	k.now = k.now.Add(2 * action.LeaseTime)
	away := true
	k.executor.Triggers = awayOnce{k.triggers, &away}
	k.handle(m)
	k.now = k.now.Add(time.Hour)
	k.handle(m)
	if len(k.doer.works) != 1 || !k.doer.works[0].Died() {
		t.Fatalf("the doer was asked %d times, and does not know of the death", len(k.doer.works))
	}
	if all := k.run(m).Attempts; len(all) != 3 || !strings.HasPrefix(all[0].Error, "lost: ") {
		t.Errorf("attempts: %+v", all)
	}
}
