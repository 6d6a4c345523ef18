package dynamo

import (
	"context"

	"github.com/aws/aws-sdk-go-v2/service/dynamodb"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"
)

// The parts of Write and Transact. Where the condition of a part does not hold, ItemAt tells what is there instead:
// DynamoDB takes no units for that.
const itemThere = types.ReturnValuesOnConditionCheckFailureAllOld

// Put is a part of a transaction. A condition of "" is none.
func Put(table string, it Item, condition string, values Item) types.TransactWriteItem {
	return types.TransactWriteItem{Put: &types.Put{
		TableName: &table, Item: it, ConditionExpression: optional(condition), ExpressionAttributeValues: values,
		ReturnValuesOnConditionCheckFailure: itemThere,
	}}
}

// Update is a part of a transaction. A condition of "" is none.
func Update(table, pk, sk, expression, condition string, values Item) types.TransactWriteItem {
	return types.TransactWriteItem{Update: &types.Update{
		TableName: &table, Key: Key(pk, sk), UpdateExpression: &expression,
		ConditionExpression: optional(condition), ExpressionAttributeValues: values,
		ReturnValuesOnConditionCheckFailure: itemThere,
	}}
}

// Delete is a part of a transaction. A condition of "" is none.
func Delete(table, pk, sk, condition string, values Item) types.TransactWriteItem {
	return types.TransactWriteItem{Delete: &types.Delete{
		TableName: &table, Key: Key(pk, sk), ConditionExpression: optional(condition), ExpressionAttributeValues: values,
		ReturnValuesOnConditionCheckFailure: itemThere,
	}}
}

// Check is a part of a transaction that writes nothing: the condition must hold.
func Check(table, pk, sk, condition string, values Item) types.TransactWriteItem {
	return types.TransactWriteItem{ConditionCheck: &types.ConditionCheck{
		TableName: &table, Key: Key(pk, sk), ConditionExpression: &condition, ExpressionAttributeValues: values,
	}}
}

func optional(condition string) *string {
	if condition == "" {
		return nil
	}
	return &condition
}

// Transact makes all writes or none. Its error is DynamoDB's: ask ConditionFailedAt, then Wrap it.
func Transact(ctx context.Context, client *dynamodb.Client, parts ...types.TransactWriteItem) error {
	_, err := client.TransactWriteItems(ctx, &dynamodb.TransactWriteItemsInput{TransactItems: parts})
	return err
}

// Write makes one write by itself, at half the price of a transaction, or several in one transaction. Its error is
// DynamoDB's: ask ConditionFailedAt, then Wrap it.
//
// A single write whose answer was lost is sent again and meets itself, unlike a transaction, which DynamoDB knows by its
// token: the condition must let that pass, or the caller uses Transact.
func Write(ctx context.Context, client *dynamodb.Client, parts ...types.TransactWriteItem) (err error) {
	if len(parts) != 1 {
		return Transact(ctx, client, parts...)
	}

	put, remove := parts[0].Put, parts[0].Delete
	switch {
	case put != nil:
		_, err = client.PutItem(ctx, &dynamodb.PutItemInput{
			TableName: put.TableName, Item: put.Item, ConditionExpression: put.ConditionExpression,
			ExpressionAttributeNames: put.ExpressionAttributeNames, ExpressionAttributeValues: put.ExpressionAttributeValues,
			ReturnValuesOnConditionCheckFailure: put.ReturnValuesOnConditionCheckFailure,
		})
	case remove != nil:
		_, err = client.DeleteItem(ctx, &dynamodb.DeleteItemInput{
			TableName: remove.TableName, Key: remove.Key, ConditionExpression: remove.ConditionExpression,
			ExpressionAttributeNames:            remove.ExpressionAttributeNames,
			ExpressionAttributeValues:           remove.ExpressionAttributeValues,
			ReturnValuesOnConditionCheckFailure: remove.ReturnValuesOnConditionCheckFailure,
		})
	default:
		_, err = UpdateItem(ctx, client, parts[0])
	}
	return err
}

// Do is Write for a caller who cares for no part in particular: where a condition does not hold it returns refused,
// which is nil where that is no error. Other errors say what was being done.
func Do(
	ctx context.Context, client *dynamodb.Client, doing string, refused error, parts ...types.TransactWriteItem,
) error {
	err := Write(ctx, client, parts...)
	if ConditionFailed(err) {
		return refused
	}
	return Wrap(doing, err)
}

// UpdateItem makes one update by itself and returns the item as it is then. Its error is DynamoDB's: ask
// ConditionFailed, then Wrap it.
func UpdateItem(ctx context.Context, client *dynamodb.Client, part types.TransactWriteItem) (Item, error) {
	u := part.Update
	out, err := client.UpdateItem(ctx, &dynamodb.UpdateItemInput{
		TableName: u.TableName, Key: u.Key, UpdateExpression: u.UpdateExpression, ConditionExpression: u.ConditionExpression,
		ExpressionAttributeNames: u.ExpressionAttributeNames, ExpressionAttributeValues: u.ExpressionAttributeValues,
		ReturnValues:                        types.ReturnValueAllNew,
		ReturnValuesOnConditionCheckFailure: u.ReturnValuesOnConditionCheckFailure,
	})
	if err != nil {
		return nil, err
	}
	return out.Attributes, nil
}
