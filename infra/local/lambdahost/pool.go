package lambdahost

import (
	"context"
	"slices"
	"time"
)

// pool holds the instances of one function and tenant that wait for work, and
// the invocations that wait for an instance. Guarded by Host.mu.
type pool struct {
	function *function
	tenant   string
	idle     []*instance // longest idle first
	waiters  []chan acquired
	starting int
	answered int // instances that have answered and not yet asked for more
}

// almostIdle is how long an invocation waits for an instance that has already
// answered, before it has another started.
const almostIdle = 3 * time.Millisecond

type acquired struct {
	instance *instance
	err      error
}

func (h *Host) pool(f *function, tenant string) *pool {
	key := poolKey{f.Name, tenant}
	p := h.pools[key]
	if p == nil {
		p = &pool{function: f, tenant: tenant}
		h.pools[key] = p
	}
	return p
}

// acquire returns an instance that waits for work, the one used last if there
// are several. If there is none it starts one, and takes whichever is free
// first.
func (h *Host) acquire(ctx context.Context, f *function, tenant string) (*instance, error) {
	h.mu.Lock()
	p := h.pool(f, tenant)
	if n := len(p.idle); n > 0 {
		i := p.idle[n-1]
		p.idle = p.idle[:n-1]
		h.mu.Unlock()
		return i, nil
	}
	w := make(chan acquired, 1)
	p.waiters = append(p.waiters, w)
	soon := p.answered > 0
	h.mu.Unlock()
	go func() {
		if soon {
			time.Sleep(almostIdle)
		}
		h.startFor(p)
	}()
	select {
	case a := <-w:
		return a.instance, a.err
	case <-ctx.Done():
		h.abandon(p, w)
		return nil, ctx.Err()
	}
}

// abandon takes back a wait. What was delivered meanwhile goes to the next.
func (h *Host) abandon(p *pool, w chan acquired) {
	h.mu.Lock()
	defer h.mu.Unlock()
	if at := slices.Index(p.waiters, w); at >= 0 {
		p.waiters = slices.Delete(p.waiters, at, at+1)
		return
	}
	if a := <-w; a.instance != nil {
		h.giveLocked(a.instance)
	}
}

// give makes an instance available that has asked for work.
func (h *Host) give(i *instance) {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.giveLocked(i)
}

func (h *Host) giveLocked(i *instance) {
	p := i.pool
	i.idleSince = time.Now()
	h.settleLocked(i)
	if len(p.waiters) > 0 {
		p.deliver(acquired{instance: i})
		return
	}
	p.idle = append(p.idle, i)
}

// markAnswered notes that an instance will ask for work any moment.
func (h *Host) markAnswered(i *instance) {
	h.mu.Lock()
	defer h.mu.Unlock()
	if !i.answered && h.instances[i.id] == i {
		i.answered = true
		i.pool.answered++
	}
}

func (h *Host) settleLocked(i *instance) {
	if i.answered {
		i.answered = false
		i.pool.answered--
	}
}

// deliver serves the invocation that has waited longest.
func (p *pool) deliver(a acquired) {
	if len(p.waiters) == 0 {
		return
	}
	w := p.waiters[0]
	p.waiters = p.waiters[1:]
	w <- a
}

// startFor starts one instance, unless all who wait are already served or have
// one starting for them.
func (h *Host) startFor(p *pool) {
	h.starts <- struct{}{}
	defer func() { <-h.starts }()
	h.mu.Lock()
	if len(p.waiters) <= p.starting {
		h.mu.Unlock()
		return
	}
	if h.closing.Err() != nil {
		p.deliver(acquired{err: tooMany("LocalCloudStopping")})
		h.mu.Unlock()
		return
	}
	if len(h.instances) >= h.cfg.Max && !h.evictLocked() {
		p.deliver(acquired{err: tooMany("ConcurrentInvocationLimitExceeded")})
		h.mu.Unlock()
		return
	}
	i := newInstance(p)
	// Before its process exists: it may ask for work at once, and counts from now.
	h.instances[i.id] = i
	p.starting++
	h.mu.Unlock()

	err := h.start(i)
	if err == nil {
		err = i.awaitFirstNext()
	}
	h.mu.Lock()
	defer h.mu.Unlock()
	p.starting--
	if err != nil {
		p.deliver(acquired{err: err})
	}
}

// evictLocked ends the instance that has been idle longest, to make room.
func (h *Host) evictLocked() bool {
	var oldest *instance
	for _, p := range h.pools {
		if len(p.idle) > 0 && (oldest == nil || p.idle[0].idleSince.Before(oldest.idleSince)) {
			oldest = p.idle[0]
		}
	}
	if oldest == nil {
		return false
	}
	h.dropLocked(oldest)
	oldest.process.Kill()
	return true
}

// dropLocked forgets an instance. A pool that has nothing left is forgotten
// too: tenants come and go.
func (h *Host) dropLocked(i *instance) {
	delete(h.instances, i.id)
	h.settleLocked(i)
	p := i.pool
	if at := slices.Index(p.idle, i); at >= 0 {
		p.idle = slices.Delete(p.idle, at, at+1)
	}
	key := poolKey{p.function.Name, p.tenant}
	if len(p.idle) == 0 && len(p.waiters) == 0 && p.starting == 0 && h.pools[key] == p && !h.usedLocked(p) {
		delete(h.pools, key)
	}
}

func (h *Host) usedLocked(p *pool) bool {
	for _, i := range h.instances {
		if i.pool == p {
			return true
		}
	}
	return false
}

// sweep ends instances that were not used for a while.
func (h *Host) sweep() {
	for {
		select {
		case <-h.closing.Done():
			return
		case <-time.After(min(sweepEvery, h.cfg.IdleFor)):
		}
		h.mu.Lock()
		var old []*instance
		for _, p := range h.pools {
			for _, i := range p.idle {
				if time.Since(i.idleSince) > h.cfg.IdleFor {
					old = append(old, i)
				}
			}
		}
		for _, i := range old {
			h.dropLocked(i)
			i.process.Kill()
		}
		h.mu.Unlock()
	}
}
