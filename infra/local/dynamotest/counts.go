package dynamotest

import (
	"context"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"

	"minicloud/shared/count"
	"minicloud/shared/table"
)

// Counts are the rows' counters without the lag that the real ones have: each read
// counts the rows again. They are for tests that compare with what there is.
type Counts struct {
	Client *dynamodb.Client
	Table  string // of the rows
}

var _ count.Reader = (*Counts)(nil)

// Node implements count.Reader.
func (s *Counts) Node(ctx context.Context, c count.Collection, node count.NodeID) ([]count.Node, error) {
	n := count.Node{NodeID: node, Children: map[int]int{}}
	rows := dynamodb.NewQueryPaginator(s.Client, &dynamodb.QueryInput{
		TableName: &s.Table, ConsistentRead: aws.Bool(true), ProjectionExpression: aws.String("sk"),
		KeyConditionExpression:    aws.String("pk = :pk"),
		ExpressionAttributeValues: map[string]types.AttributeValue{":pk": &types.AttributeValueMemberS{Value: string(c)}},
	})

	for rows.HasMorePages() {
		found, err := rows.NextPage(ctx)
		if err != nil {
			return nil, err
		}
		for _, it := range found.Items {
			id := table.RowID(it["sk"].(*types.AttributeValueMemberS).Value)
			if at, child := count.NodeOf(id.Number(), node.Level); at == node {
				n.Sum++
				n.Children[child]++
			}
		}
	}

	return []count.Node{n}, nil
}
