package sim

import (
	"hash/fnv"
	"math/rand/v2"
	"time"
)

// Chances are the random decisions of one goroutine. Each has its own: were they shared, what happens would depend on
// who draws first, and the operating system may stop a thread at any time.
type Chances struct{ *rand.Rand }

// Chances returns those of that name: the same for the same seed.
func (w *World) Chances(name string) Chances {
	h := fnv.New64a()
	_, _ = h.Write([]byte(name))
	return Chances{rand.New(rand.NewPCG(w.seed, h.Sum64()))}
}

// Of reports true per times in a thousand.
func (c Chances) Of(per int) bool { return c.IntN(1000) < per }

// Apart is about d: two timers that end at the same instant would wake their goroutines in any order.
func (c Chances) Apart(d time.Duration) time.Duration {
	return d + time.Duration(1+c.IntN(999_999))
}

// Chance reports true per times in a thousand. It is for the one goroutine that plays a scenario, as Intn and Apart.
func (w *World) Chance(per int) bool { return w.Intn(1000) < per }

// Intn is a random number below n.
func (w *World) Intn(n int) int {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.scenario.IntN(n)
}

// Apart is Chances.Apart.
func (w *World) Apart(d time.Duration) time.Duration { return d + time.Duration(1+w.Intn(999_999)) }

// jitter is retry.Jitter.
func (w *World) jitter(n int64) int64 {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.delays.Int64N(n)
}
