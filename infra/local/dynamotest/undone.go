package dynamotest

import (
	"context"

	"github.com/aws/aws-sdk-go-v2/service/dynamodb"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"
	"github.com/aws/smithy-go/middleware"
)

// Undone returns a client of the same database whose batch writes leave every second write unprocessed, as DynamoDB
// does when it throttles.
func Undone(client *dynamodb.Client) *dynamodb.Client {
	return intercept(client, "undone", func(
		ctx context.Context, in middleware.InitializeInput, next middleware.InitializeHandler,
	) (middleware.InitializeOutput, middleware.Metadata, error) {
		write, ok := in.Parameters.(*dynamodb.BatchWriteItemInput)
		if !ok {
			return next.HandleInitialize(ctx, in)
		}

		done, undone := map[string][]types.WriteRequest{}, map[string][]types.WriteRequest{}
		for table, requests := range write.RequestItems {
			for i, request := range requests {
				half := done
				if i%2 == 1 {
					half = undone
				}
				half[table] = append(half[table], request)
			}
		}
		// Send only the first half, without changing the caller's input.
		in.Parameters = &dynamodb.BatchWriteItemInput{RequestItems: done}
		out, meta, err := next.HandleInitialize(ctx, in)
		if answer, ok := out.Result.(*dynamodb.BatchWriteItemOutput); ok {
			answer.UnprocessedItems = undone
		}
		return out, meta, err
	})
}
