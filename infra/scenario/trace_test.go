package scenario_test

import (
	"fmt"
	"net/http"
	"net/http/httptest"
	"regexp"
	"strings"
	"testing"
	"time"

	"minicloud/infra/scenario"
)

// oneTrace: a row starts a function, which writes another row, whose webhook carries the id of the first request. The
// trace with that id has all of them.
func oneTrace(t *testing.T, c stage) {
	got := make(chan http.Header, 10)
	receiver := httptest.NewServer(http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) { got <- r.Header }))
	t.Cleanup(receiver.Close)
	owner := c.owner(t)
	must := func(method, path, body string) reply {
		t.Helper()
		said := owner.ask(t, method, path, body)
		if said.status >= 300 {
			t.Fatalf("%s %s: %d %s", method, path, said.status, said.body)
		}
		return said
	}

	for _, name := range []string{"asked", "done"} {
		must("POST", "/oserve/v1.8/table/", `{"name":"`+name+`","schema":{"fields":[{"name":"title","type":"string"}]}}`)
	}
	must("POST", "/oserve/v1.3/cloud-function/", `{"name":"answer","function_code":
		"exports.main = async (e) => { await new BaaS.TableObject('done').create().set({title: e.data.title}).save() }"}`)
	trigger := `{"name":"on %s","type":"table","condition":{"table":"%[1]s","event":"create"},
		"actions":[{"type":%q,"settings":%s}]}`
	must("POST", "/oserve/v3/trigger/", fmt.Sprintf(trigger, "asked", "cloud_function", `{"function":"answer"}`))
	must("POST", "/oserve/v3/trigger/", fmt.Sprintf(trigger, "done", "webhook", `{"url":"`+receiver.URL+`/"}`))

	name := must("POST", "/oserve/v2.4/table/asked/record/", `{"title":"why"}`).header.Get("X-Request-Id")
	select {
	case header := <-got:
		if name == "" || header.Get("X-Service-Trace-Id") != name {
			t.Errorf("the webhook is of trace %q, the request's is %q", header.Get("X-Service-Trace-Id"), name)
		}
	case <-time.After(scenario.Patience):
		t.Fatal("no webhook came")
	}

	want := `^request\S* event\S* trigger:on asked action:cloud_function attempt:attempt 1 job:answer event\S* ` +
		`trigger:on done action:webhook attempt:attempt 1$`
	seen := ""
	for until := time.Now().Add(scenario.Patience); time.Now().Before(until); time.Sleep(100 * time.Millisecond) {
		body := must("GET", "/oserve/v3/trace/"+name+"/", "").body
		if seen = path(body); regexp.MustCompile(want).MatchString(seen) && strings.HasPrefix(body, `{"kind":"request"`) &&
			strings.Contains(body, `"ok":true`) {
			jobs := "/oserve/v1.3/cloud-function/answer/job/"
			id := regexp.MustCompile(`"id":(\d+)`).FindStringSubmatch(must("GET", jobs, "").body)[1]
			if one := must("GET", jobs+id+"/", ""); find(t, one, "trace_id") != name {
				t.Errorf("the job is of another trace: %s", one.body)
			}
			return
		}
	}
	t.Errorf("the trace is %s, want %s", seen, want)
}

var nodes = regexp.MustCompile(`"kind":"(\w+)","id":"[^"]*","name":"([^"]*)"`)

// path returns the kinds and names of a tree in order, without the names of events, which contain ids.
func path(body string) string {
	var all []string
	for _, m := range nodes.FindAllStringSubmatch(body, -1) {
		if m[1] == "event" || m[2] == "" {
			all = append(all, m[1])
		} else {
			all = append(all, m[1]+":"+m[2])
		}
	}
	return strings.Join(all, " ")
}
