package jobdb

import (
	"context"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb"

	"minicloud/shared/dynamo"
	"minicloud/shared/errs"
	"minicloud/shared/id"
	"minicloud/shared/tenant"
)

func descendantsKey(scope tenant.Scope, root id.ID) string {
	return scope.String() + "#descendants#" + root.Key()
}

// Descend is one conditional UpdateItem of a small item, one write unit also when
// it refuses.
func (s *Store) Descend(ctx context.Context, scope tenant.Scope, root id.ID, most int, until time.Time) error {
	_, err := s.Client.UpdateItem(ctx, &dynamodb.UpdateItemInput{
		TableName: &s.Table, Key: dynamo.Key(descendantsKey(scope, root), "count"),
		UpdateExpression:    aws.String("SET expires_at = :until ADD started :one"),
		ConditionExpression: aws.String("attribute_not_exists(started) OR started < :most"),
		ExpressionAttributeValues: dynamo.Item{
			":one": dynamo.Number(1), ":most": dynamo.Number(int64(most)), ":until": dynamo.Instant(until),
		},
	})
	if dynamo.ConditionFailed(err) {
		return errs.TooMany(0, "job %d has started %d functions", root, most)
	}
	return dynamo.Wrap("count descendants", err)
}
