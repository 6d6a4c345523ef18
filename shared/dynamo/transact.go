package dynamo

import (
	"context"

	"github.com/aws/aws-sdk-go-v2/service/dynamodb"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"
)

// Put is a part of a transaction. A condition of "" is none.
func Put(table string, it Item, condition string, values Item) types.TransactWriteItem {
	return types.TransactWriteItem{Put: &types.Put{
		TableName: &table, Item: it, ConditionExpression: optional(condition), ExpressionAttributeValues: values,
	}}
}

// Update is a part of a transaction. A condition of "" is none.
func Update(table, pk, sk, expression, condition string, values Item) types.TransactWriteItem {
	return types.TransactWriteItem{Update: &types.Update{
		TableName: &table, Key: Key(pk, sk), UpdateExpression: &expression,
		ConditionExpression: optional(condition), ExpressionAttributeValues: values,
	}}
}

// Delete is a part of a transaction. A condition of "" is none.
func Delete(table, pk, sk, condition string, values Item) types.TransactWriteItem {
	return types.TransactWriteItem{Delete: &types.Delete{
		TableName: &table, Key: Key(pk, sk), ConditionExpression: optional(condition), ExpressionAttributeValues: values,
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
