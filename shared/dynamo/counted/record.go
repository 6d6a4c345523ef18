package counted

import (
	"context"
	"fmt"
	"slices"

	"github.com/aws/aws-lambda-go/events"
	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb"

	"minicloud/shared/count"
	"minicloud/shared/dynamo"
)

// Letter is the letter of a word in the kind of an item: its place among the words.
func Letter[T comparable](words []T, word T) string {
	return string([]byte{'a' + byte(slices.Index(words, word))})
}

// Change begins the change of a counter by a record of a table's stream: it counts nothing yet. sk is the sort key of
// the item.
func Change(record events.DynamoDBEventRecord) (change count.Change, sk string, err error) {
	key := dynamo.Image(record.Change.Keys)
	pk, sk := dynamo.TextOf(key["pk"]), dynamo.TextOf(key["sk"])
	if pk == "" || sk == "" {
		return change, "", fmt.Errorf("record %s: its keys are no strings", record.EventID)
	}
	return count.Change{
		Sequence: count.Sequence(record.Change.SequenceNumber), Collection: count.Collection(pk),
	}, sk, nil
}

// Items is how many items more a table has by a record: 1 for a new item, -1 for a deleted one, 0 for a change.
func Items(record events.DynamoDBEventRecord) int {
	switch events.DynamoDBOperationType(record.EventName) {
	case events.DynamoDBOperationTypeInsert:
		return 1
	case events.DynamoDBOperationTypeRemove:
		return -1
	}
	return 0
}

// Collections calls yield with each partition of a table that is counted. Each partition is one read: a scan goes on
// behind the last sort key that there can be.
func Collections(
	ctx context.Context, client *dynamodb.Client, table string, has func(count.Collection) bool,
	yield func(count.Collection) error,
) error {
	in := &dynamodb.ScanInput{
		TableName: &table, ProjectionExpression: aws.String("pk"), Limit: aws.Int32(1), ConsistentRead: aws.Bool(true),
	}
	for {
		out, err := client.Scan(ctx, in)
		if err != nil {
			return dynamo.Wrap("list partitions", err)
		}

		for _, it := range out.Items {
			pk := dynamo.TextOf(it["pk"])
			if c := count.Collection(pk); has(c) {
				if err := yield(c); err != nil {
					return err
				}
			}
			// "~" sorts behind every sort key, so the scan goes on in the next partition.
			in.ExclusiveStartKey = dynamo.Key(pk, "~")
		}

		if len(out.LastEvaluatedKey) == 0 || len(out.Items) == 0 {
			return nil
		}
	}
}
