package ddb

import (
	"regexp"
	"sync"
)

// atOnce limits concurrent requests to the database. It processes two at a time; two more are waiting, so that it
// never idles.
const atOnce = 4

// turns schedules requests round-robin by application. In DynamoDB, partitions keep a busy application from delaying
// others. The local database is one process: without turns, a request would wait behind hundreds of another
// application's.
type turns struct {
	mu      sync.Mutex
	places  int                        // number of places taken
	ring    []string                   // waiting applications, the next first
	waiting map[string][]chan struct{} // waiting requests by application, the oldest first
}

// enter waits for a place; leave releases it.
func (t *turns) enter(application string) (leave func()) {
	t.mu.Lock()
	if t.places < atOnce {
		t.places++
		t.mu.Unlock()
		return t.pass
	}
	place := make(chan struct{})
	if t.waiting == nil {
		t.waiting = map[string][]chan struct{}{}
	}
	// For fairness an application is in the ring only once, however many of its requests wait.
	if len(t.waiting[application]) == 0 {
		t.ring = append(t.ring, application)
	}
	t.waiting[application] = append(t.waiting[application], place)
	t.mu.Unlock()

	<-place
	return t.pass
}

// pass hands a released place to the next application.
func (t *turns) pass() {
	t.mu.Lock()
	defer t.mu.Unlock()
	if len(t.ring) == 0 {
		t.places--
		return
	}
	// The next request takes over the place, so places does not change.
	next := t.ring[0]
	t.ring = t.ring[1:]
	close(t.waiting[next][0])
	if t.waiting[next] = t.waiting[next][1:]; len(t.waiting[next]) > 0 {
		t.ring = append(t.ring, next)
	} else {
		delete(t.waiting, next)
	}
}

// keyScope matches the tenant.Scope at the beginning of the first key in a request.
var keyScope = regexp.MustCompile(`"S":\s*"([0-9]+)\.[0-9a-z]+[#"]`)

// mostOfKey is the number of bytes of a request searched for a key.
const mostOfKey = 8 << 10

// application returns the application of the first key in a request, or "" if no key contains one.
func (r *request) application() string {
	if found := keyScope.FindSubmatch(r.body[:min(len(r.body), mostOfKey)]); found != nil {
		return string(found[1])
	}
	return ""
}
