package api_test

import (
	"fmt"
	"sync"
	"testing"
)

// TestStaleWritesConflict: of several writers of one version, one succeeds and the others get a conflict.
func TestStaleWritesConflict(t *testing.T) {
	p := newPlatform(t)
	made := p.must(201, "POST", triggers, bookAdd)
	here := path(t, made, "")
	tag := p.ask("GET", here, "").Header().Get("ETag")

	const writers = 8
	statuses := make([]int, writers)
	var wg sync.WaitGroup
	for i := range writers {
		wg.Go(func() {
			statuses[i] = p.ask("PUT", here, fmt.Sprintf(`{"description":"by %d"}`, i), "If-Match: "+tag).Code
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
		if w := p.ask(method, here, `{"enabled":false}`, "If-Match: "+tag); w.Code != 409 {
			t.Errorf("%s: %d %s", method, w.Code, w.Body)
		}
	}
	now := p.ask("GET", here, "").Header().Get("ETag")
	if w := p.ask("PUT", here, `{"enabled":false}`, "If-Match: "+now); w.Code != 200 || w.Header().Get("ETag") == now {
		t.Errorf("the last version: %d %s", w.Code, w.Body)
	}
}
