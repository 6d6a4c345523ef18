package play

import (
	"encoding/json"
	"fmt"
	"strings"
	"time"

	"minicloud/infra/lab/promise"
	"minicloud/shared/trigger"
)

// checkEffects compares the messages, webhooks, rows and jobs with the status of the runs: a run that has succeeded has
// had its effect once. A run that failed has had none, unless it says that this is unknown.
func (g *Game) checkEffects(runs []storedRun) {
	byID, sent := map[string]storedRun{}, map[string][]effect{}
	for _, r := range runs {
		if r.does != nil { // the ledger has found the others
			byID[r.id] = r
		}
	}
	for _, e := range g.outside.effects {
		if _, known := byID[e.run]; !known {
			g.problem("effects: a %s is of run %q, which there is not", e.kind, e.run)
			continue
		}
		sent[e.run] = append(sent[e.run], e)
	}

	g.checkTimes(byID)
	g.checkLimits(byID)
	quit := map[*modelAction]time.Time{} // when a receiver was gone
	for id, r := range byID {
		if r.why == "gone" && g.replayed[id] == 0 {
			quit[r.does] = r.finished
		}
	}
	for id, r := range byID {
		for _, e := range sent[id] {
			g.checkContent(r, e)
		}
		if r.does.kind == trigger.Webhook {
			g.checkWebhooks(r, sent[id], quit[r.does])
		}
		if r.does.kind == trigger.TemplateMessage {
			g.checkCounts(r, sent[id])
		}
		if r.why == "interrupted" && !g.troubled(id) {
			g.problem("effects: %s, though nothing had gone wrong", r)
		}
	}
	g.checkDisabled(byID)
}

// checkTimes checks how often each effect has happened.
func (g *Game) checkTimes(runs map[string]storedRun) {
	var asked promise.Ledger
	why := map[string]string{}
	for _, r := range runs {
		for mark, need := range g.effectsOf(r) {
			asked.Add(mark, need, 1)
			why[mark] = r.String()
			if g.interrupted[r.id] { // who replays it knows that it may be sent again
				asked.Add(mark, promise.May, g.replayed[r.id])
			}
		}
	}
	g.judge("effects", &asked, promise.Found{Times: g.found(), Why: why})
}

// effectsOf is which effects a run must have, may have or must not have, by the marks that they are found under.
func (g *Game) effectsOf(r storedRun) map[string]promise.Need {
	need, mark := g.need(r), r.id
	switch {
	case r.does.kind == trigger.TemplateMessage:
		all := map[string]promise.Need{}
		for _, p := range r.does.recipients() {
			to := r.id + " " + r.tenant.openID(p.name)
			if all[to] = need; p.mayMiss(g.outside, r.tenant.openID(p.name), r.finished) || g.outside.refused[to] {
				all[to] = min(need, promise.May)
			}
		}
		return all
	case r.does.variant == "loop":
		return nil // see loops
	case r.does.variant == "create":
		mark = rowMark(r.scope, r.does.mark+r.name())
	case r.does.kind == trigger.TableOperation:
		mark = rowMark(r.scope, fmt.Sprintf("%d/%d", r.trigger, r.action))
	}
	return map[string]promise.Need{mark: need}
}

// rowMark is the mark of what is found in rows: a row that an action makes, or the count of a counter.
func rowMark(scope, name string) string { return strings.TrimSpace(scope + " " + name) }

// need says whether a run must have had its effect. Of a message that was interrupted, or whose attempts all ended
// without an answer, nobody knows. Another run that met a fault may have had it.
func (g *Game) need(r storedRun) promise.Need {
	switch {
	case r.status == "succeeded":
		return promise.Must
	case r.skipped() && r.why != "disabled":
		return promise.Never
	case r.does.messages() && (r.skipped() || r.unknown() || g.replayed[r.id] > 0),
		r.does.kind == trigger.TemplateMessage, // others have got theirs before
		!r.does.messages() && (r.skipped() || g.troubled(r.id)):
		return promise.May
	}
	return promise.Never
}

// found is how often each effect has happened. A webhook may come again.
func (g *Game) found() map[string]int {
	all := g.jobsByRun()
	for _, e := range g.outside.effects {
		switch {
		case e.kind == template:
			all[e.run+" "+e.to]++
		case e.kind != "webhook":
			all[e.run]++
		case e.accepted:
			all[e.run] = 1
		}
	}

	for _, it := range g.world.DB.Items("RowsTable") {
		scope, number, _ := strings.Cut(text(it, "pk"), "#")
		mark := rowMark(scope, fmt.Sprint(fields(it)["name"]))
		switch number {
		case fmt.Sprint(int64(madeID)):
			all[mark]++
		case fmt.Sprint(int64(countersID)):
			all[mark] = int(number64(fields(it)))
		}
	}
	return all
}

// jobsByRun counts the jobs that runs have started. Each was sent, or something went wrong with that: then it is
// swept.
func (g *Game) jobsByRun() map[string]int {
	sent := map[string]bool{}
	for _, body := range g.world.Bodies("JobQueue") {
		var m struct{ Job int64 }
		_ = json.Unmarshal([]byte(body), &m) // the platform wrote it
		sent[fmt.Sprintf("%016d", m.Job)] = true
	}

	all := map[string]int{}
	for _, it := range g.world.DB.Items("JobsTable") {
		place, number, _ := strings.Cut(text(it, "sk"), "#")
		if !strings.Contains(text(it, "pk"), "#job#") || place != "waiting" {
			continue
		}
		_, cause, _ := strings.Cut(text(it, "trace"), " ")
		all[cause]++
		if !sent[number] && !g.troubled(cause) {
			g.problem("effects: job %s of %s was not sent", number, cause)
		}
	}
	return all
}

