package triggerdb

import (
	"context"
	"fmt"
	"strings"
	"time"

	"minicloud/shared/dynamo"
	"minicloud/shared/tenant"
	"minicloud/shared/trigger"
)

// The failures of receivers are attributes of the trigger's item, which each attempt reads anyway. A write of the
// trigger drops them.
func failingSince(a trigger.ActionID) string  { return fmt.Sprintf("failing_%d", a) }
func failingMisses(a trigger.ActionID) string { return fmt.Sprintf("misses_%d", a) }
func failingMissed(a trigger.ActionID) string { return fmt.Sprintf("missed_%d", a) }
func slowUntil(a trigger.ActionID) string     { return fmt.Sprintf("slow_%d", a) }

// decodeReceivers sets the failing and slow receivers of a trigger, by action.
func decodeReceivers(it dynamo.Item, t *trigger.Trigger) {
	failing, slow := map[trigger.ActionID]trigger.Failing{}, map[trigger.ActionID]time.Time{}
	for _, a := range t.Actions {
		if since, ok := it[failingSince(a.ID)]; ok {
			failing[a.ID] = trigger.Failing{
				Since: dynamo.FromMillis(dynamo.IntegerOf(since)), Misses: int(dynamo.IntegerOf(it[failingMisses(a.ID)])),
				MissedAt: dynamo.FromMillis(dynamo.IntegerOf(it[failingMissed(a.ID)])),
			}
		}
		if until, ok := it[slowUntil(a.ID)]; ok {
			slow[a.ID] = dynamo.FromMillis(dynamo.IntegerOf(until))
		}
	}
	// A trigger without such receivers has no maps, as one that was never stored.
	if len(failing) > 0 {
		t.Failing = failing
	}
	if len(slow) > 0 {
		t.Slow = slow
	}
}

// Failed makes one UpdateItem.
func (s *Triggers) Failed(
	ctx context.Context, scope tenant.Scope, t trigger.ID, a trigger.ActionID, at time.Time, missed bool,
) error {
	update, values := "SET #since = if_not_exists(#since, :at)", dynamo.Item{":at": dynamo.Number(at.UnixMilli())}
	if missed {
		update, values[":one"] = update+", #missed = :at ADD #misses :one", dynamo.Number(1)
	} else {
		update += " REMOVE #misses, #missed"
	}
	_, err := s.updateFailing(ctx, scope, t, a, update, dynamo.Exists, values)
	return err
}

// Probe makes one conditional UpdateItem.
func (s *Triggers) Probe(
	ctx context.Context, scope tenant.Scope, t trigger.ID, a trigger.ActionID, seen trigger.Failing, at time.Time,
) (bool, error) {
	return s.updateFailing(ctx, scope, t, a, "SET #missed = :at", "#missed = :seen", dynamo.Item{
		":at": dynamo.Number(at.UnixMilli()), ":seen": dynamo.Number(seen.MissedAt.UnixMilli()),
	})
}

// Slow makes one UpdateItem.
func (s *Triggers) Slow(
	ctx context.Context, scope tenant.Scope, t trigger.ID, a trigger.ActionID, until time.Time,
) error {
	_, err := s.updateFailing(ctx, scope, t, a, "SET #slow = :until", dynamo.Exists, dynamo.Item{
		":until": dynamo.Number(until.UnixMilli()),
	})
	return err
}

// Recovered makes one UpdateItem.
func (s *Triggers) Recovered(ctx context.Context, scope tenant.Scope, t trigger.ID, a trigger.ActionID) error {
	_, err := s.updateFailing(ctx, scope, t, a, "REMOVE #since, #misses, #missed", dynamo.Exists, nil)
	return err
}

// updateFailing updates these attributes and reports whether the condition held.
func (s *Triggers) updateFailing(
	ctx context.Context, scope tenant.Scope, t trigger.ID, a trigger.ActionID, update, condition string,
	values dynamo.Item,
) (bool, error) {
	of := strings.NewReplacer(
		"#since", failingSince(a), "#misses", failingMisses(a), "#missed", failingMissed(a), "#slow", slowUntil(a),
	)
	err := dynamo.Write(ctx, s.Client, dynamo.Update(
		s.Table, triggersKey(scope), triggerSK(t), of.Replace(update), of.Replace(condition), values,
	))
	if dynamo.ConditionFailed(err) {
		return false, nil
	}
	return err == nil, dynamo.Wrap("note how a receiver does", err)
}
