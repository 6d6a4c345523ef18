package scenario_test

import (
	"fmt"
	"net/http"
	"strings"
	"testing"
	"time"

	"minicloud/infra/scenario"
)

// chains are functions that cause the event that starts them again, each by another path out of the platform, with
// the number of times that they start: an event of depth 8 starts nothing (G19). They sleep, because a hook accepts
// five calls per second. Each forges a depth if it can.
var chains = []struct {
	name, trigger, code string
	started             int
}{
	{"its own hook", `"type":"incoming_webhook","condition":{}`, `
		exports.main = async () => {
			await new Promise((resolve) => setTimeout(resolve, 250));
			await BaaS.request({ url: HOOK, method: "POST", data: {}, headers: { "X-Service-Trigger-Depth": "0" } });
		};`, 8},
	{"its own hook, by fetch", `"type":"incoming_webhook","condition":{}`, `
		exports.main = async () => {
			await new Promise((resolve) => setTimeout(resolve, 250));
			await fetch(HOOK, { method: "POST", body: "{}", headers: { "x-service-trigger-depth": "" } });
		};`, 8},
	{"its own table", `"type":"table","condition":{"table":"links","event":"create"}`, `
		exports.main = async () => { await new BaaS.TableObject("links").create().set({ n: 1 }).save(); };`, 8},
	{"its own table, by the open API", `"type":"table","condition":{"table":"links","event":"create"}`, `
		exports.main = async () => {
			const headers = { Authorization: TOKEN, "X-Service-Trigger-Depth": "0" };
			await BaaS.request({ url: BASE + "/oserve/v2.4/table/" + TABLE + "/record/", method: "POST", headers, data: { n: 1 } });
		};`, 8},
	// This chain takes two steps per event: the function starts another through the open API, whose callback calls
	// the hook.
	{"its own hook, by a callback", `"type":"incoming_webhook","condition":{}`, `
		exports.main = async (event) => {
			if (event.data.done) return;
			await new Promise((resolve) => setTimeout(resolve, 250));
			const url = BASE + "/oserve/v1.3/cloud-function/link/job/";
			await BaaS.request.post(url, { data: { done: true }, sync: false, callback_url: HOOK }, { headers: { Authorization: TOKEN } });
		};`, 4},
}

// chainsEnd: each chain ends after events of depth 8, through the real programs, whatever path leads back to the
// trigger.
func chainsEnd(t *testing.T, c stage) {
	owner := c.owner(t)
	table := find(t, owner.ask(t, "POST", "/oserve/v1.8/table/",
		`{"name":"links","schema":{"fields":[{"name":"n","type":"integer"}]}}`), "id")
	find(t, owner.ask(t, "POST", "/oserve/v1.3/cloud-function/", `{"name":"link","function_code":"exports.main = () => {}"}`), "id")

	for _, chain := range chains {
		t.Run(chain.name, func(t *testing.T) {
			made := owner.ask(t, "POST", "/oserve/v3/trigger/", fmt.Sprintf(
				`{"name":"link",%s,"actions":[{"type":"cloud_function","settings":{"function":"link"}}]}`, chain.trigger))
			trigger, hook := "/oserve/v3/trigger/"+find(t, made, "id")+"/", between(made.body, `"hook_url":"`, `"`)
			code := fmt.Sprintf("const HOOK = %q, BASE = %q, TABLE = %q, TOKEN = %q;\n%s",
				hook, c.URL, table, owner.header.Get("Authorization"), chain.code)
			if a := owner.ask(t, "PATCH", "/oserve/v1.3/cloud-function/link/", fmt.Sprintf(`{"function_code":%q}`, code)); a.status != 202 {
				t.Fatalf("%d %s", a.status, a.body)
			}

			first := "/oserve/v2.4/table/" + table + "/record/"
			if hook != "" {
				first = strings.TrimPrefix(hook, c.URL)
			}
			// A depth claimed by an outside caller is ignored.
			if a := owner.with("X-Service-Trigger-Depth", "7").ask(t, "POST", first, `{"n":0}`); a.status/100 != 2 {
				t.Fatalf("%d %s", a.status, a.body)
			}
			log := func() reply { return owner.ask(t, "GET", trigger+"log/?limit=100", "") }
			for until := time.Now().Add(scenario.Patience); !strings.Contains(log().body, "loop_detected"); {
				if time.Now().After(until) {
					t.Fatalf("it does not end: %s", log().body)
				}
				time.Sleep(100 * time.Millisecond)
			}
			if err := c.Drain(t.Context()); err != nil {
				t.Fatal(err)
			}
			got := log()
			started, ended := strings.Count(got.body, `"status":"succeeded"`), strings.Count(got.body, `"status":"skipped"`)
			if started != chain.started || ended != 1 {
				t.Errorf("started %d times, ended %d times, want %d and once: %s", started, ended, chain.started, got.body)
			}
			if a := owner.ask(t, "DELETE", trigger, ""); a.status != http.StatusNoContent {
				t.Errorf("%d %s", a.status, a.body)
			}
		})
	}
}
