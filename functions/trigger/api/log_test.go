package api_test

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"minicloud/shared/trigger"
	"minicloud/shared/trigger/run"
)

// run stores the run of a trigger's first action, for an event n seconds after noon.
func (p *platform) run(t trigger.Trigger, n int, status run.Status, subject string) run.Run {
	p.Helper()
	at := noon.Add(time.Duration(n) * time.Second)
	e := trigger.Event{
		ID: fmt.Sprintf("event-%d", n), Scope: shop, Kind: trigger.OnCreate, At: at, Subject: subject, Trace: "trace",
	}
	r := run.Run{
		ID: run.IDOf(shop, t.ID, e.ID, t.Actions[0].ID), Scope: shop, Trigger: t.ID, TriggerName: t.Name,
		Action: t.Actions[0].ID, ActionType: t.Actions[0].Type, Event: e, Status: status, CreatedAt: at,
	}
	if status == run.Failed {
		r.Error, r.FinishedAt = &run.Error{Type: "network", Message: "no route"}, at.Add(time.Second)
		r.Attempts = []run.Attempt{{At: at.UnixMilli(), DurationMS: 12, StatusCode: 500, Response: "no"}}
	}
	if _, err := p.runs.Start(p.Context(), r, trigger.Frequency{}, at); err != nil {
		p.Fatal(err)
	}
	return r
}

func (p *platform) stored(made map[string]any) trigger.Trigger {
	p.Helper()
	t, err := p.triggers.Trigger(p.Context(), shop, trigger.ID(made["id"].(float64)))
	if err != nil {
		p.Fatal(err)
	}
	return t
}

// subjects returns the subject ids of a page of the log.
func subjects(t *testing.T, list map[string]any) string {
	t.Helper()
	var all []string
	for _, object := range at(t, list, "objects").([]any) {
		all = append(all, at(t, object, "subject_id").(string))
	}
	return strings.Join(all, "")
}

