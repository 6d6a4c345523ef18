package ddb_test

import (
	"context"
	"fmt"
	"math"
	"path/filepath"
	"strings"
	"testing"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"

	"minicloud/infra/local/capacity"
	"minicloud/infra/local/ddb"
	"minicloud/infra/local/dynamotest"
)

var unitTable = "AAA"

// known returns an item of exactly this many bytes by DynamoDB's rules: names and values count.
func known(key string, bytes int) map[string]types.AttributeValue {
	rest := bytes - len("pk") - len(key) - len("sk") - len("x") - len("b")
	return map[string]types.AttributeValue{
		"pk": &types.AttributeValueMemberS{Value: key}, "sk": &types.AttributeValueMemberS{Value: "x"},
		"b": &types.AttributeValueMemberS{Value: strings.Repeat("x", rest)},
	}
}

func keyOf(key string) map[string]types.AttributeValue {
	item := known(key, 100)
	delete(item, "b")
	return item
}

// TestUnitsFollowThePublishedRules compares the engine's figures with the rules: writes by 1 KB of the larger of old
// and new item, reads by 4 KB, eventually consistent reads half, transactions double, refused writes not free.
func TestUnitsFollowThePublishedRules(t *testing.T) {
	server := dynamotest.Serve(t, filepath.Join(t.TempDir(), "ddb.db"))
	if err := server.CreateTables(t.Context(), []ddb.Table{ddb.PlainTable("AAA")}); err != nil {
		t.Fatal(err)
	}
	var read, write float64
	proxy, err := ddb.NewProxy(server, ddb.ProxyConfig{Measure: func(_, _ string, used []capacity.Used) {
		for _, u := range used {
			read, write = read+u.Read, write+u.Write
		}
	}})
	if err != nil {
		t.Fatal(err)
	}
	defer proxy.Close()
	client := ddb.NewClient(proxy.URL)

	for _, step := range unitSteps(client) {
		read, write = 0, 0
		if err := step.do(t.Context()); (err != nil) != step.fails {
			t.Fatalf("%s: %v", step.name, err)
		}
		if read != step.read || write != step.write {
			t.Errorf("%s: %g read and %g write units, by the rules %g and %g", step.name, read, write, step.read, step.write)
		}
	}
}

type unitStep struct {
	name        string
	read, write float64
	fails       bool
	do          func(context.Context) error
}

// unitSteps returns the steps in order; each builds on the writes of those before.
func unitSteps(client *dynamodb.Client) []unitStep {
	steps := writeSteps(client)
	steps = append(steps, transactionSteps(client)...)
	return append(steps, readSteps(client)...)
}

func putOf(client *dynamodb.Client, key string, bytes int, condition *string) func(context.Context) error {
	return func(ctx context.Context) error {
		_, err := client.PutItem(ctx, &dynamodb.PutItemInput{
			TableName: &unitTable, Item: known(key, bytes), ConditionExpression: condition,
		})
		return err
	}
}

func writeSteps(client *dynamodb.Client) []unitStep {
	update := func(ctx context.Context) error {
		_, err := client.UpdateItem(ctx, &dynamodb.UpdateItemInput{
			TableName: &unitTable, Key: keyOf("a"), UpdateExpression: aws.String("SET n = :n"),
			ExpressionAttributeValues: map[string]types.AttributeValue{":n": &types.AttributeValueMemberN{Value: "7"}},
		})
		return err
	}
	remove := func(ctx context.Context) error {
		_, err := client.DeleteItem(ctx, &dynamodb.DeleteItemInput{TableName: &unitTable, Key: keyOf("a")})
		return err
	}
	batch := func(ctx context.Context) error {
		puts := []types.WriteRequest{
			{PutRequest: &types.PutRequest{Item: known("b", 2500)}}, {PutRequest: &types.PutRequest{Item: known("c", 9000)}},
		}
		in := &dynamodb.BatchWriteItemInput{RequestItems: map[string][]types.WriteRequest{unitTable: puts}}
		_, err := client.BatchWriteItem(ctx, in)
		return err
	}
	absent := aws.String("attribute_not_exists(pk)")
	return []unitStep{
		{name: "put 1 KB", write: 1, do: putOf(client, "a", 1024, nil)},
		{name: "put a byte more", write: 2, do: putOf(client, "a", 1025, nil)},
		{name: "put 4,000 bytes over 1,025", write: 4, do: putOf(client, "a", 4000, nil)},
		{name: "put 500 bytes over 4,000", write: 4, do: putOf(client, "a", 500, nil)},
		{name: "put refused by its condition", write: 1, fails: true, do: putOf(client, "a", 500, absent)},
		{name: "put 2,500 bytes over 500", write: 3, do: putOf(client, "a", 2500, nil)},
		{name: "update one field of 2,500 bytes", write: 3, do: update},
		{name: "delete 2,500 bytes", write: 3, do: remove},
		{name: "delete what is not there", write: 1, do: remove},
		{name: "batch of 2,500 and 9,000 bytes", write: 3 + 9, do: batch},
	}
}

