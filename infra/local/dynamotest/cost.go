package dynamotest

import (
	"context"
	"slices"
	"sync"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"
	"github.com/aws/smithy-go/middleware"
)

// Cost counts the read calls and their capacity units.
type Cost struct {
	Calls int
	Units float64 // read units
}

// Metered returns a client like the given one that adds to c what its reads cost.
func Metered(client *dynamodb.Client, c *Cost) *dynamodb.Client {
	var mu sync.Mutex // reads may go side by side
	return dynamodb.New(client.Options(), func(o *dynamodb.Options) {
		o.APIOptions = append(slices.Clone(o.APIOptions), func(stack *middleware.Stack) error {
			return stack.Initialize.Add(middleware.InitializeMiddlewareFunc("metered", func(
				ctx context.Context, in middleware.InitializeInput, next middleware.InitializeHandler,
			) (middleware.InitializeOutput, middleware.Metadata, error) {
				in.Parameters = asking(in.Parameters)
				out, meta, err := next.HandleInitialize(ctx, in)
				if err == nil {
					mu.Lock()
					c.add(out.Result)
					mu.Unlock()
				}
				return out, meta, err
			}), middleware.Before)
		})
	})
}

// asking returns a copy of a read's input that asks for the consumed capacity.
func asking(parameters any) any {
	const total = types.ReturnConsumedCapacityTotal
	switch in := parameters.(type) {
	case *dynamodb.QueryInput:
		// A copy, because the input belongs to the caller, who may use it again.
		asked := *in
		asked.ReturnConsumedCapacity = total
		return &asked
	case *dynamodb.GetItemInput:
		asked := *in
		asked.ReturnConsumedCapacity = total
		return &asked
	case *dynamodb.BatchGetItemInput:
		asked := *in
		asked.ReturnConsumedCapacity = total
		return &asked
	}
	return parameters
}

func (c *Cost) add(result any) {
	var used []types.ConsumedCapacity
	switch out := result.(type) {
	case *dynamodb.QueryOutput:
		used = append(used, capacity(out.ConsumedCapacity))
	case *dynamodb.GetItemOutput:
		used = append(used, capacity(out.ConsumedCapacity))
	case *dynamodb.BatchGetItemOutput:
		used = append(used, out.ConsumedCapacity...)
	default:
		return
	}

	c.Calls++
	for _, one := range used {
		c.Units += aws.ToFloat64(one.CapacityUnits)
	}
}

func capacity(used *types.ConsumedCapacity) types.ConsumedCapacity {
	if used == nil {
		return types.ConsumedCapacity{}
	}
	return *used
}
