// Package cache keeps a bounded number of values for the life of a process.
package cache

import (
	"cmp"
	"sync"
)

// DefaultLimit is the maximum number of entries of a Map whose Limit was not called.
const DefaultLimit = 1000

// Map is a map with a lock and a maximum number of entries. A new key empties a full Map: entries are cheap to load
// again, and a process rarely has so many. The zero value is ready.
type Map[K comparable, V any] struct {
	mu      sync.Mutex
	limit   int // 0 = DefaultLimit
	entries map[K]V
}

// Limit sets the maximum number of entries, for large values. It returns m.
func (m *Map[K, V]) Limit(entries int) *Map[K, V] {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.limit = entries
	return m
}

// Get returns the value of a key; ok is false for an unknown key.
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

// Update replaces the value of a key, the zero value for an unknown key. change runs under the lock.
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

// Load returns the value of a key if it is fresh, otherwise it loads and keeps the value; nil says that every value is
// fresh. Concurrent callers may load the same key. Errors are not kept.
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
