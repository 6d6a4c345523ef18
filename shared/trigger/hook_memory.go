package trigger

import (
	"sync"
	"time"

	"minicloud/shared/tenant"
)

// hookMemory is what a Receiver remembers of hooks: only what stays true. A hook's id is never another hook's, and a
// second that was full does not become empty.
type hookMemory struct {
	mu     sync.Mutex
	scopes map[string]tenant.Scope // by hook
	filled map[tenant.Scope]filledSecond
	seen   map[string]int64 // by hook, the second of the last refusal that was noted
}

type filledSecond struct {
	second int64
	err    error
}

// maxHooksKnown bounds each of the maps.
const maxHooksKnown = 1000

// remembered adds to a map of at most maxHooksKnown.
func remembered[K comparable, V any](in map[K]V, key K, v V) map[K]V {
	if in == nil || len(in) >= maxHooksKnown {
		in = map[K]V{}
	}
	in[key] = v
	return in
}

// scope is whose hook it is, where that is known.
func (m *hookMemory) scope(hook string) (tenant.Scope, bool) {
	m.mu.Lock()
	defer m.mu.Unlock()
	scope, ok := m.scopes[hook]
	return scope, ok
}

func (m *hookMemory) remember(h Hook) {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.scopes = remembered(m.scopes, h.ID, h.Scope)
}

func (m *hookMemory) forget(hook string) {
	m.mu.Lock()
	defer m.mu.Unlock()
	delete(m.scopes, hook)
}

// full is the error of a call in a second that is known to be full.
func (m *hookMemory) full(scope tenant.Scope, at time.Time) error {
	m.mu.Lock()
	defer m.mu.Unlock()
	if f, ok := m.filled[scope]; ok && f.second == at.Unix() {
		return f.err
	}
	return nil
}

func (m *hookMemory) fill(scope tenant.Scope, at time.Time, err error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.filled = remembered(m.filled, scope, filledSecond{at.Unix(), err})
}

// noted reports whether a refusal of the hook was noted in that second.
func (m *hookMemory) noted(h Hook, at time.Time) bool {
	m.mu.Lock()
	defer m.mu.Unlock()
	second, ok := m.seen[h.ID]
	return ok && second == at.Unix()
}

func (m *hookMemory) note(h Hook, at time.Time) {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.seen = remembered(m.seen, h.ID, at.Unix())
}
