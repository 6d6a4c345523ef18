package dynamo

import (
	"context"
	"regexp"
	"strings"
	"time"

	"github.com/aws/aws-sdk-go-v2/service/dynamodb"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"
)

// Part is one write of Write and Transact.
type Part = types.TransactWriteItem

// The functions below return parts. If the condition of a part fails, ItemAt returns the stored item; DynamoDB charges
// no units for that.
//
// In expressions and conditions "#name" stands for the attribute name, because many names are reserved words of
// DynamoDB.
const itemThere = types.ReturnValuesOnConditionCheckFailureAllOld

var hashed = regexp.MustCompile(`#[a-z]\w*`)

// names returns the attributes that expressions name with "#"; nil if there are none, because DynamoDB rejects an empty
// map.
func names(expressions ...string) map[string]string {
	var all map[string]string
	for _, text := range expressions {
		for _, name := range hashed.FindAllString(text, -1) {
			if all == nil {
				all = map[string]string{}
			}
			all[name] = name[1:]
		}
	}
	return all
}

// Put returns the write of a whole item. An empty condition means none.
func Put(table string, it Item, condition string, values Item) Part {
	return Part{Put: &types.Put{
		TableName: &table, Item: it, ConditionExpression: optional(condition),
		ExpressionAttributeNames: names(condition), ExpressionAttributeValues: values,
		ReturnValuesOnConditionCheckFailure: itemThere,
	}}
}

// PutRevision puts an item on the condition that the stored one has the revision old; 0 means that none may exist.
func PutRevision(table string, it Item, old int64) Part {
	if old == 0 {
		return Put(table, it, NotExists, nil)
	}
	return Put(table, it, IsRevision, RevisionOf(old))
}

// PutUnchanged puts an item on the condition that this attribute of the stored one, a time in milliseconds, is was; a
// zero time means that none may exist.
func PutUnchanged(table string, it Item, attribute string, was time.Time) Part {
	if was.IsZero() {
		return Put(table, it, NotExists, nil)
	}
	return Put(table, it, attribute+" = :was", Item{":was": Number(was.UnixMilli())})
}

// Update returns an update of an item. An empty condition means none.
func Update(table, pk, sk, expression, condition string, values Item) Part {
	if len(values) == 0 {
		values = nil // DynamoDB refuses an empty map of values: an update that only removes attributes has none.
	}
	return Part{Update: &types.Update{
		TableName: &table, Key: Key(pk, sk), UpdateExpression: &expression,
		ConditionExpression: optional(condition), ExpressionAttributeNames: names(expression, condition),
		ExpressionAttributeValues: values, ReturnValuesOnConditionCheckFailure: itemThere,
	}}
}

// Overwrite returns the expression and the values of an update that sets these attributes to their values in the item,
// and removes those that the item lacks.
func Overwrite(it Item, attributes ...string) (expression string, values Item) {
	values = Item{}
	var sets, removes []string
	for _, name := range attributes {
		if v, ok := it[name]; ok {
			sets = append(sets, "#"+name+" = :new_"+name)
			values[":new_"+name] = v
		} else {
			removes = append(removes, "#"+name)
		}
	}
	if len(sets) > 0 {
		expression = "SET " + strings.Join(sets, ", ") + " "
	}
	if len(removes) > 0 {
		expression += "REMOVE " + strings.Join(removes, ", ")
	}
	return expression, values
}

// Increment returns an update that adds 1 to a counter if it is below limit, and sets the expiry of its item.
func Increment(table, pk, sk, counter string, limit int, expires time.Time) Part {
	return Update(table, pk, sk, "SET expires_at = :expires ADD "+counter+" :one",
		"attribute_not_exists("+counter+") OR "+counter+" < :most", Item{
			":one": Number(1), ":most": Number(int64(limit)), ":expires": Instant(expires),
		})
}

// Delete returns the deletion of an item. An empty condition means none.
func Delete(table, pk, sk, condition string, values Item) Part {
	return Part{Delete: &types.Delete{
		TableName: &table, Key: Key(pk, sk), ConditionExpression: optional(condition),
		ExpressionAttributeNames: names(condition), ExpressionAttributeValues: values,
		ReturnValuesOnConditionCheckFailure: itemThere,
	}}
}

// Check returns a part of a transaction that writes nothing: the transaction fails if the condition does not hold.
func Check(table, pk, sk, condition string, values Item) Part {
	return Part{ConditionCheck: &types.ConditionCheck{
		TableName: &table, Key: Key(pk, sk), ConditionExpression: &condition,
		ExpressionAttributeNames: names(condition), ExpressionAttributeValues: values,
	}}
}

