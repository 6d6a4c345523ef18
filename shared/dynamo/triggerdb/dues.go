package triggerdb

import (
	"context"
	"fmt"
	"strconv"
	"strings"
	"time"

	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"

	"minicloud/shared/dynamo"
	"minicloud/shared/errs"
	"minicloud/shared/tenant"
	"minicloud/shared/trigger"
)

// The next minutes of all timers are one partition of the triggers' table, in the order of time:
//
//	pk = timer    sk = <minute>#<scope>#<trigger>#<revision>
const timersKey = "timer"

var _ trigger.Dues = (*Triggers)(nil)

type dueItem struct {
	Fire     []int64 `dynamodbav:"fire,omitempty"`         // Unix seconds
	Until    int64   `dynamodbav:"chosen_until,omitempty"` // Unix seconds, of a choice
	Failures int     `dynamodbav:"failures,omitempty"`
}

func dueSK(d trigger.Due) string {
	return fmt.Sprintf("%010d#%s#%d#%d", d.At.Unix(), d.Scope, d.Trigger, d.Revision)
}

// plan is the part of a transaction that plans a timer's next minute.
func (s *Triggers) plan(d trigger.Due) types.TransactWriteItem {
	return dynamo.Put(s.Table, dynamo.Encode(timersKey, dueSK(d), dueItem{}), "", nil)
}

// Due is one Query.
func (s *Triggers) Due(ctx context.Context, until time.Time, limit int) ([]trigger.Due, error) {
	query := dynamo.Query(s.Table, timersKey, "", fmt.Sprintf("%010d", until.Unix()+1), false, limit)
	out, err := s.Client.Query(ctx, query)
	if err != nil {
		return nil, dynamo.Wrap("read due timers", err)
	}

	all := make([]trigger.Due, 0, len(out.Items))
	for _, it := range out.Items {
		d, err := decodeDue(it)
		if err != nil {
			return nil, err
		}
		all = append(all, d)
	}
	return all, nil
}

func decodeDue(it dynamo.Item) (d trigger.Due, err error) {
	sk := dynamo.TextOf(it["sk"])
	parts := strings.Split(sk, "#")
	if len(parts) != 4 {
		return d, fmt.Errorf("due timer %q: its key has another form", sk)
	}
	var numbers [3]int64
	for i, text := range []string{parts[0], parts[2], parts[3]} {
		if numbers[i], err = strconv.ParseInt(text, 10, 64); err != nil {
			return d, fmt.Errorf("due timer %q: %w", sk, err)
		}
	}
	if d.Scope, err = tenant.Parse(parts[1]); err != nil {
		return d, fmt.Errorf("due timer %q: %w", sk, err)
	}

	stored, err := dynamo.Decode[dueItem](it)
	if err != nil {
		return d, err
	}
	d.At, d.Trigger, d.Revision = time.Unix(numbers[0], 0).UTC(), trigger.ID(numbers[1]), numbers[2]
	d.Failures = stored.Failures
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

// Choose is one UpdateItem.
func (s *Triggers) Choose(ctx context.Context, d trigger.Due, fire []time.Time, until time.Time) (trigger.Due, error) {
	list := make([]types.AttributeValue, len(fire))
	for i, at := range fire {
		list[i] = dynamo.Instant(at)
	}
	part := dynamo.Update(s.Table, timersKey, dueSK(d),
		"SET fire = if_not_exists(fire, :fire), chosen_until = if_not_exists(chosen_until, :until)", dynamo.Exists,
		dynamo.Item{":fire": &types.AttributeValueMemberL{Value: list}, ":until": dynamo.Instant(until)})

	it, err := dynamo.UpdateItem(ctx, s.Client, part)
	if dynamo.ConditionFailed(err) {
		return d, errs.NotFound("the timer has gone on")
	}
	if err != nil {
		return d, dynamo.Wrap("choose minutes", err)
	}
	return decodeDue(it)
}

// Fail is one UpdateItem.
func (s *Triggers) Fail(ctx context.Context, d trigger.Due) (int, error) {
	part := dynamo.Update(
		s.Table, timersKey, dueSK(d), "ADD failures :one", dynamo.Exists, dynamo.Item{":one": dynamo.Number(1)},
	)
	it, err := dynamo.UpdateItem(ctx, s.Client, part)
	if dynamo.ConditionFailed(err) {
		return 0, nil
	}
	return int(dynamo.IntegerOf(it["failures"])), dynamo.Wrap("count a failure", err)
}

// Move is one transaction.
func (s *Triggers) Move(ctx context.Context, d trigger.Due, next time.Time) error {
	parts := []types.TransactWriteItem{dynamo.Delete(s.Table, timersKey, dueSK(d), dynamo.Exists, nil)}
	if !next.IsZero() {
		then := d
		then.At = next
		parts = append(parts, s.plan(then))
	}

	err := dynamo.Transact(ctx, s.Client, parts...)
	if dynamo.ConditionFailed(err) {
		return nil
	}
	return dynamo.Wrap("plan a timer", err)
}
