package dynamo

import (
	"context"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/aws/aws-lambda-go/events"
	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"

	"minicloud/shared/clock"
	"minicloud/shared/count"
	"minicloud/shared/errs"
	"minicloud/shared/table"
)

// Counts is the count.Store:
//
//	pk = <collection>            sk = <level>#<prefix>#<kind>   n, c<child> …: a node
//	pk = checkpoint#<stream>     sk = shard#<shard>             seq
type Counts struct {
	Client *dynamodb.Client
	Table  string
	Clock  clock.Clock
}

var _ count.Store = (*Counts)(nil)

const (
	attrSum      = "n"
	countedChild = "c" // of the attributes that count children
	attrSequence = "seq"
	// keepCheckpoint is longer than a stream keeps its records, 24 h: what comes again comes before that.
	keepCheckpoint = 72 * time.Hour
	// topNodes are read at once. A node has up to 512 children, whose reading takes longer than another query.
	topNodes = 4
)

// counterSK puts the nodes of the upper levels first, and the kinds of a node together.
func counterSK(node count.NodeID, kind string) string {
	return fmt.Sprintf("%d#%010x#%s", node.Level, node.Prefix, kind)
}

// Top is one query, another one where the root has many kinds.
func (s *Counts) Top(ctx context.Context, c count.Collection) ([]count.Node, error) {
	end := counterSK(count.NodeID{Level: 2}, "")

	out, err := s.Client.Query(ctx, queryInput(s.Table, string(c), "", end, false, topNodes))
	if err != nil {
		return nil, wrap("read counters", err)
	}

	nodes := countNodes(out.Items)
	if len(out.LastEvaluatedKey) == 0 {
		return nodes, nil
	}

	// Of the last node not all kinds may be here.
	last := nodes[len(nodes)-1].NodeID
	if last == count.Root {
		return s.Node(ctx, c, count.Root)
	}
	return slices.DeleteFunc(nodes, func(n count.Node) bool { return n.NodeID == last }), nil
}

// Node is one query.
func (s *Counts) Node(ctx context.Context, c count.Collection, node count.NodeID) ([]count.Node, error) {
	// Both ends are named: with begins_with the local engine takes twice as long.
	in := queryInput(s.Table, string(c), counterSK(node, ""), counterSK(node, "~"), false, 0)

	out, err := s.Client.Query(ctx, in)
	if err != nil {
		return nil, wrap("read counters", err)
	}

	return countNodes(out.Items), nil
}

func countNodes(items []item) []count.Node {
	nodes := make([]count.Node, 0, len(items))
	for _, it := range items {
		nodes = append(nodes, countNode(it))
	}

	return nodes
}

func countNode(it item) count.Node {
	parts := strings.SplitN(textOf(it["sk"]), "#", 3)
	n := count.Node{Sum: int(integerOf(it[attrSum])), Children: make(map[int]int, len(it))}

	if len(parts) == 3 {
		n.Level, _ = strconv.Atoi(parts[0])
		n.Prefix, _ = strconv.ParseInt(parts[1], 16, 64)
		n.Kind = parts[2]
	}

	for name, av := range it {
		digits, isChild := strings.CutPrefix(name, countedChild)
		if child, err := strconv.ParseInt(digits, 16, 64); isChild && err == nil {
			n.Children[int(child)] = int(integerOf(av))
		}
	}

	return n
}

// checkpoints begins the partitions of checkpoints, one per stream.
const checkpoints = "checkpoint#"

func checkpointKey(s count.Shard) item { return itemKey(checkpoints+s.Stream, "shard#"+s.Name) }

// Checkpoint is one read.
func (s *Counts) Checkpoint(ctx context.Context, shard count.Shard) (count.Sequence, error) {
	out, err := s.Client.GetItem(ctx, &dynamodb.GetItemInput{
		TableName: &s.Table, Key: checkpointKey(shard), ConsistentRead: aws.Bool(true),
	})
	if err != nil {
		return "", wrap("read checkpoint", err)
	}

	return count.Sequence(textOf(out.Item[attrSequence])), nil
}

// Add is one transaction of the checkpoint and one item per node. An attempt whose answer was lost is known to
// DynamoDB by the client's token.
func (s *Counts) Add(ctx context.Context, shard count.Shard, from, to count.Sequence, d count.Delta) error {
	parts := []types.TransactWriteItem{s.moveCheckpoint(shard, from, to)}
	for key, children := range d {
		parts = append(parts, s.addToNode(key, children))
	}

	_, err := s.Client.TransactWriteItems(ctx, &dynamodb.TransactWriteItemsInput{TransactItems: parts})
	if conditionFailedAt(err, 0) {
		return errs.Conflict("the checkpoint of %s is not %q any more", shard.Name, from)
	}
	return wrap("add to counters", err)
}

func (s *Counts) moveCheckpoint(shard count.Shard, from, to count.Sequence) types.TransactWriteItem {
	expires := s.Clock.Now().Add(keepCheckpoint)
	put := &types.Put{TableName: &s.Table, Item: checkpointKey(shard), ConditionExpression: aws.String(notThere)}
	put.Item[attrSequence], put.Item["expires_at"] = text(string(to)), instant(expires)

	if from != "" {
		put.ConditionExpression = aws.String(attrSequence + " = :from")
		put.ExpressionAttributeValues = item{":from": text(string(from))}
	}

	return types.TransactWriteItem{Put: put}
}

func (s *Counts) addToNode(key count.Key, children map[int]int) types.TransactWriteItem {
	sum := 0
	adds, values := []string{attrSum + " :sum"}, item{}
	for child, by := range children {
		sum += by
		attr := countedChild + strconv.FormatInt(int64(child), 16)
		adds = append(adds, attr+" :"+attr)
		values[":"+attr] = number(int64(by))
	}
	values[":sum"] = number(int64(sum))

	return types.TransactWriteItem{Update: &types.Update{
		TableName: &s.Table, Key: itemKey(string(key.Collection), counterSK(key.Node, key.Kind)),
		UpdateExpression: aws.String("ADD " + strings.Join(adds, ", ")), ExpressionAttributeValues: values,
	}}
}

// Purge removes counters.
func (s *Counts) Purge(ctx context.Context, c count.Collection) (done bool, err error) {
	return purge(ctx, s.Client, s.Table, string(c))
}

// RowCount tells what a record of the rows' stream changes: a row that came, or went.
func RowCount(record events.DynamoDBEventRecord) (count.Change, error) {
	pk, sk := record.Change.Keys["pk"], record.Change.Keys["sk"]
	if pk.DataType() != events.DataTypeString || sk.DataType() != events.DataTypeString {
		return count.Change{}, fmt.Errorf("record %s: its keys are no strings", record.EventID)
	}

	change := count.Change{
		Sequence: count.Sequence(record.Change.SequenceNumber), Collection: count.Collection(pk.String()),
		ID: table.RowID(sk.String()).Number(),
	}
	switch events.DynamoDBOperationType(record.EventName) {
	case events.DynamoDBOperationTypeInsert:
		change.By = 1
	case events.DynamoDBOperationTypeRemove:
		change.By = -1
	}
	if change.By != 0 && change.ID == 0 {
		return count.Change{}, fmt.Errorf("record %s: %q is no row id", record.EventID, sk.String())
	}

	return change, nil
}
