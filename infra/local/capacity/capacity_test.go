package capacity_test

import (
	"encoding/json"
	"testing"

	"github.com/google/go-cmp/cmp"

	"minicloud/infra/local/capacity"
)

func TestAsk(t *testing.T) {
	const asked = `{"ReturnConsumedCapacity":"TOTAL",`
	for _, c := range []struct{ operation, body, want string }{
		{"GetItem", `{"TableName":"A"}`, asked + `"TableName":"A"}`},
		{"TransactWriteItems", `{"TransactItems":[]}`, asked + `"TransactItems":[]}`},
		{"Query", asked + `"TableName":"A"}`, asked + `"TableName":"A"}`},
		{"PutItem", `{"Item":{"a":{"S":"\"ReturnConsumedCapacity\":"}}}`,
			asked + `"Item":{"a":{"S":"\"ReturnConsumedCapacity\":"}}}`},
		{"DescribeTable", `{"TableName":"A"}`, `{"TableName":"A"}`},
		{"GetItem", `[]`, `[]`},
		{"GetItem", ``, ``},
	} {
		got := string(capacity.Request(c.operation, []byte(c.body)))
		if got != c.want {
			t.Errorf("%s %s: %s", c.operation, c.body, got)
		}
		if c.want[:min(len(c.want), 1)] == "{" && !json.Valid([]byte(got)) {
			t.Errorf("%s %s: not JSON: %s", c.operation, c.body, got)
		}
	}
}

func TestOf(t *testing.T) {
	const transaction = `{"TransactItems":[
		{"Put":{"TableName":"A"}},{"Update":{"TableName":"B"}},{"ConditionCheck":{"TableName":"A"}}]}`
	const kind = `{"__type":"com.amazonaws.dynamodb.v20120810#`
	for _, c := range []struct {
		name, operation, request, answer string
		want                             []capacity.Used
	}{
		{"read", "GetItem", `{}`, `{"ConsumedCapacity":{"TableName":"A","CapacityUnits":0.5}}`,
			[]capacity.Used{{Table: "A", Read: 0.5}}},
		{"write", "PutItem", `{}`, `{"ConsumedCapacity":{"TableName":"A","CapacityUnits":3.0}}`,
			[]capacity.Used{{Table: "A", Write: 3}}},
		{"batch", "BatchGetItem", `{}`,
			`{"Responses":{},"ConsumedCapacity":[{"TableName":"A","CapacityUnits":2},{"TableName":"B","CapacityUnits":1}]}`,
			[]capacity.Used{{Table: "A", Read: 2}, {Table: "B", Read: 1}}},
		{"transaction", "TransactWriteItems", transaction,
			`{"ConsumedCapacity":[{"TableName":"A","CapacityUnits":6,"WriteCapacityUnits":6}]}`,
			[]capacity.Used{{Table: "A", Write: 6}}},
		{"transaction that was done before", "TransactWriteItems", transaction,
			`{"ConsumedCapacity":[{"TableName":"A","CapacityUnits":2,"ReadCapacityUnits":2}]}`,
			[]capacity.Used{{Table: "A", Read: 2}}},
		{"refused write", "UpdateItem", `{"TableName":"A"}`, kind + `ConditionalCheckFailedException"}`,
			[]capacity.Used{{Table: "A", Write: 1}}},
		{"cancelled transaction", "TransactWriteItems", transaction, kind + `TransactionCanceledException"}`,
			[]capacity.Used{{Table: "A", Write: 4}, {Table: "B", Write: 2}}},
		{"mistake", "PutItem", `{"TableName":"A"}`, `{"__type":"com.amazon.coral.validate#ValidationException"}`, nil},
		{"not told", "PutItem", `{"TableName":"A"}`, `{}`, nil},
		{"free", "DescribeTable", `{"TableName":"A"}`, `{"Table":{}}`, nil},
		{"garbage", "PutItem", `{`, `<html>`, nil},
	} {
		if diff := cmp.Diff(c.want, capacity.Of(c.operation, []byte(c.request), []byte(c.answer))); diff != "" {
			t.Errorf("%s: %s", c.name, diff)
		}
	}
}
