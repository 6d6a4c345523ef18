package table

import "minicloud/shared/id"

// The counters of a table's rows are a tree over the numbers in their ids:
//
//	level 0   everything              ┐ children: 2^40 numbers, 3 days
//	level 1   2^40 numbers, 3 days    │           2^31 numbers, 9 minutes
//	level 2   2^31 numbers, 9 minutes │           2^22 numbers, 1 s
//	level 3   2^22 numbers, 1 s       ┘           2^14 numbers, 4 ms: a leaf
//
// A node holds the number of rows below it and below each of its children. Each
// write of a row adds to one node per level, in the row's transaction. Where
// writers meet they move to other copies of the nodes, of which there are
// CountShards, so that no item is hot. The sums over the copies are exact at any
// moment.
const (
	CountLevels = 4
	CountShards = 8
	leafBits    = 14 // of the number, within a leaf
)

// shifts are how many bits of a number lie below a node of the level, the last
// those below a leaf.
var shifts = [CountLevels + 1]int{53, 40, 31, 22, leafBits}

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

// NodeOf returns the node of the level above number n, and which of its
// children n is below.
func NodeOf(n id.ID, level int) (node NodeID, child int) {
	prefix := int64(n) >> shifts[level]
	return NodeID{level, prefix}, int(int64(n)>>shifts[level+1] - prefix<<(shifts[level]-shifts[level+1]))
}

// first returns the smallest number below the child of the node.
func (n NodeID) first(child int) id.ID {
	return id.ID(n.Prefix)<<shifts[n.Level] + id.ID(child)<<shifts[n.Level+1]
}
