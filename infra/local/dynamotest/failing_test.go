package dynamotest_test

import (
	"testing"

	"github.com/aws/aws-sdk-go-v2/service/dynamodb"

	"minicloud/infra/local/dynamotest"
	"minicloud/shared/dynamo"
)

func TestFailEach(t *testing.T) {
	client, done := dynamotest.Start(t, "JobsTable"), []int{}
	dynamotest.FailEach(t, client, func(c *dynamodb.Client) error {
		for n := range 2 {
			if _, err := dynamo.GetItem(t.Context(), c, "JobsTable", "a", "b"); err != nil {
				done = append(done, n)
				return err
			}
		}
		done = append(done, 2)
		return nil
	})
	if len(done) != 3 || done[0] != 0 || done[1] != 1 || done[2] != 2 {
		t.Errorf("got to %v", done)
	}
}