// troubled reports whether the work on a run met a fault.
func (g *Game) troubled(id string) bool { return g.troubledApart(id, "nowhere") }

// troubledApart reports whether the work on a run met a fault at another place.
func (g *Game) troubledApart(id, place string) bool {
	for where, p := range g.points {
		if p.runs[id] && !strings.HasPrefix(where, place) {
			return true
		}
	}
	return false
}

// checkContent checks that a message names its tenant, action and event.
func (g *Game) checkContent(r storedRun, e effect) {
	want := []string{r.name(), strings.TrimSpace(r.does.mark)}
	if e.kind == "webhook" {
		want = want[:1]
	}
	for _, part := range want {
		if !strings.Contains(e.text, part) {
			g.problem("effects: a %s of %s says %q and not %q", e.kind, r, e.text, part)
		}
	}
	g.checkNamed(e.kind+" to "+e.to, e.text)
}

// checkWebhooks checks ids, addresses, depths and times of the webhooks of a run.
func (g *Game) checkWebhooks(r storedRun, sent []effect, quit time.Time) {
	app, env, _ := strings.Cut(r.scope, ".")
	at := fmt.Sprintf("https://%s.example.com/%s/%d/%d/", app, env, r.trigger, r.action)
	var notUntil time.Time
	for _, e := range sent {
		switch {
		case e.named != e.run:
			g.problem("effects: a webhook of %s has the id %q", r, e.named)
		case !strings.HasPrefix(e.to, at):
			g.problem("effects: a webhook of %s went to %s", r, e.to)
		case e.depth != fmt.Sprint(g.deepest[r.id]+1)+signedDepth:
			g.problem("effects: a webhook of %s says depth %s", r, e.depth)
		case !quit.IsZero() && e.at.After(quit.Add(2*time.Minute+skew)):
			g.problem("effects: a webhook of %s was sent %v after its receiver was gone", r, e.at.Sub(quit))
		case g.skewed || g.replayed[r.id] > 0: // the clocks of its workers do not say when it was sent
		case e.status == 410 && r.why != "gone" && !g.troubledApart(r.id, "webhook: "):
			g.problem("effects: the receiver of a webhook of %s was gone", r)
		case e.at.Before(notUntil):
			g.problem("effects: a webhook of %s came %v too early", r, notUntil.Sub(e.at))
		case r.status == "succeeded" && e.at.After(r.finished.Add(time.Second)):
			g.problem("effects: a webhook of %s came %v after its end", r, e.at.Sub(r.finished))
		}
		notUntil = e.notUntil
	}
}

// checkCounts looks at what a run that has succeeded says of its template messages. One that is replayed may find that
// there is nothing more to do, or that the vendor has used a form id of which it did not know what became.
func (g *Game) checkCounts(r storedRun, sent []effect) {
	if r.status != "succeeded" || g.replayed[r.id] > 0 {
		return
	}
	var says struct{ Sent, Skipped, Failed, Unknown int }
	if err := json.Unmarshal([]byte(r.response), &says); err != nil {
		g.problem("effects: %s answers %q: %v", r, r.response, err)
	}
	came := map[string]bool{}
	for _, e := range sent {
		came[e.to] = true
	}
	all := says.Sent + says.Skipped + says.Failed + says.Unknown
	if all != len(r.does.recipients()) || says.Sent != len(came) || says.Unknown > 0 {
		g.problem("effects: %s says %+v of %d messages to %d people", r, says, len(came), len(r.does.recipients()))
	}
}

// checkDisabled checks that no action of a disabled trigger is done.
func (g *Game) checkDisabled(runs map[string]storedRun) {
	for _, a := range g.outside.attempts {
		if r := runs[a.run]; r.of != nil && !r.of.off.ended.IsZero() && a.at.After(r.of.off.ended.Add(slack)) {
			g.problem("effects: %s was worked on %v after its trigger was disabled", r, a.at.Sub(r.of.off.ended))
		}
	}
}

// limit is how many messages may come within a time. Two windows may meet, and a call may be slow.
type limit struct {
	to     string
	most   int
	within time.Duration
}

// limits are those of a message: of a receiver one webhook a second, of a phone number a text a minute and ten a day,
// of an action its pace. The time of a template message that a dead worker sent is unknown.
func (g *Game) limits(r storedRun, e effect) []limit {
	switch {
	case e.kind == "webhook" && g.limitedURL[e.to]:
		return []limit{{e.to, 2, 300 * time.Millisecond}}
	case e.kind == "text" && g.replayed[r.id] == 0:
		return []limit{{r.scope + " " + e.to, 1, 50 * time.Second}, {r.scope + " " + e.to, 10, 24 * time.Hour}}
	case e.kind == template && r.does.paced && !g.troubled(r.id) && g.replayed[r.id] == 0:
		return []limit{{r.id, 2 * paceCount, time.Minute - time.Second}}
	}
	return nil
}

// checkLimits checks the limits of all messages, where clocks are right.
func (g *Game) checkLimits(runs map[string]storedRun) {
	times := map[limit][]time.Time{}
	for _, e := range g.outside.effects {
		if r, known := runs[e.run]; known && !g.skewed {
			for _, l := range g.limits(r, e) {
				times[l] = append(times[l], e.at)
			}
		}
	}
	for l, all := range times {
		if n := promise.Crowded(all, l.most, l.within); n > 0 {
			g.problem("effects: %d messages too many, more than %d within %v: %s", n, l.most, l.within, l.to)
		}
	}
}

func number64(row map[string]any) (n int64) {
	_, _ = fmt.Sscan(fmt.Sprint(row["n"]), &n)
	return n
}
