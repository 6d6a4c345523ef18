package jobdb

import (
	"context"
	"fmt"
	"strconv"
	"strings"
	"time"

	"minicloud/shared/dynamo"
	"minicloud/shared/id"
	"minicloud/shared/job"
	"minicloud/shared/tenant"
)

func activeKey(scope tenant.Scope, fn id.ID) string { return scope.String() + "#" + fn.Key() }

// Announce makes one PutItem.
func (s *Store) Announce(ctx context.Context, a job.Active) error {
	it := dynamo.Key("active", activeKey(a.Scope, a.Function))
	it["until"] = dynamo.Number(a.Until.UnixMilli())
	return dynamo.Do(ctx, s.Client, "announce", nil, dynamo.Put(s.Table, it, "", nil))
}

// Active makes one Query per MB, about ten thousand functions.
func (s *Store) Active(ctx context.Context) ([]job.Active, error) {
	query := dynamo.Query(s.Table, "active", "", "", false, 0)
	return dynamo.Collect(ctx, s.Client, query, func(it dynamo.Item) (job.Active, error) {
		scope, fn, err := parsePath(dynamo.TextOf(it["sk"]))
		return job.Active{Scope: scope, Function: fn, Until: dynamo.FromMillis(dynamo.IntegerOf(it["until"]))}, err
	})
}

// Forget makes one conditional DeleteItem.
func (s *Store) Forget(ctx context.Context, a job.Active) error {
	// The condition keeps a later announcement.
	return dynamo.Do(ctx, s.Client, "forget", nil, dynamo.Delete(
		s.Table, "active", activeKey(a.Scope, a.Function), "#until = :until",
		dynamo.Item{":until": dynamo.Number(a.Until.UnixMilli())},
	))
}

func dueKey(d job.Due) string {
	key := fmt.Sprintf("%s#%s#%s#%s", dynamo.DueSeconds(d.RunAt), d.Scope, d.Function.Key(), d.Job.Key())
	if d.Callback {
		key += "#" + dueCallback
	}
	return key
}

// dueCallback is the end of the key of a due callback.
const dueCallback = "callback"

// dueList is the list of delayed jobs and callbacks.
func (s *Store) dueList() dynamo.DueList {
	return dynamo.DueList{Client: s.Client, Table: s.Table, Name: "due", Numbers: 2, Shards: &s.shards}
}

// putDue returns the write of a new entry.
func (s *Store) putDue(ctx context.Context, d job.Due) (dynamo.Part, error) {
	key, err := s.dueList().Key(ctx, dueKey(d))
	return dynamo.Put(s.Table, key, "", nil), err
}

// Due makes one Query per shard.
func (s *Store) Due(ctx context.Context, t time.Time, limit int) ([]job.Due, error) {
	return dynamo.ReadDue(ctx, s.dueList(), dynamo.DueSeconds(t), limit,
		func(key dynamo.DueKey, _ dynamo.Item) (job.Due, error) {
			return job.Due{
				Scope: key.Scope, Function: id.ID(key.Numbers[0]), Job: id.ID(key.Numbers[1]), RunAt: key.At,
				Callback: key.Text == dueCallback, Shard: key.Shard,
			}, nil
		})
}

// Drop makes one DeleteItem.
func (s *Store) Drop(ctx context.Context, d job.Due) error {
	return dynamo.Do(ctx, s.Client, "drop due job", nil, dynamo.Delete(
		s.Table, s.dueList().Partition(d.Shard), dueKey(d), "", nil,
	))
}

// parsePath parses "<scope>#<function>".
func parsePath(path string) (scope tenant.Scope, fn id.ID, err error) {
	environment, function, _ := strings.Cut(path, "#")
	if scope, err = tenant.Parse(environment); err != nil {
		return scope, 0, err
	}
	n, err := strconv.ParseInt(function, 10, 64)
	if err != nil {
		return scope, 0, fmt.Errorf("path %q: %w", path, err)
	}
	return scope, id.ID(n), nil
}
