package dynamotest

import (
	"context"
	"testing"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"
	"github.com/google/go-cmp/cmp"

	"minicloud/infra/recount/books"
	"minicloud/shared/count"
	"minicloud/shared/dynamo/partition"
	"minicloud/shared/table"
)

// Counts is a fake of the row counters without their lag: each read counts the rows again. Tests compare with it.
type Counts struct {
	Client *dynamodb.Client
	Table  string // table of the rows
}

var _ count.Reader = (*Counts)(nil)

// Node implements count.Reader.
func (s *Counts) Node(ctx context.Context, c count.Collection, node count.NodeID) ([]count.Node, error) {
	n := count.Node{NodeID: node, Children: map[int]int{}}
	// The rows of a sharded table lie in several partitions, so the whole table is read.
	rows := dynamodb.NewScanPaginator(s.Client, &dynamodb.ScanInput{
		TableName: &s.Table, ConsistentRead: aws.Bool(true), ProjectionExpression: aws.String("pk, sk"),
		FilterExpression:          aws.String("begins_with(pk, :pk)"),
		ExpressionAttributeValues: map[string]types.AttributeValue{":pk": &types.AttributeValueMemberS{Value: string(c)}},
	})

	for rows.HasMorePages() {
		found, err := rows.NextPage(ctx)
		if err != nil {
			return nil, err
		}
		for _, it := range found.Items {
			if partition.Collection(it["pk"].(*types.AttributeValueMemberS).Value) != c {
				continue
			}
			id := table.RowID(it["sk"].(*types.AttributeValueMemberS).Value)
			if at, child := count.NodeOf(id.Number(), node.Level); at == node {
				n.Sum++
				n.Children[child]++
			}
		}
	}

	return []count.Node{n}, nil
}

// CheckLevels compares the counters of each level with those of the level below. No counter may change meanwhile.
func CheckLevels(t testing.TB, counters books.Books, c count.Collection) {
	t.Helper()
	level := func(n int) []count.Node {
		nodes, err := counters.Level(t.Context(), c, n)
		if err != nil {
			t.Fatal(err)
		}
		return nodes
	}

	for n := range count.Levels - 1 {
		above, below := count.Delta{}, count.Delta{}
		add := func(d count.Delta, kind string, at count.NodeID, child, by int) {
			key := count.Key{Collection: c, Node: at, Kind: kind}
			// A counter of 0 equals a missing counter.
			if by != 0 && d[key] == nil {
				d[key] = map[int]int{}
			}
			if by != 0 {
				d[key][child] = by
			}
		}
		for _, node := range level(n) {
			for child, by := range node.Children {
				add(above, node.Kind, node.NodeID, child, by)
			}
		}
		for _, node := range level(n + 1) {
			at, child := count.NodeOf(node.First(0), n)
			add(below, node.Kind, at, child, node.Sum)
		}
		if diff := cmp.Diff(below, above); diff != "" {
			t.Errorf("%s, level %d and the sums of level %d (-sums +counters):\n%s", c, n, n+1, diff)
		}
	}
}
