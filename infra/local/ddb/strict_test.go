package ddb

import (
	"strings"
	"testing"
)

// TestRefusesWhatDynamoDBRefuses has one request for each check; infra/lab/conformance compares the complete messages
// with other implementations.
func TestRefusesWhatDynamoDBRefuses(t *testing.T) {
	const key = `"ExpressionAttributeValues":{":p":{"S":"a"},":k":{"S":"k3"},":l":{"S":"k5"}}`
	for _, c := range []struct {
		operation, body string
		want            string // part of the message; "" means accepted
	}{
		{"PutItem", `{"Item":{}}`, ""},
		{"PutItem", `{"ConditionExpression":"n <> :v AND m <= :v","ExpressionAttributeValues":{":v":{"N":"1"}}}`, ""},
		{"PutItem", `{"ConditionExpression":"t < :v","ExpressionAttributeValues":{":v":{"BOOL":true}}}`, "operand type: BOOL"},
		{"PutItem", `{"ConditionExpression":"t = :v","ExpressionAttributeValues":{":v":{"BOOL":true}}}`, ""},
		{"PutItem", `{"ConditionExpression":"n = n"}`, "must be distinct"},
		{"PutItem", `{"ConditionExpression":"attribute_not_exists(n) OR n = :v"}`, "attribute value: :v"},
		{"Query", `{"FilterExpression":"n IN (` + strings.Repeat(":v,", 100) + `:v)","ExpressionAttributeValues":{":v":{"N":"1"}}}`,
			"number of operands: 101"},
		{"TransactWriteItems", `{"TransactItems":[{"Put":{"ConditionExpression":"n = n"}}]}`, "must be distinct"},
		{"Query", `{"KeyConditionExpression":"pk = :p","ExpressionAttributeValues":{":p":{"S":""}}}`, "Key: pk"},
		{"Query", `{"KeyConditionExpression":"pk = :p","ExpressionAttributeValues":{":p":{"N":"1"}}}`, "schema type"},
		{"Query", `{"KeyConditionExpression":"pk = :p AND sk > :k","ExpressionAttributeValues":{":p":{"S":"a"},":k":{"S":"` +
			strings.Repeat("k", 1025) + `"}}}`, "size limit of 1024 bytes"},
		{"Query", `{"KeyConditionExpression":"pk = :p AND sk > :k",` + key + `,"ExclusiveStartKey":{"pk":{"S":"a"},"sk":{"S":"k3"}}}`,
			"range key predicate"},
		{"Query", `{"KeyConditionExpression":"pk = :p AND sk >= :k",` + key + `,"ExclusiveStartKey":{"pk":{"S":"a"},"sk":{"S":"k3"}}}`, ""},
		{"Query", `{"KeyConditionExpression":"pk = :p AND sk BETWEEN :k AND :l",` + key +
			`,"ExclusiveStartKey":{"pk":{"S":"a"},"sk":{"S":"k6"}}}`, "range key predicate"},
		{"Query", `{"KeyConditionExpression":"pk = :p AND begins_with(#s, :k)","ExpressionAttributeNames":{"#s":"sk"},` + key +
			`,"ExclusiveStartKey":{"pk":{"S":"a"},"sk":{"S":"k4"}}}`, "range key predicate"},
		{"Query", `{"KeyConditionExpression":"pk = :p",` + key + `,"ExclusiveStartKey":{"pk":{"S":"b"},"sk":{"S":"k4"}}}`,
			"outside query boundaries"},
	} {
		got := refusal(c.operation, []byte(c.body))
		if (c.want == "") != (got == "") || !strings.Contains(got, c.want) {
			t.Errorf("%s %.200s: %q, want %q", c.operation, c.body, got, c.want)
		}
	}
}

func BenchmarkRefusal(b *testing.B) {
	body := []byte(`{"TableName":"RowsTable","KeyConditionExpression":"pk = :pk AND sk BETWEEN :from AND :to",` +
		`"ExpressionAttributeValues":{":pk":{"S":"1:2#3"},":from":{"S":"a"},":to":{"S":"b"}},"Limit":21}`)
	for b.Loop() {
		refusal("Query", body)
	}
}
