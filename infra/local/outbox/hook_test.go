package outbox

import (
	"encoding/json"
	"net/http/httptest"
	"path/filepath"
	"strings"
	"testing"

	"minicloud/shared/clock"
)

// TestKeepsReceivedCalls: a request is stored as a receiver sees it, unless it is too large.
func TestKeepsReceivedCalls(t *testing.T) {
	box, err := Open(filepath.Join(t.TempDir(), "outbox.jsonl"))
	if err != nil {
		t.Fatal(err)
	}
	defer box.Close()
	hook := &Hook{Box: box, Clock: clock.System}
	call := func(method, body string) int {
		r := httptest.NewRequest(method, "/_local/hook/shop?x=1", strings.NewReader(body))
		r.Header.Set("Webhook-Id", "one")
		w := httptest.NewRecorder()
		hook.ServeHTTP(w, r)
		return w.Code
	}
	for body, want := range map[string]int{"<b>hello": 204, "\xff\x00": 204, strings.Repeat("x", maxCall+1): 413} {
		if got := call("POST", body); got != want {
			t.Errorf("%.9q: %d, want %d", body, got, want)
		}
	}
	bodies := map[string]bool{}
	for _, m := range box.messages {
		var kept Call
		if err := json.Unmarshal(m.Sent, &kept); err != nil || m.Kind != "webhook" || kept.Method != "POST" ||
			kept.Path != "/_local/hook/shop?x=1" || kept.Headers["webhook-id"] != "one" {
			t.Errorf("%s %s, %v", m.Kind, m.Sent, err)
		}
		bodies[kept.Body+string(kept.Base64)] = true
	}
	if len(box.messages) != 2 || !bodies["<b>hello"] || !bodies["\xff\x00"] {
		t.Errorf("kept %v", bodies)
	}
}
