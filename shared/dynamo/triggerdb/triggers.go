// Package triggerdb stores triggers and calls of hooks in DynamoDB, and what actions have sent: claims of messages,
// codes and quotas. Package rundb stores the runs of actions.
package triggerdb

import (
	"context"
	"fmt"
	"slices"
	"time"

	"minicloud/shared/clock"
	"minicloud/shared/compress"
	"minicloud/shared/dynamo"
	"minicloud/shared/errs"
	"minicloud/shared/id"
	"minicloud/shared/table"
	"minicloud/shared/tenant"
	"minicloud/shared/trigger"
	"minicloud/shared/trigger/engine"
)

// Triggers implements trigger.Store, engine.Candidates, engine.Dues, engine.Marks, hook.Store and webhook.Endpoints:
//
//	pk = <scope>#trigger       sk = <id>     a trigger
//	                           sk = count    number of triggers
//	pk = <scope>#on#<index>    sk = <id>     a copy of an enabled trigger, for the lookup by event
//	pk = <scope>#gone          sk = <id>     a deleted trigger, kept as long as its log: gone.go
//	pk = timer                               dues.go
//	pk = hook#…, <scope>#hook…               hooks.go
//
// The items of a trigger change in one transaction. For a table trigger the transaction also updates the listeners in
// the table's schema: writers of rows read there which changes fire events, so other writes start no program.
type Triggers struct {
	Client *dynamo.Client
	Table  string
	// Listeners updates the number of triggers that listen to a table's rows.
	Listeners Listeners
	Clock     clock.Clock

	shards dynamo.Shards
}

// Listeners is the part of the store of tables that counts the triggers of a table.
type Listeners interface {
	// Listen returns the part of a transaction that adds to the listeners of a table, by kind of change. Its condition
	// is that the table exists.
	Listen(scope tenant.Scope, add trigger.Listening) (dynamo.Part, error)
}

const countSK = "count"

func triggersKey(scope tenant.Scope) string            { return scope.String() + "#trigger" }
func indexKey(scope tenant.Scope, index string) string { return scope.String() + "#on#" + index }
func triggerSK(t trigger.ID) string                    { return id.ID(t).Key() }

type triggerItem struct {
	Data     []byte `dynamodbav:"data"` // compressed JSON
	Revision int64  `dynamodbav:"revision"`
	Broken   string `dynamodbav:"broken,omitempty"` // only in copies; a change of the trigger drops it
}

func encode(pk string, t trigger.Trigger) dynamo.Item {
	return dynamo.Encode(pk, triggerSK(t.ID), triggerItem{Data: compress.Gzip(dynamo.JSON(t)), Revision: t.Revision})
}

func decode(it dynamo.Item) (t trigger.Trigger, err error) {
	stored, err := dynamo.Decode[triggerItem](it)
	if err != nil {
		return t, err
	}
	if err := compress.ReadJSON(stored.Data, &t); err != nil {
		return t, fmt.Errorf("stored trigger: %w", err)
	}
	t.Broken = stored.Broken
	decodeReceivers(it, &t)
	return t, nil
}

// Insert runs one transaction of the trigger, its copy, the number of triggers and the table's listeners.
func (s *Triggers) Insert(ctx context.Context, scope tenant.Scope, t trigger.Trigger, next time.Time) error {
	parts, err := s.change(ctx, scope, nil, &t, next)
	if err != nil {
		return err
	}
	parts = append(parts, dynamo.Update(
		s.Table, triggersKey(scope), countSK, "ADD n :one", "attribute_not_exists(n) OR n < :most",
		dynamo.Item{":one": dynamo.Number(1), ":most": dynamo.Number(trigger.MaxTriggers)},
	))

	err = dynamo.Transact(ctx, s.Client, parts...)
	// If the trigger exists already, this is a repeated Insert: report that instead of the limit.
	if dynamo.ConditionFailedAt(err, len(parts)-1) && !dynamo.ConditionFailedAt(err, 0) {
		return errs.Invalid("an environment has at most %d triggers", trigger.MaxTriggers)
	}
	return s.refused(ctx, scope, "insert trigger", t, err)
}

// change returns the writes that replace old with next; the trigger's own write is first.
func (s *Triggers) change(
	ctx context.Context, scope tenant.Scope, old, next *trigger.Trigger, due time.Time,
) (parts []dynamo.Part, err error) {
	pk := triggersKey(scope)
	condition, values := dynamo.NotExists, dynamo.Item(nil)
	if old != nil {
		condition, values = dynamo.IsRevision, dynamo.RevisionOf(old.Revision)
	}
	if next == nil {
		parts = append(parts, dynamo.Delete(s.Table, pk, triggerSK(old.ID), condition, values))
	} else {
		parts = append(parts, dynamo.Put(s.Table, encode(pk, *next), condition, values))
	}

	parts = append(append(parts, s.copies(scope, old, next)...), s.hookParts(scope, old, next)...)
	if next != nil && next.Enabled && !due.IsZero() {
		planned, err := s.plan(ctx, engine.Due{Scope: scope, Trigger: next.ID, Revision: next.Revision, At: due})
		if err != nil {
			return nil, err
		}
		parts = append(parts, planned)
	}
	for _, add := range trigger.Listeners(old, next) {
		part, err := s.Listeners.Listen(scope, add)
		if err != nil {
			return nil, err
		}
		parts = append(parts, part)
	}
	return parts, nil
}

