package play

import (
	"fmt"
	"slices"
	"time"

	"minicloud/infra/lab/promise"
	"minicloud/shared/trigger"
)

// maxDepth is the depth of an event that fires nothing (G19).
const maxDepth = 8

// occurrence is an event as its source knows it.
type occurrence struct {
	tenant *tenant
	index  string // equal to that of the model triggers for it
	event  string // names it in its runs: see run.event
	key    string // those of one key have an order
	at     time.Time
	seen   time.Time // when its writer saw which triggers there are
	depth  int
	before map[string]any
	after  map[string]any
	need   promise.Need   // May = nobody knows whether it happened
	data   map[string]any // what its payload must say
}

// fillWatches notes all occurrences with the triggers that hear them.
func (g *Game) fillWatches() {
	for _, h := range g.occurrences {
		for _, w := range h.tenant.triggers {
			w.watch.Actions = len(w.actions)
			if seen, held := w.hears(h); seen {
				w.watch.Saw(h.event, held, min(h.need, w.needAt(h.seen)))
			}
		}
	}
}

// checkLedger compares the runs with the expectation: every run exactly once, and no other.
func (g *Game) checkLedger(runs []storedRun) {
	happened, logs := map[string]occurrence{}, map[*modelTrigger][]promise.Run{}
	for _, h := range g.occurrences {
		happened[h.tenant.scope.String()+h.event] = h
	}
	for _, r := range runs {
		if r.does == nil {
			g.problem("ledger: there must be no %s", r)
			continue
		}
		if h, known := happened[r.scope+r.event()]; known {
			g.checkEntry(r, h)
		}
		logs[r.of] = append(logs[r.of], promise.Run{Action: int64(r.action), Event: r.event(), Mark: r.event()})
	}

	for _, t := range g.tenants {
		for _, w := range t.triggers {
			for _, trouble := range w.watch.Judge(logs[w]).Troubles {
				g.problem("ledger: trigger %d of %s: %s", w.id, t.scope, trouble)
			}
		}
	}
	g.checkFrequency(runs)
}

// checkEntry compares one run with its event.
func (g *Game) checkEntry(r storedRun, h occurrence) {
	switch {
	case h.depth >= maxDepth && r.why != "loop_detected":
		g.problem("ledger: %s is of depth %d and was not stopped", r, h.depth)
	case h.depth < maxDepth && r.skipped() && !r.maySkip():
		g.problem("ledger: %s was skipped", r)
	case r.depth() != h.depth:
		g.problem("ledger: %s has depth %d, want %d", r, r.depth(), h.depth)
	}
	for name, want := range h.data {
		if got := r.payload(name); got != fmt.Sprint(want) {
			g.problem("ledger: %s says %s is %v, want %v", r, name, got, want)
		}
	}
}

// maySkip reports whether a skipped run has a reason.
func (r storedRun) maySkip() bool {
	switch r.why {
	case "frequency":
		return r.does.mode != trigger.Repeatable
	case "debounced":
		return r.does.flow.DebounceSeconds > 0
	case "batched":
		return r.does.flow.Batch != nil && r.joined != ""
	case "disabled":
		return r.does.variant == "quits" || !r.of.off.began.IsZero()
	}
	return false
}

// checkFrequency checks actions with a frequency: of "once" one event ran, of "intermittent" the runs are far enough
// apart, and each skipped run has another run near it.
func (g *Game) checkFrequency(runs []storedRun) {
	fired, skipped := map[*modelAction][]time.Time{}, map[*modelAction][]time.Time{}
	for _, r := range runs {
		switch {
		case r.does == nil || r.depth() >= maxDepth:
		case r.why == "frequency":
			skipped[r.does] = append(skipped[r.does], r.at)
		default:
			fired[r.does] = append(fired[r.does], r.at)
		}
	}

	for _, t := range g.tenants {
		for _, w := range t.triggers {
			for i := range w.actions {
				a := &w.actions[i]
				g.checkTurns(fmt.Sprintf("action %d of trigger %d of %s", a.id, w.id, t.scope), a, fired[a], skipped[a])
			}
		}
	}
}

func (g *Game) checkTurns(what string, a *modelAction, fired, skipped []time.Time) {
	if a.mode == trigger.Once && (len(fired) > 1 || len(fired) == 0 && len(skipped) > 0) {
		g.problem("frequency: %s ran %d times and was skipped %d times, want once", what, len(fired), len(skipped))
	}
	if a.mode != trigger.Intermittent {
		return
	}

	if n := promise.Crowded(fired, 1, a.interval); n > 0 {
		g.problem("frequency: %s ran again within %v, %d times", what, a.interval, n)
	}
	for _, at := range skipped {
		// An event that comes late finds that a newer one had the turn.
		if !slices.ContainsFunc(fired, func(f time.Time) bool { return at.Sub(f) < a.interval }) {
			g.problem("frequency: %s was skipped at %v for no other", what, at)
		}
	}
}
