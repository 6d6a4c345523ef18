package model

import (
	"encoding/json"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"

	"minicloud/infra/lab/sim/game"
	"minicloud/infra/lab/sim/memdb"
	"minicloud/shared/trigger"
)

// Run is an entry of the trigger log, read without the platform's code.
type Run struct {
	tenant *Tenant
	of     *Trigger
	does   *Action // nil where the model has no such action; then of and tenant may be, too

	Scope   string
	Trigger trigger.ID
	action  trigger.ActionID
	ID      string
	At      time.Time
	Status  string
	Why     string // type of its error
	says    string // its message
	kind    string
	eventID string
	subject string
	content map[string]any // of its event

	finished time.Time
	tries    int    // attempts, also those of workers that died, of which the log keeps the last one only
	response string // of the last one
	joined   string // the run whose batch has its event, "" = none
	place    int64  // in its order, 0 = none
}

func (r Run) skipped() bool { return r.Status == "skipped" }

// Unknown reports whether the platform says of a run that it does not know whether it had its effect.
func (r Run) Unknown() bool { return r.Why == "interrupted" || r.Why == "lost" }

func (r Run) depth() int {
	depth, _ := r.content["depth"].(float64)
	return int(depth)
}

// payload is a member of the payload of the run's event.
func (r Run) payload(name string) string {
	payload, _ := r.content["payload"].(map[string]any)
	return fmt.Sprint(payload[name])
}

// name is what templates can say of the run's event.
func (r Run) name() string {
	if r.does.event == "" {
		return ""
	}
	return r.payload(r.does.event)
}

// event is the name by which the source knows the event: payments go by trade numbers and calls of hooks by what
// their callers numbered them, for the platform makes their ids.
func (r Run) event() string {
	switch r.kind {
	case "on_payment":
		return "trade " + r.subject
	case "on_incoming_webhook":
		payload, _ := r.content["payload"].(map[string]any)
		return fmt.Sprint("call ", game.Map(payload["payload"])["n"])
	}
	return r.eventID
}

func (r Run) String() string {
	return fmt.Sprintf(
		"%s of action %d of trigger %d of %s for %s (%s %s %s)", r.ID, r.action, r.Trigger, r.Scope, r.event(), r.Status,
		r.Why, r.says,
	)
}

// Runs reads the trigger log.
func (g *Ledger) Runs() (all []Run) {
	for _, it := range g.World.DB.Items("TriggerLogTable") {
		r, ok := readRun(it)
		if !ok {
			continue
		}
		if r.tenant, r.of = g.triggerOf(r.Scope, r.Trigger); r.of != nil {
			at := slices.IndexFunc(r.of.Actions, func(a Action) bool { return a.ID == r.action })
			if at >= 0 {
				r.does = &r.of.Actions[at]
			}
		}
		all = append(all, r)
	}
	return all
}

func readRun(it memdb.Item) (r Run, ok bool) {
	parts := strings.Split(game.Text(it, "pk"), "#")
	at, id, _ := strings.Cut(game.Text(it, "sk"), "#")
	ms, err := strconv.ParseInt(at, 10, 64)
	if len(parts) != 3 || parts[1] != "run" || err != nil {
		return r, false
	}

	n, _ := strconv.Atoi(parts[2])
	action, _ := strconv.Atoi(game.Text(it, "action"))
	r = Run{
		Scope: parts[0], Trigger: trigger.ID(n), action: trigger.ActionID(action), ID: id, At: time.UnixMilli(ms),
		Status: game.Text(it, "status"), kind: game.Text(it, "kind"), eventID: game.Text(it, "event_id"), subject: game.Text(it, "subject"),
	}
	failed := game.Map(game.Value(it["error"]))
	r.Why, _ = failed["Type"].(string)
	r.says, _ = failed["Message"].(string)

	_ = json.Unmarshal([]byte(game.Text(it, "event")), &r.content)
	attempts, _ := game.Value(it["attempts"]).([]any)
	r.joined = game.Text(it, "joined")
	r.tries, _ = strconv.Atoi(game.Text(it, "tries"))
	if len(attempts) > 0 {
		r.response, _ = game.Map(attempts[len(attempts)-1])["Response"].(string)
	}
	r.place, _ = strconv.ParseInt(game.Text(it, "place"), 10, 64)
	if ms, err := strconv.ParseInt(game.Text(it, "finished"), 10, 64); err == nil {
		r.finished = time.UnixMilli(ms)
	}

	return r, true
}

