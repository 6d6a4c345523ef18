package countdb

import (
	"context"
	"maps"
	"slices"
	"strconv"
	"strings"

	"minicloud/shared/count"
	"minicloud/shared/dynamo"
	"minicloud/shared/dynamo/counted"
	"minicloud/shared/id"
)

// Collections implements books.Books.
func (s *Store) Collections(ctx context.Context, yield func(count.Collection) error) error {
	counts := func(c count.Collection) bool { return !strings.HasPrefix(string(c), checkpoints) }
	return counted.Collections(ctx, s.Client, s.Table, counts, yield)
}

// Level implements books.Books.
func (s *Store) Level(ctx context.Context, c count.Collection, level int) ([]count.Node, error) {
	prefix := strconv.Itoa(level) + "#"
	in := dynamo.Query(s.Table, string(c), prefix, prefix+"~", false, 0)
	return dynamo.Collect(ctx, s.Client, in, func(it dynamo.Item) (count.Node, error) { return countNode(it), nil })
}

// Correct runs one transaction per 100 numbers. DynamoDB recognizes a repeated transaction by its client token.
func (s *Store) Correct(ctx context.Context, c count.Collection, kind string, by map[id.ID]int) error {
	for some := range slices.Chunk(slices.Sorted(maps.Keys(by)), MaxChildren) {
		d := count.Delta{}
		for _, n := range some {
			d.Add(c, kind, n, by[n])
		}
		if err := dynamo.Transact(ctx, s.Client, s.additions(d)...); err != nil {
			return dynamo.Wrap("correct counters", err)
		}
	}
	return nil
}
