package load

import (
	"maps"
	"net/http"
	"net/http/httptest"
	"sync"
)

// Witness hears from every run that begins.
type Witness struct {
	*httptest.Server
	mu    sync.Mutex
	begun map[string]int
	marks map[string]string
}

// NewWitness starts a witness on loopback. A run sends POST URL?job=<id>&mark=<of its request>. Close it.
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

// Begun returns how often each job began, by its id, and the mark of the request that started it.
func (w *Witness) Begun() (begun map[string]int, marks map[string]string) {
	w.mu.Lock()
	defer w.mu.Unlock()
	return maps.Clone(w.begun), maps.Clone(w.marks)
}
