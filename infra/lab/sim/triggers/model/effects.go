package model

import (
	"encoding/json"
	"fmt"
	"strings"
	"time"

	"minicloud/infra/lab/promise"
	"minicloud/infra/lab/sim/game"
	"minicloud/infra/lab/sim/triggers/outside"
	"minicloud/shared/trigger"
)

// checkEffects compares the messages, webhooks, rows and jobs with the status of the runs: a run that has succeeded has
// had its effect once. A run that failed has had none, unless it says that this is unknown.
func (g *Ledger) checkEffects(runs []Run) {
	byID, sent := map[string]Run{}, map[string][]outside.Effect{}
	for _, r := range runs {
		if r.does != nil { // the ledger has found the others
			byID[r.ID] = r
		}
	}
	for _, e := range g.Outside.Effects {
		if _, known := byID[e.Run]; !known {
			g.Problem("effects: a %s is of run %q, which there is not", e.Kind, e.Run)
			continue
		}
		sent[e.Run] = append(sent[e.Run], e)
	}

	g.checkTimes(byID)
	g.checkLimits(byID)
	quit := map[*Action]time.Time{} // when a receiver was gone
	for id, r := range byID {
		if r.Why == "gone" && g.Replayed[id] == 0 {
			quit[r.does] = r.finished
		}
	}
	for id, r := range byID {
		for _, e := range sent[id] {
			g.checkContent(r, e)
		}
		if r.does.Kind == trigger.Webhook {
			g.checkWebhooks(r, sent[id], quit[r.does])
		}
		if r.does.Kind == trigger.TemplateMessage {
			g.checkCounts(r, sent[id])
		}
		if r.Why == "interrupted" && !g.Outside.Troubled(id) {
			g.Problem("effects: %s, though nothing had gone wrong", r)
		}
	}
	g.checkDisabled(byID)
}

// checkTimes checks how often each effect has happened.
func (g *Ledger) checkTimes(runs map[string]Run) {
	var asked promise.Ledger
	why := map[string]string{}
	for _, r := range runs {
		for mark, need := range g.effectsOf(r) {
			asked.Add(mark, need, 1)
			why[mark] = r.String()
			if g.Interrupted[r.ID] { // who replays it knows that it may be sent again
				asked.Add(mark, promise.May, g.Replayed[r.ID])
			}
		}
	}
	g.Compare("effects", &asked, promise.Found{Times: g.found(), Why: why})
}

// effectsOf is which effects a run must have, may have or must not have, by the marks that they are found under.
func (g *Ledger) effectsOf(r Run) map[string]promise.Need {
	need, mark := g.need(r), r.ID
	switch {
	case r.does.Kind == trigger.TemplateMessage:
		all := map[string]promise.Need{}
		for _, p := range r.does.recipients() {
			to := r.ID + " " + r.tenant.OpenID(p.Name)
			if all[to] = need; p.MayMiss(g.Outside, r.tenant.OpenID(p.Name), r.finished) || g.Outside.Refused[to] {
				all[to] = min(need, promise.May)
			}
		}
		return all
	case r.does.Variant == "loop":
		return nil // see loops
	case r.does.Variant == "create":
		mark = rowMark(r.Scope, r.does.mark+r.name())
	case r.does.Kind == trigger.TableOperation:
		mark = rowMark(r.Scope, fmt.Sprintf("%d/%d", r.Trigger, r.action))
	}
	return map[string]promise.Need{mark: need}
}

// rowMark is the mark of what is found in rows: a row that an action makes, or the count of a counter.
func rowMark(scope, name string) string { return strings.TrimSpace(scope + " " + name) }

// need says whether a run must have had its effect. Of a message that was interrupted, or whose attempts all ended
// without an answer, nobody knows. Another run that met a fault may have had it.
func (g *Ledger) need(r Run) promise.Need {
	switch {
	case r.Status == "succeeded":
		return promise.Must
	case r.skipped() && r.Why != "disabled":
		return promise.Never
	case r.does.messages() && (r.skipped() || r.Unknown() || g.Replayed[r.ID] > 0),
		r.does.Kind == trigger.TemplateMessage, // others have got theirs before
		!r.does.messages() && (r.skipped() || g.Outside.Troubled(r.ID)):
		return promise.May
	}
	return promise.Never
}

// found is how often each effect has happened. A webhook may come again.
func (g *Ledger) found() map[string]int {
	all := g.jobsByRun()
	for _, e := range g.Outside.Effects {
		switch {
		case e.Kind == outside.Template:
			all[e.Run+" "+e.To]++
		case e.Kind != "webhook":
			all[e.Run]++
		case e.Accepted:
			all[e.Run] = 1
		}
	}

	for _, it := range g.World.DB.Items("RowsTable") {
		scope, number, _ := strings.Cut(game.Text(it, "pk"), "#")
		mark := rowMark(scope, fmt.Sprint(Fields(it)["name"]))
		switch number {
		case fmt.Sprint(int64(MadeID)):
			all[mark]++
		case fmt.Sprint(int64(CountersID)):
			all[mark] = int(number64(Fields(it)))
		}
	}
	return all
}

// jobsByRun counts the jobs that runs have started. Each was sent, or something went wrong with that: then it is
// swept.
func (g *Ledger) jobsByRun() map[string]int {
	sent := map[string]bool{}
	for _, body := range g.World.Bodies("JobQueue") {
		var m struct{ Job int64 }
		_ = json.Unmarshal([]byte(body), &m) // the platform wrote it
		sent[fmt.Sprintf("%016d", m.Job)] = true
	}

	all := map[string]int{}
	for _, it := range g.World.DB.Items("JobsTable") {
		place, number, _ := strings.Cut(game.Text(it, "sk"), "#")
		if !strings.Contains(game.Text(it, "pk"), "#job#") || place != "waiting" {
			continue
		}
		_, cause, _ := strings.Cut(game.Text(it, "trace"), " ")
		all[cause]++
		if !sent[number] && !g.Outside.Troubled(cause) {
			g.Problem("effects: job %s of %s was not sent", number, cause)
		}
	}
	return all
}

