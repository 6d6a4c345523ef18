package play

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"

	"minicloud/infra/lab/promise"
	"minicloud/shared/trigger"
)

// line are the runs of one key of an action with flow controls.
type line struct {
	action *modelAction
	name   string
	runs   []storedRun
}

// checkFlows holds what was done against what each flow control promises, key by key.
func (g *Game) checkFlows(runs []storedRun) {
	lines, order := map[string]*line{}, map[string]int{}
	for i, h := range g.occurrences {
		order[h.tenant.scope.String()+h.event] = i
	}
	given := map[string][]attempt{}
	for _, a := range g.outside.attempts {
		given[a.run] = append(given[a.run], a)
	}

	for _, r := range runs {
		if r.does == nil || r.depth() >= maxDepth || !r.does.flow.Uses() {
			continue
		}
		key := ""
		if r.does.key != "" {
			key = r.payload(r.does.key)
		}
		name := fmt.Sprintf("action %d of trigger %d of %s, key %q", r.action, r.trigger, r.scope, key)
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
func (g *Game) checkPlaces() {
	for _, it := range g.world.DB.Items("TriggerLogTable") {
		parts := strings.Split(text(it, "pk"), "#")
		if !strings.HasPrefix(text(it, "sk"), "place#") || len(parts) < 3 {
			continue
		}
		n, _ := strconv.Atoi(parts[2])
		if _, w := g.modelTriggerOf(parts[0], trigger.ID(n)); w == nil || w.off.began.IsZero() {
			g.problem("flow: %s has a place in %s for ever", text(it, "sk"), text(it, "pk"))
		}
	}
}

// checkDebounced: the newest event of a key is not skipped for an older one, and nobody is skipped long before a newer
// one came.
func (g *Game) checkDebounced(l *line) {
	var newest time.Time
	for _, r := range l.runs {
		if r.at.After(newest) {
			newest = r.at
		}
	}
	if !slices.ContainsFunc(l.runs, func(r storedRun) bool { return r.at.Equal(newest) && r.why != "debounced" }) {
		g.problem("flow: the newest event of %s was debounced", l.name)
	}
}

// checkBatches: each event is given to the action once, with no more others than a batch has, or was debounced.
func (g *Game) checkBatches(l *line, given map[string][]attempt) {
	members := map[string][]string{} // the events that a run must be given
	ids := map[string]storedRun{}
	for _, r := range l.runs {
		ids[r.id] = r
		to := r.id
		if r.why == "batched" {
			to = r.joined[len(r.joined)-len(r.id):]
		}
		if r.why != "debounced" {
			members[to] = append(members[to], r.eventID)
		}
	}

	for id, events := range members {
		r, known := ids[id]
		if !known {
			g.problem("flow: %v of %s are in the batch of %s, which there is not", events, l.name, id)
			continue
		}
		if batch := l.action.flow.Batch; batch != nil && len(events) > batch.Size || batch == nil && len(events) > 1 {
			g.problem("flow: %d events in a batch of %s", len(events), l.name)
		}
		slices.Sort(events)
		for _, a := range given[id] {
			if got := slices.Sorted(slices.Values(a.events)); !slices.Equal(got, events) {
				g.problem("flow: %s was given %v, want %v", r, got, events)
			}
		}
	}
}

// checkHeld: no run begins before its flow controls let it: a debounced one, and one whose batch is not full, wait.
func (g *Game) checkHeld(l *line, given map[string][]attempt) {
	flow := l.action.flow
	for _, r := range l.runs {
		all := given[r.id]
		if len(all) == 0 || g.skewed || g.replayed[r.id] > 0 {
			continue
		}
		wait := flow.DebounceSeconds
		if flow.Batch != nil && len(all[0].events) < flow.Batch.Size {
			wait = max(wait, flow.Batch.Seconds)
		}
		if waited := all[0].at.Sub(r.at); waited < time.Duration(wait)*time.Second {
			g.problem("flow: %s of %s waited for %v only, not %d s", r, l.name, waited, wait)
		}
	}
}

// checkThrottle: of the runs of a key not more begin within a period than two of its windows have, which may meet.
func (g *Game) checkThrottle(l *line, given map[string][]attempt) {
	limit := l.action.flow.Throttle
	if limit == nil || g.skewed {
		return
	}
	var begun []time.Time
	for _, r := range l.runs {
		if all := given[r.id]; len(all) > 0 && all[0].tries == 1 && g.replayed[r.id] == 0 {
			begun = append(begun, all[0].at)
		}
	}
	period := time.Duration(limit.PeriodSeconds) * time.Second
	if n := promise.Crowded(begun, 2*limit.Count, period-slack); n > 0 {
		g.problem("flow: %d runs of %s began although %d had within %v, twice as many as may",
			n, l.name, 2*limit.Count, period)
	}
}

// slack is how long a run may take from its beginning to its doer.
const slack = 20 * time.Second

// checkLine: ordered runs of a key follow each other in the order of their events: none begins before the one before
// it has ended.
func (g *Game) checkLine(l *line, given map[string][]attempt, order map[string]int) {
	if !l.action.flow.Ordered {
		return
	}
	begun := slices.DeleteFunc(
		slices.Clone(l.runs), func(r storedRun) bool { return len(given[r.id]) == 0 || g.replayed[r.id] > 0 },
	)
	slices.SortFunc(begun, func(a, b storedRun) int { return given[a.id][0].number - given[b.id][0].number })

	direct := l.action.flow.DebounceSeconds == 0 && l.action.flow.Batch == nil
	for i := 1; i < len(begun); i++ {
		before, r := begun[i-1], begun[i]
		switch at := given[r.id][0].at; {
		case promise.Disordered(
			promise.Arrival{Place: before.place, Ended: g.skewed || !at.Before(before.finished)},
			promise.Arrival{Place: r.place},
		) > 0:
			g.problem("flow: %s of %s, of place %d, began at %v after %s of place %d, which ended at %v",
				r, l.name, r.place, at, before, before.place, before.finished)
		case direct && r.kind != "on_chat_message" && before.subject == r.subject && r.of.on.ended.IsZero() &&
			order[r.scope+r.event()] < order[r.scope+before.event()]:
			g.problem("flow: %s of %s began after %s, whose event came later", r, l.name, before)
		}
	}
}
