package dynamo

import "sync"

// codeCache keeps code in chunks between runs. What a version brought never
// changes, so nothing in it is ever stale. The zero value is ready.
type codeCache struct {
	mu    sync.Mutex
	bytes int
	code  map[string][]byte
}

// maxCodeCache is in compressed bytes: a few dozen large functions.
const maxCodeCache = 16 << 20

func (c *codeCache) get(key string) []byte {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.code[key]
}

func (c *codeCache) put(key string, code []byte) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.code == nil || c.bytes+len(code) > maxCodeCache {
		c.code, c.bytes = make(map[string][]byte), 0
	}
	if _, known := c.code[key]; !known {
		c.code[key] = code
		c.bytes += len(code)
	}
}