func transactionSteps(client *dynamodb.Client) []unitStep {
	transact := func(token, key string) func(context.Context) error {
		there := aws.String("attribute_exists(pk)")
		items := []types.TransactWriteItem{
			{Put: &types.Put{TableName: &unitTable, Item: known("d", 1500)}},
			{Delete: &types.Delete{TableName: &unitTable, Key: keyOf("b")}},
			{ConditionCheck: &types.ConditionCheck{TableName: &unitTable, Key: keyOf(key), ConditionExpression: there}},
		}
		return func(ctx context.Context) error {
			in := &dynamodb.TransactWriteItemsInput{ClientRequestToken: &token, TransactItems: items}
			_, err := client.TransactWriteItems(ctx, in)
			return err
		}
	}
	return []unitStep{
		{name: "transaction cancelled", write: 2 * 3, fails: true, do: transact("t1", "nothing")},
		{name: "transaction: put 1,500, delete 2,500, check 9,000", write: 2 * (2 + 3 + 9), do: transact("t2", "c")},
	}
}

func readSteps(client *dynamodb.Client) []unitStep {
	get := func(key string, consistent bool) func(context.Context) error {
		return func(ctx context.Context) error {
			in := &dynamodb.GetItemInput{TableName: &unitTable, Key: keyOf(key), ConsistentRead: &consistent}
			_, err := client.GetItem(ctx, in)
			return err
		}
	}
	batch := func(ctx context.Context) error {
		keys := []map[string]types.AttributeValue{keyOf("c"), keyOf("d"), keyOf("nothing")}
		_, err := client.BatchGetItem(ctx, &dynamodb.BatchGetItemInput{RequestItems: map[string]types.KeysAndAttributes{
			unitTable: {Keys: keys, ConsistentRead: aws.Bool(true)},
		}})
		return err
	}
	const rows = 10
	fill := func(ctx context.Context) error {
		for n := range rows {
			item := known("q", 1000)
			item["sk"] = &types.AttributeValueMemberS{Value: fmt.Sprint(n)}
			if _, err := client.PutItem(ctx, &dynamodb.PutItemInput{TableName: &unitTable, Item: item}); err != nil {
				return err
			}
		}
		return nil
	}
	query := func(filter *string, limit int32) func(context.Context) error {
		return func(ctx context.Context) error {
			_, err := client.Query(ctx, &dynamodb.QueryInput{
				TableName: &unitTable, KeyConditionExpression: aws.String("pk = :p"),
				ExpressionAttributeValues: map[string]types.AttributeValue{":p": &types.AttributeValueMemberS{Value: "q"}},
				ConsistentRead:            aws.Bool(true), FilterExpression: filter, Limit: &limit,
			})
			return err
		}
	}
	sum, none := math.Ceil(rows*1000/4096.0), aws.String("attribute_exists(nothing)")
	return []unitStep{
		{name: "get 9,000 bytes", read: 3, do: get("c", true)},
		{name: "get them eventually", read: 1.5, do: get("c", false)},
		{name: "get what is not there", read: 1, do: get("nothing", true)},
		{name: "batch of 9,000, 1,500 and nothing, each by itself", read: 3 + 1 + 1, do: batch},
		{name: "fill", write: rows, do: fill},
		{name: "query of them in one sum", read: sum, do: query(nil, 100)},
		{name: "query whose filter drops all", read: sum, do: query(none, 100)},
		{name: "query of two", read: 1, do: query(nil, 2)},
	}
}

// BenchmarkMeasuredGet is BenchmarkGet through a proxy that counts units.
func BenchmarkMeasuredGet(b *testing.B) {
	server := dynamotest.Serve(b, filepath.Join(b.TempDir(), "ddb.db"))
	if err := server.CreateTables(b.Context(), []ddb.Table{ddb.PlainTable("AAA")}); err != nil {
		b.Fatal(err)
	}
	put(b, server.Client(), "AAA", "k")
	measures := map[string]ddb.Measure{"counted": nil, "measured": func(string, string, []capacity.Used) {}}
	for name, measure := range measures {
		proxy, err := ddb.NewProxy(server, ddb.ProxyConfig{Measure: measure})
		if err != nil {
			b.Fatal(err)
		}
		defer proxy.Close()
		client := ddb.NewClient(proxy.URL)
		b.Run(name, func(b *testing.B) {
			for b.Loop() {
				in := &dynamodb.GetItemInput{TableName: &unitTable, Key: keyOf("k")}
				if _, err := client.GetItem(b.Context(), in); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}
