package api_test

import (
	"encoding/json"
	"fmt"
	"net/http/httptest"
	"testing"

	"minicloud/infra/local/dynamotest"
	"minicloud/shared/table"
)

func decoded(t *testing.T, w *httptest.ResponseRecorder) (answer map[string]any) {
	t.Helper()
	if err := json.Unmarshal(w.Body.Bytes(), &answer); err != nil {
		t.Fatalf("%v in %s", err, w.Body)
	}
	return answer
}

// everyPath returns the requests that concern one trigger, each as "METHOD path".
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

// forgetAnswers leaves the state of a program that died before it responded.
func (p *platform) forgetAnswers() {
	p.Helper()
	dynamotest.ForgetAnswers(p, p.client, "IdempotencyTable")
}
