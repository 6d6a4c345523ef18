package scenario_test

import (
	"fmt"
	"net/http"
	"strings"
	"testing"
	"time"

	"minicloud/infra/scenario"
)

// promotes copies a function, a table and triggers from test to production, uses them there, and reverts the
// promotion.
func promotes(t *testing.T, c stage) {
	page := signIn(t, c, c.Credentials.ConsoleEmail, c.Credentials.ConsolePassword)
	test := string(c.Credentials.Environments["test"])
	path := fmt.Sprintf("/console/api/application/%d/", c.Credentials.Miniapp)
	token := find(t, page.ask(t, "POST", "/console/api/token/", fmt.Sprintf(`{"application_id":%d}`, c.Credentials.Miniapp)), "token")
	production := caller{c.URL, http.Header{}}.with("Authorization", "Console "+token)
	must := func(who caller, status int, method, path, body string) reply {
		t.Helper()
		answer := who.ask(t, method, path, body)
		if answer.status != status {
			t.Fatalf("%s %s: %d %s", method, path, answer.status, answer.body)
		}
		return answer
	}

	trial := production.with("X-Service-Env-ID", test)
	must(trial, 201, "POST", "/oserve/v1.3/cloud-function/",
		`{"name":"carried","function_code":"exports.main = async (event) => event.data.title","remark":"from test"}`)
	must(trial, 201, "POST", "/oserve/v1.8/table/",
		`{"name":"carried","schema":{"fields":[{"name":"title","type":"string","indexed":true}]}}`)
	must(trial, 201, "POST", "/oserve/v3/trigger/", `{"name":"carried","type":"table","condition":{"table":"carried","event":"create"},
		"actions":[{"type":"cloud_function","settings":{"function":"carried"}}]}`)
	must(trial, 201, "POST", "/oserve/v3/trigger/", `{"name":"called","type":"incoming_webhook","condition":{},
		"actions":[{"type":"webhook","settings":{"url":"https://example.com/hook"}}]}`)

	compared := must(page, 200, "GET", path+"compare/?limit=1000&to=production&from="+test, "")
	if !strings.Contains(compared.body, `"kind":"table","name":"carried","change":"added"`) {
		t.Errorf("compared: %s", compared.body)
	}
	items := `[{"kind":"trigger","name":"carried","enable":true},{"kind":"trigger","name":"called"},
		{"kind":"table","name":"carried"},{"kind":"function","name":"carried"}]`
	body := fmt.Sprintf(`{"from":%q,"to":"production","items":%s`, test, items)
	must(page, 200, "POST", path+"promote/", body+`,"dry_run":true}`)
	made := must(page.with("Idempotency-Key", "carried"), 200, "POST", path+"promote/", body+"}")
	if strings.Count(made.body, `"done":true`) != 4 {
		t.Fatalf("promoted: %s", made.body)
	}

	row := find(t, must(production, 201, "POST", "/oserve/v2.4/table/carried/record/", `{"title":"arrived"}`), "id")
	ran := func() bool {
		return strings.Contains(must(production, 200, "GET", "/oserve/v1.3/cloud-function/carried/job/", "").body, `"fulfilled"`)
	}
	for until := time.Now().Add(scenario.Patience); !ran(); time.Sleep(100 * time.Millisecond) {
		if time.Now().After(until) {
			t.Fatal("what was promoted does not run")
		}
	}

	back := fmt.Sprintf("%spromotion/%s/revert/", path, find(t, made, "id"))
	if kept := must(page, 200, "POST", back, "{}"); !strings.Contains(kept.body, "it has rows in production") ||
		strings.Count(kept.body, `"reverted":true`) != 3 {
		t.Errorf("reverted with a row: %s", kept.body)
	}
	must(production, 204, "DELETE", "/oserve/v2.4/table/carried/record/"+row+"/", "")
	if all := must(page, 200, "POST", back, "{}"); strings.Count(all.body, `"reverted":true`) != 4 {
		t.Errorf("reverted: %s", all.body)
	}
	must(production, 404, "GET", "/oserve/v1.8/table/carried/", "")
	must(production, 404, "GET", "/oserve/v1.3/cloud-function/carried/", "")
	if list := must(page, 200, "GET", path+"promotion/", ""); !strings.Contains(list.body, `"reverted_by"`) {
		t.Errorf("listed: %s", list.body)
	}
}
