package api_test

import (
	"encoding/json"
	"fmt"
	"net/http/httptest"
	"testing"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"

	"minicloud/shared/table"
)

func decoded(t *testing.T, w *httptest.ResponseRecorder) (answer map[string]any) {
	t.Helper()
	if err := json.Unmarshal(w.Body.Bytes(), &answer); err != nil {
		t.Fatalf("%v in %s", err, w.Body)
	}
	return answer
}

// everyPath are the requests about one trigger, each as METHOD path.
func everyPath(made map[string]any) []string {
	here := fmt.Sprintf("%s%.0f/", triggers, made["id"])
	action := fmt.Sprintf("action/%.0f/", made["actions"].([]any)[0].(map[string]any)["id"])
	return []string{
		"GET " + here, "PUT " + here, "GET " + here + "log/", "GET " + here + "evaluation/", "GET " + here + "hook/",
		"POST " + here + "hook/", "POST " + here + action + "key/",
		"POST " + here + "fire/", "POST " + here + "fire/?dry_run=1", "DELETE " + here,
	}
}

func removal(column string) table.Definition { return table.Definition{Remove: []string{column}} }

// forgetAnswers takes the answers out of all claims: what is left is what a program leaves that dies before it has
// remembered them.
func (p *platform) forgetAnswers() {
	p.Helper()
	name := "IdempotencyTable"
	page, err := p.client.Scan(p.Context(), &dynamodb.ScanInput{
		TableName: &name, FilterExpression: aws.String("attribute_exists(answered)"),
	})
	if err != nil {
		p.Fatal(err)
	}
	for _, claim := range page.Items {
		_, err := p.client.UpdateItem(p.Context(), &dynamodb.UpdateItemInput{
			TableName: &name, Key: map[string]types.AttributeValue{"pk": claim["pk"], "sk": claim["sk"]},
			UpdateExpression: aws.String("REMOVE answered, answer_status, answer_header, answer_body, answer_chunks"),
		})
		if err != nil {
			p.Fatal(err)
		}
	}
}
