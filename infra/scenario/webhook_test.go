package scenario_test

import (
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"sync/atomic"
	"testing"
	"time"

	"github.com/golang-jwt/jwt/v5"
	standardwebhooks "github.com/standard-webhooks/standard-webhooks/libraries/go"

	"minicloud/infra/scenario"
)

// delivered is a received webhook.
type delivered struct {
	header http.Header
	body   string
}

// webhookOfARow: a row becomes a signed webhook that third-party libraries verify, also if the receiver is busy at
// first, and during a key rotation.
func webhookOfARow(t *testing.T, c stage) {
	got, busy := make(chan delivered, 10), atomic.Bool{}
	busy.Store(true)
	receiver := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		body, _ := io.ReadAll(r.Body)
		got <- delivered{r.Header, string(body)}
		if busy.Swap(false) {
			w.Header().Set("Retry-After", "1")
			w.WriteHeader(http.StatusServiceUnavailable)
			io.WriteString(w, "not now")
		}
	}))
	t.Cleanup(receiver.Close)
	owner := c.owner(t)

	table := find(t, owner.ask(t, "POST", "/oserve/v1.8/table/",
		`{"name":"novels","schema":{"fields":[{"name":"title","type":"string"},{"name":"out","type":"date"}]}}`), "id")
	made := owner.ask(t, "POST", "/oserve/v3/trigger/", fmt.Sprintf(
		`{"name":"tell","type":"table","condition":{"table":%q,"event":"create"},
		"actions":[{"type":"webhook","settings":{"url":%q,"key_overlap_days":1}}]}`, "novels", receiver.URL+"/hook"))
	var tell struct {
		ID      int64
		Actions []struct {
			ID       int64
			Settings struct{ Key string }
		}
	}
	if err := json.Unmarshal([]byte(made.body), &tell); err != nil || made.status != 201 || len(tell.Actions) != 1 {
		t.Fatalf("%d %s", made.status, made.body)
	}
	row := func(title string) {
		t.Helper()
		answer := owner.ask(t, "POST", "/oserve/v2.4/table/"+table+"/record/",
			fmt.Sprintf(`{"title":%q,"out":"1815-12-23T08:00:00+08:00"}`, title))
		if answer.status != 201 {
			t.Fatalf("%d %s", answer.status, answer.body)
		}
	}

	row("Emma")
	key := tell.Actions[0].Settings.Key
	first, again := receive(t, got), receive(t, got)
	for _, d := range []delivered{first, again} {
		checkDelivered(t, d, "Emma", key, key)
	}
	const run = "X-Service-Webhook-Action-Id"
	if first.header.Get(run) == "" || first.header.Get(run) != again.header.Get(run) {
		t.Errorf("runs %q and %q, want one", first.header.Get(run), again.header.Get(run))
	}
	waitForLog(t, owner, tell.ID)

	next := find(t, owner.ask(t, "POST", fmt.Sprintf("/oserve/v3/trigger/%d/action/%d/key/", tell.ID,
		tell.Actions[0].ID), "{}"), "key")
	row("Persuasion")
	changing := receive(t, got)
	checkDelivered(t, changing, "Persuasion", key, key)
	checkDelivered(t, changing, "Persuasion", key, next)
}

func receive(t *testing.T, got <-chan delivered) delivered {
	t.Helper()
	select {
	case d := <-got:
		return d
	case <-time.After(scenario.Patience):
		t.Fatal("nothing was delivered")
		return delivered{}
	}
}

// checkDelivered decodes a delivery with one key, and verifies its signature with another.
func checkDelivered(t *testing.T, d delivered, title, bodyKey, signatureKey string) {
	t.Helper()
	claims := jwt.MapClaims{}
	_, err := jwt.ParseWithClaims(d.body, claims, func(*jwt.Token) (any, error) { return []byte(bodyKey), nil },
		jwt.WithValidMethods([]string{"HS256"}), jwt.WithoutClaimsValidation())
	if err != nil || claims["title"] != title || claims["out"] != -4860604800.0 || claims["_version"] != 1.0 {
		t.Errorf("claims %v: %v", claims, err)
	}

	w, err := standardwebhooks.NewWebhookRaw([]byte(signatureKey))
	if err == nil {
		err = w.Verify([]byte(d.body), d.header)
	}
	if err != nil {
		t.Error(err)
	}
	if event := d.header.Get("X-Service-Trigger-Event"); event != "on_create" ||
		d.header.Get("Content-Type") != "application/jwt" {
		t.Errorf("headers %v", d.header)
	}
}

// waitForLog waits until the log shows both attempts.
func waitForLog(t *testing.T, owner caller, number int64) {
	t.Helper()
	var last string
	for until := time.Now().Add(scenario.Patience); time.Now().Before(until); time.Sleep(100 * time.Millisecond) {
		answer := owner.ask(t, "GET", fmt.Sprintf("/oserve/v3/trigger/%d/log/", number), "")
		var log struct {
			Objects []struct {
				Status   string
				Attempts []struct {
					StatusCode int `json:"status_code"`
					Error      string
					Response   string
				}
			}
		}
		if err := json.Unmarshal([]byte(answer.body), &log); err != nil {
			t.Fatal(err)
		}

		if len(log.Objects) == 1 && log.Objects[0].Status == "succeeded" {
			all := log.Objects[0].Attempts
			if len(all) != 2 || all[0].StatusCode != 503 || all[0].Response != "not now" || all[1].StatusCode != 200 {
				t.Errorf("attempts %+v", all)
			}
			return
		}

		last = answer.body
	}

	t.Errorf("the log says %s", last)
}