// copies returns the writes that move the copy for the lookup by event.
func (s *Triggers) copies(scope tenant.Scope, old, next *trigger.Trigger) (parts []dynamo.Part) {
	from, to := "", ""
	if old != nil && old.Enabled {
		from = indexKey(scope, old.IndexKey())
	}
	if next != nil && next.Enabled {
		to = indexKey(scope, next.IndexKey())
	}

	if from != "" && from != to {
		parts = append(parts, dynamo.Delete(s.Table, from, triggerSK(old.ID), "", nil))
	}
	if to != "" {
		parts = append(parts, dynamo.Put(s.Table, encode(to, *next), "", nil))
	}
	return parts
}

// refused returns the error of a change: the reason why its condition failed, or the wrapped error of DynamoDB.
func (s *Triggers) refused(ctx context.Context, scope tenant.Scope, doing string, t trigger.Trigger, err error) error {
	if !dynamo.ConditionFailed(err) {
		return dynamo.Wrap(doing, err)
	}
	if !dynamo.ConditionFailedAt(err, 0) {
		return errs.Conflict("the table of the trigger has just been changed, try again")
	}
	if _, gone := s.Trigger(ctx, scope, t.ID); gone != nil {
		return gone
	}
	return errs.Conflict("another request is changing trigger %d, try again", t.ID)
}

// Replace runs one transaction.
func (s *Triggers) Replace(ctx context.Context, scope tenant.Scope, old, t trigger.Trigger, next time.Time) error {
	return s.refused(ctx, scope, "replace trigger", old, s.exchange(ctx, scope, old, &t, next))
}

// exchange replaces old with next, with more parts in the same transaction. If the table of old was deleted, it leaves
// out the update of that table's listeners, so that the owner can still change or delete the trigger.
func (s *Triggers) exchange(
	ctx context.Context, scope tenant.Scope, old trigger.Trigger, next *trigger.Trigger, due time.Time,
	more ...dynamo.Part,
) error {
	parts, err := s.change(ctx, scope, &old, next, due)
	if err != nil {
		return err
	}
	listening := trigger.Listeners(&old, next)
	first := len(parts) - len(listening) // they are the last parts

	err = dynamo.Transact(ctx, s.Client, append(slices.Clone(parts), more...)...)
	for i, l := range listening {
		if l.Table == tableOf(old) && dynamo.ConditionFailedAt(err, first+i) && !dynamo.ConditionFailedAt(err, 0) {
			without := slices.Concat(parts[:first+i], parts[first+i+1:], more)
			return dynamo.Transact(ctx, s.Client, without...)
		}
	}
	return err
}

// tableOf returns the table that a trigger listens to, 0 for none.
func tableOf(t trigger.Trigger) table.ID {
	c, ok := t.Condition.(*trigger.TableCondition)
	if !ok {
		return 0
	}
	return t.TableID(c.Table)
}

// Delete runs one transaction.
func (s *Triggers) Delete(ctx context.Context, scope tenant.Scope, t trigger.Trigger) error {
	less := dynamo.Update(
		s.Table, triggersKey(scope), countSK, "ADD n :less", "", dynamo.Item{":less": dynamo.Number(-1)},
	)
	err := s.exchange(ctx, scope, t, nil, time.Time{}, less, s.gone(scope, t, s.Clock.Now()))
	return s.refused(ctx, scope, "delete trigger", t, err)
}

// Trigger makes one GetItem.
func (s *Triggers) Trigger(ctx context.Context, scope tenant.Scope, t trigger.ID) (trigger.Trigger, error) {
	return s.trigger(ctx, triggersKey(scope), t)
}

func (s *Triggers) trigger(ctx context.Context, pk string, t trigger.ID) (trigger.Trigger, error) {
	it, err := dynamo.Find(ctx, s.Client, s.Table, pk, triggerSK(t), errs.NotFound("trigger %d not found", t))
	if err != nil {
		return trigger.Trigger{}, err
	}
	return decode(it)
}

// Triggers makes one Query per MB.
func (s *Triggers) Triggers(ctx context.Context, scope tenant.Scope) ([]trigger.Trigger, error) {
	return s.list(ctx, triggersKey(scope), countSK) // ids sort before it
}

// Candidates makes one Query.
func (s *Triggers) Candidates(ctx context.Context, scope tenant.Scope, index string) ([]trigger.Trigger, error) {
	return s.list(ctx, indexKey(scope, index), "")
}

// MarkBroken makes one conditional UpdateItem of the copy for the lookup by event.
func (s *Triggers) MarkBroken(ctx context.Context, scope tenant.Scope, t trigger.Trigger, why string) error {
	change, values := "REMOVE broken", dynamo.RevisionOf(t.Revision)
	if why != "" {
		change, values[":why"] = "SET broken = :why", dynamo.Text(why)
	}
	return dynamo.Do(ctx, s.Client, "mark a broken trigger", nil, dynamo.Update(
		s.Table, indexKey(scope, t.IndexKey()), triggerSK(t.ID), change, dynamo.Exists+" AND "+dynamo.IsRevision, values,
	))
}

func (s *Triggers) list(ctx context.Context, pk, below string) ([]trigger.Trigger, error) {
	return dynamo.Collect(ctx, s.Client, dynamo.Query(s.Table, pk, "", below, true, 0), decode)
}
