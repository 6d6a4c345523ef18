package rundb

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"time"

	"minicloud/shared/dynamo"
	"minicloud/shared/trigger"
	"minicloud/shared/trigger/run"
)

// dueList is the list of runs that wait longer than the maximum delay of a queue, in the log's table:
//
//	sk = <time>#<scope>#<trigger>#<time of the run>#<run>
func (s *Runs) dueList() dynamo.DueList {
	return dynamo.DueList{Client: s.Client, Table: s.Table, Name: "wake", Numbers: 2, Shards: &s.shards}
}

func wakeSK(w run.Wake) string {
	m := w.Message
	return fmt.Sprintf("%s#%s#%d#%d#%s", dynamo.DueMillis(w.At), m.Scope, m.Trigger, m.At, m.Run)
}

// Plan makes one PutItem.
func (s *Runs) Plan(ctx context.Context, w run.Wake) error {
	key, err := s.dueList().Key(ctx, wakeSK(w))
	if err != nil {
		return err
	}
	return dynamo.Do(ctx, s.Client, "plan a wake", nil, dynamo.Put(s.Table, key, "", nil))
}

// Planned makes one Query per shard.
func (s *Runs) Planned(ctx context.Context, until time.Time, limit int) ([]run.Wake, error) {
	return dynamo.ReadDue(ctx, s.dueList(), dynamo.DueMillis(until.Add(time.Millisecond)), limit,
		func(key dynamo.DueKey, _ dynamo.Item) (run.Wake, error) {
			if key.Text == "" {
				return run.Wake{}, errors.New("a wake names its run")
			}
			return run.Wake{At: key.At, Shard: key.Shard, Message: run.Message{
				Scope: key.Scope.String(), Trigger: trigger.ID(key.Numbers[0]), At: key.Numbers[1], Run: key.Text,
			}}, nil
		})
}

// Drop makes one BatchWriteItem per 25 wake-ups of a shard.
func (s *Runs) Drop(ctx context.Context, all []run.Wake) error {
	keys := map[int][]string{}
	for _, w := range all {
		keys[w.Shard] = append(keys[w.Shard], wakeSK(w))
	}
	for _, shard := range slices.Sorted(maps.Keys(keys)) {
		err := dynamo.BatchDelete(ctx, s.Client, s.Table, s.dueList().Partition(shard), keys[shard])
		if err != nil {
			return dynamo.Wrap("drop wakes", err)
		}
	}
	return nil
}
