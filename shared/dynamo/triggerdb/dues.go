package triggerdb

import (
	"context"
	"fmt"
	"time"

	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"

	"minicloud/shared/dynamo"
	"minicloud/shared/errs"
	"minicloud/shared/trigger"
	"minicloud/shared/trigger/engine"
)

// dueList is the list of the next minutes of all timers, in the triggers' table:
//
//	sk = <minute>#<scope>#<trigger>#<revision>
func (s *Triggers) dueList() dynamo.DueList {
	return dynamo.DueList{Client: s.Client, Table: s.Table, Name: "timer", Numbers: 2, Shards: &s.shards}
}

type dueItem struct {
	Fire     []int64 `dynamodbav:"fire,omitempty"`         // Unix seconds
	Until    int64   `dynamodbav:"chosen_until,omitempty"` // Unix seconds, 0 before Choose
	Failures int     `dynamodbav:"failures,omitempty"`
}

func dueSK(d engine.Due) string {
	return fmt.Sprintf("%s#%s#%d#%d", dynamo.DueSeconds(d.At), d.Scope, d.Trigger, d.Revision)
}

// plan returns the part of a transaction that plans a timer's next minute.
func (s *Triggers) plan(ctx context.Context, d engine.Due) (dynamo.Part, error) {
	key, err := s.dueList().Key(ctx, dueSK(d))
	return dynamo.Put(s.Table, key, "", nil), err
}

// Due makes one Query per shard.
func (s *Triggers) Due(ctx context.Context, until time.Time, limit int) ([]engine.Due, error) {
	return dynamo.ReadDue(ctx, s.dueList(), dynamo.DueSeconds(until.Add(time.Second)), limit, decodeDue)
}

func decodeDue(key dynamo.DueKey, it dynamo.Item) (d engine.Due, err error) {
	stored, err := dynamo.Decode[dueItem](it)
	if err != nil {
		return d, err
	}
	d.At, d.Scope, d.Failures, d.Shard = key.At, key.Scope, stored.Failures, key.Shard
	d.Trigger, d.Revision = trigger.ID(key.Numbers[0]), key.Numbers[1]
	if stored.Until > 0 {
		d.Fire, d.Until = times(stored.Fire), time.Unix(stored.Until, 0).UTC()
	}
	return d, nil
}

func times(seconds []int64) []time.Time {
	all := make([]time.Time, len(seconds))
	for i, s := range seconds {
		all[i] = time.Unix(s, 0).UTC()
	}
	return all
}

// Choose makes one UpdateItem.
func (s *Triggers) Choose(ctx context.Context, d engine.Due, fire []time.Time, until time.Time) (engine.Due, error) {
	list := make([]types.AttributeValue, len(fire))
	for i, at := range fire {
		list[i] = dynamo.Instant(at)
	}
	it, err := dynamo.DoUpdate(ctx, s.Client, "choose minutes", errs.NotFound("the timer has gone on"),
		dynamo.Update(s.Table, s.dueList().Partition(d.Shard), dueSK(d),
			"SET fire = if_not_exists(fire, :fire), chosen_until = if_not_exists(chosen_until, :until)", dynamo.Exists,
			dynamo.Item{":fire": &types.AttributeValueMemberL{Value: list}, ":until": dynamo.Instant(until)}))
	if err != nil {
		return d, err
	}
	key, err := dynamo.ParseDue(dueSK(d), s.dueList().Numbers)
	if err != nil {
		return d, err
	}
	key.Shard = d.Shard
	return decodeDue(key, it)
}

// Fail makes one UpdateItem.
func (s *Triggers) Fail(ctx context.Context, d engine.Due) (int, error) {
	it, err := dynamo.DoUpdate(ctx, s.Client, "count a failure", nil, dynamo.Update(
		s.Table, s.dueList().Partition(d.Shard), dueSK(d), "ADD failures :one", dynamo.Exists, dynamo.Item{":one": dynamo.Number(1)},
	))
	return int(dynamo.IntegerOf(it["failures"])), err
}

// Move runs one transaction.
func (s *Triggers) Move(ctx context.Context, d engine.Due, next time.Time) error {
	parts := []dynamo.Part{
		dynamo.Delete(s.Table, s.dueList().Partition(d.Shard), dueSK(d), dynamo.Exists, nil),
	}
	if !next.IsZero() {
		then := d
		then.At = next
		planned, err := s.plan(ctx, then)
		if err != nil {
			return err
		}
		parts = append(parts, planned)
	}

	return dynamo.DoTransact(ctx, s.Client, "plan a timer", nil, parts...)
}
