package dynamo

import (
	"context"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb"

	"minicloud/shared/errs"
	"minicloud/shared/id"
	"minicloud/shared/tenant"
)

func descendantsKey(scope tenant.Scope, root id.ID) string {
	return scope.String() + "#descendants#" + root.Key()
}

// Descend is one conditional UpdateItem of a small item, one write unit also when
// it refuses.
func (s *Jobs) Descend(ctx context.Context, scope tenant.Scope, root id.ID, most int, until time.Time) error {
	_, err := s.Client.UpdateItem(ctx, &dynamodb.UpdateItemInput{
		TableName: &s.Table, Key: itemKey(descendantsKey(scope, root), "count"),
		UpdateExpression:    aws.String("SET expires_at = :until ADD started :one"),
		ConditionExpression: aws.String("attribute_not_exists(started) OR started < :most"),
		ExpressionAttributeValues: item{
			":one": number(1), ":most": number(int64(most)), ":until": instant(until),
		},
	})
	if conditionFailed(err) {
		return errs.TooMany(0, "job %d has started %d functions", root, most)
	}
	return wrap("count descendants", err)
}
