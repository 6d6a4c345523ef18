package sim

import (
	"hash/fnv"
	"math/rand/v2"
	"time"
)

// Random is the random source of one goroutine. Each goroutine has its own: a shared source would make a seed depend on
// the order in which threads draw from it.
type Random struct{ *rand.Rand }

// Random returns the source of that name, which follows from the seed.
func (w *World) Random(name string) Random {
	h := fnv.New64a()
	_, _ = h.Write([]byte(name))
	return Random{rand.New(rand.NewPCG(w.seed, h.Sum64()))}
}

// Permille reports true per times in a thousand.
func (c Random) Permille(per int) bool { return c.IntN(1000) < per }

// Jitter adds less than a millisecond to d: two timers that end at the same instant would wake their goroutines in any
// order.
func (c Random) Jitter(d time.Duration) time.Duration {
	return d + time.Duration(1+c.IntN(999_999))
}
