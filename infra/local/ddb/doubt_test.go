package ddb_test

import (
	"bytes"
	"encoding/json"
	"errors"
	"io"
	"net/http"
	"net/http/httptest"
	"path/filepath"
	"sync/atomic"
	"testing"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"
	"github.com/aws/smithy-go"

	"minicloud/infra/local/ddb"
	"minicloud/infra/local/dynamotest"
)

// forgetful passes transactions to a database without their tokens, like a database that was killed. The response to
// the first transaction is lost; made says whether that transaction is committed.
func forgetful(t *testing.T, url string, made bool) *ddb.Server {
	var calls atomic.Int32
	s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		first := calls.Add(1) == 1
		if first && !made {
			panic(http.ErrAbortHandler)
		}
		var body map[string]json.RawMessage
		if err := json.NewDecoder(r.Body).Decode(&body); err != nil {
			t.Error(err)
		}
		delete(body, "ClientRequestToken")
		text, _ := json.Marshal(body)

		again, err := http.NewRequest(r.Method, url, bytes.NewReader(text))
		if err != nil {
			t.Error(err)
		}
		again.Header = r.Header.Clone()
		answer, err := http.DefaultClient.Do(again)
		if err != nil {
			t.Error(err)
			return
		}
		defer answer.Body.Close()
		if first {
			panic(http.ErrAbortHandler)
		}
		w.WriteHeader(answer.StatusCode)
		io.Copy(w, answer.Body)
	}))
	t.Cleanup(s.Close)
	return &ddb.Server{URL: s.URL}
}

// TestDoubt: a committed transaction whose response was lost is not reported as a failed condition.
func TestDoubt(t *testing.T) {
	server := dynamotest.Serve(t, filepath.Join(t.TempDir(), "ddb.db"))
	if err := server.CreateTables(t.Context(), []ddb.Table{ddb.PlainTable("AAA")}); err != nil {
		t.Fatal(err)
	}
	for key, made := range map[string]bool{"made": true, "not made": false} {
		t.Run(key, func(t *testing.T) {
			proxy, err := ddb.NewProxy(forgetful(t, server.URL, made), ddb.ProxyConfig{})
			if err != nil {
				t.Fatal(err)
			}
			defer proxy.Close()

			_, err = ddb.NewClient(proxy.URL).TransactWriteItems(t.Context(), &dynamodb.TransactWriteItemsInput{
				TransactItems: []types.TransactWriteItem{{Put: &types.Put{
					TableName: aws.String("AAA"), ConditionExpression: aws.String("attribute_not_exists(pk)"),
					Item: map[string]types.AttributeValue{
						"pk": &types.AttributeValueMemberS{Value: key}, "sk": &types.AttributeValueMemberS{Value: "x"},
					},
				}}},
			})
			var failed smithy.APIError
			switch {
			case !made && err != nil:
				t.Errorf("the next attempt: %v", err)
			case made && (!errors.As(err, &failed) || failed.ErrorCode() != "InternalServerError"):
				t.Errorf("the next attempt: %v, want that nobody knows", err)
			}
		})
	}
}
