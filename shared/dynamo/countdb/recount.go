package countdb

import (
	"context"
	"maps"
	"slices"
	"strconv"
	"strings"

	"github.com/aws/aws-sdk-go-v2/service/dynamodb"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"

	"minicloud/shared/count"
	"minicloud/shared/dynamo"
	"minicloud/shared/dynamo/counted"
)

var _ count.Books = (*Store)(nil)

// Collections implements count.Books.
func (s *Store) Collections(ctx context.Context, yield func(count.Collection) error) error {
	counts := func(c count.Collection) bool { return !strings.HasPrefix(string(c), checkpoints) }
	return counted.Collections(ctx, s.Client, s.Table, counts, yield)
}

// Level implements count.Books.
func (s *Store) Level(ctx context.Context, c count.Collection, level int) ([]count.Node, error) {
	var nodes []count.Node
	prefix := strconv.Itoa(level) + "#"

	in := dynamo.Query(s.Table, string(c), prefix, prefix+"~", false, 0)
	for it, err := range dynamo.Items(ctx, s.Client, in) {
		if err != nil {
			return nil, err
		}
		nodes = append(nodes, countNode(it))
	}
	return nodes, nil
}

// Snapshot is one transaction.
func (s *Store) Snapshot(ctx context.Context, keys ...count.Key) ([]count.Node, error) {
	// Only a transaction reads several items as they are at one moment.
	in := &dynamodb.TransactGetItemsInput{}
	for _, key := range keys {
		in.TransactItems = append(in.TransactItems, types.TransactGetItem{Get: &types.Get{
			TableName: &s.Table, Key: dynamo.Key(string(key.Collection), counterSK(key.Node, key.Kind)),
		}})
	}

	out, err := s.Client.TransactGetItems(ctx, in)
	if err != nil {
		return nil, dynamo.Wrap("read counters", err)
	}
	nodes := make([]count.Node, len(keys))
	for i, answer := range out.Responses {
		nodes[i] = countNode(answer.Item)
		nodes[i].NodeID, nodes[i].Kind = keys[i].Node, keys[i].Kind
	}
	return nodes, nil
}

// Correct is one transaction for every 100 children: it is known by its token when
// its answer is lost.
func (s *Store) Correct(ctx context.Context, key count.Key, sum int, children map[int]int) error {
	names := slices.Sorted(maps.Keys(children))
	if len(names) == 0 {
		names = []int{-1} // the sum alone is wrong
	}

	for i, some := range slices.Collect(slices.Chunk(names, MaxChildren)) {
		part := map[int]int{}
		for _, child := range some {
			if child >= 0 {
				part[child] = children[child]
			}
		}
		add := s.AddToNode(key, part)
		add.Update.ExpressionAttributeValues[":sum"] = dynamo.Number(0)
		if i == 0 {
			add.Update.ExpressionAttributeValues[":sum"] = dynamo.Number(int64(sum))
		}
		if err := dynamo.Transact(ctx, s.Client, add); err != nil {
			return dynamo.Wrap("correct a counter", err)
		}
	}
	return nil
}
