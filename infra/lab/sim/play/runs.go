package play

import (
	"bytes"
	"compress/gzip"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"io"
	"slices"
	"strconv"
	"strings"
	"time"

	"minicloud/infra/lab/sim/memdb"
	"minicloud/shared/trigger"
	"minicloud/shared/trigger/run"
)

// storedRun is an entry of the trigger log, read without the platform's code.
type storedRun struct {
	tenant *tenant
	of     *modelTrigger
	does   *modelAction // nil where the model has no such action; then of and tenant may be, too

	scope   string
	trigger trigger.ID
	action  trigger.ActionID
	id      string
	at      time.Time
	status  string
	why     string // type of its error
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

func (r storedRun) skipped() bool { return r.status == "skipped" }

// unknown reports whether the platform says of a run that it does not know whether it had its effect.
func (r storedRun) unknown() bool { return r.why == "interrupted" || r.why == "lost" }

func (r storedRun) depth() int {
	depth, _ := r.content["depth"].(float64)
	return int(depth)
}

// payload is a member of the payload of the run's event.
func (r storedRun) payload(name string) string {
	payload, _ := r.content["payload"].(map[string]any)
	return fmt.Sprint(payload[name])
}

// name is what templates can say of the run's event.
func (r storedRun) name() string {
	if r.does.event == "" {
		return ""
	}
	return r.payload(r.does.event)
}

// event is the name by which the source knows the event: payments go by trade numbers and calls of hooks by what
// their callers numbered them, for the platform makes their ids.
func (r storedRun) event() string {
	switch r.kind {
	case "on_payment":
		return "trade " + r.subject
	case "on_incoming_webhook":
		payload, _ := r.content["payload"].(map[string]any)
		return fmt.Sprint("call ", asMap(payload["payload"])["n"])
	}
	return r.eventID
}

func (r storedRun) String() string {
	return fmt.Sprintf(
		"%s of action %d of trigger %d of %s for %s (%s %s %s)", r.id, r.action, r.trigger, r.scope, r.event(), r.status,
		r.why, r.says,
	)
}

// runs reads the trigger log.
func (g *Game) runs() (all []storedRun) {
	for _, it := range g.world.DB.Items("TriggerLogTable") {
		r, ok := readRun(it)
		if !ok {
			continue
		}
		if r.tenant, r.of = g.modelTriggerOf(r.scope, r.trigger); r.of != nil {
			at := slices.IndexFunc(r.of.actions, func(a modelAction) bool { return a.id == r.action })
			if at >= 0 {
				r.does = &r.of.actions[at]
			}
		}
		all = append(all, r)
	}
	return all
}

func readRun(it memdb.Item) (r storedRun, ok bool) {
	parts := strings.Split(text(it, "pk"), "#")
	at, id, _ := strings.Cut(text(it, "sk"), "#")
	ms, err := strconv.ParseInt(at, 10, 64)
	if len(parts) != 3 || parts[1] != "run" || err != nil {
		return r, false
	}

	n, _ := strconv.Atoi(parts[2])
	action, _ := strconv.Atoi(text(it, "action"))
	r = storedRun{
		scope: parts[0], trigger: trigger.ID(n), action: trigger.ActionID(action), id: id, at: time.UnixMilli(ms),
		status: text(it, "status"), kind: text(it, "kind"), eventID: text(it, "event_id"), subject: text(it, "subject"),
	}
	if failed, ok := value(it["error"]).(map[string]any); ok {
		r.why = fmt.Sprint(failed["Type"], failed["type"])
		r.why = strings.ReplaceAll(r.why, "<nil>", "")
		r.says = strings.ReplaceAll(fmt.Sprint(failed["Message"], failed["message"]), "<nil>", "")
	}

	_ = json.Unmarshal([]byte(text(it, "event")), &r.content)
	attempts, _ := value(it["attempts"]).([]any)
	r.joined = text(it, "joined")
	r.tries, _ = strconv.Atoi(text(it, "tries"))
	if len(attempts) > 0 {
		last := asMap(attempts[len(attempts)-1])
		r.response = strings.ReplaceAll(fmt.Sprint(last["Response"], last["response"]), "<nil>", "")
	}
	r.place, _ = strconv.ParseInt(text(it, "place"), 10, 64)
	if ms, err := strconv.ParseInt(text(it, "finished"), 10, 64); err == nil {
		r.finished = time.UnixMilli(ms)
	}

	return r, true
}

// text is an attribute as text, unpacked when it is packed; "" where there is none.
func text(it memdb.Item, name string) string {
	v := value(it[name])
	if v == nil {
		return ""
	}
	return fmt.Sprint(v)
}

// value is an attribute value as plain JSON; binaries are unpacked.
func value(av any) any {
	for kind, v := range asMap(av) {
		switch kind {
		case "M":
			members := map[string]any{}
			for name, member := range asMap(v) {
				members[name] = value(member)
			}
			return members
		case "L":
			list, _ := v.([]any)
			out := make([]any, len(list))
			for i, element := range list {
				out[i] = value(element)
			}
			return out
		case "B":
			return unpacked(fmt.Sprint(v))
		default:
			return v
		}
	}
	return nil
}

func asMap(v any) map[string]any {
	members, _ := v.(map[string]any)
	return members
}

func unpacked(encoded string) string {
	packed, err := base64.StdEncoding.DecodeString(encoded)
	if err != nil {
		return encoded
	}
	reader, err := gzip.NewReader(bytes.NewReader(packed))
	if err != nil {
		return string(packed)
	}
	plain, err := io.ReadAll(reader)
	if err != nil {
		return string(packed)
	}
	return string(plain)
}

// sent hears of messages. One that asks for a run must find it.
func (g *Game) sent(queue, body string) {
	if !slices.Contains(actionQueues, queue) {
		return
	}
	var m run.Message
	if slices.Contains(invalidMessages, body) {
		return
	}
	if err := json.Unmarshal([]byte(body), &m); err != nil {
		g.problem("message %s: %v", body, err)
		return
	}

	key := memdb.Item{
		"pk": map[string]any{"S": fmt.Sprintf("%s#run#%d", m.Scope, m.Trigger)},
		"sk": map[string]any{"S": fmt.Sprintf("%013d#%s", m.At, m.Run)},
	}
	asked, _ := json.Marshal(map[string]any{"TableName": "TriggerLogTable", "Key": key})
	if _, found := g.world.DB.Answer("GetItem", asked); !bytes.Contains(found, []byte(`"pk"`)) {
		g.problem("message: run %s of %s was asked for before it was stored", m.Run, m.Scope)
	}
	g.mu.Lock()
	defer g.mu.Unlock()
	g.asked = append(g.asked, m.Run)
}

// checkRuns checks that ids of runs are unique, and that each run has ended once.
func (g *Game) checkRuns(runs []storedRun) {
	ids := map[string]bool{}
	for _, r := range runs {
		if ids[r.id] {
			g.problem("runs: two have the id %s", r.id)
		}
		ids[r.id] = true
		// A known gap: a worker that stored a run may die before it sends the run's message. If the trigger was disabled
		// when the event comes again, no message is sent for the stored run.
		disabled := r.of != nil && !r.of.off.began.IsZero()
		if r.status != "skipped" && r.status != "succeeded" && !disabled && !g.mayFail(r) {
			g.problem("runs: in the end there is %s", r)
		}
	}

	// A run ends once, and again each time it is replayed.
	ends := map[string]int{}
	for _, record := range g.world.DB.Stream("TriggerLogTable", 0) {
		was, is := text(record.Old, "status"), text(record.New, "status")
		if is != was && slices.Contains([]string{"succeeded", "failed", "skipped"}, is) {
			ends[text(record.New, "sk")]++
		}
	}
	for sk, times := range ends {
		if _, id, _ := strings.Cut(sk, "#"); times > 1+g.replayed[id] {
			g.problem("runs: %s has ended %d times", id, times)
		}
	}
}

// deepestEvents are the depths of runs: of a batch, that of its deepest event.
func deepestEvents(runs []storedRun) map[string]int {
	deepest := map[string]int{}
	for _, r := range runs {
		id := r.id
		if r.joined != "" {
			id = r.joined[len(r.joined)-len(r.id):]
		}
		deepest[id] = max(deepest[id], r.depth())
	}
	return deepest
}

// mayFail reports whether a failed run has a reason.
func (g *Game) mayFail(r storedRun) bool {
	a := r.does
	if a == nil || r.status != "failed" {
		return false
	}
	switch r.why {
	case "interrupted":
		return a.messages()
	case "invalid":
		return a.messages() && g.outside.refused[r.id]
	case "execution_rejected":
		return a.kind == trigger.CloudFunction && g.deepest[r.id] >= maxDepth
	case "not_found":
		return a.variant == "missing"
	case "gone":
		return a.variant == "quits"
	case "lost":
		return g.troubled(r.id)
	case "limit":
		return a.kind == trigger.SMS
	}
	return r.tries >= 6 && g.troubled(r.id) // it has used its attempts up
}
