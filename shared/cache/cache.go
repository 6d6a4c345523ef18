// Package cache stores a bounded number of values in memory for the life of a process.
package cache

import (
	"cmp"
	"sync"
)

// DefaultLimit is the maximum number of entries of a Map unless Limit sets another.
const DefaultLimit = 1000

// Map is a map with a mutex and a maximum number of entries. Adding a key to a full Map removes all entries first:
// they are cheap to load again, and a process rarely has that many. The zero value is ready to use.
type Map[K comparable, V any] struct {
	mu      sync.Mutex
	limit   int // 0 = DefaultLimit
	entries map[K]V
	size    int // sum of the sizes given to PutSized
}

// Limit sets the maximum number of entries; use it when values are large. It returns m.
func (m *Map[K, V]) Limit(entries int) *Map[K, V] {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.limit = entries
	return m
}

// Get returns the value of a key; ok is false if the key is missing.
func (m *Map[K, V]) Get(key K) (value V, ok bool) {
	m.mu.Lock()
	defer m.mu.Unlock()
	value, ok = m.entries[key]
	return value, ok
}

// Put sets the value of a key.
func (m *Map[K, V]) Put(key K, value V) {
	m.Update(key, func(V) V { return value })
}

// PutSized is Put for a Map that limits the sum of the sizes of its values instead of their number.
func (m *Map[K, V]) PutSized(key K, value V, size, limit int) {
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.size += size; m.entries == nil || m.size > limit {
		m.entries, m.size = make(map[K]V), size
	}
	m.entries[key] = value
}

// Update replaces the value of a key by change(value), where a missing key has the zero value. change runs under the
// lock.
func (m *Map[K, V]) Update(key K, change func(V) V) {
	m.mu.Lock()
	defer m.mu.Unlock()
	old, known := m.entries[key]
	if m.entries == nil || !known && len(m.entries) >= cmp.Or(m.limit, DefaultLimit) {
		m.entries = make(map[K]V)
	}
	m.entries[key] = change(old)
}

// Delete removes a key.
func (m *Map[K, V]) Delete(key K) {
	m.mu.Lock()
	defer m.mu.Unlock()
	delete(m.entries, key)
}

// Load returns the cached value of a key if fresh accepts it; otherwise it calls load and stores the value. A nil
// fresh accepts every value. Concurrent callers may load the same key. Errors are not cached.
func (m *Map[K, V]) Load(key K, fresh func(V) bool, load func() (V, error)) (V, error) {
	if value, ok := m.Get(key); ok && (fresh == nil || fresh(value)) {
		return value, nil
	}
	value, err := load()
	if err == nil {
		m.Put(key, value)
	}
	return value, err
}
