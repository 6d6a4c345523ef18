package counted

import (
	"context"
	"fmt"
	"slices"

	"github.com/aws/aws-lambda-go/events"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb"

	"minicloud/shared/count"
	"minicloud/shared/dynamo"
)

// Letter encodes a word in the kind of an item: "a" for the first of words, "b" for the second …
func Letter[T comparable](words []T, word T) string {
	return string([]byte{'a' + byte(slices.Index(words, word))})
}

// Change converts a stream record into a change of the counters that counts nothing yet: the caller sets ID, Kind and
// By. sk is the sort key of the item.
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

// Items returns by how many items a stream record changes a table: 1 for a new item, -1 for a deleted one, otherwise 0.
func Items(record events.DynamoDBEventRecord) int {
	switch events.DynamoDBOperationType(record.EventName) {
	case events.DynamoDBOperationTypeInsert:
		return 1
	case events.DynamoDBOperationTypeRemove:
		return -1
	}
	return 0
}

// Collections calls yield with each partition of a table, counted or not. It reads one item per partition: the scan
// continues after the last possible sort key of each.
func Collections(ctx context.Context, client *dynamo.Client, table string, yield func(count.Collection) error) error {
	in := &dynamodb.ScanInput{
		TableName: &table, ProjectionExpression: new("pk"), Limit: new(int32(1)), ConsistentRead: new(true),
	}
	for {
		out, err := client.Scan(ctx, in)
		if err != nil {
			return dynamo.Wrap("list partitions", err)
		}

		for _, it := range out.Items {
			pk := dynamo.TextOf(it["pk"])
			if err := yield(count.Collection(pk)); err != nil {
				return err
			}
			// "~" sorts after every sort key, so the scan continues in the next partition.
			in.ExclusiveStartKey = dynamo.Key(pk, "~")
		}

		if len(out.LastEvaluatedKey) == 0 || len(out.Items) == 0 {
			return nil
		}
	}
}
