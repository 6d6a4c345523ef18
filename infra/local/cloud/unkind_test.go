package cloud_test

import (
	"fmt"
	"testing"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/credentials"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"
	"github.com/aws/aws-sdk-go-v2/service/sqs"
	sqstypes "github.com/aws/aws-sdk-go-v2/service/sqs/types"

	"minicloud/infra/local/cloud"
	"minicloud/infra/local/ddb"
	"minicloud/infra/local/unkind"
)

// TestUnkind: what Config.Unkind switches on happens to calls of programs and of tools, and is counted.
func TestUnkind(t *testing.T) {
	c := start(t, t.TempDir(), func(cfg *cloud.Config) {
		cfg.Unkind = unkind.Numbers{
			unkind.PartialBatches: 1000, unkind.StaleReads: 60_000, unkind.Conflicts: 5, unkind.Freeze: 1,
		}
	})
	if status, body := call(t, "PUT", c.URL+"/item/kept", "x"); status != 204 {
		t.Fatalf("PUT: %d %s", status, body)
	}
	// The program reads eventually consistent, so it may not find the item.
	if status, body := call(t, "GET", c.URL+"/item/kept", ""); status != 200 && status != 404 {
		t.Errorf("GET by a process that was frozen: %d %s", status, body)
	}

	client := ddb.NewClient(c.Database)
	const table = "ItemsTable"
	written := 0
	var left []types.WriteRequest
	for i := range 20 {
		left = append(left, types.WriteRequest{PutRequest: &types.PutRequest{Item: itemOf(fmt.Sprint("batch ", i))}})
	}
	for len(left) > 0 {
		out, err := client.BatchWriteItem(t.Context(), &dynamodb.BatchWriteItemInput{
			RequestItems: map[string][]types.WriteRequest{table: left},
		})
		if err != nil {
			t.Fatal(err)
		}
		written += len(left) - len(out.UnprocessedItems[table])
		left = out.UnprocessedItems[table]
	}
	if written != 20 {
		t.Errorf("%d of 20 items were written", written)
	}

	stale := 0
	for i := range 20 {
		key := map[string]types.AttributeValue{"pk": itemOf(fmt.Sprint("batch ", i))["pk"], "sk": itemOf("")["sk"]}
		for _, consistent := range []bool{true, false} {
			out, err := client.GetItem(t.Context(), &dynamodb.GetItemInput{
				TableName: aws.String(table), Key: key, ConsistentRead: &consistent,
			})
			switch {
			case err != nil:
				t.Fatal(err)
			case out.Item == nil && consistent:
				t.Errorf("item %d is not there", i)
			case out.Item == nil:
				stale++
			}
		}
	}

	queues := sqs.New(sqs.Options{
		Region: ddb.Region, BaseEndpoint: aws.String(c.Services),
		Credentials: credentials.NewStaticCredentialsProvider("local", "local", ""),
	})
	refused := 0
	for range 5 {
		out, err := queues.SendMessageBatch(t.Context(), &sqs.SendMessageBatchInput{
			QueueUrl: aws.String(c.Services + "/000000000000/PaidQueue"), Entries: []sqstypes.SendMessageBatchRequestEntry{
				{Id: aws.String("a"), MessageBody: aws.String("x")}, {Id: aws.String("b"), MessageBody: aws.String("y")},
			},
		})
		if err != nil {
			t.Fatal(err)
		}
		refused += len(out.Failed)
	}

	hits := c.Stats().Unkind
	if stale == 0 || refused == 0 || hits[unkind.StaleReads] < stale || hits[unkind.PartialBatches] < refused+5 {
		t.Errorf("%d stale reads, %d refused messages, hits %v", stale, refused, hits)
	}
	if hits[unkind.Freeze] == 0 {
		t.Errorf("no process was frozen: %v", hits)
	}
	if _, counted := hits[unkind.Conflicts]; !counted {
		t.Errorf("a kind that never struck is not shown: %v", hits)
	}
}

func itemOf(pk string) map[string]types.AttributeValue {
	return map[string]types.AttributeValue{
		"pk": &types.AttributeValueMemberS{Value: pk}, "sk": &types.AttributeValueMemberS{Value: "x"},
	}
}
