package dynamotest

import (
	"context"
	"errors"
	"sync/atomic"
	"testing"

	awsmiddleware "github.com/aws/aws-sdk-go-v2/aws/middleware"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb"
	"github.com/aws/smithy-go/middleware"
)

var errFailed = errors.New("the call failed")

// FailEach runs do repeatedly: the first run fails its first DynamoDB call, the second run its second, until a run has
// fewer calls. do must return the error of the failed call.
func FailEach(t testing.TB, client *dynamodb.Client, do func(client *dynamodb.Client) error) {
	t.Helper()
	for n := int64(1); ; n++ {
		var calls atomic.Int64
		operation := ""
		err := do(intercept(client, "fail", func(
			ctx context.Context, in middleware.InitializeInput, next middleware.InitializeHandler,
		) (middleware.InitializeOutput, middleware.Metadata, error) {
			if calls.Add(1) == n {
				operation = awsmiddleware.GetOperationName(ctx)
				return middleware.InitializeOutput{}, middleware.Metadata{}, errFailed
			}
			return next.HandleInitialize(ctx, in)
		}))
		// The run had fewer than n calls, so no call failed and the run must succeed.
		if calls.Load() < n {
			if err != nil || n == 1 {
				t.Errorf("%d calls, and none fails: %v", n-1, err)
			}
			return
		}
		if !errors.Is(err, errFailed) {
			t.Errorf("call %d, %s, fails: %v", n, operation, err)
		}
	}
}
