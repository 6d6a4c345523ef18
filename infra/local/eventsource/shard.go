package eventsource

import (
	"context"
	"fmt"
	"time"

	"minicloud/infra/local/unkind"
	"minicloud/shared/clock"
)

// shard is one shard of a stream, with a window and lanes of its own. The local database has a single shard;
// unkind.ShardSplits makes more of it, as DynamoDB does under load and every few hours.
type shard struct{ tumblingWindow }

// mostShards is how many shards a stream has at once after a split.
const mostShards = 2

// split ends all shards and begins their children, which share the keys. Lambda reads no child before its parent is
// done, so records of a key stay in order. The window of a shard ends with it, and its children begin with no state.
func (l *lanes) split(ctx context.Context) error {
	for l.held.Load() > 0 {
		if err := clock.Sleep(ctx, lookAgain); err != nil {
			return err
		}
	}
	for _, s := range l.shards {
		if err := l.end(ctx, s); err != nil {
			return err
		}
	}

	l.generation++
	l.shards = nil
	for i := range mostShards {
		id := fmt.Sprintf("%s-%d-%d", l.client.shard, l.generation, i)
		l.shards = append(l.shards, &shard{tumblingWindow{shard: id}})
	}
	l.Unkind.Hit(unkind.ShardSplits)
	return nil
}

// end makes the final call of a shard's window, until it succeeds.
func (l *lanes) end(ctx context.Context, s *shard) error {
	for wait := retryFirst; s.state != nil; wait = min(2*wait, retryMost) {
		answer, err := s.call(ctx, l.StreamPoller, nil, time.Now(), true)
		if err == nil {
			return nil
		}
		complain(l.Log, l.Function, err, answer)
		if err := clock.Sleep(ctx, wait); err != nil {
			return err
		}
	}
	return nil
}
