package load

import (
	"maps"
	"net/http"
	"net/http/httptest"
	"sync"
)

// Witness is an HTTP server that records every run that begins.
type Witness struct {
	*httptest.Server
	mu    sync.Mutex
	begun map[string]int
	marks map[string]string
}

// NewWitness starts a witness on loopback. A run reports itself with POST URL?job=<id>&mark=<mark of its request>. The
// caller must close the witness.
func NewWitness() *Witness {
	w := &Witness{begun: map[string]int{}, marks: map[string]string{}}
	w.Server = httptest.NewServer(http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) {
		query := r.URL.Query()
		w.mu.Lock()
		defer w.mu.Unlock()
		w.begun[query.Get("job")]++
		w.marks[query.Get("job")] = query.Get("mark")
	}))
	return w
}

// Begun returns how often each job began and the mark of the request that started it, both by job id.
func (w *Witness) Begun() (begun map[string]int, marks map[string]string) {
	w.mu.Lock()
	defer w.mu.Unlock()
	return maps.Clone(w.begun), maps.Clone(w.marks)
}
