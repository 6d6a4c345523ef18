package rowdb

import (
	"context"
	"errors"
	"maps"
	"sync/atomic"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"
	"github.com/aws/smithy-go/middleware"

	"minicloud/shared/dynamo"
)

// writeSingle makes a change of one item, at half the price of a transaction. It
// fails as a transaction of it would. Unlike a transaction, a write whose answer
// was lost is not known to DynamoDB when it is sent again: the writeID tells, or
// for a deletion that it was sent before.
func (s *Rows) writeSingle(ctx context.Context, part types.TransactWriteItem, by dynamo.WriteID) error {
	var err error
	var sent atomic.Int32
	switch {
	case part.Put != nil:
		err = s.putSigned(ctx, *part.Put, by)
	case part.Update != nil:
		err = s.updateSigned(ctx, *part.Update, by)
	default:
		err = s.deleteCounted(ctx, *part.Delete, &sent)
	}

	failed, ok := errors.AsType[*types.ConditionalCheckFailedException](err)
	if !ok {
		return err
	}
	// An earlier attempt, of which we heard nothing. Of a deletion it may have been
	// somebody else: the row is gone, as it was to be.
	if by.In(failed.Item) || len(failed.Item) == 0 && sent.Load() > 1 {
		return nil
	}
	return &types.TransactionCanceledException{CancellationReasons: []types.CancellationReason{
		{Code: aws.String(dynamo.ReasonCondition), Item: failed.Item},
	}}
}

func (s *Rows) putSigned(ctx context.Context, p types.Put, by dynamo.WriteID) error {
	it := maps.Clone(p.Item)
	it[dynamo.LastWriter] = dynamo.Text(string(by))

	_, err := s.Client.PutItem(ctx, &dynamodb.PutItemInput{
		TableName: p.TableName, Item: it, ConditionExpression: p.ConditionExpression,
		ReturnValuesOnConditionCheckFailure: types.ReturnValuesOnConditionCheckFailureAllOld,
	})
	return err
}

func (s *Rows) updateSigned(ctx context.Context, u types.Update, by dynamo.WriteID) error {
	u = by.Mark(u)

	_, err := s.Client.UpdateItem(ctx, &dynamodb.UpdateItemInput{
		TableName: u.TableName, Key: u.Key, UpdateExpression: u.UpdateExpression, ConditionExpression: u.ConditionExpression,
		ExpressionAttributeNames: u.ExpressionAttributeNames, ExpressionAttributeValues: u.ExpressionAttributeValues,
		ReturnValuesOnConditionCheckFailure: u.ReturnValuesOnConditionCheckFailure,
	})
	return err
}

// deleteCounted also counts how often it was sent.
func (s *Rows) deleteCounted(ctx context.Context, d types.Delete, sent *atomic.Int32) error {
	_, err := s.Client.DeleteItem(ctx, &dynamodb.DeleteItemInput{
		TableName: d.TableName, Key: d.Key, ConditionExpression: d.ConditionExpression,
		ExpressionAttributeNames: d.ExpressionAttributeNames, ExpressionAttributeValues: d.ExpressionAttributeValues,
		ReturnValuesOnConditionCheckFailure: types.ReturnValuesOnConditionCheckFailureAllOld,
	}, counting(sent))
	return err
}

// counting adds up how often a call is sent: every attempt passes behind "Retry".
func counting(sent *atomic.Int32) func(*dynamodb.Options) {
	add := middleware.FinalizeMiddlewareFunc("CountAttempts", func(
		ctx context.Context, in middleware.FinalizeInput, next middleware.FinalizeHandler,
	) (middleware.FinalizeOutput, middleware.Metadata, error) {
		sent.Add(1)
		return next.HandleFinalize(ctx, in)
	})

	return func(o *dynamodb.Options) {
		o.APIOptions = append(o.APIOptions, func(stack *middleware.Stack) error {
			return stack.Finalize.Insert(add, "Retry", middleware.After)
		})
	}
}
