package scenario_test

import (
	"encoding/json"
	"fmt"
	"net/http"
	"net/http/httptest"
	"sync"
	"testing"
	"time"

	"minicloud/infra/scenario"
)

// told records the ids of the deliveries to each path of a receiver.
type told struct {
	mu  sync.Mutex
	ids map[string][]string
}

// ServeHTTP responds at once, except on /lazy.
func (r *told) ServeHTTP(_ http.ResponseWriter, q *http.Request) {
	if q.URL.Path == "/lazy" {
		time.Sleep(1500 * time.Millisecond)
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	r.ids[q.URL.Path] = append(r.ids[q.URL.Path], q.Header.Get("webhook-id"))
}

func (r *told) wait(t *testing.T, path string, n int) {
	t.Helper()
	got := 0
	for until := time.Now().Add(scenario.Patience); time.Now().Before(until); time.Sleep(100 * time.Millisecond) {
		r.mu.Lock()
		got = len(r.ids[path])
		r.mu.Unlock()
		if got >= n {
			return
		}
	}
	t.Fatalf("%s was told %d of %d", path, got, n)
}

// slowReceiver: a slow receiver gets every delivery once, in one attempt each, in a separate queue from the fast
// receiver.
func slowReceiver(t *testing.T, c stage) {
	const rows = 20
	all := &told{ids: map[string][]string{}}
	receiver := httptest.NewServer(all)
	t.Cleanup(receiver.Close)
	owner := c.owner(t)
	table := find(t, owner.ask(t, "POST", "/oserve/v1.8/table/",
		`{"name":"novels","schema":{"fields":[{"name":"title","type":"string"}]}}`), "id")
	hook := find(t, owner.ask(t, "POST", "/oserve/v3/trigger/", fmt.Sprintf(
		`{"name":"tell","type":"table","condition":{"table":"novels","event":"create"},"actions":[
		{"type":"webhook","settings":{"url":%q}},{"type":"webhook","settings":{"url":%q}}]}`,
		receiver.URL+"/lazy", receiver.URL+"/quick")), "id")
	write := func() {
		if a := owner.ask(t, "POST", "/oserve/v2.4/table/"+table+"/record/", `{"title":"Emma"}`); a.status != 201 {
			t.Fatalf("%d %s", a.status, a.body)
		}
	}

	write()
	all.wait(t, "/lazy", 1) // now the receiver is known to be slow
	before := c.Stats().SQS["SendMessage"]
	for range rows {
		write()
	}
	all.wait(t, "/quick", 1+rows)
	all.wait(t, "/lazy", 1+rows)
	if err := c.Drain(t.Context()); err != nil {
		t.Fatal(err)
	}

	// A run moves to the other queue with its own message; new runs are sent in batches.
	if over := c.Stats().SQS["SendMessage"] - before; over < rows/2 {
		t.Errorf("%d of %d were handed over", over, rows)
	}
	checkTold(t, owner, hook, all.ids, 1+rows)
}

// checkTold expects n deliveries to each path, each of a different run that succeeded in its first attempt.
func checkTold(t *testing.T, owner caller, hook string, told map[string][]string, n int) {
	t.Helper()
	for path, ids := range told {
		once := map[string]bool{}
		for _, id := range ids {
			once[id] = true
		}
		if len(ids) != n || len(once) != n {
			t.Errorf("%s was told %d times, of %d runs", path, len(ids), len(once))
		}
	}

	var log struct {
		Objects []struct {
			Status   string
			Attempts []any
		}
	}
	answer := owner.ask(t, "GET", "/oserve/v3/trigger/"+hook+"/log/?limit=100", "")
	if err := json.Unmarshal([]byte(answer.body), &log); err != nil || len(log.Objects) != n*len(told) {
		t.Fatalf("%d runs, %v: %s", len(log.Objects), err, answer.body)
	}
	for _, r := range log.Objects {
		if r.Status != "succeeded" || len(r.Attempts) != 1 {
			t.Errorf("%s after %d attempts", r.Status, len(r.Attempts))
		}
	}
}
