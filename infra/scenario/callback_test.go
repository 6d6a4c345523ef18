package scenario_test

import (
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"sync/atomic"
	"testing"

	standardwebhooks "github.com/standard-webhooks/standard-webhooks/libraries/go"
)

// callbackOfARun: the callback_url receives the result of an asynchronous run, again after the receiver was busy, and
// a third-party library verifies the signature.
func callbackOfARun(t *testing.T, c stage) {
	got, busy := make(chan delivered, 10), atomic.Bool{}
	busy.Store(true)
	receiver := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		body, _ := io.ReadAll(r.Body)
		got <- delivered{r.Header, string(body)}
		if busy.Swap(false) {
			w.WriteHeader(http.StatusServiceUnavailable)
		}
	}))
	t.Cleanup(receiver.Close)
	owner := c.owner(t)
	key := find(t, owner.ask(t, "POST", "/oserve/v1.3/callback-key/", "{}"), "key")
	find(t, owner.ask(t, "POST", "/oserve/v1.3/cloud-function/",
		`{"name":"add","function_code":"exports.main = async (event) => event.data.a + event.data.b"}`), "id")
	job := find(t, owner.ask(t, "POST", "/oserve/v1.3/cloud-function/add/job/",
		fmt.Sprintf(`{"data":{"a":1,"b":2},"sync":false,"callback_url":%q}`, receiver.URL+"/done")), "job_id")

	first, again := receive(t, got), receive(t, got)
	for _, d := range []delivered{first, again} {
		var told struct {
			Job    json.Number `json:"job_id"`
			Status string
			Data   int
		}
		if err := json.Unmarshal([]byte(d.body), &told); err != nil || told.Job.String() != job ||
			told.Status != "fulfilled" || told.Data != 3 || d.header.Get("webhook-id") != "job-"+job {
			t.Errorf("%s %v, %v", d.body, d.header, err)
		}
		verifier, err := standardwebhooks.NewWebhookRaw([]byte(key))
		if err == nil {
			err = verifier.Verify([]byte(d.body), d.header)
		}
		if err != nil {
			t.Error(err)
		}
	}
}
