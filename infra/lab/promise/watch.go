package promise

import "sync"

// Watch is what one trigger must have made of the events that it saw. Events are told apart by a mark, which their
// runs carry; several may have the same.
type Watch struct {
	Actions int
	// Counted is a trigger whose events' marks nobody knows: each mark is there once, and there are as many as events.
	Counted bool

	runs   Ledger
	mu     sync.Mutex
	sure   int                // events that have happened
	passed map[string][2]bool // by mark: an event did not hold, one did
}

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

// Saw notes an event that the trigger saw, or may have seen, or must not run for.
func (w *Watch) Saw(mark string, held bool, need Need) {
	if held {
		w.runs.Add(mark, need, w.Actions)
	}

	w.mu.Lock()
	defer w.mu.Unlock()
	if need == Must {
		w.sure++
	}
	if w.passed == nil {
		w.passed = map[string][2]bool{}
	}
	passed := w.passed[mark]
	w.passed[mark] = [2]bool{passed[0] || !held, passed[1] || held}
}

// Judge holds the runs in the log against what was expected.
func (w *Watch) Judge(runs []Run) (t Tally) {
	type once struct {
		action int64
		event  string
	}
	times, found := map[once]int{}, map[string]int{}
	for _, r := range runs {
		of := once{r.Action, r.Event}
		if times[of]++; times[of] == 1 {
			found[r.Mark]++
			continue
		}
		t.Trouble(&t.Doubled, 1, "event %s of %q ran action %d %d times", r.Event, r.Mark, r.Action, times[of])
	}

	if w.Counted { // each mark like any other, and as many marks as events
		var each Ledger
		for mark := range found {
			each.Add(mark, Must, w.Actions)
		}
		t.Add(each.Judge(Found{Times: found}))
		t.Expected, found = 0, map[string]int{"": w.Actions * len(found)}
	}
	t.Add(w.runs.Judge(Found{Times: found}))
	t.Happened = len(runs)
	return t
}

// Evaluations holds what the trigger says that it saw against what it did see. Of the last ones it must show as many
// as it keeps, but for those of which the platform says in its log that it could not store them.
func (w *Watch) Evaluations(seen []Seen, kept, lost int) (t Tally) {
	w.mu.Lock()
	defer w.mu.Unlock()
	t.Expected, t.Happened = min(kept, max(0, w.sure-lost)), len(seen)
	t.Trouble(&t.Lost, t.Expected-t.Happened, "shows %d of %d evaluations", t.Happened, t.Expected)
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
			t.Trouble(&t.Doubled, 1, "says of %q that it held: %v", s.Mark, s.Held)
		}
	}
	return t
}
