package dynamo_test

import (
	"context"
	"testing"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"

	"minicloud/infra/local/dynamotest"
	"minicloud/shared/dynamo"
	"minicloud/shared/errs"
)

// TestRefusesItemsOfANewerRelease: every call that returns an item refuses one of a newer form, and only that.
func TestRefusesItemsOfANewerRelease(t *testing.T) {
	const table = "TablesTable"
	at := dynamotest.Start(t, table).Options()
	client := dynamo.New(aws.Config{Region: at.Region, Credentials: at.Credentials, BaseEndpoint: at.BaseEndpoint})
	put := func(pk string, form int64) {
		it := dynamo.Key(pk, "a")
		if form > 1 {
			it[dynamo.FormatAttribute] = dynamo.Number(form)
		}
		if err := dynamo.Transact(t.Context(), client, dynamo.Put(table, it, "", nil)); err != nil {
			t.Fatal(err)
		}
	}
	put("known", dynamo.Format)
	put("newer", dynamo.Format+1)

	calls := map[string]func(ctx context.Context, pk string) error{
		"get": func(ctx context.Context, pk string) error {
			_, err := dynamo.GetItem(ctx, client, table, pk, "a")
			return err
		},
		"batch": func(ctx context.Context, pk string) error {
			_, err := dynamo.BatchGet(ctx, client, table, dynamo.Key(pk, "a"))
			return err
		},
		"query": func(ctx context.Context, pk string) error {
			_, err := dynamo.All[thing](ctx, client, dynamo.Query(table, pk, "", "", false, 0))
			return err
		},
		"update": func(ctx context.Context, pk string) error {
			_, err := dynamo.UpdateItem(ctx, client, dynamo.Update(table, pk, "a", "SET weight = :w", "",
				dynamo.Item{":w": dynamo.Number(1)}))
			return err
		},
		"scan": func(ctx context.Context, pk string) error {
			_, err := client.Scan(ctx, &dynamodb.ScanInput{
				TableName: aws.String(table), FilterExpression: aws.String("pk = :pk"),
				ExpressionAttributeValues: dynamo.Item{":pk": dynamo.Text(pk)},
			})
			return err
		},
		"write with a condition": func(ctx context.Context, pk string) error {
			part := dynamo.Put(table, dynamo.Key(pk, "a"), dynamo.NotExists, nil)
			part.Put.ReturnValuesOnConditionCheckFailure = types.ReturnValuesOnConditionCheckFailureAllOld
			_, err := client.TransactWriteItems(ctx, &dynamodb.TransactWriteItemsInput{TransactItems: []types.TransactWriteItem{part}})
			if dynamo.ConditionFailed(err) {
				return nil // as it should for a known item
			}
			return err
		},
		"delete": func(ctx context.Context, pk string) error {
			_, err := client.DeleteItem(ctx, &dynamodb.DeleteItemInput{
				TableName: aws.String(table), Key: dynamo.Key(pk, "a"), ReturnValues: types.ReturnValueAllOld,
				ConditionExpression: aws.String(dynamo.Exists),
			})
			put("known", dynamo.Format)
			put("newer", dynamo.Format+1)
			return err
		},
	}
	for name, call := range calls {
		t.Run(name, func(t *testing.T) {
			if err := call(t.Context(), "known"); err != nil {
				t.Errorf("an item of this release: %v", err)
			}
			if err := call(t.Context(), "newer"); !errs.Is(err, errs.KindUnavailable) {
				t.Errorf("an item of a newer release: %v, want errs.Unavailable", err)
			}
		})
	}
}
