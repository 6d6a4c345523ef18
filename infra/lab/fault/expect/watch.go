package expect

import (
	"fmt"
	"maps"
	"slices"
	"sync"
)

// Watch is what one trigger must have made of the events that it saw. Events are told apart by a mark, which their
// runs carry; several may have the same.
type Watch struct {
	Actions int
	// Counted is a trigger whose events' marks nobody knows: each mark is there once, and there are as many as events.
	Counted bool

	mu     sync.Mutex
	sure   int // events that have happened
	marks  map[string]*span
	passed map[string][2]bool // by mark: an event did not hold, one did
}

// span is how often something happened.
type span struct{ atLeast, atMost int }

// Run is an entry of the log.
type Run struct {
	Action int64
	Event  string // its id
	Mark   string
}

// Seen is an entry of the evaluations.
type Seen struct {
	Mark string
	Held bool
}

// Saw notes an event that the trigger saw, or may have seen.
func (w *Watch) Saw(mark string, held, sure bool) {
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.marks == nil {
		w.marks, w.passed = map[string]*span{}, map[string][2]bool{}
	}
	if sure {
		w.sure++
	}

	passed := w.passed[mark]
	passed[0], passed[1] = passed[0] || !held, passed[1] || held
	w.passed[mark] = passed
	if !held {
		return
	}

	s := w.marks[mark]
	if s == nil {
		s = &span{}
		w.marks[mark] = s
	}
	s.atMost++
	if sure {
		s.atLeast++
	}
}

// Verdict is what runs come to, held against what was expected.
type Verdict struct {
	Expected, Found int // runs; expected are those that must be there
	Lost, Doubled   int
	Troubles        []string
}

func (v *Verdict) trouble(number *int, n int, format string, a ...any) {
	if n > 0 {
		*number += n
		v.Troubles = append(v.Troubles, fmt.Sprintf(format, a...))
	}
}

// Judge holds the runs in the log against what was expected.
func (w *Watch) Judge(runs []Run) Verdict {
	w.mu.Lock()
	defer w.mu.Unlock()
	v := Verdict{Found: len(runs)}

	type once struct {
		action int64
		event  string
	}
	times, found := map[once]int{}, map[string]int{}
	for _, r := range runs {
		times[once{r.Action, r.Event}]++
		if n := times[once{r.Action, r.Event}]; n > 1 {
			v.trouble(&v.Doubled, 1, "event %s of %q ran action %d %d times", r.Event, r.Mark, r.Action, n)
			continue
		}
		found[r.Mark]++
	}

	if w.Counted {
		w.count(&v, found)
		return v
	}
	for mark := range found {
		if w.marks[mark] == nil {
			v.trouble(&v.Doubled, found[mark], "%q ran %d times and should not", mark, found[mark])
		}
	}
	for _, mark := range slices.Sorted(maps.Keys(w.marks)) {
		least, most := w.Actions*w.marks[mark].atLeast, w.Actions*w.marks[mark].atMost
		v.Expected += least
		v.trouble(&v.Lost, least-found[mark], "%q ran %d of %d times", mark, found[mark], least)
		v.trouble(&v.Doubled, found[mark]-most, "%q ran %d times, not %d", mark, found[mark], most)
	}
	return v
}

// count judges runs whose marks nobody knows.
func (w *Watch) count(v *Verdict, found map[string]int) {
	all := span{}
	for _, s := range w.marks {
		all.atLeast, all.atMost = all.atLeast+s.atLeast, all.atMost+s.atMost
	}
	for mark, n := range found {
		v.trouble(&v.Lost, w.Actions-n, "%q ran %d of %d times", mark, n, w.Actions)
		v.trouble(&v.Doubled, n-w.Actions, "%q ran %d times, not %d", mark, n, w.Actions)
	}

	v.Expected = w.Actions * all.atLeast
	v.trouble(&v.Lost, w.Actions*(all.atLeast-len(found)), "%d of %d events ran", len(found), all.atLeast)
	v.trouble(&v.Doubled, w.Actions*(len(found)-all.atMost), "%d events ran, not %d", len(found), all.atMost)
}

// Evaluations holds what the trigger says it saw, of which it keeps the last ones, against what it did see.
func (w *Watch) Evaluations(seen []Seen, kept int) Verdict {
	w.mu.Lock()
	defer w.mu.Unlock()
	v := Verdict{Expected: min(kept, w.sure), Found: len(seen)}
	v.trouble(&v.Lost, v.Expected-v.Found, "shows %d of %d evaluations", v.Found, v.Expected)
	for _, s := range seen {
		passed, known := w.passed[s.Mark]
		if w.Counted {
			passed, known = w.passed[""], true
		}

		may := passed[0]
		if s.Held {
			may = passed[1]
		}
		if !known || !may {
			v.trouble(&v.Doubled, 1, "says of %q that it held: %v", s.Mark, s.Held)
		}
	}
	return v
}
