// Package countdb implements count.Store on DynamoDB.
package countdb

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/aws/aws-lambda-go/events"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"

	"minicloud/shared/clock"
	"minicloud/shared/count"
	"minicloud/shared/dynamo"
	"minicloud/shared/dynamo/counted"
	"minicloud/shared/errs"
	"minicloud/shared/table"
)

// Store implements count.Store:
//
//	pk = <collection>            sk = <level>#<prefix>#<kind>   n, c<child> …: a node
//	pk = checkpoint#<stream>     sk = shard#<shard>             seq
type Store struct {
	Client *dynamodb.Client
	Table  string
	Clock  clock.Clock
}

var _ count.Store = (*Store)(nil)

const (
	attrSum      = "n"
	countedChild = "c" // prefix of the attributes that count children
	attrSequence = "seq"
	// keepCheckpoint is longer than the 24 h for which a stream keeps its records: no record is redelivered later.
	keepCheckpoint = 72 * time.Hour
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

// checkpoints is the prefix of the partition keys of checkpoints; each stream has one partition.
const checkpoints = "checkpoint#"

func checkpointKey(s count.Shard) (pk, sk string) { return checkpoints + s.Stream, "shard#" + s.Name }

// Checkpoint makes one read.
func (s *Store) Checkpoint(ctx context.Context, shard count.Shard) (count.Sequence, error) {
	pk, sk := checkpointKey(shard)
	it, err := dynamo.GetItem(ctx, s.Client, s.Table, pk, sk)
	return count.Sequence(dynamo.TextOf(it[attrSequence])), err
}

// Add runs one transaction of the checkpoint and one item per node. DynamoDB recognizes a repeated attempt by its
// client token.
func (s *Store) Add(ctx context.Context, shard count.Shard, from, to count.Sequence, d count.Delta) error {
	parts := append([]types.TransactWriteItem{s.moveCheckpoint(shard, from, to)}, s.additions(d)...)
	err := dynamo.Transact(ctx, s.Client, parts...)
	if dynamo.ConditionFailedAt(err, 0) {
		return errs.Conflict("the checkpoint of %s is not %q any more", shard.Name, from)
	}
	return dynamo.Wrap("add to counters", err)
}

// additions returns the parts of a transaction that add to counters.
func (s *Store) additions(d count.Delta) (parts []types.TransactWriteItem) {
	for key, children := range d {
		parts = append(parts, s.AddToNode(key, children))
	}
	return parts
}

func (s *Store) moveCheckpoint(shard count.Shard, from, to count.Sequence) types.TransactWriteItem {
	it := dynamo.Key(checkpointKey(shard))
	it[attrSequence], it["expires_at"] = dynamo.Text(string(to)), dynamo.Instant(s.Clock.Now().Add(keepCheckpoint))
	if from == "" {
		return dynamo.Put(s.Table, it, dynamo.NotExists, nil)
	}

	return dynamo.Put(s.Table, it, attrSequence+" = :from", dynamo.Item{":from": dynamo.Text(string(from))})
}

// MaxChildren is the maximum number of children per update: an expression has at most 4 KB.
const MaxChildren = 100

// AddToNode returns the part of a transaction that adds to a node and up to MaxChildren of its children.
func (s *Store) AddToNode(key count.Key, children map[int]int) types.TransactWriteItem {
	sum := 0
	adds, values := []string{attrSum + " :sum"}, dynamo.Item{}
	for _, child := range slices.Sorted(maps.Keys(children)) {
		by := children[child]
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
func RowCount(record events.DynamoDBEventRecord) (count.Change, error) {
	change, sk, err := counted.Change(record)
	if err != nil {
		return change, err
	}
	// The change of a row counts 0.
	change.ID, change.By = table.RowID(sk).Number(), counted.Items(record)
	if change.By != 0 && change.ID == 0 {
		return count.Change{}, fmt.Errorf("record %s: %q is no row id", record.EventID, sk)
	}
	return change, nil
}
