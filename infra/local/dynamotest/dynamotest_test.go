package dynamotest_test

import (
	"errors"
	"testing"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"

	"minicloud/infra/local/dynamotest"
)

func TestStartServesTable(t *testing.T) {
	client := dynamotest.Start(t, "JobsTable")
	put := &dynamodb.PutItemInput{
		TableName: aws.String("JobsTable"),
		Item: map[string]types.AttributeValue{
			"pk": &types.AttributeValueMemberS{Value: "a"}, "sk": &types.AttributeValueMemberS{Value: "b"},
		},
		ConditionExpression: aws.String("attribute_not_exists(pk)"),
	}
	if _, err := client.PutItem(t.Context(), put); err != nil {
		t.Fatal(err)
	}
	_, err := client.PutItem(t.Context(), put)
	if _, ok := errors.AsType[*types.ConditionalCheckFailedException](err); !ok {
		t.Errorf("second put: %v, want a failed condition", err)
	}
	ttl, err := client.DescribeTimeToLive(
		t.Context(), &dynamodb.DescribeTimeToLiveInput{TableName: aws.String("JobsTable")},
	)
	if err != nil {
		t.Fatal(err)
	}
	if got := aws.ToString(ttl.TimeToLiveDescription.AttributeName); got != "expires_at" {
		t.Errorf("TTL attribute %q", got)
	}
}
