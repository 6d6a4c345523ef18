package promise

import (
	"math"
	"slices"
	"time"
)

// Arrival is something that has a place in an order, at the moment when it begins.
type Arrival struct {
	Place int64
	Ended bool // before the next one begins; of a webhook: its receiver took it
}

// Disordered counts those that came before the one in front of them had ended, in the order in which they came. The
// same one may come again.
func Disordered(all ...Arrival) (n int) {
	newest, ended := int64(math.MinInt64), true
	for _, a := range all {
		if a.Place < newest || a.Place > newest && !ended {
			n++
		}
		if a.Place > newest {
			newest, ended = a.Place, false
		}
		if a.Place == newest {
			ended = ended || a.Ended
		}
	}
	return n
}

// Crowded counts times that were too many: more than most of them within a period. Of windows that follow each other
// two may meet, so a limit of n a period is 2n within any.
func Crowded(all []time.Time, most int, period time.Duration) (n int) {
	sorted := slices.SortedFunc(slices.Values(all), time.Time.Compare)
	for i := most; i < len(sorted); i++ {
		if sorted[i].Sub(sorted[i-most]) < period {
			n++
		}
	}
	return n
}
