package job

import "sync"

// maxCached bounds what a process that serves many applications keeps.
const maxCached = 1000

// cache keeps values for a process. When it is full it starts again.
type cache[K comparable, V any] struct {
	mu    sync.Mutex
	known map[K]V
}

// get returns what is kept, the zero value where nothing is.
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