func optional(condition string) *string {
	if condition == "" {
		return nil
	}
	return &condition
}

// Transact makes all writes or none. It returns DynamoDB's error: check ConditionFailedAt, then Wrap it.
func Transact(ctx context.Context, client *Client, parts ...Part) error {
	_, err := client.TransactWriteItems(ctx, &dynamodb.TransactWriteItemsInput{TransactItems: parts})
	return err
}

// Write makes a single write directly, at half the price of a transaction, or several writes in one transaction. It
// returns DynamoDB's error: check ConditionFailedAt, then Wrap it.
//
// Trap: the client sends a single write again when its answer is lost, and the second attempt sees the effect of the
// first. DynamoDB recognizes a repeated transaction by its token, but not a repeated single write. So the condition
// must accept a repeated write, or the caller uses Transact.
func Write(ctx context.Context, client *Client, parts ...Part) (err error) {
	if len(parts) != 1 {
		return Transact(ctx, client, parts...)
	}
	return WriteItem(ctx, client, parts[0])
}

// WriteItem is Write for one part, with options for the call.
func WriteItem(ctx context.Context, client *Client, part Part, options ...func(*dynamodb.Options)) (err error) {
	put, remove := part.Put, part.Delete
	switch {
	case put != nil:
		_, err = client.PutItem(ctx, &dynamodb.PutItemInput{
			TableName: put.TableName, Item: put.Item, ConditionExpression: put.ConditionExpression,
			ExpressionAttributeNames: put.ExpressionAttributeNames, ExpressionAttributeValues: put.ExpressionAttributeValues,
			ReturnValuesOnConditionCheckFailure: put.ReturnValuesOnConditionCheckFailure,
		}, options...)
	case remove != nil:
		_, err = client.DeleteItem(ctx, &dynamodb.DeleteItemInput{
			TableName: remove.TableName, Key: remove.Key, ConditionExpression: remove.ConditionExpression,
			ExpressionAttributeNames:            remove.ExpressionAttributeNames,
			ExpressionAttributeValues:           remove.ExpressionAttributeValues,
			ReturnValuesOnConditionCheckFailure: remove.ReturnValuesOnConditionCheckFailure,
		}, options...)
	default:
		_, err = update(ctx, client, part.Update, "", options...)
	}
	return err
}

// Do is Write for callers that do not need to know which condition failed: if any fails, Do returns refused, which is
// nil if that is no error. It wraps other errors with the prefix doing.
func Do(ctx context.Context, client *Client, doing string, refused error, parts ...Part) error {
	return outcome(doing, refused, Write(ctx, client, parts...))
}

// DoTransact is Do that makes a transaction of one part too: a repeated single write would fail its own condition.
func DoTransact(ctx context.Context, client *Client, doing string, refused error, parts ...Part) error {
	return outcome(doing, refused, Transact(ctx, client, parts...))
}

// DoUpdate is Do for one update. It returns the updated item, or nil if the condition failed.
func DoUpdate(ctx context.Context, client *Client, doing string, refused error, part Part) (Item, error) {
	it, err := UpdateItem(ctx, client, part)
	return it, outcome(doing, refused, err)
}

func outcome(doing string, refused, err error) error {
	if ConditionFailed(err) {
		return refused
	}
	return Wrap(doing, err)
}

// UpdateItem makes a single update and returns the updated item. It returns DynamoDB's error: check ConditionFailed,
// then Wrap it.
func UpdateItem(ctx context.Context, client *Client, part Part) (Item, error) {
	return update(ctx, client, part.Update, types.ReturnValueAllNew)
}

func update(
	ctx context.Context, client *Client, u *types.Update, returned types.ReturnValue,
	options ...func(*dynamodb.Options),
) (Item, error) {
	out, err := client.UpdateItem(ctx, &dynamodb.UpdateItemInput{
		TableName: u.TableName, Key: u.Key, UpdateExpression: u.UpdateExpression, ConditionExpression: u.ConditionExpression,
		ExpressionAttributeNames: u.ExpressionAttributeNames, ExpressionAttributeValues: u.ExpressionAttributeValues,
		ReturnValues: returned, ReturnValuesOnConditionCheckFailure: u.ReturnValuesOnConditionCheckFailure,
	}, options...)
	if err != nil {
		return nil, err
	}
	return out.Attributes, nil
}
