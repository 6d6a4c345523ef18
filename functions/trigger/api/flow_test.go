package api_test

import (
	"testing"
	"time"
)

// TestShowsFlowControlOfWaitingRuns: in a dry run, in the log and in the evaluation.
func TestShowsFlowControlOfWaitingRuns(t *testing.T) {
	p := newPlatform(t)
	made := p.must(201, "POST", triggers, `{"name":"calm","type":"incoming_webhook","trace":true,"actions":[
		{"type":"webhook","settings":{"url":"https://example.com/a"},
		 "flow":{"debounce_seconds":1800,"key":"{{ payload.who }}"}},
		{"type":"webhook","settings":{"url":"https://example.com/b"},"flow":{"batch":{"size":2,"seconds":60}}},
		{"type":"webhook","settings":{"url":"https://example.com/c"},"flow":{"ordered":true}}]}`)
	fire := func(path string, want ...string) {
		t.Helper()
		dry := p.must(200, "POST", path, `{"event":{"who":"ada"}}`)
		for i, text := range want {
			if got := at(t, dry, "actions", i, "would"); got != text {
				t.Errorf("action %d: %v, want %s", i, got, text)
			}
		}
	}
	debounce := "waits until " + p.now.Add(30*time.Minute).UTC().Format(time.RFC3339) + ": debounce"
	batch := "waits until " + p.now.Add(time.Minute).UTC().Format(time.RFC3339) + ": batch"
	ordered := "runs behind those of its key that came before: ordered"
	fire(path(t, made, "fire/?dry_run=1"), debounce, batch, ordered)

	p.must(200, "POST", path(t, made, "fire/"), `{"event":{"who":"ada"}}`)
	fire(path(t, made, "fire/?dry_run=1"), debounce, "batched", ordered)
	seen := p.must(200, "GET", path(t, made, "evaluation/"), "")
	for i, why := range []string{debounce, batch, ordered} {
		if d := at(t, seen, "objects", 0, "actions", i); at(t, d, "fired") != true || at(t, d, "why") != why {
			t.Errorf("action %d is seen as %v", i, d)
		}
	}

	next := map[any]bool{}
	for _, object := range at(t, p.must(200, "GET", path(t, made, "log/"), ""), "objects").([]any) {
		if at(t, object, "status") != "pending" {
			t.Errorf("%v", object)
		}
		next[at(t, object, "next_attempt_at")] = true
	}
	if !next[float64(p.now.Add(30*time.Minute).Unix())] || !next[float64(p.now.Add(time.Minute).Unix())] || !next[nil] {
		t.Errorf("next attempts %v", next)
	}

	// The second event supersedes the first in the debounced action, fills the batch, and waits behind the first in
	// the ordered action.
	p.must(200, "POST", path(t, made, "fire/"), `{"event":{"who":"ada"}}`)
	types := map[any]int{}
	for _, object := range at(t, p.must(200, "GET", path(t, made, "log/"), ""), "objects").([]any) {
		if at(t, object, "status") == "skipped" {
			types[at(t, object, "error", "type")]++
		}
	}
	if len(types) != 2 || types["debounced"] != 1 || types["batched"] != 1 {
		t.Errorf("skipped for %v", types)
	}
}
