package dynamo

import (
	"context"
	"iter"
	"strings"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"

	"minicloud/shared/errs"
)

// GetItem reads one item consistently, nil where no item has the key or DynamoDB allows no such key. Where attributes
// are named, the item has only these.
func GetItem(ctx context.Context, client *dynamodb.Client, table, pk, sk string, attributes ...string) (Item, error) {
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

// Get reads one item consistently into a T, a struct with dynamodbav tags. errs.NotFound where there is none; whoever
// knows what was looked for says it better.
func Get[T any](ctx context.Context, client *dynamodb.Client, table, pk, sk string) (T, error) {
	it, err := GetItem(ctx, client, table, pk, sk)
	if err != nil {
		return *new(T), err
	}
	if len(it) == 0 {
		return *new(T), errs.NotFound("there is no such item")
	}
	return Decode[T](it)
}

// Query returns a consistent query over the sort keys in [from, to], "" is open; the upper end is left out only
// where from is open. A limit of 0 is none.
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

// Items walks the items of a query, page after page, and ends at the first error, errs.Invalid for a key that no item
// can have.
func Items(ctx context.Context, client *dynamodb.Client, in *dynamodb.QueryInput) iter.Seq2[Item, error] {
	return func(yield func(Item, error) bool) {
		if pk := TextOf(in.ExpressionAttributeValues[":pk"]); len(pk) > maxPartitionKey {
			yield(nil, errs.Invalid("a value to look for is too long: together with what precedes it, it has %d bytes "+
				"and may have %d", len(pk), maxPartitionKey))
			return
		}
		// The pages change a copy, so that the sequence can be walked again from the start.
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

// Count returns how many items a query finds, and reads none of them.
func Count(ctx context.Context, client *dynamodb.Client, in *dynamodb.QueryInput) (n int, err error) {
	page := *in
	page.Select, page.ProjectionExpression = types.SelectCount, nil
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

// Each walks the items of a query as Ts, structs with dynamodbav tags, and ends at the first error.
func Each[T any](ctx context.Context, client *dynamodb.Client, in *dynamodb.QueryInput) iter.Seq2[T, error] {
	return func(yield func(T, error) bool) {
		for it, err := range Items(ctx, client, in) {
			var v T
			if err == nil {
				v, err = Decode[T](it)
			}
			if !yield(v, err) || err != nil {
				return
			}
		}
	}
}

// All reads the items of a query into Ts, structs with dynamodbav tags.
func All[T any](ctx context.Context, client *dynamodb.Client, in *dynamodb.QueryInput) ([]T, error) {
	var all []T
	for v, err := range Each[T](ctx, client, in) {
		if err != nil {
			return nil, err
		}
		all = append(all, v)
	}
	return all, nil
}

// EachItem calls yield with each item of a query. It ends at the first error.
func EachItem(ctx context.Context, client *dynamodb.Client, in *dynamodb.QueryInput, yield func(Item) error) error {
	for it, err := range Items(ctx, client, in) {
		if err != nil {
			return err
		}
		if err := yield(it); err != nil {
			return err
		}
	}
	return nil
}

// EachPartition calls yield with each partition key, at one read each: a scan goes on behind the last sort key that
// there can be.
func EachPartition(ctx context.Context, client *dynamodb.Client, tableName string, yield func(pk string) error) error {
	in := &dynamodb.ScanInput{
		TableName: &tableName, ProjectionExpression: aws.String("pk"), Limit: aws.Int32(1), ConsistentRead: aws.Bool(true),
	}
	for {
		out, err := client.Scan(ctx, in)
		if err != nil {
			return Wrap("list partitions", err)
		}

		for _, it := range out.Items {
			pk := TextOf(it["pk"])
			if err := yield(pk); err != nil {
				return err
			}
			// "~" sorts behind every sort key, so the scan goes on in the next partition.
			in.ExclusiveStartKey = Key(pk, "~")
		}

		if len(out.LastEvaluatedKey) == 0 || len(out.Items) == 0 {
			return nil
		}
	}
}