// checkRuns checks that ids of runs are unique, and that each run has ended once.
func (g *Ledger) checkRuns(runs []Run) {
	ids := map[string]bool{}
	for _, r := range runs {
		if ids[r.ID] {
			g.Problem("runs: two have the id %s", r.ID)
		}
		ids[r.ID] = true
		// A known gap: a worker that stored a run may die before it sends the run's message. If the trigger was disabled
		// when the event comes again, no message is sent for the stored run.
		disabled := r.of != nil && !r.of.Off.Began.IsZero()
		if r.Status != "skipped" && r.Status != "succeeded" && !disabled && !g.mayFail(r) {
			g.Problem("runs: in the end there is %s", r)
		}
	}

	// A run ends once, and again each time it is replayed.
	ends := map[string]int{}
	for _, record := range g.World.DB.Stream("TriggerLogTable", 0) {
		was, is := game.Text(record.Old, "status"), game.Text(record.New, "status")
		if is != was && slices.Contains([]string{"succeeded", "failed", "skipped"}, is) {
			ends[game.Text(record.New, "sk")]++
		}
	}
	for sk, times := range ends {
		if _, id, _ := strings.Cut(sk, "#"); times > 1+g.Replayed[id] {
			g.Problem("runs: %s has ended %d times", id, times)
		}
	}
}

// deepestEvents are the depths of runs: of a batch, that of its deepest event.
func deepestEvents(runs []Run) map[string]int {
	deepest := map[string]int{}
	for _, r := range runs {
		id := r.ID
		if r.joined != "" {
			id = r.joined[len(r.joined)-len(r.ID):]
		}
		deepest[id] = max(deepest[id], r.depth())
	}
	return deepest
}

// mayFail reports whether a failed run has a reason.
func (g *Ledger) mayFail(r Run) bool {
	a := r.does
	if a == nil || r.Status != "failed" {
		return false
	}
	switch r.Why {
	case "interrupted":
		return a.messages()
	case "invalid":
		return a.messages() && g.Outside.Refused[r.ID]
	case "execution_rejected":
		return a.Kind == trigger.CloudFunction && g.deepest[r.ID] >= MaxDepth
	case "not_found":
		return a.Variant == "missing"
	case "gone":
		return a.Variant == "quits"
	case "lost":
		return g.Outside.Troubled(r.ID)
	case "limit":
		return a.Kind == trigger.SMS
	}
	return r.tries >= 6 && g.Outside.Troubled(r.ID) // it has used its attempts up
}

// PointsHit says what became of the runs that something went wrong with.
func (g *Ledger) PointsHit(runs []Run) map[string]game.Point {
	outcome := map[string]string{}
	sent, each := map[string]int{}, map[string]int{}
	for _, e := range g.Outside.Effects {
		each[e.Run+e.To]++
		sent[e.Run] = max(sent[e.Run], each[e.Run+e.To])
	}
	for _, r := range runs {
		switch {
		case r.Status == "skipped" || r.Status == "failed":
			outcome[r.ID] = r.Status + " as " + r.Why
		case sent[r.ID] > 1:
			outcome[r.ID] = fmt.Sprintf("%s, sent %d times", r.Status, sent[r.ID])
		default:
			outcome[r.ID] = r.Status
		}
	}

	all := map[string]game.Point{}
	for where, p := range g.Outside.All {
		out := game.Point{Hits: p.Hits, Outcomes: map[string]int{}}
		for run := range p.Runs {
			if o := outcome[run]; o != "" {
				out.Outcomes[o]++
			}
		}
		all[where] = out
	}
	return all
}
