package rundb

import (
	"context"
	"errors"
	"fmt"
	"time"

	"minicloud/shared/dynamo"
	"minicloud/shared/trigger"
	"minicloud/shared/trigger/run"
)

// wakesKey is a single partition of the log's table, sorted by time. A partition takes about 1,000 writes a second;
// only runs that wait longer than the maximum delay of a queue are stored here.
//
//	pk = wake    sk = <time>#<scope>#<trigger>#<time of the run>#<run>
const wakesKey = "wake"

var _ run.Wakes = (*Runs)(nil)

func wakeSK(w run.Wake) string {
	m := w.Message
	return fmt.Sprintf("%s#%s#%d#%d#%s", dynamo.DueMillis(w.At), m.Scope, m.Trigger, m.At, m.Run)
}

// Plan makes one PutItem.
func (s *Runs) Plan(ctx context.Context, w run.Wake) error {
	return dynamo.Do(ctx, s.Client, "plan a wake", nil, dynamo.Put(s.Table, dynamo.Key(wakesKey, wakeSK(w)), "", nil))
}

// Planned makes one Query.
func (s *Runs) Planned(ctx context.Context, until time.Time, limit int) ([]run.Wake, error) {
	return dynamo.ReadDue(ctx, s.Client, s.Table, wakesKey, dynamo.DueMillis(until.Add(time.Millisecond)), limit, 2,
		func(key dynamo.DueKey, _ dynamo.Item) (run.Wake, error) {
			if key.Text == "" {
				return run.Wake{}, errors.New("a wake names its run")
			}
			return run.Wake{At: key.At, Message: run.Message{
				Scope: key.Scope.String(), Trigger: trigger.ID(key.Numbers[0]), At: key.Numbers[1], Run: key.Text,
			}}, nil
		})
}

// Drop makes one BatchWriteItem per 25 wake-ups.
func (s *Runs) Drop(ctx context.Context, all []run.Wake) error {
	keys := make([]string, len(all))
	for i, w := range all {
		keys[i] = wakeSK(w)
	}
	return dynamo.Wrap("drop wakes", dynamo.BatchDelete(ctx, s.Client, s.Table, wakesKey, keys))
}
