package dynamo

import (
	"context"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb"
)

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

// EachItem calls yield with each item of a query, page after page. It ends at the first error.
func EachItem(ctx context.Context, client *dynamodb.Client, in *dynamodb.QueryInput, yield func(Item) error) error {
	for {
		out, err := client.Query(ctx, in)
		if err != nil {
			return Wrap("query", err)
		}
		for _, it := range out.Items {
			if err := yield(it); err != nil {
				return err
			}
		}
		if in.ExclusiveStartKey = out.LastEvaluatedKey; len(in.ExclusiveStartKey) == 0 {
			return nil
		}
	}
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
			in.ExclusiveStartKey = Key(pk, "~")
		}
		if len(out.LastEvaluatedKey) == 0 || len(out.Items) == 0 {
			return nil
		}
	}
}
