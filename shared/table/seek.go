package table

import (
	"context"
	"maps"
	"slices"

	"minicloud/shared/id"
)

// counters reads the tree of counters, a node at most once per query.
type counters struct {
	find  *finder
	nodes map[NodeID]Node
}

// first returns the upper nodes.
func (c *counters) first(ctx context.Context) ([]Node, error) {
	if a := c.find.q.Ahead; a != nil && a.counters != nil {
		return a.counters()
	}
	return c.find.store().Counters(ctx, c.find.scope, c.find.table.ID)
}

func (c *counters) node(ctx context.Context, id NodeID) (Node, error) {
	f := c.find
	if c.nodes == nil {
		first, err := c.first(ctx)
		if err != nil {
			return Node{}, err
		}
		c.nodes = make(map[NodeID]Node, len(first))
		for _, n := range first {
			c.nodes[n.NodeID] = n
		}
	}
	if n, ok := c.nodes[id]; ok {
		return n, nil
	}
	n, err := f.store().Counter(ctx, f.scope, f.table.ID, id)
	c.nodes[id] = n
	return n, err
}

// child returns the node below child, whose level is one deeper.
func (n NodeID) child(child int) NodeID {
	return NodeID{n.Level + 1, int64(n.first(child)) >> shifts[n.Level+1]}
}

// fewRows are read past sooner than the node above them.
const fewRows = 16

// leaf is a range of numbers, [from, to): the lowest that is counted, or one
// that has few rows.
type leaf struct {
	from, to id.ID
	rows     int
	before   int // rows with smaller numbers
}

// nth returns the leaf that holds row n, counted from 0 by ascending id; ok is
// false when there are not as many.
func (c *counters) nth(ctx context.Context, n int) (l leaf, ok bool, err error) {
	at := NodeID{}
	for {
		node, err := c.node(ctx, at)
		if err != nil {
			return leaf{}, false, err
		}
		found := -1
		for _, child := range slices.Sorted(maps.Keys(node.Children)) {
			if n < l.before+node.Children[child] {
				found = child
				break
			}
			l.before += node.Children[child]
		}
		if found < 0 {
			return leaf{}, false, nil
		}
		if at.Level == CountLevels-1 || node.Children[found] <= fewRows {
			l.from, l.to, l.rows = at.first(found), at.first(found+1), node.Children[found]
			return l, true, nil
		}
		at = at.child(found)
	}
}

// rank returns how many rows have an id before key; "" is the end.
func (c *counters) rank(ctx context.Context, key string) (int, error) {
	if key == "" {
		root, err := c.node(ctx, NodeID{})
		return root.Sum, err
	}
	t := c.find.table
	n := numberAt(t, key)
	before := 0
	for level := range CountLevels {
		at, child := NodeOf(n, level)
		node, err := c.node(ctx, at)
		if err != nil {
			return 0, err
		}
		for other, rows := range node.Children {
			if other < child {
				before += rows
			}
		}
	}
	from := string(t.FirstRowID(n &^ (1<<leafBits - 1)))
	if from >= key {
		return before, nil
	}
	ids := walker{find: c.find, bare: true}
	err := ids.walk(ctx, []span{{from, key}}, ordering{byRows: true}, firstStep, func(b batch) (bool, error) {
		before += len(b.places)
		return true, nil
	})
	return before, err
}

// rankFrom is rank for the lower end of a span, where "" is the start.
func (c *counters) rankFrom(ctx context.Context, key string) (int, error) {
	if key == "" {
		return 0, nil
	}
	return c.rank(ctx, key)
}

// numberAt returns the largest number whose ids may be at or before the key,
// which need not be an id.
func numberAt(t Table, key string) id.ID {
	low, high := id.ID(0), id.ID(1)<<53-1
	for low < high {
		middle := (low + high + 1) / 2
		if string(t.FirstRowID(middle)) <= key {
			low = middle
		} else {
			high = middle - 1
		}
	}
	return low
}

// segments cuts the span into pieces of about size rows, ascending.
func (c *counters) segments(ctx context.Context, s span, size int) ([]span, error) {
	var cuts []string
	sum := 0
	var descend func(at NodeID) error
	descend = func(at NodeID) error {
		node, err := c.node(ctx, at)
		if err != nil {
			return err
		}
		for _, child := range slices.Sorted(maps.Keys(node.Children)) {
			rows := node.Children[child]
			end := string(c.find.table.FirstRowID(at.first(child + 1)))
			switch {
			case end <= s.from || s.to != "" && string(c.find.table.FirstRowID(at.first(child))) >= s.to:
			case rows > size && at.Level < CountLevels-1:
				if err := descend(at.child(child)); err != nil {
					return err
				}
			default:
				if sum += rows; sum >= size {
					cuts, sum = append(cuts, end), 0
				}
			}
		}
		return nil
	}
	if err := descend(NodeID{}); err != nil {
		return nil, err
	}
	var pieces []span
	for _, cut := range cuts {
		if cut <= s.from || s.to != "" && cut >= s.to {
			continue
		}
		pieces = append(pieces, span{s.from, cut})
		s.from = cut
	}
	return append(pieces, s), nil
}
