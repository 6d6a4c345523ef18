package api_test

import (
	"fmt"
	"sync"
	"testing"
)

// TestStaleWritesConflict: of several writers of one version, one succeeds and the others get a conflict.
func TestStaleWritesConflict(t *testing.T) {
	const tables = "/oserve/v1.8/table/"
	p := newPlatform(t)
	made := p.ask("POST", tables, customers)
	tag, path := made.Header().Get("ETag"), tables+"customers/"
	if read := p.ask("GET", path, ""); tag == "" || read.Header().Get("ETag") != tag {
		t.Errorf("made with %q, read with %q", tag, read.Header().Get("ETag"))
	}

	const writers = 8
	statuses := make([]int, writers)
	var wg sync.WaitGroup
	for i := range writers {
		wg.Go(func() {
			body := fmt.Sprintf(`{"schema":{"fields":[{"name":"extra%d","type":"string"}]}}`, i)
			statuses[i] = p.ask("PUT", path, body, "If-Match: "+tag).Code
		})
	}
	wg.Wait()
	heard := map[int]int{}
	for _, status := range statuses {
		heard[status]++
	}
	if heard[200] != 1 || heard[409] != writers-1 {
		t.Errorf("answers to %d writers of one version: %v", writers, heard)
	}

	for _, method := range []string{"PUT", "DELETE"} {
		if w := p.ask(method, path, `{"write_perm":[]}`, "If-Match: "+tag); w.Code != 409 {
			t.Errorf("%s: %d %s", method, w.Code, w.Body)
		}
	}
	now := p.ask("GET", path, "").Header().Get("ETag")
	if w := p.ask("PUT", path, `{"write_perm":[]}`, "If-Match: "+now); w.Code != 200 || w.Header().Get("ETag") == now {
		t.Errorf("the last version: %d %s, now %s", w.Code, w.Body, w.Header().Get("ETag"))
	}
}
