package model

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"

	"minicloud/infra/lab/promise"
	"minicloud/infra/lab/sim/game"
	"minicloud/infra/lab/sim/triggers/outside"
	"minicloud/shared/trigger"
)

// line are the runs of one key of an action with flow controls.
type line struct {
	action *Action
	name   string
	runs   []Run
}

// checkFlows holds what was done against what each flow control promises, key by key.
func (g *Ledger) checkFlows(runs []Run) {
	lines, order := map[string]*line{}, map[string]int{}
	for i, h := range g.Occurrences {
		order[h.Tenant.Scope.String()+h.Event] = i
	}
	given := map[string][]outside.Attempt{}
	for _, a := range g.Outside.Attempts {
		given[a.Run] = append(given[a.Run], a)
	}

	for _, r := range runs {
		if r.does == nil || r.depth() >= MaxDepth || !r.does.flow.Uses() {
			continue
		}
		key := ""
		if r.does.key != "" {
			key = r.payload(r.does.key)
		}
		name := fmt.Sprintf("action %d of trigger %d of %s, key %q", r.action, r.Trigger, r.Scope, key)
		if lines[name] == nil {
			lines[name] = &line{action: r.does, name: name}
		}
		lines[name].runs = append(lines[name].runs, r)
	}
	for _, l := range lines {
		g.checkDebounced(l)
		g.checkBatches(l, given)
		g.checkHeld(l, given)
		g.checkThrottle(l, given)
		g.checkLine(l, given, order)
	}
	g.checkPlaces()
}

// checkPlaces checks that runs have left their orders, unless their trigger was disabled: see checkRuns.
func (g *Ledger) checkPlaces() {
	for _, it := range g.World.DB.Items("TriggerLogTable") {
		parts := strings.Split(game.Text(it, "pk"), "#")
		if !strings.HasPrefix(game.Text(it, "sk"), "place#") || len(parts) < 3 {
			continue
		}
		n, _ := strconv.Atoi(parts[2])
		if _, w := g.triggerOf(parts[0], trigger.ID(n)); w == nil || w.Off.Began.IsZero() {
			g.Problem("flow: %s has a place in %s for ever", game.Text(it, "sk"), game.Text(it, "pk"))
		}
	}
}

// checkDebounced: the newest event of a key is not skipped for an older one, and nobody is skipped long before a newer
// one came.
func (g *Ledger) checkDebounced(l *line) {
	var newest time.Time
	for _, r := range l.runs {
		if r.At.After(newest) {
			newest = r.At
		}
	}
	if !slices.ContainsFunc(l.runs, func(r Run) bool { return r.At.Equal(newest) && r.Why != "debounced" }) {
		g.Problem("flow: the newest event of %s was debounced", l.name)
	}
}

// checkBatches: each event is given to the action once, with no more others than a batch has, or was debounced.
func (g *Ledger) checkBatches(l *line, given map[string][]outside.Attempt) {
	members := map[string][]string{} // the events that a run must be given
	ids := map[string]Run{}
	for _, r := range l.runs {
		ids[r.ID] = r
		to := r.ID
		if r.Why == "batched" {
			to = r.joined[len(r.joined)-len(r.ID):]
		}
		if r.Why != "debounced" {
			members[to] = append(members[to], r.eventID)
		}
	}

	for id, events := range members {
		r, known := ids[id]
		if !known {
			g.Problem("flow: %v of %s are in the batch of %s, which there is not", events, l.name, id)
			continue
		}
		if batch := l.action.flow.Batch; batch != nil && len(events) > batch.Size || batch == nil && len(events) > 1 {
			g.Problem("flow: %d events in a batch of %s", len(events), l.name)
		}
		slices.Sort(events)
		for _, a := range given[id] {
			if got := slices.Sorted(slices.Values(a.Events)); !slices.Equal(got, events) {
				g.Problem("flow: %s was given %v, want %v", r, got, events)
			}
		}
	}
}

// checkHeld: no run begins before its flow controls let it: a debounced one, and one whose batch is not full, wait.
func (g *Ledger) checkHeld(l *line, given map[string][]outside.Attempt) {
	flow := l.action.flow
	for _, r := range l.runs {
		all := given[r.ID]
		if len(all) == 0 || g.Skewed || g.Replayed[r.ID] > 0 {
			continue
		}
		wait := flow.DebounceSeconds
		if flow.Batch != nil && len(all[0].Events) < flow.Batch.Size {
			wait = max(wait, flow.Batch.Seconds)
		}
		if waited := all[0].At.Sub(r.At); waited < time.Duration(wait)*time.Second {
			g.Problem("flow: %s of %s waited for %v only, not %d s", r, l.name, waited, wait)
		}
	}
}

// checkThrottle: of the runs of a key not more begin within a period than two of its windows have, which may meet.
func (g *Ledger) checkThrottle(l *line, given map[string][]outside.Attempt) {
	limit := l.action.flow.Throttle
	if limit == nil || g.Skewed {
		return
	}
	var begun []time.Time
	for _, r := range l.runs {
		if all := given[r.ID]; len(all) > 0 && all[0].Tries == 1 && g.Replayed[r.ID] == 0 {
			begun = append(begun, all[0].At)
		}
	}
	period := time.Duration(limit.PeriodSeconds) * time.Second
	if n := promise.Crowded(begun, 2*limit.Count, period-slack); n > 0 {
		g.Problem("flow: %d runs of %s began although %d had within %v, twice as many as may",
			n, l.name, 2*limit.Count, period)
	}
}

// slack is how long a run may take from its beginning to its doer.
const slack = 20 * time.Second

// checkLine: ordered runs of a key follow each other in the order of their events: none begins before the one before
// it has ended.
func (g *Ledger) checkLine(l *line, given map[string][]outside.Attempt, order map[string]int) {
	if !l.action.flow.Ordered {
		return
	}
	begun := slices.DeleteFunc(
		slices.Clone(l.runs), func(r Run) bool { return len(given[r.ID]) == 0 || g.Replayed[r.ID] > 0 },
	)
	slices.SortFunc(begun, func(a, b Run) int { return given[a.ID][0].Number - given[b.ID][0].Number })

	direct := l.action.flow.DebounceSeconds == 0 && l.action.flow.Batch == nil
	for i := 1; i < len(begun); i++ {
		before, r := begun[i-1], begun[i]
		switch at := given[r.ID][0].At; {
		case promise.Disordered(
			promise.Arrival{Place: before.place, Ended: g.Skewed || !at.Before(before.finished)},
			promise.Arrival{Place: r.place},
		) > 0:
			g.Problem("flow: %s of %s, of place %d, began at %v after %s of place %d, which ended at %v",
				r, l.name, r.place, at, before, before.place, before.finished)
		case direct && r.kind != "on_chat_message" && before.subject == r.subject && r.of.On.Ended.IsZero() &&
			order[r.Scope+r.event()] < order[r.Scope+before.event()]:
			g.Problem("flow: %s of %s began after %s, whose event came later", r, l.name, before)
		}
	}
}
