package play

import (
	"encoding/json"
	"fmt"
	"strings"
	"time"

	"minicloud/infra/lab/promise"
	"minicloud/shared/trigger"
)

// checkEffects compares the messages, rows and jobs with the status of the runs: a run that has succeeded has had its
// effect once, a webhook at least once. A run that failed has had none, unless it says that this is unknown.
func (g *Game) checkEffects(runs []storedRun) {
	sent, accepted := map[string]int{}, map[string]int{}
	for _, e := range g.outside.effects {
		sent[e.run]++
		if e.accepted {
			accepted[e.run]++
		}
	}
	jobs, byID := g.jobsByRun(), map[string]storedRun{}
	for _, r := range runs {
		byID[r.id] = r
		a := g.modelActionOf(r)
		if a == nil {
			continue // the ledger has found that
		}
		switch {
		case a.kind == trigger.Email || a.kind == trigger.SMS:
			g.checkMessage(r, sent[r.id])
		case a.kind == trigger.Webhook:
			g.checkWebhook(r, sent[r.id], accepted[r.id])
		case a.kind == trigger.CloudFunction:
			g.checkJob(r, jobs[r.id], a.variant == "missing")
		}
	}

	for id := range sent {
		g.checkKnown(byID, id, "message")
	}
	for id := range jobs {
		g.checkKnown(byID, id, "job")
	}
	g.checkTemplates(runs)
	g.checkRows(runs)
	g.checkContents(byID)
	g.checkReceivers(byID)
	g.checkNumbers(byID)
	g.checkRates()
	g.checkDisabled(byID)
}

func (g *Game) checkKnown(runs map[string]storedRun, id, what string) {
	if _, known := runs[id]; !known {
		g.problem("effects: a %s is of run %q, which there is not", what, id)
	}
}

// modelActionOf is the action of a run.
func (g *Game) modelActionOf(r storedRun) *modelAction {
	w := g.modelTriggerOf(r.scope, r.trigger)
	if w == nil {
		return nil
	}
	for i := range w.actions {
		if w.actions[i].id == r.action {
			return &w.actions[i]
		}
	}
	return nil
}

func (r storedRun) String() string {
	return fmt.Sprintf(
		"%s of action %d of trigger %d of %s (%s %s %s)", r.id, r.action, r.trigger, r.scope, r.status, r.why, r.says,
	)
}

// checkMessage looks at a mail or a text, or a template message to one of its recipients.
func (g *Game) checkMessage(r storedRun, sent int) {
	most := 1 + g.replayed[r.id] // who replays an interrupted one knows that it may be sent again
	interrupted := r.why == "interrupted" || g.replayed[r.id] > 0
	switch {
	case r.status == "succeeded" && sent == 0:
		g.problem("effects: no message of %s", r)
	case sent > most, sent > 1 && !g.interrupted[r.id]:
		g.problem("effects: %d messages of %s", sent, r)
	case r.status == "failed" && sent > 0 && !interrupted:
		g.problem("effects: a message of %s", r)
	case interrupted && r.why == "interrupted" && !g.troubled(r.id):
		g.problem("effects: %s, though nothing had gone wrong", r)
	}
}

// troubled reports whether the work on a run met a fault.
func (g *Game) troubled(id string) bool {
	for _, p := range g.points {
		if p.runs[id] {
			return true
		}
	}
	return false
}

// troubledApart reports whether the work on a run met a fault at another place.
func (g *Game) troubledApart(id, place string) bool {
	for where, p := range g.points {
		if p.runs[id] && !strings.HasPrefix(where, place) {
			return true
		}
	}
	return false
}

// checkWebhook looks at the deliveries of one.
func (g *Game) checkWebhook(r storedRun, sent, accepted int) {
	switch {
	case r.status == "succeeded" && accepted == 0:
		g.problem("effects: no webhook of %s was accepted", r)
	case r.status == "skipped" && accepted > 0 && r.why != "disabled":
		g.problem("effects: %d webhooks of %s", sent, r)
	case r.status == "failed" && accepted > 0 && !g.troubled(r.id):
		g.problem("effects: %d webhooks of %s", accepted, r)
	}
}

