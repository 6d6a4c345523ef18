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

// entry names what one action makes of one event.
type entry struct {
	scope   string
	trigger trigger.ID
	action  trigger.ActionID
	event   string
}

func (e entry) String() string {
	return fmt.Sprintf("%s: action %d of trigger %d for %s", e.scope, e.action, e.trigger, e.event)
}

// expectation is what the ledger says of an entry.
type expectation struct {
	occurrence occurrence
	action     modelAction
	loops      bool // it must be skipped for its depth
}

// expected lists the runs that may follow from all occurrences.
func (g *Game) expected() map[entry]expectation {
	all := map[entry]expectation{}
	for _, h := range g.occurrences {
		for _, w := range h.tenant.triggers {
			if seen, held := w.hears(h); !seen || !held {
				continue
			}
			x := expectation{occurrence: h, loops: h.depth >= maxDepth}
			for _, a := range w.actions {
				x.action = a
				all[entry{h.tenant.scope.String(), w.id, a.id, h.event}] = x
			}
		}
	}
	return all
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
	want, got, logs := g.expected(), map[entry]storedRun{}, map[*modelTrigger][]promise.Run{}
	for _, r := range runs {
		e := entry{r.scope, r.trigger, r.action, r.event()}
		got[e] = r
		if g.modelActionOf(r) == nil {
			g.problem("ledger: %s must not be (%s %s)", e, r.status, r.why)
			continue
		}
		if x, known := want[e]; known {
			g.checkEntry(e, x, r)
		}
		w := g.modelTriggerOf(r.scope, r.trigger)
		logs[w] = append(logs[w], promise.Run{Action: int64(r.action), Event: r.event(), Mark: r.event()})
	}

	for _, t := range g.tenants {
		for _, w := range t.triggers {
			for _, trouble := range w.watch.Judge(logs[w]).Troubles {
				g.problem("ledger: trigger %d of %s: %s", w.id, t.scope, trouble)
			}
		}
	}
	g.checkFrequency(got, want)
}

// checkEntry compares one run with its expectation.
func (g *Game) checkEntry(e entry, x expectation, r storedRun) {
	switch {
	case x.loops && r.why != "loop_detected":
		g.problem("ledger: %s is of depth %d and was not stopped (%s)", e, x.occurrence.depth, r.status)
	case !x.loops && r.skipped() && !g.maySkip(x.action, r):
		g.problem("ledger: %s was skipped: %s", e, r.why)
	case r.depth() != x.occurrence.depth:
		g.problem("ledger: %s has depth %d, want %d", e, r.depth(), x.occurrence.depth)
	}
	payload, _ := r.content["payload"].(map[string]any)
	for name, want := range x.occurrence.data {
		if fmt.Sprint(payload[name]) != fmt.Sprint(want) {
			g.problem("ledger: %s says %s is %v, want %v", e, name, payload[name], want)
		}
	}
}

// maySkip reports whether a skipped run has a reason.
func (g *Game) maySkip(a modelAction, r storedRun) bool {
	switch r.why {
	case "frequency":
		return a.mode != trigger.Repeatable
	case "debounced":
		return a.flow.DebounceSeconds > 0
	case "batched":
		return a.flow.Batch != nil && r.joined != ""
	case "disabled":
		return a.variant == "quits" || !g.modelTriggerOf(r.scope, r.trigger).off.began.IsZero()
	}
	return false
}

// checkFrequency checks actions with a frequency: of "once" one event ran, of "intermittent" the runs are far enough
// apart, and each skipped run has another run near it.
func (g *Game) checkFrequency(got map[entry]storedRun, want map[entry]expectation) {
	type turn struct {
		scope   string
		trigger trigger.ID
		action  trigger.ActionID
	}
	fired, skipped := map[turn][]time.Time{}, map[turn][]time.Time{}
	for e, r := range got {
		of := turn{e.scope, e.trigger, e.action}
		switch {
		case want[e].loops:
		case r.skipped() && r.why == "frequency":
			skipped[of] = append(skipped[of], r.at)
		default:
			fired[of] = append(fired[of], r.at)
		}
	}

	for _, t := range g.tenants {
		for _, w := range t.triggers {
			for _, a := range w.actions {
				of := turn{t.scope.String(), w.id, a.id}
				g.checkTurns(fmt.Sprint(of), a, fired[of], skipped[of])
			}
		}
	}
}

func (g *Game) checkTurns(what string, a modelAction, fired, skipped []time.Time) {
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
