package functiondb

import (
	lru "container/list"
	"sync"
)

// codeCache keeps code between requests, by scope and digest, so nothing in it is
// ever stale. What was used longest ago goes first. The zero value is ready.
type codeCache struct {
	mu     sync.Mutex
	bytes  int
	byKey  map[string]*lru.Element
	recent lru.List // of cachedCode, the last used first
}

type cachedCode struct {
	key  string
	code []byte
}

// maxCodeCache is in compressed bytes: thousands of small functions, or a few dozen
// large ones.
const maxCodeCache = 16 << 20

// get returns nil for what is not there. The code must not be changed.
func (c *codeCache) get(key string) []byte {
	c.mu.Lock()
	defer c.mu.Unlock()

	at, known := c.byKey[key]
	if !known {
		return nil
	}
	c.recent.MoveToFront(at)
	return at.Value.(cachedCode).code
}

func (c *codeCache) put(key string, code []byte) {
	c.mu.Lock()
	defer c.mu.Unlock()

	if c.byKey == nil {
		c.byKey = map[string]*lru.Element{}
	}
	if _, known := c.byKey[key]; known {
		return
	}
	c.byKey[key] = c.recent.PushFront(cachedCode{key, code})
	c.bytes += len(code)

	for c.bytes > maxCodeCache && c.recent.Len() > 1 {
		oldest := c.recent.Remove(c.recent.Back()).(cachedCode)
		delete(c.byKey, oldest.key)
		c.bytes -= len(oldest.code)
	}
}
