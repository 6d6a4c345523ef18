package outbox

import (
	"encoding/json"
	"net/http/httptest"
	"os"
	"path/filepath"
	"testing"
	"time"
)

func show(t *testing.T, b *Box, method string) []Message {
	t.Helper()
	w := httptest.NewRecorder()
	b.ServeHTTP(w, httptest.NewRequest(method, "/_local/outbox", nil))
	var got []Message
	if err := json.Unmarshal(w.Body.Bytes(), &got); err != nil {
		t.Fatalf("%s: %v", w.Body, err)
	}
	return got
}

func TestKeepsInOrderAcrossRestarts(t *testing.T) {
	path := filepath.Join(t.TempDir(), "outbox.jsonl")
	b, err := Open(path)
	if err != nil {
		t.Fatal(err)
	}
	if got := show(t, b, "GET"); got == nil || len(got) != 0 {
		t.Errorf("a new box shows %v, want []", got)
	}
	for _, sent := range []string{`{"n":1}`, `{"n":2}`} {
		if err := b.Add(Message{At: time.Unix(1, 0).UTC(), Kind: "email", Sent: json.RawMessage(sent)}); err != nil {
			t.Fatal(err)
		}
	}
	b.Close()
	f, _ := os.OpenFile(path, os.O_APPEND|os.O_WRONLY, 0)
	f.WriteString(`{"at":`) // simulates a crash during a write
	f.Close()

	b, err = Open(path)
	if err != nil {
		t.Fatal(err)
	}
	if err := b.Add(Message{At: time.Unix(1, 0).UTC(), Kind: "sms", Sent: json.RawMessage(`{"n":3}`)}); err != nil {
		t.Fatal(err)
	}
	b.Close()
	if b, err = Open(path); err != nil { // messages after an incomplete line are read too
		t.Fatal(err)
	}
	defer b.Close()
	got := show(t, b, "GET")
	if len(got) != 3 || string(got[2].Sent) != `{"n":3}` || string(got[1].Sent) != `{"n":2}` || got[0].Kind != "email" {
		t.Errorf("after a restart: %+v", got)
	}
	for query, want := range map[string]int{"contains=%22n%22:3": 1, "contains=n&contains=3": 1, "contains=2&contains=3": 0, "contains=n": 3} {
		w := httptest.NewRecorder()
		b.ServeHTTP(w, httptest.NewRequest("GET", "/_local/outbox?"+query, nil))
		if err := json.Unmarshal(w.Body.Bytes(), &got); err != nil || len(got) != want || want == 1 && got[0].Kind != "sms" {
			t.Errorf("%s: %s", query, w.Body)
		}
	}
	if got := show(t, b, "DELETE"); len(got) != 0 {
		t.Errorf("after DELETE: %+v", got)
	}
}
