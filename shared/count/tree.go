package count

import (
	"context"
	"maps"
	"slices"

	"minicloud/shared/id"
)

// Reader reads counters.
type Reader interface {
	// Node returns one node, with one Node per kind; it returns none if nothing is counted there.
	Node(ctx context.Context, c Collection, node NodeID) ([]Node, error)
}

// Purger removes counters.
type Purger interface {
	// Purge removes some counters of a deleted collection, and reports whether all are removed.
	Purge(ctx context.Context, c Collection) (done bool, err error)
}

// Tree reads the counters of one collection for one request, each node at most once. It is not safe for concurrent use.
type Tree struct {
	Reader     Reader
	Collection Collection
	Kinds      func(kind string) bool // selects the kinds to count; nil = all

	nodes map[NodeID]Node        // sums over the selected kinds
	all   map[NodeID]map[int]int // children of the same nodes, over all kinds
}

// Leaf is a range of numbers, [From, To): a leaf of the tree, or a larger range with few records.
type Leaf struct {
	From, To id.ID
	Records  int
}

// Total returns the number of records.
func (t *Tree) Total(ctx context.Context) (int, error) {
	root, err := t.node(ctx, Root)
	return max(root.Sum, 0), err
}

// Before returns the number of records with smaller numbers than leaf, the start of the leaf that contains n. Records
// between leaf and n are not counted.
func (t *Tree) Before(ctx context.Context, n id.ID) (records int, leaf id.ID, err error) {
	for level := range Levels {
		at, child := NodeOf(n, level)

		node, err := t.node(ctx, at)
		if err != nil {
			return 0, 0, err
		}

		for other, sum := range node.Children {
			if other < child {
				records += sum
			}
		}
		if node.Children[child] == 0 {
			break // no records in this child: deeper levels add nothing
		}
	}

	return records, leafStart(n), nil
}

// Between returns the number of records in [from, to). Both ends must be starts of leaves.
func (t *Tree) Between(ctx context.Context, from, to id.ID) (records int, err error) {
	if to < 1<<shifts[0] {
		records, _, err = t.Before(ctx, to)
	} else {
		records, err = t.Total(ctx)
	}
	if err != nil || from <= 0 {
		return records, err
	}
	before, _, err := t.Before(ctx, from)
	return max(records-before, 0), err
}

// Below returns the highest range below to that has selected records. The range has at most few records of all kinds,
// or it is a single leaf. ok is false if there are no records below to.
func (t *Tree) Below(ctx context.Context, to id.ID, few int) (l Leaf, ok bool, err error) {
	return t.below(ctx, Root, to, few)
}

func (t *Tree) below(ctx context.Context, at NodeID, to id.ID, few int) (l Leaf, ok bool, err error) {
	node, err := t.node(ctx, at)
	if err != nil {
		return l, false, err
	}

	passed := 0 // records of all kinds in the range and in the gap below it
	for _, child := range slices.Backward(slices.Sorted(maps.Keys(t.all[at]))) {
		records, all, first := node.Children[child], t.all[at][child], at.First(child)
		if first >= to || !ok && records <= 0 {
			continue
		}

		passed += all
		switch {
		case ok && passed > few:
			return l, true, nil
		case records <= 0:
		case ok:
			l.From, l.Records = first, l.Records+records
		case all > few && at.Level < Levels-1:
			// The child's records may be deleted already, or not below to: then try the next child.
			if l, ok, err = t.below(ctx, at.Child(child), to, few); ok || err != nil {
				return l, ok, err
			}
			passed = 0
		default:
			l, ok = Leaf{From: first, To: min(at.First(child+1), to), Records: records}, true
		}
	}
	return l, ok, nil
}

// Cuts returns the numbers that split the range from–to into pieces of about size records, ascending.
func (t *Tree) Cuts(ctx context.Context, from, to id.ID, size int) ([]id.ID, error) {
	var cuts []id.ID
	sum := 0

	var descend func(at NodeID) error
	descend = func(at NodeID) error {
		node, err := t.node(ctx, at)
		if err != nil {
			return err
		}

		for _, child := range slices.Sorted(maps.Keys(node.Children)) {
			records, first, end := node.Children[child], at.First(child), at.First(child+1)
			switch {
			case end <= from || first >= to:
			case records > size && at.Level < Levels-1:
				if err := descend(at.Child(child)); err != nil {
					return err
				}
			default:
				if sum += records; sum >= size && end < to {
					cuts, sum = append(cuts, end), 0
				}
			}
		}
		return nil
	}

	return cuts, descend(Root)
}

func (t *Tree) node(ctx context.Context, at NodeID) (Node, error) {
	if node, ok := t.nodes[at]; ok {
		return node, nil
	}
	found, err := t.Reader.Node(ctx, t.Collection, at)
	if err != nil {
		return Node{}, err
	}

	// Add up the selected kinds.
	sum, all := Node{NodeID: at, Children: map[int]int{}}, map[int]int{}
	for _, n := range found {
		for child, records := range n.Children {
			all[child] += records
		}
		if t.Kinds != nil && !t.Kinds(n.Kind) {
			continue
		}
		sum.Sum += n.Sum
		for child, records := range n.Children {
			sum.Children[child] += records
		}
	}
	if t.nodes == nil {
		t.nodes, t.all = map[NodeID]Node{}, map[NodeID]map[int]int{}
	}
	t.nodes[at], t.all[at] = sum, all
	return sum, nil
}
