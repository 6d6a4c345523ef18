// Package count counts the records of collections, in total and by range. The consumers of the tables' streams maintain
// the counters, so counters are up to 2 s behind the writes (D6) and no write waits for them.
//
// The records of a collection have time-ordered numbers (package id). The counters of a collection form a tree over
// these numbers:
//
//	level 0   everything              ┐ children: 2^40 numbers, 3 days
//	level 1   2^40 numbers, 3 days    │           2^31 numbers, 9 minutes
//	level 2   2^31 numbers, 9 minutes ┘           2^22 numbers, 1 s: a leaf
//
// # Words
//
//	collection   records that are counted together: the rows of a table, the ended jobs of a function
//	kind         the attributes of a record that lists filter by: a job's status and source
//	node         a counter: the number of records below it, and below each of its children
//	shard        a part of a stream; its records arrive in order
//	checkpoint   the sequence number up to which a node has the records of a shard; each node has its own for each shard
package count

import (
	"strings"

	"minicloud/shared/id"
)

// Collection names records that are counted together. Its first part is a tenant's scope.
type Collection string

// Levels is the number of nodes above each record.
const Levels = 3

// leafBits is the number of low bits that the numbers of one leaf differ in.
const leafBits = 22

// shifts[level] is the number of bits below a node of that level; the last entry is the number of bits below a leaf.
var shifts = [Levels + 1]int{53, 40, 31, leafBits}

// NodeID identifies a node by its level and its prefix: all numbers below the node give the same Prefix when shifted
// right by the bits below the node.
type NodeID struct {
	Level  int
	Prefix int64
}

// Root is the node above all numbers.
var Root = NodeID{}

// Node holds the counts of one node for one kind.
type Node struct {
	NodeID
	Kind     string
	Sum      int         // number of records below the node
	Children map[int]int // key: the low bits of the child's prefix, which the node's prefix lacks
}

// NodeOf returns the node of the level above number n, and the child of that node that n is below.
func NodeOf(n id.ID, level int) (node NodeID, child int) {
	prefix := int64(n) >> shifts[level]

	return NodeID{level, prefix}, int(int64(n)>>shifts[level+1] - prefix<<(shifts[level]-shifts[level+1]))
}

// First returns the smallest number below the child of the node.
func (n NodeID) First(child int) id.ID {
	return id.ID(n.Prefix)<<shifts[n.Level] + id.ID(child)<<shifts[n.Level+1]
}

// Child returns the id of the child node, one level deeper.
func (n NodeID) Child(child int) NodeID {
	return NodeID{n.Level + 1, int64(n.First(child)) >> shifts[n.Level+1]}
}

// leafStart returns the smallest number in the leaf that contains n.
func leafStart(n id.ID) id.ID { return n &^ (1<<leafBits - 1) }

// Key identifies one counter item: one node of a collection, for one kind.
type Key struct {
	Collection Collection
	Node       NodeID
	Kind       string
}

// Delta holds the additions to counters, by node and child.
type Delta map[Key]map[int]int

// Add adds by records with number n.
func (d Delta) Add(c Collection, kind string, n id.ID, by int) {
	for level := range Levels {
		node, child := NodeOf(n, level)
		key := Key{c, node, kind}
		if d[key] == nil {
			d[key] = map[int]int{}
		}
		d[key][child] += by
	}
}

// Sequence is a stream's sequence number: decimal digits, too long for an integer. "" sorts before all others.
type Sequence string

// After reports whether s comes after other in their shard.
func (s Sequence) After(other Sequence) bool {
	a, b := strings.TrimLeft(string(s), "0"), strings.TrimLeft(string(other), "0")
	if len(a) != len(b) {
		return len(a) > len(b)
	}

	return a > b
}
