// Package countdb implements count.Store on DynamoDB.
package countdb

import (
	"context"
	"fmt"
	"hash/fnv"
	"io"
	"maps"
	"slices"
	"strconv"
	"strings"

	"minicloud/shared/clock"
	"minicloud/shared/count"
	"minicloud/shared/dynamo"
	"minicloud/shared/dynamo/counted"
	"minicloud/shared/dynamo/partition"
	"minicloud/shared/errs"
	"minicloud/shared/table"
)

// Store implements count.Store:
//
//	pk = <collection>   sk = <level>#<prefix>#<kind>   n, c<child> …, q<shard> …: a node
type Store struct {
	Client *dynamo.Client
	Table  string
	Clock  clock.Clock
}

const (
	attrSum      = "n"
	countedChild = "c" // prefix of the attributes that count children
	// checkpoint is the prefix of the attributes with checkpoints: "<sequence number>@<hour of the write>".
	checkpoint = "q"
	// keepCheckpoint is how many hours a checkpoint is kept. A shard takes records for about 4 h, and a stream keeps them
	// for 24 h: none of it is delivered later.
	keepCheckpoint = 72
)

// counterSK returns the sort key of a node's counter. It sorts by level and groups the kinds of a node.
func counterSK(node count.NodeID, kind string) string {
	return fmt.Sprintf("%d#%010x#%s", node.Level, node.Prefix, kind)
}

// Node makes one Query.
func (s *Store) Node(ctx context.Context, c count.Collection, node count.NodeID) ([]count.Node, error) {
	// BETWEEN instead of begins_with, which takes the local engine twice as long.
	in := dynamo.Query(s.Table, string(c), counterSK(node, ""), counterSK(node, "~"), false, 0)

	out, err := s.Client.Query(ctx, in)
	if err != nil {
		return nil, dynamo.Wrap("read counters", err)
	}

	return countNodes(out.Items), nil
}

func countNodes(items []dynamo.Item) []count.Node {
	nodes := make([]count.Node, 0, len(items))
	for _, it := range items {
		nodes = append(nodes, countNode(it))
	}

	return nodes
}

func countNode(it dynamo.Item) count.Node {
	parts := strings.SplitN(dynamo.TextOf(it["sk"]), "#", 3)
	n := count.Node{Sum: int(dynamo.IntegerOf(it[attrSum])), Children: make(map[int]int, len(it))}

	if len(parts) == 3 {
		n.Level, _ = strconv.Atoi(parts[0])
		n.Prefix, _ = strconv.ParseInt(parts[1], 16, 64)
		n.Kind = parts[2]
	}

	for name, av := range it {
		// Each child has its own attribute, so that one update can ADD to several children.
		digits, isChild := strings.CutPrefix(name, countedChild)
		if child, err := strconv.ParseInt(digits, 16, 64); isChild && err == nil {
			n.Children[int(child)] = int(dynamo.IntegerOf(av))
		}
	}

	return n
}

// attributeOf returns the attribute with the checkpoint of a shard. The names of shards and streams are long, and each
// KB of an item costs a write unit.
func attributeOf(s count.Shard) string {
	h := fnv.New64a()
	_, _ = io.WriteString(h, s.Stream+" "+s.Name)
	return checkpoint + strconv.FormatUint(h.Sum64(), 36)
}

// Add makes one update, and one more when a shard is new to the counter and others have to be forgotten. If the answer
// of an update is lost, its repetition finds the checkpoint moved.
func (s *Store) Add(
	ctx context.Context, key count.Key, shard count.Shard, from, to count.Sequence, children map[int]int,
) (at count.Sequence, err error) {
	name, hour := attributeOf(shard), s.Clock.Now().Unix()/3600
	add := s.AddToNode(key, children)
	update := add.Update
	*update.UpdateExpression += " SET " + name + " = :to"
	update.ExpressionAttributeValues[":to"] = dynamo.Text(fmt.Sprintf("%s@%d", to, hour))
	condition := "attribute_not_exists(" + name + ")"
	if from != "" {
		condition = "begins_with(" + name + ", :from)"
		update.ExpressionAttributeValues[":from"] = dynamo.Text(string(from) + "@")
	}
	update.ConditionExpression = &condition

	if from != "" {
		err = dynamo.WriteItem(ctx, s.Client, add)
	} else {
		var it dynamo.Item
		if it, err = dynamo.UpdateItem(ctx, s.Client, add); err == nil {
			err = s.forget(ctx, key, it, hour)
		}
	}
	if dynamo.ConditionFailed(err) {
		stored, _, _ := strings.Cut(dynamo.TextOf(dynamo.ItemAt(err, 0)[name]), "@")
		return count.Sequence(stored), errs.Conflict("the checkpoint of %s is %q, not %q", shard.Name, stored, from)
	}
	return to, dynamo.Wrap("add to a counter", err)
}

// forget removes the checkpoints of shards that have ended.
func (s *Store) forget(ctx context.Context, key count.Key, it dynamo.Item, hour int64) error {
	var old []string
	for name, value := range it {
		_, since, isCheckpoint := strings.Cut(dynamo.TextOf(value), "@")
		if at, err := strconv.ParseInt(since, 10, 64); isCheckpoint && err == nil && at+keepCheckpoint < hour {
			old = append(old, name)
		}
	}
	if len(old) == 0 {
		return nil
	}
	slices.Sort(old)
	return dynamo.Write(ctx, s.Client, dynamo.Update(s.Table, string(key.Collection), counterSK(key.Node, key.Kind),
		"REMOVE "+strings.Join(old, ", "), "", nil))
}

// AddToNode returns the part of a transaction that adds to a node and up to count.MaxChildren of its children.
func (s *Store) AddToNode(key count.Key, children map[int]int) dynamo.Part {
	sum := 0
	adds, values := []string{attrSum + " :sum"}, dynamo.Item{}
	for _, child := range slices.Sorted(maps.Keys(children)) {
		by := children[child]
		if by == 0 {
			continue
		}
		sum += by
		attr := countedChild + strconv.FormatInt(int64(child), 16)
		adds = append(adds, attr+" :"+attr)
		values[":"+attr] = dynamo.Number(int64(by))
	}
	values[":sum"] = dynamo.Number(int64(sum))

	return dynamo.Update(s.Table, string(key.Collection), counterSK(key.Node, key.Kind),
		"ADD "+strings.Join(adds, ", "), "", values)
}

// Purge deletes up to 1,000 counters of a collection.
func (s *Store) Purge(ctx context.Context, c count.Collection) (done bool, err error) {
	return dynamo.Purge(ctx, s.Client, s.Table, string(c))
}

// RowCount converts a record of the rows' stream into a change of the counters: 1 for a new row, -1 for a deleted one.
func RowCount(record dynamo.Record) (count.Change, error) {
	change, sk, err := counted.Change(record)
	if err != nil {
		return change, err
	}
	change.Collection = partition.Collection(string(change.Collection)) // a sharded table is one
	// The change of a row counts 0.
	change.ID, change.By = table.RowID(sk).Number(), counted.Items(record)
	if change.By != 0 && change.ID == 0 {
		return count.Change{}, fmt.Errorf("record %s: %q is no row id", record.EventID, sk)
	}
	return change, nil
}
