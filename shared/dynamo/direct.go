package dynamo

import (
	"context"

	"github.com/aws/aws-sdk-go-v2/service/dynamodb"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb/schemas"
	"github.com/aws/smithy-go"

	"minicloud/shared/dynamo/call"
)

// The operations that are tried without the SDK's steps first (call.Pool.Direct): what every request reads.
var (
	getItem      = smithy.NewOperationSchema(schemas.GetItem, schemas.GetItemInput, schemas.GetItemOutput)
	batchGetItem = smithy.NewOperationSchema(schemas.BatchGetItem, schemas.BatchGetItemInput, schemas.BatchGetItemOutput)
	query        = smithy.NewOperationSchema(schemas.Query, schemas.QueryInput, schemas.QueryOutput)
)

// direct makes the first attempt of a read into out. done is false if the SDK must make the call. Clients of tests and of
// the simulation have no call.Pool: theirs make all calls.
func direct(
	ctx context.Context, client *dynamodb.Client, operation *smithy.OperationSchema, in smithy.Serializable,
	out smithy.Deserializable,
) (done bool, err error) {
	o := client.Options()
	pool, ok := o.HTTPClient.(*call.Pool)
	if !ok || !pool.Direct(ctx, o, operation, in, out) {
		return false, nil
	}
	return true, known(returned(out)...)
}

// QueryOnce makes one Query, which returns 1 MB at most.
func QueryOnce(ctx context.Context, client *dynamodb.Client, in *dynamodb.QueryInput) (*dynamodb.QueryOutput, error) {
	out := new(dynamodb.QueryOutput)
	if done, err := direct(ctx, client, query, in, out); done {
		return out, err
	}
	return client.Query(ctx, in)
}

func getOnce(ctx context.Context, client *dynamodb.Client, in *dynamodb.GetItemInput) (*dynamodb.GetItemOutput, error) {
	out := new(dynamodb.GetItemOutput)
	if done, err := direct(ctx, client, getItem, in, out); done {
		return out, err
	}
	return client.GetItem(ctx, in)
}

func batchGetOnce(
	ctx context.Context, client *dynamodb.Client, in *dynamodb.BatchGetItemInput,
) (*dynamodb.BatchGetItemOutput, error) {
	out := new(dynamodb.BatchGetItemOutput)
	if done, err := direct(ctx, client, batchGetItem, in, out); done {
		return out, err
	}
	return client.BatchGetItem(ctx, in)
}
