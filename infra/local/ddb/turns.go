package ddb

import (
	"regexp"
	"sync"
)

// atOnce is how many requests of programs are in the database at a time: two that it works on, and two more, so that it
// need not wait for the next.
const atOnce = 4

// turns lets requests into the database, those of one application after those of another. DynamoDB has partitions, so
// an application that asks for very much waits for itself; the local database is one process that all wait for. Without
// turns, an application's single request would stand behind hundreds of another's.
type turns struct {
	mu      sync.Mutex
	places  int                        // that are taken
	ring    []string                   // applications that wait, the next first
	waiting map[string][]chan struct{} // by application, the oldest first
}

// enter waits for a place. leave gives it back; it may be called more than once.
func (t *turns) enter(application string) (leave func()) {
	t.mu.Lock()
	if t.places < atOnce {
		t.places++
		t.mu.Unlock()
		return sync.OnceFunc(t.pass)
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
	return sync.OnceFunc(t.pass)
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

// mostOfKey is how many bytes of a request are looked through for a key.
const mostOfKey = 8 << 10

// application is whose data a request is about, "" where it does not say.
func (r *request) application() string {
	body := r.body()
	if found := keyScope.FindSubmatch(body[:min(len(body), mostOfKey)]); found != nil {
		return string(found[1])
	}
	return ""
}
