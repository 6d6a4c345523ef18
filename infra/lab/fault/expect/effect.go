package expect

import (
	"fmt"
	"maps"
	"slices"
	"sync"
	"time"
)

// Effects is what actions must have done: what was asked for, by its mark, once each.
type Effects struct {
	mu    sync.Mutex
	asked map[string]bool // whether it must have happened, or may have
}

// Ask notes that something was asked for, or, where that is not sure, may have been.
func (e *Effects) Ask(mark string, sure bool) {
	e.mu.Lock()
	defer e.mu.Unlock()
	if e.asked == nil {
		e.asked = map[string]bool{}
	}
	e.asked[mark] = sure
}

// Done is what was found, by mark.
type Done struct {
	Times map[string]int
	// Interrupted are those of which the platform says that nobody knows, and may say so.
	Interrupted map[string]bool
	Why         map[string]string // what the log says of one, for who reads the troubles
}

// Tally is what effects come to.
type Tally struct {
	Expected, Happened int // Expected are those that must have happened
	Lost, Doubled      int // must be zero
	Disordered         int // must be zero: out of their order, or more at once than may be
	Interrupted        int
	Troubles           []string
}

// Trouble adds to one of the numbers that must be zero.
func (t *Tally) Trouble(number *int, n int, format string, a ...any) {
	if n > 0 {
		*number += n
		t.Troubles = append(t.Troubles, fmt.Sprintf(format, a...))
	}
}

// Add adds another tally.
func (t *Tally) Add(more Tally) {
	t.Expected, t.Happened = t.Expected+more.Expected, t.Happened+more.Happened
	t.Lost, t.Doubled, t.Disordered = t.Lost+more.Lost, t.Doubled+more.Doubled, t.Disordered+more.Disordered
	t.Interrupted += more.Interrupted
	t.Troubles = append(t.Troubles, more.Troubles...)
}

// Judge holds what was found against what was asked for.
func (e *Effects) Judge(found Done) (t Tally) {
	e.mu.Lock()
	defer e.mu.Unlock()
	for _, mark := range slices.Sorted(maps.Keys(e.asked)) {
		times := found.Times[mark]
		if e.asked[mark] {
			t.Expected++
		}
		if times > 0 {
			t.Happened++
		}

		switch {
		case found.Interrupted[mark]:
			t.Interrupted++
		case times == 0 && e.asked[mark]:
			t.Trouble(&t.Lost, 1, "%q has not happened: %s", mark, found.Why[mark])
		}
		t.Trouble(&t.Doubled, times-1, "%q has happened %d times: %s", mark, times, found.Why[mark])
	}

	for _, mark := range slices.Sorted(maps.Keys(found.Times)) {
		if _, asked := e.asked[mark]; !asked {
			t.Trouble(&t.Doubled, found.Times[mark], "%q has happened and nobody asked for it", mark)
		}
	}
	return t
}

// Arrival is a message about a row at its receiver.
type Arrival struct {
	Version int
	Taken   bool // the receiver said that it has it
}

// Disordered counts those that came before the one in front of them was taken, in the order in which they came. The
// same one may come again.
func Disordered(all []Arrival) (n int) {
	newest, taken := 0, true
	for _, a := range all {
		if a.Version < newest || a.Version > newest && !taken {
			n++
		}
		if a.Version > newest {
			newest, taken = a.Version, false
		}
		if a.Version == newest {
			taken = taken || a.Taken
		}
	}
	return n
}

// Crowded counts beginnings that were too many: windows of a period hold count of them and follow each other, so
// within any period there are twice as many at most.
func Crowded(begun []time.Time, count int, period time.Duration) (n int) {
	sorted := slices.SortedFunc(slices.Values(begun), time.Time.Compare)
	for i := 2 * count; i < len(sorted); i++ {
		if sorted[i].Sub(sorted[i-2*count]) < period {
			n++
		}
	}
	return n
}

// Asked are the marks that were, or may have been, asked for.
func (e *Effects) Asked() []string {
	e.mu.Lock()
	defer e.mu.Unlock()
	return slices.Sorted(maps.Keys(e.asked))
}
