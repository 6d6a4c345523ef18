package countdb

import (
	"context"
	"maps"
	"slices"
	"strconv"

	"minicloud/shared/count"
	"minicloud/shared/dynamo"
	"minicloud/shared/dynamo/counted"
)

// Collections implements books.Books.
func (s *Store) Collections(ctx context.Context, yield func(count.Collection) error) error {
	return counted.Collections(ctx, s.Client, s.Table, yield)
}

// Level implements books.Books.
func (s *Store) Level(ctx context.Context, c count.Collection, level int) ([]count.Node, error) {
	prefix := strconv.Itoa(level) + "#"
	return s.nodes(ctx, c, prefix, prefix+"~")
}

// Under implements books.Books.
func (s *Store) Under(ctx context.Context, c count.Collection, node count.NodeID) ([]count.Node, error) {
	next := count.NodeID{Level: node.Level, Prefix: node.Prefix + 1}
	first, end := counterSK(node.Child(0), ""), counterSK(next.Child(0), "")
	nodes, err := s.nodes(ctx, c, first, end)
	// The range of a query includes its end, the counter of the next node without a kind.
	return slices.DeleteFunc(nodes, func(n count.Node) bool { return n.NodeID == next.Child(0) }), err
}

func (s *Store) nodes(ctx context.Context, c count.Collection, from, to string) ([]count.Node, error) {
	in := dynamo.Query(s.Table, string(c), from, to, false, 0)
	return dynamo.Collect(ctx, s.Client, in, func(it dynamo.Item) (count.Node, error) { return countNode(it), nil })
}

// Correct runs one transaction per 100 children: DynamoDB recognizes a repeated one by its client token.
func (s *Store) Correct(ctx context.Context, key count.Key, children map[int]int) error {
	for some := range slices.Chunk(slices.Sorted(maps.Keys(children)), count.MaxChildren) {
		part := map[int]int{}
		for _, child := range some {
			part[child] = children[child]
		}
		if err := dynamo.Transact(ctx, s.Client, s.AddToNode(key, part)); err != nil {
			return dynamo.Wrap("correct counters", err)
		}
	}
	return nil
}
