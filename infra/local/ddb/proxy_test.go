package ddb_test

import (
	"errors"
	"fmt"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"
	"github.com/aws/smithy-go"

	"minicloud/infra/local/ddb"
	"minicloud/infra/local/dynamotest"
)

func TestProxyCountsRequests(t *testing.T) {
	server := dynamotest.Serve(t, filepath.Join(t.TempDir(), "ddb.db"))
	if err := server.CreateTables(t.Context(), []ddb.Table{ddb.PlainTable("AAA")}); err != nil {
		t.Fatal(err)
	}
	var mu sync.Mutex
	counts, answered := map[string]int{}, map[string]int{}
	proxy, err := ddb.NewProxy(server, ddb.ProxyConfig{
		Count: func(operation string) {
			mu.Lock()
			counts[operation]++
			mu.Unlock()
		},
		Answered: func(operation string, body []byte) {
			mu.Lock()
			defer mu.Unlock()
			if answered[operation]++; !strings.Contains(string(body), `"AAA"`) {
				t.Errorf("%s was answered: %.100s", operation, body)
			}
		},
	})
	if err != nil {
		t.Fatal(err)
	}
	defer proxy.Close()
	client := ddb.NewClient(proxy.URL)
	large := strings.Repeat("x", 300_000) // larger than one read of the proxy
	var wg sync.WaitGroup
	for n := range 20 {
		wg.Go(func() {
			_, err := client.PutItem(t.Context(), &dynamodb.PutItemInput{TableName: aws.String("AAA"), Item: map[string]types.AttributeValue{
				"pk": &types.AttributeValueMemberS{Value: fmt.Sprint(n)}, "sk": &types.AttributeValueMemberS{Value: "x"},
				"body": &types.AttributeValueMemberS{Value: large},
			}})
			if err != nil {
				t.Error(err)
			}
		})
	}
	wg.Wait()
	out, err := client.GetItem(t.Context(), &dynamodb.GetItemInput{TableName: aws.String("AAA"), Key: map[string]types.AttributeValue{
		"pk": &types.AttributeValueMemberS{Value: "7"}, "sk": &types.AttributeValueMemberS{Value: "x"},
	}})
	if err != nil {
		t.Fatal(err)
	}
	if body := out.Item["body"].(*types.AttributeValueMemberS).Value; body != large {
		t.Errorf("%d bytes came back", len(body))
	}
	for _, told := range []map[string]int{counts, answered} {
		if told["PutItem"] != 20 || told["GetItem"] != 1 {
			t.Errorf("told of %v", told)
		}
	}
}

func TestProxyRefusesDeniedRequests(t *testing.T) {
	server := dynamotest.Serve(t, filepath.Join(t.TempDir(), "ddb.db"))
	if err := server.CreateTables(t.Context(), []ddb.Table{ddb.PlainTable("AAA")}); err != nil {
		t.Fatal(err)
	}
	proxy, err := ddb.NewProxy(server, ddb.ProxyConfig{Allow: func(authorization, operation string, body []byte) error {
		if operation == "GetItem" && strings.Contains(authorization, "Credential=local/") &&
			strings.Contains(string(body), "AAA") {
			return errors.New("not you")
		}
		return nil
	}})
	if err != nil {
		t.Fatal(err)
	}
	defer proxy.Close()
	client := ddb.NewClient(proxy.URL)
	for range 2 { // the connection stays open
		_, err = client.GetItem(t.Context(), &dynamodb.GetItemInput{TableName: aws.String("AAA"), Key: map[string]types.AttributeValue{
			"pk": &types.AttributeValueMemberS{Value: "7"}, "sk": &types.AttributeValueMemberS{Value: "x"},
		}})
		if failure, ok := errors.AsType[smithy.APIError](err); !ok || failure.ErrorCode() != "AccessDeniedException" ||
			failure.ErrorMessage() != "not you" {
			t.Errorf("get: %v", err)
		}
		put(t, client, "AAA", "k")
	}
}

func BenchmarkGet(b *testing.B) {
	server := dynamotest.Serve(b, filepath.Join(b.TempDir(), "ddb.db"))
	if err := server.CreateTables(b.Context(), []ddb.Table{ddb.PlainTable("AAA")}); err != nil {
		b.Fatal(err)
	}
	put(b, server.Client(), "AAA", "k")
	proxy, err := ddb.NewProxy(server, ddb.ProxyConfig{Allow: func(string, string, []byte) error { return nil }})
	if err != nil {
		b.Fatal(err)
	}
	defer proxy.Close()
	for name, url := range map[string]string{"direct": server.URL, "proxied": proxy.URL} {
		client := ddb.NewClient(url)
		b.Run(name, func(b *testing.B) {
			for b.Loop() {
				if _, err := client.GetItem(b.Context(), &dynamodb.GetItemInput{TableName: aws.String("AAA"), Key: map[string]types.AttributeValue{
					"pk": &types.AttributeValueMemberS{Value: "k"}, "sk": &types.AttributeValueMemberS{Value: "x"},
				}}); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}