func TestLog(t *testing.T) {
	p := newPlatform(t)
	made, other := p.must(201, "POST", triggers, bookAdd), p.must(201, "POST", triggers, bookAdd)
	one, two := p.stored(made), p.stored(other)
	failed := p.run(one, 1, run.Failed, "a")
	p.run(two, 2, run.Succeeded, "b")
	p.run(one, 3, run.Pending, "c")
	p.run(one, 4, run.Succeeded, "d")
	p.run(two, 5, run.Skipped, "e")
	if _, err := p.runs.Start(t.Context(), run.Run{ // the frequency limit of an action is stored beside its runs
		ID: "turn", Scope: shop, Trigger: one.ID, Action: one.Actions[0].ID, Status: run.Pending, CreatedAt: noon,
		Event: trigger.Event{ID: "turn", Subject: "z", At: noon},
	}, trigger.Frequency{Mode: trigger.Once}, noon); err != nil {
		t.Fatal(err)
	}

	here, whole := path(t, made, "log/"), "/oserve/v3/trigger-log/"
	from := fmt.Sprint(noon.Unix() + 3)
	for target, want := range map[string]string{
		here: "dcaz", whole: "edcbaz", here + "?success=1": "d", whole + "?success=true": "db", whole + "?success=0": "a",
		here + "?subject_id=c": "c", whole + "?action=" + fmt.Sprint(two.Actions[0].ID): "eb", whole + "?action=5": "",
		whole + "?created_at__gte=" + from: "edc", whole + "?created_at__lte=" + from: "cbaz",
		here + "?created_at__gte=" + from + "&created_at__lte=" + from: "c",
		whole + "?created_at__gte=9&created_at__lte=3":                 "",
		whole + "?limit=2": "ed", whole + "?limit=2&offset=3": "ba", here + "?offset=9": "",
	} {
		if got := subjects(t, p.must(200, "GET", target, "")); got != want {
			t.Errorf("%s: %s, want %s", target, got, want)
		}
	}
	for _, query := range []string{"action=x", "success=2", "created_at__gte=x", "created_at__lte=-1", "limit=0"} {
		p.must(400, "GET", here+"?"+query, "")
		p.must(400, "GET", whole+"?"+query, "")
	}
	all := ""
	for next := any(whole + "?limit=1"); next != nil; {
		list := p.must(200, "GET", next.(string), "")
		all, next = all+subjects(t, list), at(t, list, "meta", "next")
	}
	if all != "edcbaz" {
		t.Errorf("page by page: %s", all)
	}

	if got := subjects(t, p.must(200, "GET", whole+"?newest=1", "")); got != "ed" {
		t.Errorf("the newest of each trigger: %s", got)
	}
	second := at(t, p.must(200, "GET", whole+"?newest=1&limit=1", ""), "meta", "next").(string)
	if got := subjects(t, p.must(200, "GET", second, "")); got != "d" {
		t.Errorf("the second page of the newest: %s", got)
	}
	p.must(400, "GET", whole+"?newest=2", "")

	list := p.must(200, "GET", "/oserve/v3/trigger/?detail=1&limit=1", "") // newest trigger first
	if got := at(t, list, "newest").([]any); len(got) != 1 || at(t, list, "newest", 0, "trigger") != at(t, list, "objects", 0, "id") {
		t.Errorf("the newest entries of a page of one trigger: %v", got)
	}
	if at(t, list, "newest", 0, "status") != string(run.Skipped) {
		t.Errorf("the newest entry: %v", at(t, list, "newest", 0))
	}
	if got := at(t, list, "tables", 0, "name"); got != "books" {
		t.Errorf("the table that it waits for: %v", got)
	}
	p.must(400, "GET", "/oserve/v3/trigger/?detail=2", "")

	entry := at(t, p.must(200, "GET", here+"?success=0", ""), "objects", 0)
	if alone := p.must(200, "GET", whole+failed.Ref().LogID()+"/", ""); !cmp.Equal(any(alone), entry) {
		t.Errorf("by its id: %s", cmp.Diff(entry, any(alone)))
	}
	gone := failed.Ref()
	gone.At = gone.At.Add(time.Millisecond)
	p.must(404, "GET", whole+gone.LogID()+"/", "")
	p.must(404, "GET", whole+"x/", "")
	if w := p.ask("GET", whole+failed.Ref().LogID()+"/", "", "Authorization: Bearer bank"); w.Code != 404 {
		t.Errorf("another application's: %d %s", w.Code, w.Body)
	}
	want := map[string]any{
		"id": failed.Ref().LogID(), "trigger": made["id"], "trigger_name": "long books", "action_type": "webhook",
		"action_id": failed.ID,
		"status":    "failed", "success": false, "trace_id": "trace", "created_at": float64(noon.Unix() + 1),
		"finished_at":     float64(noon.Unix() + 2),
		"next_attempt_at": nil,
	}
	for name, v := range want {
		if got := at(t, entry, name); got != v {
			t.Errorf("%s is %v, want %v", name, got, v)
		}
	}
	if at(t, entry, "error", "type") != "network" || at(t, entry, "attempts", 0, "status_code") != 500.0 ||
		at(t, entry, "event", "kind") != "on_create" {
		t.Errorf("entry %v", entry)
	}

	// The log remains after the trigger is deleted.
	p.must(204, "DELETE", path(t, made, ""), "")
	for target, want := range map[string]string{here: "dcaz", whole: "edcbaz"} {
		if got := subjects(t, p.must(200, "GET", target, "")); got != want {
			t.Errorf("of a deleted one, %s: %s, want %s", target, got, want)
		}
	}
	if list := p.must(200, "GET", whole, "", "Authorization: Bearer bank"); subjects(t, list) != "" {
		t.Errorf("the bank reads %v", list)
	}
	p.must(404, "GET", here, "", "Authorization: Bearer bank")
}

