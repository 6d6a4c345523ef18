package count

import (
	"context"
	"maps"
	"slices"

	"minicloud/shared/id"
)

// Reader reads counters.
type Reader interface {
	// Node returns one node, of every kind; nothing where nothing is counted.
	Node(ctx context.Context, c Collection, node NodeID) ([]Node, error)
}

// Purger removes counters.
type Purger interface {
	// Purge removes some counters of a collection that is gone, and reports whether
	// all are gone now.
	Purge(ctx context.Context, c Collection) (done bool, err error)
}

// Tree reads the counters of one collection for one request, each node at most once. It is not for use by several
// goroutines.
type Tree struct {
	Reader     Reader
	Collection Collection
	Kinds      func(kind string) bool // those to be counted; nil = all

	nodes map[NodeID]Node        // kinds added up
	all   map[NodeID]map[int]int // of the same nodes, the children of every kind
}

// Leaf is a range of numbers, [From, To): the lowest that is counted, or one that has few records.
type Leaf struct {
	From, To id.ID
	Records  int
}

// Total returns the number of records.
func (t *Tree) Total(ctx context.Context) (int, error) {
	root, err := t.node(ctx, Root)
	return max(root.Sum, 0), err
}

// Before returns how many records have smaller numbers than leaf, which is where the leaf of n begins. What lies
// between leaf and n is not counted.
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
			break // nothing is in there to be told apart
		}
	}

	return records, leafStart(n), nil
}

// Between returns how many records have numbers in [from, to), which lie where leaves begin.
func (t *Tree) Between(ctx context.Context, from, to id.ID) (records int, err error) {
	if to < numbers {
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

// Below returns the highest range below to that has records. Records of every kind in it are few, or it is a leaf;
// ok is false where there are none below.
func (t *Tree) Below(ctx context.Context, to id.ID, few int) (l Leaf, ok bool, err error) {
	return t.below(ctx, Root, to, few)
}

func (t *Tree) below(ctx context.Context, at NodeID, to id.ID, few int) (l Leaf, ok bool, err error) {
	node, err := t.node(ctx, at)
	if err != nil {
		return l, false, err
	}

	passed := 0 // records of every kind in the range, and in the gap below it
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
			// Counted records may be gone, or not be below to.
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

// Cuts returns the numbers between from and to that cut this range into pieces of about size records, ascending.
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

	// The kinds that are wanted are added up.
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
