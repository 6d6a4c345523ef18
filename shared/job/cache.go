package job

import "sync"

// maxCached bounds what a process that serves many applications keeps.
const maxCached = 1000

// cache keeps values for the life of a process. A full cache is emptied.
type cache[K comparable, V any] struct {
	mu    sync.Mutex
	known map[K]V
}

// get returns the cached value, the zero value for an unknown key.
func (c *cache[K, V]) get(key K) V {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.known[key]
}

func (c *cache[K, V]) put(key K, value V, most int) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.known == nil || len(c.known) >= most {
		c.known = make(map[K]V)
	}
	c.known[key] = value
}
