package fault

import (
	"maps"
	"net/http"
	"net/http/httptest"
	"sync"
)

// Witness hears from every run that begins.
type Witness struct {
	server *httptest.Server
	mu     sync.Mutex
	begun  map[string]int
	marks  map[string]string
}

// NewWitness starts a witness on loopback. Close it.
func NewWitness() *Witness {
	w := &Witness{begun: map[string]int{}, marks: map[string]string{}}
	w.server = httptest.NewServer(http.HandlerFunc(w.hear))
	return w
}

func (w *Witness) hear(_ http.ResponseWriter, r *http.Request) {
	query := r.URL.Query()
	job := query.Get("job")

	w.mu.Lock()
	defer w.mu.Unlock()
	w.begun[job]++
	w.marks[job] = query.Get("mark")
}

// URL is where a run tells its job: POST URL?job=<id>&mark=<of its request>.
func (w *Witness) URL() string { return w.server.URL }

// Begun returns how often each job began, by its id, and the mark of the request
// that started it.
func (w *Witness) Begun() (begun map[string]int, marks map[string]string) {
	w.mu.Lock()
	defer w.mu.Unlock()
	return maps.Clone(w.begun), maps.Clone(w.marks)
}

// Close ends the witness.
func (w *Witness) Close() { w.server.Close() }
