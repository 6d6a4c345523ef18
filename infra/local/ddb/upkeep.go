package ddb

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"strconv"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"
)

// Holds reports whether any of the tables has an item.
func (s *Server) Holds(ctx context.Context, tables []Table) (bool, error) {
	for _, t := range tables {
		page, err := s.Client().Scan(ctx, &dynamodb.ScanInput{TableName: t.Create.TableName, Limit: aws.Int32(1)})
		if err != nil {
			return false, fmt.Errorf("look into %s: %w", aws.ToString(t.Create.TableName), err)
		}
		if len(page.Items) > 0 {
			return true, nil
		}
	}
	return false, nil
}

// Sweep deletes the expired items of the tables, as DynamoDB does some time after expiry, and returns their number.
func (s *Server) Sweep(ctx context.Context, tables []Table, now time.Time) (int, error) {
	client, n := s.Client(), 0
	for _, t := range tables {
		if t.TTL == "" {
			continue
		}
		swept, err := sweep(ctx, client, t, now)
		n += swept
		if err != nil {
			return n, fmt.Errorf("sweep %s: %w", aws.ToString(t.Create.TableName), err)
		}
	}
	return n, nil
}

func sweep(ctx context.Context, client *dynamodb.Client, t Table, now time.Time) (n int, err error) {
	names := map[string]string{"#ttl": t.TTL}
	values := map[string]types.AttributeValue{
		":now": &types.AttributeValueMemberN{Value: strconv.FormatInt(now.Unix(), 10)},
		":n":   &types.AttributeValueMemberS{Value: "N"},
	}
	const over = "attribute_type(#ttl, :n) AND #ttl < :now"
	keys, projected := maps.Clone(names), ""
	for i, k := range t.Create.KeySchema {
		name := "#k" + strconv.Itoa(i)
		keys[name] = aws.ToString(k.AttributeName)
		projected += "," + name
	}

	pages := dynamodb.NewScanPaginator(client, &dynamodb.ScanInput{
		TableName: t.Create.TableName, FilterExpression: aws.String(over), ProjectionExpression: aws.String(projected[1:]),
		ExpressionAttributeNames: keys, ExpressionAttributeValues: values,
	})
	for pages.HasMorePages() {
		page, err := pages.NextPage(ctx)
		if err != nil {
			return n, err
		}

		for _, key := range page.Items {
			_, err := client.DeleteItem(ctx, &dynamodb.DeleteItemInput{
				TableName: t.Create.TableName, Key: key, ConditionExpression: aws.String(over), // the TTL may have been extended
				ExpressionAttributeNames: names, ExpressionAttributeValues: values,
			})
			if _, changed := errors.AsType[*types.ConditionalCheckFailedException](err); changed {
				continue
			}
			if err != nil {
				return n, err
			}

			n++
		}
	}

	return n, nil
}
