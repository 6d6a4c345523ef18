package dynamo

import (
	"context"
	"iter"
	"maps"
	"strings"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"

	"minicloud/shared/errs"
)

// GetItem reads one item consistently. It returns nil if no item has the key or no item can have it. If attributes are
// named, only these are read.
func GetItem(ctx context.Context, client *Client, table, pk, sk string, attributes ...string) (Item, error) {
	in := &dynamodb.GetItemInput{TableName: &table, Key: Key(pk, sk), ConsistentRead: aws.Bool(true)}
	if !possible(in.Key) {
		return nil, nil
	}
	if len(attributes) > 0 {
		in.ProjectionExpression = aws.String(strings.Join(attributes, ", "))
	}

	out, err := client.GetItem(ctx, in)
	if err != nil {
		return nil, Wrap("read item", err)
	}
	return out.Item, nil
}

// Find is GetItem for an item that should exist: if it does not, Find returns the error missing.
func Find(ctx context.Context, client *Client, table, pk, sk string, missing error) (Item, error) {
	it, err := GetItem(ctx, client, table, pk, sk)
	if err == nil && len(it) == 0 {
		err = missing
	}
	return it, err
}

// Get reads one item consistently into a T, a struct with dynamodbav tags. If the item does not exist, Get returns a
// zero T and the error missing, which may be nil.
func Get[T any](ctx context.Context, client *Client, table, pk, sk string, missing error) (T, error) {
	it, err := Find(ctx, client, table, pk, sk, missing)
	if err != nil {
		return *new(T), err
	}
	return Decode[T](it)
}

// QueryInput is the input of a query, which callers may change.
type QueryInput = dynamodb.QueryInput

// Query returns a consistent query over the sort keys in [from, to]. An empty bound is open. If only to is given, the
// range excludes it. A limit of 0 means no limit.
func Query(tableName, pk, from, to string, descending bool, limit int) *dynamodb.QueryInput {
	in := &dynamodb.QueryInput{
		TableName: &tableName, ConsistentRead: aws.Bool(true), ScanIndexForward: aws.Bool(!descending),
		ExpressionAttributeValues: Item{":pk": Text(pk)},
	}

	condition := "pk = :pk"
	switch {
	case from != "" && to != "":
		// A key condition allows one comparison of the sort key; BETWEEN includes both ends.
		condition += " AND sk BETWEEN :from AND :to"
	case from != "":
		condition += " AND sk >= :from"
	case to != "":
		condition += " AND sk < :to"
	}
	in.KeyConditionExpression = &condition

	if from != "" {
		in.ExpressionAttributeValues[":from"] = Text(from)
	}
	if to != "" {
		in.ExpressionAttributeValues[":to"] = Text(to)
	}
	if limit > 0 {
		in.Limit = aws.Int32(int32(limit))
	}
	return in
}

// Project makes a query return only these attributes. That saves transfer but no read units.
func Project(in *dynamodb.QueryInput, attributes ...string) {
	in.ProjectionExpression = aws.String("#" + strings.Join(attributes, ", #"))
	in.ExpressionAttributeNames = queryNames(in)
}

// Where adds a filter condition to a query; an earlier condition still applies. "#name" in the condition stands for the
// attribute name.
func Where(in *dynamodb.QueryInput, condition string, values Item) {
	if in.FilterExpression != nil {
		condition = *in.FilterExpression + " AND " + condition
	}
	in.FilterExpression = &condition
	maps.Copy(in.ExpressionAttributeValues, values)
	in.ExpressionAttributeNames = queryNames(in)
}

func queryNames(in *dynamodb.QueryInput) map[string]string {
	return names(aws.ToString(in.ProjectionExpression), aws.ToString(in.FilterExpression))
}

// Items yields the items of a query, page by page, and ends at the first error. It yields errs.Invalid for a key that
// no item can have.
func Items(ctx context.Context, client *Client, in *dynamodb.QueryInput) iter.Seq2[Item, error] {
	return func(yield func(Item, error) bool) {
		for name, most := range map[string]int{":pk": maxPartitionKey, ":from": maxSortKey, ":to": maxSortKey} {
			if n := len(TextOf(in.ExpressionAttributeValues[name])); n > most {
				yield(nil, errs.Invalid("a value to look for is too long: together with what precedes it, it has %d bytes "+
					"and may have %d", n, most))
				return
			}
		}
		// Change a copy of the input, so that the sequence can be iterated again from the start.
		for page := *in; ; {
			out, err := client.Query(ctx, &page)
			if err != nil {
				yield(nil, Wrap("query", err))
				return
			}

			for _, it := range out.Items {
				if !yield(it, nil) {
					return
				}
			}
			if page.ExclusiveStartKey = out.LastEvaluatedKey; len(page.ExclusiveStartKey) == 0 {
				return
			}
		}
	}
}

// Count returns the number of items that a query finds, without returning them.
func Count(ctx context.Context, client *Client, in *dynamodb.QueryInput) (n int, err error) {
	page := *in
	page.Select, page.ProjectionExpression, page.Limit = types.SelectCount, nil, nil
	page.ExpressionAttributeNames = queryNames(&page) // DynamoDB rejects unused names
	for {
		out, err := client.Query(ctx, &page)
		if err != nil {
			return 0, Wrap("count", err)
		}
		n += int(out.Count)
		if page.ExclusiveStartKey = out.LastEvaluatedKey; len(page.ExclusiveStartKey) == 0 {
			return n, nil
		}
	}
}

// Decoded yields items, each decoded, and ends at the first error.
func Decoded[T any](items iter.Seq2[Item, error], decode func(Item) (T, error)) iter.Seq2[T, error] {
	return func(yield func(T, error) bool) {
		for it, err := range items {
			var v T
			if err == nil {
				v, err = decode(it)
			}
			if !yield(v, err) || err != nil {
				return
			}
		}
	}
}

// Each yields the items of a query as Ts, structs with dynamodbav tags, and ends at the first error.
func Each[T any](ctx context.Context, client *Client, in *dynamodb.QueryInput) iter.Seq2[T, error] {
	return Decoded(Items(ctx, client, in), Decode[T])
}

// Collect reads the items of a query, each decoded.
func Collect[T any](
	ctx context.Context, client *Client, in *dynamodb.QueryInput, decode func(Item) (T, error),
) ([]T, error) {
	var all []T
	for v, err := range Decoded(Items(ctx, client, in), decode) {
		if err != nil {
			return nil, err
		}
		all = append(all, v)
	}
	return all, nil
}

// All reads the items of a query into Ts, structs with dynamodbav tags.
func All[T any](ctx context.Context, client *Client, in *dynamodb.QueryInput) ([]T, error) {
	return Collect(ctx, client, in, Decode[T])
}
