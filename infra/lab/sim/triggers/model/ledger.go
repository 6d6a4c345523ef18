package model

import (
	"fmt"
	"slices"
	"time"

	"minicloud/infra/lab/promise"
	"minicloud/shared/trigger"
)

// MaxDepth is the depth of an event that fires nothing (G19).
const MaxDepth = 8

// Occurrence is an event as its source knows it.
type Occurrence struct {
	Tenant *Tenant
	Index  string // equal to that of the model triggers for it
	Event  string // names it in its runs: see run.event
	Key    string // those of one key have an order
	At     time.Time
	Seen   time.Time // when its writer saw which triggers there are
	Depth  int
	Before map[string]any
	After  map[string]any
	Need   promise.Need   // May = nobody knows whether it happened
	Data   map[string]any // what its payload must say
}

// fillWatches notes all occurrences with the triggers that hear them.
func (g *Ledger) fillWatches() {
	for _, h := range g.Occurrences {
		for _, w := range h.Tenant.Triggers {
			w.watch.Actions = len(w.Actions)
			if seen, held := w.hears(h); seen {
				w.watch.Saw(h.Event, held, min(h.Need, w.needAt(h.Seen)))
			}
		}
	}
}

// checkLedger compares the runs with the expectation: every run exactly once, and no other.
func (g *Ledger) checkLedger(runs []Run) {
	happened, logs := map[string]Occurrence{}, map[*Trigger][]promise.Run{}
	for _, h := range g.Occurrences {
		happened[h.Tenant.Scope.String()+h.Event] = h
	}
	for _, r := range runs {
		if r.does == nil {
			g.Problem("ledger: there must be no %s", r)
			continue
		}
		if h, known := happened[r.Scope+r.event()]; known {
			g.checkEntry(r, h)
		}
		logs[r.of] = append(logs[r.of], promise.Run{Action: int64(r.action), Event: r.event(), Mark: r.event()})
	}

	for _, t := range g.Tenants {
		for _, w := range t.Triggers {
			for _, trouble := range w.watch.Judge(logs[w]).Troubles {
				g.Problem("ledger: trigger %d of %s: %s", w.ID, t.Scope, trouble)
			}
		}
	}
	g.checkFrequency(runs)
}

// checkEntry compares one run with its event.
func (g *Ledger) checkEntry(r Run, h Occurrence) {
	switch {
	case h.Depth >= MaxDepth && r.Why != "loop_detected":
		g.Problem("ledger: %s is of depth %d and was not stopped", r, h.Depth)
	case h.Depth < MaxDepth && r.skipped() && !r.maySkip():
		g.Problem("ledger: %s was skipped", r)
	case r.depth() != h.Depth:
		g.Problem("ledger: %s has depth %d, want %d", r, r.depth(), h.Depth)
	}
	for name, want := range h.Data {
		if got := r.payload(name); got != fmt.Sprint(want) {
			g.Problem("ledger: %s says %s is %v, want %v", r, name, got, want)
		}
	}
}

// maySkip reports whether a skipped run has a reason.
func (r Run) maySkip() bool {
	switch r.Why {
	case "frequency":
		return r.does.Mode != trigger.Repeatable
	case "debounced":
		return r.does.flow.DebounceSeconds > 0
	case "batched":
		return r.does.flow.Batch != nil && r.joined != ""
	case "disabled":
		return r.does.Variant == "quits" || !r.of.Off.Began.IsZero()
	}
	return false
}

// checkFrequency checks actions with a frequency: of "once" one event ran, of "intermittent" the runs are far enough
// apart, and each skipped run has another run near it.
func (g *Ledger) checkFrequency(runs []Run) {
	fired, skipped := map[*Action][]time.Time{}, map[*Action][]time.Time{}
	for _, r := range runs {
		switch {
		case r.does == nil || r.depth() >= MaxDepth:
		case r.Why == "frequency":
			skipped[r.does] = append(skipped[r.does], r.At)
		default:
			fired[r.does] = append(fired[r.does], r.At)
		}
	}

	for _, t := range g.Tenants {
		for _, w := range t.Triggers {
			for i := range w.Actions {
				a := &w.Actions[i]
				g.checkTurns(fmt.Sprintf("action %d of trigger %d of %s", a.ID, w.ID, t.Scope), a, fired[a], skipped[a])
			}
		}
	}
}

func (g *Ledger) checkTurns(what string, a *Action, fired, skipped []time.Time) {
	if a.Mode == trigger.Once && (len(fired) > 1 || len(fired) == 0 && len(skipped) > 0) {
		g.Problem("frequency: %s ran %d times and was skipped %d times, want once", what, len(fired), len(skipped))
	}
	if a.Mode != trigger.Intermittent {
		return
	}

	if n := promise.Crowded(fired, 1, a.interval); n > 0 {
		g.Problem("frequency: %s ran again within %v, %d times", what, a.interval, n)
	}
	for _, at := range skipped {
		// An event that comes late finds that a newer one had the turn.
		if !slices.ContainsFunc(fired, func(f time.Time) bool { return at.Sub(f) < a.interval }) {
			g.Problem("frequency: %s was skipped at %v for no other", what, at)
		}
	}
}
