package play

import (
	"encoding/json"
	"slices"
	"time"

	"minicloud/infra/lab/promise"
	"minicloud/shared/trigger"
)

// checkTemplates checks that each recipient of a run got one message, unless there was a reason, and that the run's
// counts are right.
func (g *Game) checkTemplates(runs []storedRun) {
	came := map[string]map[string][]time.Time{} // by run and recipient
	for _, e := range g.outside.effects {
		if e.kind != template {
			continue
		}
		if came[e.run] == nil {
			came[e.run] = map[string][]time.Time{}
		}
		came[e.run][e.to] = append(came[e.run][e.to], e.at)
	}

	for _, r := range runs {
		if a := g.modelActionOf(r); a != nil && a.kind == trigger.TemplateMessage {
			g.checkRecipients(r, *a, came[r.id])
			g.checkCounts(r, *a, len(came[r.id]))
			g.checkPace(r, *a, came[r.id])
		}
	}
}

// checkRecipients checks who got a message of a run, and how often.
func (g *Game) checkRecipients(r storedRun, a modelAction, came map[string][]time.Time) {
	t, want := g.tenantOf(r.scope), map[string]bool{}
	for _, p := range a.recipients() {
		to := t.openID(p.name)
		want[to] = true
		got := len(came[to])
		if got > 1 {
			g.checkMessage(r, got)
		}
		reason := p.mayMiss() || g.outside.refused[r.id+" "+to]
		if r.status == "succeeded" && got == 0 && !reason {
			g.problem("effects: %s got no message of %s", to, r)
		}
	}

	for to := range came {
		if !want[to] {
			g.problem("effects: %s got a message of %s", to, r)
		}
	}
	if r.why == "interrupted" && !g.troubled(r.id) {
		g.problem("effects: %s, though nothing had gone wrong", r)
	}
	if r.status == "skipped" && len(came) > 0 && r.why != "disabled" {
		g.problem("effects: %d messages of %s", len(came), r)
	}
}

// checkCounts looks at what a run that has succeeded says of its messages. One that is replayed may find that there is
// nothing more to do, or that the vendor has used a form id of which it did not know what became.
func (g *Game) checkCounts(r storedRun, a modelAction, came int) {
	var says struct{ Sent, Skipped, Failed, Unknown int }
	if r.status != "succeeded" || g.replayed[r.id] > 0 {
		return
	}
	if err := json.Unmarshal([]byte(r.response), &says); err != nil {
		g.problem("effects: %s answers %q: %v", r, r.response, err)
	}
	all := says.Sent + says.Skipped + says.Failed + says.Unknown
	if all != len(a.recipients()) || says.Sent != came || says.Unknown > 0 {
		g.problem("effects: %s says %+v of %d messages to %d people", r, says, came, len(a.recipients()))
	}
}

// checkPace checks the pace of the messages of a run: within a minute at most two windows of them, which may meet. The
// time of a message that a dead worker sent is unknown.
func (g *Game) checkPace(r storedRun, a modelAction, came map[string][]time.Time) {
	if !a.paced || g.troubled(r.id) || g.replayed[r.id] > 0 || g.skewed {
		return
	}
	var times []time.Time
	for _, at := range came {
		times = append(times, at...)
	}
	if n := promise.Crowded(times, 2*paceCount, time.Minute-time.Second); n > 0 {
		g.problem("effects: %d messages of %s although %d had come within a minute", n, r, 2*paceCount)
	}
}

// tenantOf is the tenant of a scope.
func (g *Game) tenantOf(scope string) *tenant {
	at := slices.IndexFunc(g.tenants, func(t *tenant) bool { return t.scope.String() == scope })
	return g.tenants[at]
}
