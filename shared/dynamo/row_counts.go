package dynamo

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"

	"minicloud/shared/id"
	"minicloud/shared/table"
	"minicloud/shared/tenant"
)

// counterDelta is what a transaction adds to the counters: per node and child.
type counterDelta map[table.NodeID]map[int]int

// count adds by for one row.
func (d counterDelta) count(n id.ID, by int) {
	for level := range table.CountLevels {
		node, child := table.NodeOf(n, level)
		if d[node] == nil {
			d[node] = map[int]int{}
		}
		d[node][child] += by
	}
}

func (d counterDelta) add(other counterDelta) {
	for node, children := range other {
		if d[node] == nil {
			d[node] = map[int]int{}
		}
		for child, n := range children {
			d[node][child] += n
		}
	}
}

func countPK(scope tenant.Scope, id table.ID) string { return rowPK(scope, id) + "#count" }

// countSK puts the nodes of the upper levels first: most tables' counters are
// then one short read.
func countSK(node table.NodeID, copyOf int) string {
	return fmt.Sprintf("%d#%010x#%d", node.Level, node.Prefix, copyOf)
}

// childPrefix begins the attributes that count children.
const childPrefix = "c"

// counterParts is one ADD per node. The root has to be among them: its stamp
// tells that counters have changed.
func (s *Rows) counterParts(scope tenant.Scope, tableID table.ID, delta counterDelta, copyOf int) []types.TransactWriteItem {
	var parts []types.TransactWriteItem
	for node, children := range delta {
		sum := 0
		adds := make([]string, 0, len(children)+1)
		values := make(item, len(children)+1)
		for child, by := range children {
			sum += by
			attr := childPrefix + strconv.FormatInt(int64(child), 16)
			adds = append(adds, attr+" :"+attr)
			values[":"+attr] = number(int64(by))
		}
		adds, values[":n"] = append(adds, "n :n"), number(int64(sum))
		update := "ADD " + strings.Join(adds, ", ")
		if node == (table.NodeID{}) {
			update, values[":stamp"] = "SET "+attrStamp+" = :stamp "+update, text(newStamp())
		}
		parts = append(parts, types.TransactWriteItem{Update: &types.Update{
			TableName: &s.Indexes, Key: itemKey(countPK(scope, tableID), countSK(node, copyOf)),
			UpdateExpression: &update, ExpressionAttributeValues: values,
		}})
	}
	return parts
}

// Total is one query over the copies of the root.
func (s *Rows) Total(ctx context.Context, scope tenant.Scope, tableID table.ID) (int, error) {
	in := s.copiesQuery(scope, tableID, table.NodeID{})
	in.ProjectionExpression = aws.String("n")
	total := int64(0)
	out, err := s.Client.Query(ctx, in)
	if err != nil {
		return 0, wrap("read counters", err)
	}
	for _, it := range out.Items {
		total += integerOf(it["n"])
	}
	return int(total), nil
}

// copiesQuery reads the copies of one node. It names both ends: with
// begins_with the local engine takes twice as long.
func (s *Rows) copiesQuery(scope tenant.Scope, tableID table.ID, node table.NodeID) *dynamodb.QueryInput {
	return queryInput(s.Indexes, countPK(scope, tableID), countSK(node, 0), countSK(node, table.CountShards-1), false, table.CountShards)
}

// countersAtOnce is how many copies of nodes Counters reads. A node has up to
// 512 children, whose reading takes longer than another query.
const countersAtOnce = 3

// Counters is one query for the root and the first nodes of the level below, or
// for the root alone where the others are likely to be known. A second one
// follows where the root has many copies. A node of which it may not have all
// copies it leaves out.
func (s *Rows) Counters(ctx context.Context, scope tenant.Scope, tableID table.ID) ([]table.Node, error) {
	pk, root := countPK(scope, tableID), table.NodeID{}
	var items []item
	if !s.known.again(pk) {
		out, err := s.Client.Query(ctx, queryInput(s.Indexes, pk, "", countSK(table.NodeID{Level: 2}, 0), false, countersAtOnce))
		if err != nil {
			return nil, wrap("read counters", err)
		}
		items = out.Items
		if len(out.LastEvaluatedKey) > 0 {
			last := nodeOf(out.LastEvaluatedKey)
			items = slices.DeleteFunc(items, func(it item) bool { return nodeOf(it) == last })
		}
		if len(out.Items) == 0 {
			return nil, nil
		}
	}
	if len(items) == 0 {
		out, err := s.Client.Query(ctx, s.copiesQuery(scope, tableID, root))
		if err != nil {
			return nil, wrap("read counters", err)
		}
		items = out.Items
	}
	nodes := toNodes(items)
	return append(s.known.at(pk, stampOf(items)), nodes...), nil
}

// Counter is one query for the copies of one node.
func (s *Rows) Counter(ctx context.Context, scope tenant.Scope, tableID table.ID, id table.NodeID) (table.Node, error) {
	pk := countPK(scope, tableID)
	stamp := s.known.stamp(pk)
	out, err := s.Client.Query(ctx, s.copiesQuery(scope, tableID, id))
	if err != nil {
		return table.Node{}, wrap("read counters", err)
	}
	node := table.Node{NodeID: id}
	for _, n := range toNodes(out.Items) {
		node = n
	}
	s.known.add(pk, stamp, node)
	return node, nil
}

// toNodes sums up copies.
func toNodes(items []item) []table.Node {
	byID := map[table.NodeID]table.Node{}
	for _, it := range items {
		node := nodeOf(it)
		sum, ok := byID[node]
		if !ok {
			sum = table.Node{NodeID: node, Children: map[int]int{}}
		}
		sum.Sum += int(integerOf(it["n"]))
		for name, av := range it {
			if child, err := strconv.ParseInt(strings.TrimPrefix(name, childPrefix), 16, 64); err == nil && name[0] == childPrefix[0] {
				sum.Children[int(child)] += int(integerOf(av))
			}
		}
		byID[node] = sum
	}
	return slices.Collect(maps.Values(byID))
}

// nodeOf returns the node that the item is a copy of.
func nodeOf(it item) (node table.NodeID) {
	level, rest, _ := strings.Cut(textOf(it["sk"]), "#")
	prefix, _, _ := strings.Cut(rest, "#")
	node.Level, _ = strconv.Atoi(level)
	node.Prefix, _ = strconv.ParseInt(prefix, 16, 64)
	return node
}
