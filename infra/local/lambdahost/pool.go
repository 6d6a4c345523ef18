package lambdahost

import (
	"context"
	"slices"
	"time"
)

// pool holds the idle instances of one function and tenant, and the invocations that wait for an instance. Guarded by
// Host.mu.
type pool struct {
	function *function
	tenant   string
	idle     []*instance // longest idle first
	waiters  []chan acquired
	coming   int // number of instances that will soon ask for "next": starting or answered
}

// answeredFor is how long an instance that has responded counts as idle soon. It usually asks for "next" within a
// millisecond; on a busy machine it may wait for a core, but a new process would wait longer.
const answeredFor = time.Second

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

// acquire returns the idle instance used last. If none is idle, it starts one, unless enough instances for all waiting
// invocations are coming, and waits for the first instance that becomes idle.
func (h *Host) acquire(ctx context.Context, f *function, tenant string) (*instance, error) {
	h.mu.Lock()
	p := h.pool(f, tenant)
	if n := len(p.idle); n > 0 {
		// Reuse the instance used last, so that the others stay idle long enough to be swept.
		i := p.idle[n-1]
		p.idle = p.idle[:n-1]
		h.mu.Unlock()
		return i, nil
	}
	w := make(chan acquired, 1)
	p.waiters = append(p.waiters, w)
	h.startMissingLocked(p)
	h.mu.Unlock()

	select {
	case a := <-w:
		return a.instance, a.err
	case <-ctx.Done():
		h.abandon(p, w)
		return nil, ctx.Err()
	}
}

// abandon removes a waiter. An instance that was already delivered to it goes to the next waiter.
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

// give makes an instance available after it has asked for "next". It returns false if the instance has ended since.
func (h *Host) give(i *instance) bool {
	h.mu.Lock()
	defer h.mu.Unlock()
	return h.giveLocked(i)
}

func (h *Host) giveLocked(i *instance) bool {
	if h.instances[i.id] != i {
		return false
	}
	p := i.pool
	i.idleSince = time.Now()
	i.starting = false
	if len(p.waiters) > 0 {
		p.deliver(acquired{instance: i})
	} else {
		p.idle = append(p.idle, i)
	}
	h.settleLocked(i) // last: before the delivery, its waiter would seem to need a new instance
	return true
}

// markAnswered counts an instance as coming, because it will soon ask for "next". The count expires after answeredFor:
// after its response a program may do other work first, or hang, and invocations must not wait long for it.
func (h *Host) markAnswered(i *instance) {
	h.mu.Lock()
	defer h.mu.Unlock()
	if i.coming || h.instances[i.id] != i {
		return
	}
	i.coming = true
	i.pool.coming++
	i.overdue = time.AfterFunc(h.answeredFor, func() {
		h.mu.Lock()
		defer h.mu.Unlock()
		h.settleLocked(i)
	})
}

// settleLocked stops counting an instance as coming: it is idle, dead or overdue. Invocations that waited for it may
// need another instance.
func (h *Host) settleLocked(i *instance) {
	if !i.coming {
		return
	}
	i.coming = false
	i.pool.coming--
	if i.overdue != nil {
		i.overdue.Stop()
	}
	h.startMissingLocked(i.pool)
	h.retryCrowdedLocked()
}

// deliver sends a to the invocation that has waited longest.
func (p *pool) deliver(a acquired) {
	if len(p.waiters) == 0 {
		return
	}
	w := p.waiters[0]
	p.waiters = p.waiters[1:]
	w <- a
}

// startMissingLocked starts an instance if more invocations wait than instances are coming.
func (h *Host) startMissingLocked(p *pool) {
	if len(p.waiters) > p.coming {
		go h.startFor(p)
	}
}

// startFor starts one instance, unless all waiting invocations are served or have an instance coming.
func (h *Host) startFor(p *pool) {
	h.starts <- struct{}{}
	defer func() { <-h.starts }()
	i := h.makeRoom(p)
	if i == nil {
		return
	}

	err := h.start(i)
	if err == nil {
		err = i.awaitFirstNext()
	}
	if err == nil {
		return
	}
	h.mu.Lock()
	defer h.mu.Unlock()
	if i.starting { // otherwise it had started and ended after that
		p.deliver(acquired{err: err})
		i.starting = false
		h.settleLocked(i)
		h.dropPoolLocked(p)
	}
}

// makeRoom returns an instance to start for the oldest waiter of the pool, or nil if none is needed or possible.
func (h *Host) makeRoom(p *pool) *instance {
	h.mu.Lock()
	defer h.mu.Unlock()
	if len(p.waiters) <= p.coming {
		return nil
	}
	if h.closing.Err() != nil {
		p.deliver(acquired{err: tooMany("LocalCloudStopping")})
		return nil
	}
	if h.refusesLocked(p.function) {
		p.deliver(acquired{err: tooMany("ConcurrentInvocationLimitExceeded")})
		return nil
	}
	if len(h.instances) >= h.cfg.Max && !h.evictLocked() {
		if h.anyAnsweredLocked() { // capacity becomes free soon
			h.crowded = append(h.crowded, p)
		} else {
			p.deliver(acquired{err: tooMany("ConcurrentInvocationLimitExceeded")})
		}
		return nil
	}

	i := newInstance(p)
	// Register the instance before its process exists: the process may ask for "next" at once, and counts from now.
	h.instances[i.id] = i
	i.starting, i.coming = true, true
	p.coming++
	return i
}

func (h *Host) anyAnsweredLocked() bool {
	for _, i := range h.instances {
		if i.coming && !i.starting {
			return true
		}
	}
	return false
}

// retryCrowdedLocked retries the pools that found no capacity.
func (h *Host) retryCrowdedLocked() {
	for _, p := range h.crowded {
		h.startMissingLocked(p)
	}
	h.crowded = nil
}

// evictLocked ends the instance that has been idle longest, to free capacity. It returns false if none is idle.
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

// dropLocked removes an instance, and its pool once the pool is empty, because tenants come and go.
func (h *Host) dropLocked(i *instance) {
	delete(h.instances, i.id)
	if !i.starting { // otherwise startFor reports why it did not start
		h.settleLocked(i)
	}
	p := i.pool
	if at := slices.Index(p.idle, i); at >= 0 {
		p.idle = slices.Delete(p.idle, at, at+1)
	}
	h.dropPoolLocked(p)
}

func (h *Host) dropPoolLocked(p *pool) {
	key := poolKey{p.function.Name, p.tenant}
	if len(p.idle) == 0 && len(p.waiters) == 0 && p.coming == 0 && h.pools[key] == p && !h.usedLocked(p) {
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

// sweep ends instances that have been idle for Config.IdleFor.
func (h *Host) sweep() {
	for {
		select {
		case <-h.closing.Done():
			return
		case <-time.After(min(sweepEvery, h.cfg.IdleFor)):
		}

		h.mu.Lock()
		for _, p := range h.pools {
			for _, i := range slices.Clone(p.idle) { // dropLocked modifies it
				if time.Since(i.idleSince) > h.cfg.IdleFor {
					h.dropLocked(i)
					i.process.Kill()
				}
			}
		}

		h.mu.Unlock()
	}
}