// checkContent checks that a message names its tenant, action and event.
func (g *Ledger) checkContent(r Run, e outside.Effect) {
	want := []string{r.name(), strings.TrimSpace(r.does.mark)}
	if e.Kind == "webhook" {
		want = want[:1]
	}
	for _, part := range want {
		if !strings.Contains(e.Text, part) {
			g.Problem("effects: a %s of %s says %q and not %q", e.Kind, r, e.Text, part)
		}
	}
	g.checkNamed(e.Kind+" to "+e.To, e.Text)
}

// checkWebhooks checks ids, addresses, depths and times of the webhooks of a run.
func (g *Ledger) checkWebhooks(r Run, sent []outside.Effect, quit time.Time) {
	app, env, _ := strings.Cut(r.Scope, ".")
	at := fmt.Sprintf("https://%s.example.com/%s/%d/%d/", app, env, r.Trigger, r.action)
	var notUntil time.Time
	for _, e := range sent {
		switch {
		case e.Named != e.Run:
			g.Problem("effects: a webhook of %s has the id %q", r, e.Named)
		case !strings.HasPrefix(e.To, at):
			g.Problem("effects: a webhook of %s went to %s", r, e.To)
		case !strings.HasPrefix(e.Depth, fmt.Sprint(g.deepest[r.ID]+1, ".")):
			g.Problem("effects: a webhook of %s says depth %s", r, e.Depth)
		case !quit.IsZero() && e.At.After(quit.Add(2*time.Minute+outside.Skew)):
			g.Problem("effects: a webhook of %s was sent %v after its receiver was gone", r, e.At.Sub(quit))
		case g.Skewed || g.Replayed[r.ID] > 0: // the clocks of its workers do not say when it was sent
		case e.Status == 410 && r.Why != "gone" && !g.Outside.TroubledApart(r.ID, "webhook: "):
			g.Problem("effects: the receiver of a webhook of %s was gone", r)
		case e.At.Before(notUntil):
			g.Problem("effects: a webhook of %s came %v too early", r, notUntil.Sub(e.At))
		case r.Status == "succeeded" && e.At.After(r.finished.Add(time.Second)):
			g.Problem("effects: a webhook of %s came %v after its end", r, e.At.Sub(r.finished))
		}
		notUntil = e.NotUntil
	}
}

// checkCounts looks at what a run that has succeeded says of its template messages. One that is replayed may find that
// there is nothing more to do, or that the vendor has used a form id of which it did not know what became.
func (g *Ledger) checkCounts(r Run, sent []outside.Effect) {
	if r.Status != "succeeded" || g.Replayed[r.ID] > 0 {
		return
	}
	var says struct{ Sent, Skipped, Failed, Unknown int }
	if err := json.Unmarshal([]byte(r.response), &says); err != nil {
		g.Problem("effects: %s answers %q: %v", r, r.response, err)
	}
	came := map[string]bool{}
	for _, e := range sent {
		came[e.To] = true
	}
	all := says.Sent + says.Skipped + says.Failed + says.Unknown
	if all != len(r.does.recipients()) || says.Sent != len(came) || says.Unknown > 0 {
		g.Problem("effects: %s says %+v of %d messages to %d people", r, says, len(came), len(r.does.recipients()))
	}
}

// checkDisabled checks that no action of a disabled trigger is done.
func (g *Ledger) checkDisabled(runs map[string]Run) {
	for _, a := range g.Outside.Attempts {
		if r := runs[a.Run]; r.of != nil && !r.of.Off.Ended.IsZero() && a.At.After(r.of.Off.Ended.Add(slack)) {
			g.Problem("effects: %s was worked on %v after its trigger was disabled", r, a.At.Sub(r.of.Off.Ended))
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
func (g *Ledger) limits(r Run, e outside.Effect) []limit {
	switch {
	case e.Kind == "webhook" && g.LimitedURL[e.To]:
		return []limit{{e.To, 2, 300 * time.Millisecond}}
	case e.Kind == "text" && g.Replayed[r.ID] == 0:
		return []limit{{r.Scope + " " + e.To, 1, 50 * time.Second}, {r.Scope + " " + e.To, 10, 24 * time.Hour}}
	case e.Kind == outside.Template && r.does.paced && !g.Outside.Troubled(r.ID) && g.Replayed[r.ID] == 0:
		return []limit{{r.ID, 2 * paceCount, time.Minute - time.Second}}
	}
	return nil
}

// checkLimits checks the limits of all messages, where clocks are right.
func (g *Ledger) checkLimits(runs map[string]Run) {
	times := map[limit][]time.Time{}
	for _, e := range g.Outside.Effects {
		if r, known := runs[e.Run]; known && !g.Skewed {
			for _, l := range g.limits(r, e) {
				times[l] = append(times[l], e.At)
			}
		}
	}
	for l, all := range times {
		if n := promise.Crowded(all, l.most, l.within); n > 0 {
			g.Problem("effects: %d messages too many, more than %d within %v: %s", n, l.most, l.within, l.to)
		}
	}
}

func number64(row map[string]any) (n int64) {
	_, _ = fmt.Sscan(fmt.Sprint(row["n"]), &n)
	return n
}
