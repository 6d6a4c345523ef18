package table

import "minicloud/shared/id"

// The counters of a table's rows are a tree over the numbers in their ids:
//
//	level 0   everything             ┐ children: 2^40 numbers, 3 days
//	level 1   2^40 numbers, 3 days   │           2^32 numbers, 17 minutes
//	level 2   2^32 numbers, 17 min   │           2^24 numbers, 4 s
//	level 3   2^24 numbers, 4 s      ┘           2^16 numbers, 16 ms: a leaf
//
// A node holds the number of rows below it and below each of its children. Each
// write of a row adds to one node per level, in the row's transaction; writers
// draw one of CountShards copies of every node, so that no item is hot. The
// sums over the copies are exact at any moment.
const (
	CountLevels = 4
	CountShards = 8
	countBits   = 8  // of the number, per level
	leafBits    = 16 // of the number, within a leaf
)

// NodeID names a node: its level and the numbers below it, all of which have
// the same Prefix when the bits below the node are shifted out.
type NodeID struct {
	Level  int
	Prefix int64
}

// Node is a node, its copies added up.
type Node struct {
	NodeID
	Sum      int         // rows below
	Children map[int]int // by the bits of the child's prefix that the node's has not
}

// shift is how many bits of a number lie below a node of the level.
func shift(level int) int { return leafBits + countBits*(CountLevels-level) }

// NodeOf returns the node of the level above number n, and which of its
// children n is below.
func NodeOf(n id.ID, level int) (node NodeID, child int) {
	if level == 0 {
		return NodeID{}, int(n >> shift(1))
	}
	return NodeID{level, int64(n) >> shift(level)}, int(n>>shift(level+1)) & (1<<countBits - 1)
}

// first returns the smallest number below the child of the node.
func (n NodeID) first(child int) id.ID {
	if n.Level == 0 {
		return id.ID(child) << shift(1)
	}
	return id.ID(n.Prefix<<countBits|int64(child)) << shift(n.Level+1)
}
