package dynamo

import (
	"crypto/rand"
	"encoding/hex"
	"maps"
	"slices"
	"strings"
	"sync"

	"minicloud/shared/table"
)

// attrStamp of each copy of the root is something else after every change of the
// counters: who adds to a node adds to the root in the same transaction.
const attrStamp = "stamp"

func newStamp() string {
	var b [8]byte
	rand.Read(b[:])
	return hex.EncodeToString(b[:])
}

// stampOf joins the stamps of all copies of the root, which are among the items;
// "" where there are none.
func stampOf(items []item) string {
	var stamps strings.Builder
	for _, it := range items {
		if nodeOf(it) != (table.NodeID{}) {
			continue
		}
		stamp := textOf(it[attrStamp])
		if stamp == "" {
			return ""
		}
		stamps.WriteString(textOf(it["sk"]) + "=" + stamp + " ")
	}
	return stamps.String()
}

// maxKnown is how many nodes a process keeps, of up to 10 KB.
const maxKnown = 500

// known keeps the nodes that were read for as long as the root's stamp is the
// same: deep pages of a table that nobody is writing need the root only.
type known struct {
	mu    sync.Mutex
	trees map[string]*knownTree // by partition
	nodes int                   // of all trees
}

type knownTree struct {
	stamp string
	again bool // the stamp was the same when it was looked at last
	nodes map[table.NodeID]table.Node
}

// at returns what is known of the tree whose root has the stamp, and forgets
// what had another.
func (k *known) at(pk, stamp string) []table.Node {
	k.mu.Lock()
	defer k.mu.Unlock()
	tree := k.trees[pk]
	if tree != nil && tree.stamp == stamp {
		tree.again = true
		return slices.Collect(maps.Values(tree.nodes))
	}
	if tree != nil {
		k.nodes -= len(tree.nodes)
		delete(k.trees, pk)
	}
	if stamp == "" {
		return nil
	}
	if k.trees == nil || len(k.trees) >= maxKnown {
		k.trees, k.nodes = map[string]*knownTree{}, 0
	}
	k.trees[pk] = &knownTree{stamp: stamp, nodes: map[table.NodeID]table.Node{}}
	return nil
}

// stamp returns the stamp that the tree had when it was looked at last.
func (k *known) stamp(pk string) string {
	k.mu.Lock()
	defer k.mu.Unlock()
	if tree := k.trees[pk]; tree != nil {
		return tree.stamp
	}
	return ""
}

// again reports whether it had the same the time before.
func (k *known) again(pk string) bool {
	k.mu.Lock()
	defer k.mu.Unlock()
	return k.trees[pk] != nil && k.trees[pk].again
}

// add keeps a node whose reading began when the tree had the stamp: what it
// counts was changed together with the stamp, if it was changed since.
func (k *known) add(pk, stamp string, node table.Node) {
	k.mu.Lock()
	defer k.mu.Unlock()
	tree := k.trees[pk]
	if tree == nil || tree.stamp != stamp {
		return
	}
	if k.nodes >= maxKnown {
		k.trees, k.nodes = nil, 0
		return
	}
	if _, ok := tree.nodes[node.NodeID]; !ok {
		k.nodes++
	}
	node.Children = maps.Clone(node.Children)
	tree.nodes[node.NodeID] = node
}
