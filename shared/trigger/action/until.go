package action

import (
	"sync"
	"time"
)

// Until is a set whose keys each stay until a time: what one instance has found out about receivers and rows.
//
// The zero value is ready.
type Until[K comparable] struct {
	mu  sync.Mutex
	all map[K]time.Time
}

// maxUntil bounds what an instance remembers; what is forgotten is found out again.
const maxUntil = 10000

// Set keeps a key until a time.
func (u *Until[K]) Set(key K, until time.Time) {
	u.mu.Lock()
	defer u.mu.Unlock()
	if u.all == nil || len(u.all) >= maxUntil {
		u.all = map[K]time.Time{}
	}
	u.all[key] = until
}

// Has reports whether a key is in the set at a time.
func (u *Until[K]) Has(key K, at time.Time) bool {
	u.mu.Lock()
	defer u.mu.Unlock()
	return at.Before(u.all[key])
}
