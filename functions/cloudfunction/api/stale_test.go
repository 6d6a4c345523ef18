package api_test

import (
	"fmt"
	"sync"
	"testing"
)

// TestStaleWritesConflict: of several writers of one version, one succeeds and the others get a conflict.
func TestStaleWritesConflict(t *testing.T) {
	const path = "/oserve/v1.3/cloud-function/"
	p := newPlatform(t)
	body := `{"name":"pay","function_code":"exports.main = async () => 1"}`
	made := p.send(t, step{method: "POST", path: path, body: body})
	tag := made.Header.Get("ETag")
	if read := p.send(t, step{method: "GET", path: path + "pay/"}); tag == "" || read.Header.Get("ETag") != tag {
		t.Errorf("made with %q, read with %q", tag, read.Header.Get("ETag"))
	}

	const writers = 8
	statuses := make([]int, writers)
	var wg sync.WaitGroup
	for i := range writers {
		wg.Go(func() {
			code := fmt.Sprintf(`{"function_code":"exports.main = async () => %d"}`, i+2)
			statuses[i] = p.send(t, step{method: "PATCH", path: path + "pay/", body: code, header: "If-Match: " + tag}).StatusCode
		})
	}
	wg.Wait()
	heard := map[int]int{}
	for _, status := range statuses {
		heard[status]++
	}
	if heard[202] != 1 || heard[409] != writers-1 {
		t.Errorf("answers to %d writers of one version: %v", writers, heard)
	}

	stale := "If-Match: " + tag
	for _, s := range []step{
		{method: "PATCH", path: path + "pay/", body: `{"remark":"late"}`, header: stale, status: 409, want: "~was changed since"},
		{method: "POST", path: path + "pay/version/1/restore/", header: stale, status: 409},
		{method: "DELETE", path: path + "pay/", header: stale, status: 409},
		{method: "PATCH", path: path + "pay/", body: `{"remark":"x"}`, header: "If-Match: 7", status: 400, want: "~If-Match"},
		{method: "PATCH", path: path + "pay/", body: `{"remark":"any"}`, header: "If-Match: *", status: 202},
	} {
		p.play(t, s)
	}

	// A repeated request with the same key is not a second write; its response has the same version.
	now := p.send(t, step{method: "GET", path: path + "pay/"}).Header.Get("ETag")
	keyed := step{
		method: "PATCH", path: path + "pay/", body: `{"remark":"once"}`, header: "If-Match: " + now + "\nIdempotency-Key: k",
	}
	first, again := p.send(t, keyed), p.send(t, keyed)
	if again.StatusCode != 202 || again.Header.Get("ETag") != first.Header.Get("ETag") || first.Header.Get("ETag") == now {
		t.Errorf("%d %q, then %d %q", first.StatusCode, first.Header.Get("ETag"), again.StatusCode, again.Header.Get("ETag"))
	}
}

// TestDebugNamesTheVersion: the response names the version of the code that ran.
func TestDebugNamesTheVersion(t *testing.T) {
	const path = "/oserve/v1.3/cloud-function/"
	p := newPlatform(t)
	p.play(t, step{method: "POST", path: path, body: `{"name":"pay","function_code":"exports.main = async () => 1"}`, status: 201})
	p.play(t, step{method: "PATCH", path: path + "pay/", body: `{"remark":"2"}`, status: 202})
	answer := p.send(t, step{method: "POST", path: path + "pay/debug/", body: `{"data":{}}`})
	if got := answer.Header.Get("X-Service-Function-Version"); got != "2" {
		t.Errorf("%d, version %q ran, want 2", answer.StatusCode, got)
	}
}