// checkJob looks at a job, which is made in one transaction with its token.
func (g *Game) checkJob(r storedRun, made int, cannot bool) {
	switch {
	case made > 1:
		g.problem("effects: %d jobs of %s", made, r)
	case cannot && (made > 0 || r.status == "succeeded"):
		g.problem("effects: %d jobs of %s, whose function is not there", made, r)
	case r.status == "succeeded" && made == 0:
		g.problem("effects: no job of %s", r)
	case r.status != "succeeded" && made > 0 && !g.troubled(r.id):
		g.problem("effects: %d jobs of %s", made, r)
	}
}

// jobsByRun counts the jobs that runs have started. Each was sent, or something went wrong with that: then it is
// swept.
func (g *Game) jobsByRun() map[string]int {
	sent := map[string]bool{}
	for _, body := range g.world.Queue("jobs").Log() {
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

// checkRows compares created rows, and rows that count, with the number of succeeded runs, by the name of the row. A
// run that met a fault and has not succeeded may have had its effect.
func (g *Game) checkRows(runs []storedRun) {
	var asked promise.Ledger
	for _, r := range runs {
		a := g.modelActionOf(r)
		if a == nil || a.kind != trigger.TableOperation || a.variant == "loop" {
			continue
		}
		name := fmt.Sprintf("%s %d/%d", r.scope, r.trigger, r.action)
		if a.variant == "create" {
			name = strings.TrimSpace(r.scope + " " + g.mark(r) + g.eventOf(r))
		}
		need := promise.Never
		switch {
		case r.status == "succeeded":
			need = promise.Must
		case g.troubled(r.id):
			need = promise.May
		}
		asked.Add(name, need, 1)
	}

	found := map[string]int{}
	for _, it := range g.world.DB.Items("RowsTable") {
		scope, number, _ := strings.Cut(text(it, "pk"), "#")
		name := strings.TrimSpace(scope + " " + fmt.Sprint(fields(it)["name"]))
		switch number {
		case fmt.Sprint(int64(madeID)):
			found[name]++
		case fmt.Sprint(int64(countersID)):
			found[name] = int(number64(fields(it)))
		}
	}
	for _, trouble := range asked.Judge(promise.Found{Times: found}).Troubles {
		g.problem("effects: row or counter %s", trouble)
	}
}

// mark stands in what an action makes.
func (g *Game) mark(r storedRun) string {
	return fmt.Sprintf("mark-%s action %d/%d ", r.scope, r.trigger, r.action)
}

// eventOf is what templates can say of a run's event.
func (g *Game) eventOf(r storedRun) string {
	if name := eventVariables[r.kind]; name != "" {
		payload, _ := r.content["payload"].(map[string]any)
		return fmt.Sprint(payload[name])
	}
	return ""
}

// eventVariables are the names of events, by their kinds.
var eventVariables = map[string]string{
	"on_create": "write", "on_update": "write", "on_delete": "write", "on_payment": "trade_no",
	"on_chat_message": "MsgId",
}

// checkContents checks that messages name their tenant, action and event.
func (g *Game) checkContents(runs map[string]storedRun) {
	for _, e := range g.outside.effects {
		r, known := runs[e.run]
		if !known {
			continue
		}
		want := []string{g.eventOf(r)}
		if e.kind != "webhook" {
			want = append(want, strings.TrimSpace(g.mark(r)))
		}
		for _, part := range want {
			if !strings.Contains(e.text, part) {
				g.problem("effects: a %s of %s says %q and not %q", e.kind, r, e.text, part)
			}
		}
		g.checkNamed(e.kind+" to "+e.to, e.text)
	}
}

// checkReceivers checks ids, addresses, depths and times of webhooks.
func (g *Game) checkReceivers(runs map[string]storedRun) {
	notUntil, gone := map[string]time.Time{}, map[string]time.Time{}
	for _, r := range runs {
		if r.why == "gone" && g.replayed[r.id] == 0 {
			gone[fmt.Sprintf("%s %d/%d", r.scope, r.trigger, r.action)] = r.finished
		}
	}
	for _, e := range g.outside.effects {
		r, known := runs[e.run]
		if e.kind != "webhook" || !known {
			continue
		}
		app, env, _ := strings.Cut(r.scope, ".")
		at := fmt.Sprintf("https://%s.example.com/%s/%d/%d/", app, env, r.trigger, r.action)
		switch {
		case e.named != e.run:
			g.problem("effects: a webhook of %s has the id %q", r, e.named)
		case !strings.HasPrefix(e.to, at):
			g.problem("effects: a webhook of %s went to %s", r, e.to)
		case e.depth != fmt.Sprint(g.deepest[r.id]+1)+signedDepth:
			g.problem("effects: a webhook of %s says depth %s", r, e.depth)
		}

		if quit := gone[fmt.Sprintf("%s %d/%d", r.scope, r.trigger, r.action)]; !quit.IsZero() &&
			e.at.After(quit.Add(2*time.Minute+skew)) {
			g.problem("effects: a webhook of %s was sent %v after its receiver was gone", r, e.at.Sub(quit))
		}
		if g.skewed || g.replayed[r.id] > 0 {
			continue
		}
		if e.status == 410 && r.why != "gone" && !g.troubledApart(r.id, "webhook: ") {
			g.problem("effects: the receiver of a webhook of %s was gone", r)
		}
		if e.at.Before(notUntil[e.run]) {
			g.problem("effects: a webhook of %s came %v too early", r, notUntil[e.run].Sub(e.at))
		}
		notUntil[e.run] = e.notUntil
		if r.status == "succeeded" && e.at.After(r.finished.Add(time.Second)) {
			g.problem("effects: a webhook of %s came %v after its end", r, e.at.Sub(r.finished))
		}
	}
}

// checkRates checks that receivers that take one webhook a second get no more. A slow delivery may meet the next one.
func (g *Game) checkRates() {
	got := map[string][]time.Time{}
	for _, e := range g.outside.effects {
		if e.kind == "webhook" && g.limitedURL[e.to] && !g.skewed {
			got[e.to] = append(got[e.to], e.at)
		}
	}
	const most, within = 2, 300 * time.Millisecond
	for to, times := range got {
		if n := promise.Crowded(times, most, within); n > 0 {
			g.problem("effects: %d webhooks too many, more than %d within %v, to %s", n, most, within, to)
		}
	}
}

// checkDisabled checks that no action of a disabled trigger is done.
func (g *Game) checkDisabled(runs map[string]storedRun) {
	for _, a := range g.outside.attempts {
		r := runs[a.run]
		w := g.modelTriggerOf(r.scope, r.trigger)
		if w != nil && !w.off.ended.IsZero() && a.at.After(w.off.ended.Add(slack)) {
			g.problem("effects: %s was worked on %v after its trigger was disabled", r, a.at.Sub(w.off.ended))
		}
	}
}

// checkNumbers checks the limits of phone numbers: one text a minute, ten a day.
func (g *Game) checkNumbers(runs map[string]storedRun) {
	got := map[string][]time.Time{}
	for _, e := range g.outside.effects {
		if e.kind == "text" && g.replayed[e.run] == 0 {
			number := runs[e.run].scope + " " + e.to
			got[number] = append(got[number], e.at)
		}
	}
	apart := 50 * time.Second // a call may be slow
	if g.skewed {
		return
	}
	for number, times := range got {
		if n := promise.Crowded(times, 1, apart); n > 0 {
			g.problem("effects: %s got a text within %v of another one, %d times", number, apart, n)
		}
		if len(times) > 10 {
			g.problem("effects: %s got %d texts", number, len(times))
		}
	}
}

func number64(row map[string]any) (n int64) {
	_, _ = fmt.Sscan(fmt.Sprint(row["n"]), &n)
	return n
}