func TestEvaluations(t *testing.T) {
	p := newPlatform(t)
	made := p.must(201, "POST", triggers, bookAdd)
	number := p.stored(made).ID
	for n := range 3 {
		at := noon.Add(time.Duration(n) * time.Second)
		e := trigger.Event{ID: fmt.Sprint("e", n), At: at}
		seen := run.Evaluated{
			EventID: e.ID, At: at.UnixMilli(), Held: n == 1,
			Rules: []run.RuleResult{{Path: "pages", Operator: trigger.Greater, Operand: 100.0, Seen: 5.0}},
		}
		notes := run.Notes{Scope: shop, Trigger: number, First: e, List: []run.Evaluated{seen}, Seen: 60 + n, Held: n}
		if err := p.runs.Note(t.Context(), []run.Notes{notes}); err != nil {
			t.Fatal(err)
		}
	}
	list := p.must(200, "GET", path(t, made, "evaluation/")+"?limit=2", "")
	if at(t, list, "objects", 0, "event_id") != "e2" || at(t, list, "objects", 0, "rules", 0, "seen") != 5.0 {
		t.Errorf("list %v", list)
	}
	for query, want := range map[string]float64{"?held=true": 1, "?held=0&limit=1": 2, "?held=": 3} {
		if got := at(t, p.must(200, "GET", path(t, made, "evaluation/")+query, ""), "meta", "total_count"); got != want {
			t.Errorf("%s lists %v, want %v", query, got, want)
		}
	}
	// The counts include evaluations beyond the number that is stored.
	looked, err := p.runs.Seen(t.Context(), shop, number, noon.Add(time.Second), 10)
	want := []run.Seen{{At: noon.Add(2 * time.Second), Seen: 62, Held: 2}, {At: noon.Add(time.Second), Seen: 61, Held: 1}}
	if err != nil || !cmp.Equal(looked, want) {
		t.Errorf("%v %s", err, cmp.Diff(want, looked))
	}
	if looked, err = p.runs.Seen(t.Context(), shop, number, noon, 1); err != nil || !cmp.Equal(looked, want[:1]) {
		t.Errorf("of one: %v %v", looked, err)
	}

	rest := p.must(200, "GET", at(t, list, "meta", "next").(string), "")
	if at(t, rest, "objects", 0, "event_id") != "e0" || at(t, rest, "meta", "next") != nil {
		t.Errorf("rest %v", rest)
	}
}

// TestHooks: the URL of a hook, its reset, and the list of calls.
func TestHooks(t *testing.T) {
	p := newPlatform(t)
	made := p.must(201, "POST", triggers, `{"name":"call me","type":"incoming_webhook","actions":[`+hooked+`]}`)
	address, _ := made["hook_url"].(string)
	first := p.stored(made).HookID
	if address != "https://example.com/oserve/v1/incoming-webhook/"+first+"/" || len(first) != 10 {
		t.Errorf("hook %s", address)
	}
	h, err := p.triggers.Hook(t.Context(), first)
	if err != nil || !h.Enabled {
		t.Fatal(h, err)
	}
	if err := p.triggers.Keep(
		t.Context(), h, trigger.HookCall{ID: "c1", Hook: first, Method: "PUT", At: noon}, 2,
	); err != nil {
		t.Fatal(err)
	}
	calls := p.must(200, "GET", path(t, made, "hook/"), "")
	if at(t, calls, "objects", 0, "id") != "c1" || at(t, calls, "objects", 0, "fired") != true ||
		at(t, calls, "objects", 0, "method") != "PUT" {
		t.Errorf("calls %v", calls)
	}

	key := "Idempotency-Key: reset"
	reset := p.ask("POST", path(t, made, "hook/"), "", key)
	p.forgetAnswers()
	if again := p.ask("POST", path(t, made, "hook/"), "", key); reset.Code != 200 ||
		again.Body.String() != reset.Body.String() {
		t.Errorf("reset %d %s, again %s", reset.Code, reset.Body, again.Body)
	}
	second := p.stored(made).HookID
	if _, err := p.triggers.Hook(t.Context(), first); err == nil || second == first ||
		!strings.Contains(reset.Body.String(), second) {
		t.Errorf("the old hook is there: %v, %s", err, reset.Body)
	}
	p.must(200, "PUT", path(t, made, ""), `{"enabled":false}`)
	if h, err := p.triggers.Hook(t.Context(), second); err != nil || h.Enabled {
		t.Errorf("the hook of a disabled trigger: %v %v", h, err)
	}
	p.must(204, "DELETE", path(t, made, ""), "")
	if _, err := p.triggers.Hook(t.Context(), second); err == nil {
		t.Error("the hook of a deleted trigger is there")
	}

	table := p.must(201, "POST", triggers, bookAdd)
	p.must(400, "GET", path(t, table, "hook/"), "")
	p.must(400, "POST", path(t, table, "hook/"), "")
}

