package fault

import (
	"maps"
	"net/http"
	"net/http/httptest"
	"sync"
)

// Witness hears from every run that begins, and counts how often each job did.
type Witness struct {
	server *httptest.Server
	mu     sync.Mutex
	begun  map[string]int
}

// NewWitness starts a witness on loopback. Close it.
func NewWitness() *Witness {
	w := &Witness{begun: map[string]int{}}
	w.server = httptest.NewServer(http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) {
		w.mu.Lock()
		defer w.mu.Unlock()
		w.begun[r.URL.Query().Get("job")]++
	}))
	return w
}

// URL is where a run tells its job: POST URL?job=<id>.
func (w *Witness) URL() string { return w.server.URL }

// Begun returns how often each job began, by its id.
func (w *Witness) Begun() map[string]int {
	w.mu.Lock()
	defer w.mu.Unlock()
	return maps.Clone(w.begun)
}

// Close ends the witness.
func (w *Witness) Close() { w.server.Close() }
