package ddb

import (
	"regexp"
	"sync"
)

// atOnce limits the concurrent requests of programs: the database works on two, and two more are ready so that it
// never idles.
const atOnce = 4

// turns schedules requests round-robin by application. DynamoDB has partitions, so a busy application delays only
// itself; the local database is one process, where a single request of one application would wait behind hundreds of
// another.
type turns struct {
	mu      sync.Mutex
	places  int                        // that are taken
	ring    []string                   // applications that wait, the next first
	waiting map[string][]chan struct{} // by application, the oldest first
}

// enter waits for a place. leave gives it back.
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
	// An application is in the ring once, however many of its requests wait: that is the fairness.
	if len(t.waiting[application]) == 0 {
		t.ring = append(t.ring, application)
	}
	t.waiting[application] = append(t.waiting[application], place)
	t.mu.Unlock()

	<-place
	return t.pass
}

// pass gives a place to the next application.
func (t *turns) pass() {
	t.mu.Lock()
	defer t.mu.Unlock()
	if len(t.ring) == 0 {
		t.places--
		return
	}
	// The place is handed over, so places stays as it is.
	next := t.ring[0]
	t.ring = t.ring[1:]
	close(t.waiting[next][0])
	if t.waiting[next] = t.waiting[next][1:]; len(t.waiting[next]) > 0 {
		t.ring = append(t.ring, next)
	} else {
		delete(t.waiting, next)
	}
}

// keyScope is the tenant.Scope that keys begin with, in the first of them that a request has.
var keyScope = regexp.MustCompile(`"S":\s*"([0-9]+)\.[0-9a-z]+[#"]`)

// mostOfKey limits the bytes of a request that are searched for a key.
const mostOfKey = 8 << 10

// application returns the application in the first key of a request, "" when no key names one.
func (r *request) application() string {
	if found := keyScope.FindSubmatch(r.body[:min(len(r.body), mostOfKey)]); found != nil {
		return string(found[1])
	}
	return ""
}