// TestKeyRotation: the old key signs for the days of overlap; without overlap it stops at once.
func TestKeyRotation(t *testing.T) {
	p := newPlatform(t)
	made := p.must(201, "POST", triggers, bookAdd)
	one := p.stored(made)
	action := one.Actions[0].ID
	here := path(t, made, fmt.Sprintf("action/%d/key/", action))
	key := "Idempotency-Key: rotate"
	first := p.ask("POST", here, "", key)
	p.forgetAnswers()
	again := p.ask("POST", here, "", key)
	answer := decoded(t, first)
	next, _ := answer["key"].(string)
	if first.Code != 200 || first.Body.String() != again.Body.String() || len(next) != 32 ||
		answer["active_at"] != float64(noon.Unix()+2*86400) {
		t.Errorf("rotated %s, again %s", first.Body, again.Body)
	}
	was, is := one.Secrets.Keys[action], p.stored(made).Secrets.Keys[action]
	if string(is.Current) != string(was.Current) || is.Next == nil || is.At(noon).Next == nil {
		t.Errorf("keys %+v, were %+v", is, was)
	}
	if later := is.At(noon.Add(48 * time.Hour)); later.Next != nil || string(later.Current) != string(is.Next) {
		t.Errorf("after the overlap %+v", later)
	}

	p.must(
		200, "PUT", path(t, made, ""),
		fmt.Sprintf(`{"actions":[{"id":%d,"settings":{"url":"https://example.com/"}}]}`, action),
	)
	at := p.must(200, "POST", here, "")
	if now := p.stored(made).Secrets.Keys[action]; now.Next != nil || at["active_at"] != float64(noon.Unix()) ||
		at["key"] == next {
		t.Errorf("without overlap: %v %+v", at, now)
	}
	p.must(404, "POST", path(t, made, "action/5/key/"), "")
	mail := p.must(
		201, "POST", triggers,
		`{"name":"m","type":"chat_pay","actions":[{"type":"email","settings":{"to":["a@example.com"],"subject":"s","body":"b"}}]}`,
	)
	p.must(400, "POST", path(t, mail, fmt.Sprintf("action/%d/key/", p.stored(mail).Actions[0].ID)), "")
}

// TestRequestsRunsOfPendingEvents: it happens before the trigger changes or is deleted. The program that stored the
// run may have died, and its event may not match the changed trigger.
func TestRequestsRunsOfPendingEvents(t *testing.T) {
	p := newPlatform(t)
	made := p.must(201, "POST", triggers, bookAdd)
	one := p.stored(made)
	pending := p.run(one, 0, run.Pending, "a")
	p.run(one, 0, run.Skipped, "b")
	p.now = noon.Add(time.Minute)

	for n, change := range []func(){
		func() { p.must(200, "PUT", path(t, made, ""), `{"enabled": false}`) },
		func() { p.must(204, "DELETE", path(t, made, ""), "") },
	} {
		change()
		if len(p.queue.sent) != n+1 || p.queue.sent[n] != run.MessageOf(pending.Ref(), shop) {
			t.Errorf("after change %d: sent %v", n, p.queue.sent)
		}
	}
}

// TestDryRunWritesNothing: so viewers may request one.
func TestDryRunWritesNothing(t *testing.T) {
	p := newPlatform(t)
	made := p.must(201, "POST", triggers, bookAdd)
	failed := p.run(p.stored(made), 1, run.Failed, "a")
	from, to := noon.Unix()-60, noon.Unix()+60
	span := fmt.Sprintf(`{"from":%d,"to":%d}`, from, to)
	p.recorder.Take()

	p.must(200, "POST", path(t, made, "fire/?dry_run=1"), "")
	p.must(200, "POST", path(t, made, "replay/?dry_run=1"), span)
	p.must(200, "POST", path(t, made, "replay/"), fmt.Sprintf(`{"from":%d,"to":%d,"dry_run":true}`, from, to))
	p.must(200, "POST", "/oserve/v3/trigger-log/"+failed.Ref().LogID()+"/replay/?dry_run=1", "")
	p.must(200, "POST", path(t, made, "back-test/"), `{"days":7}`)
	p.must(200, "POST", "/oserve/v3/trigger-check/", bookAdd)
	for _, operation := range p.recorder.Take() {
		if operation != "Query" && operation != "GetItem" && operation != "BatchGetItem" {
			t.Errorf("%s was called", operation)
		}
	}
	if len(p.queue.sent)+len(p.ranges.waiting) > 0 {
		t.Errorf("sent %v, submitted %v", p.queue.sent, p.ranges.waiting)
	}
}
