package lambdahost

import (
	"sync"
	"time"

	"minicloud/infra/local/unkind"
)

// freeze stops the instance's process, as Lambda freezes an environment between invocations: work that a program left
// behind stands still, and its connections may be closed meanwhile. thaw lets it go on; it may be called again.
func (h *Host) freeze(i *instance) (thaw func()) {
	if !h.cfg.Unkind.On(unkind.Freeze) || len(i.work) > 0 {
		return func() {}
	}
	i.process.Pause()
	h.cfg.Unkind.Hit(unkind.Freeze)
	return sync.OnceFunc(i.process.Resume)
}

// per is what the numbers of unkind.Environments and unkind.Scaling are for: so many concurrent invocations, so long.
const (
	perConcurrency = 1000
	perTime        = 10 * time.Second
)

// refusesLocked reports whether Lambda has no further environment for a function: a function of tenants has a number
// of them, active or idle, and each function gets new ones at a limited rate.
func (h *Host) refusesLocked(f *function) bool {
	if limit := h.cfg.Unkind.Number(unkind.Environments); limit > 0 && f.PerTenant {
		if f.Reserved > 0 {
			limit = max(1, limit*f.Reserved/perConcurrency)
		}
		there := 0
		for _, i := range h.instances {
			if i.pool.function == f {
				there++
			}
		}
		if there >= limit {
			h.cfg.Unkind.Hit(unkind.Environments)
			return true
		}
	}

	if limit := h.cfg.Unkind.Number(unkind.Scaling); limit > 0 && !f.starts.take(limit, time.Now()) {
		h.cfg.Unkind.Hit(unkind.Scaling)
		return true
	}
	return false
}

// tokens are the new environments that a function may still get. Lambda refills them continuously and never gives more
// than those of one period.
type tokens struct {
	left float64
	at   time.Time
}

func (t *tokens) take(limit int, now time.Time) bool {
	most := float64(limit)
	if t.at.IsZero() {
		t.left = most
	} else {
		t.left = min(most, t.left+most*now.Sub(t.at).Seconds()/perTime.Seconds())
	}
	t.at = now
	if t.left < 1 {
		return false
	}
	t.left--
	return true
}

// The period in which a process may use its share of a processor, and how often its use is looked at.
const (
	sharePeriod = 20 * time.Millisecond
	shareLook   = 2 * time.Millisecond
)

// govern gives the process as much of a processor as its memory gets on Lambda: it stands still for the rest of each
// period in which it has used its share. That costs this machine a look at the process every 2 ms.
func (h *Host) govern(i *instance, inv *invocation) {
	whole := h.cfg.Unkind.Number(unkind.ProcessorShare)
	if whole == 0 || i.pool.function.MemoryMB >= whole {
		return
	}
	share := sharePeriod * time.Duration(i.pool.function.MemoryMB) / time.Duration(whole)
	go func() {
		looks := time.NewTicker(shareLook)
		defer looks.Stop()
		begun, used, paused := time.Now(), i.process.ProcessorTime(), false
		for i.running(inv.id) != nil {
			select {
			case <-i.process.Done():
				return
			case <-looks.C:
			}
			switch {
			case time.Since(begun) >= sharePeriod:
				// The kernel takes time used beyond the share from the following periods.
				owed := i.process.ProcessorTime() - used - share
				begun, used = time.Now(), i.process.ProcessorTime()-max(0, owed)
				if paused && owed < share {
					i.process.Resume()
					paused = false
				}
			case !paused && i.process.ProcessorTime()-used >= share:
				h.cfg.Unkind.Hit(unkind.ProcessorShare)
				i.process.Pause()
				paused = true
			}
		}
		if paused {
			i.process.Resume()
		}
	}()
}
