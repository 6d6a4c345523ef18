package api_test

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"minicloud/shared/table"
	"minicloud/shared/trigger/run"
)

const mailOnce = `{"name":"mail","type":"table","condition":{"table":"books","event":"create","rules":[{"field":"pages","operator":">","value":100}]},
	"actions":[{"type":"email","frequency":{"mode":"once"},"settings":{"to":["a@example.com"],"subject":"{{ title }}: {{ pages }}","body":"<{{ title }}>","format":"html"}},
	{"type":"table_operation","settings":{"table":"books","operation":"create","assign":[{"field":"pages","operator":"=","value":"{{ pages }}"}]}}]}`

// TestFire: an event that matches the conditions starts each action once and sends its message.
func TestFire(t *testing.T) {
	p := newPlatform(t)
	made := p.must(201, "POST", triggers, mailOnce)
	here := path(t, made, "fire/")
	if short := p.must(
		200, "POST", here, `{"event":{"title":"t","pages":5}}`,
	); len(at(t, short, "actions").([]any)) != 0 || len(p.queue.sent) != 0 {
		t.Errorf("fired on a short book: %v", short)
	}
	fired := p.must(200, "POST", here, `{"event":{"title":"t","pages":500}}`)
	if len(p.queue.sent) != 2 || at(t, fired, "actions", 0, "action") != at(t, made, "actions", 0, "id") {
		t.Fatalf("fired %v, sent %v", fired, p.queue.sent)
	}
	log := p.must(200, "GET", path(t, made, "log/"), "")
	if at(t, log, "objects", 0, "status") != "pending" || at(t, log, "objects", 0, "event", "id") != fired["event_id"] {
		t.Errorf("log %v", log)
	}

	// An action that may fire only once is skipped, and the evaluation says why.
	p.must(200, "POST", here, `{"event":{"title":"t","pages":500}}`)
	seen := p.must(200, "GET", path(t, made, "evaluation/"), "")
	why := map[any]int{}
	for _, object := range at(t, seen, "objects").([]any) {
		for _, a := range at(t, object, "actions").([]any) {
			why[at(t, a, "why")]++
		}
	}
	if len(p.queue.sent) != 3 || why["frequency"] != 1 {
		t.Errorf("sent %v, evaluations %v", p.queue.sent, seen)
	}

	key := "Idempotency-Key: fire"
	first := p.ask("POST", here, `{"event":{"pages":300}}`, key)
	p.forgetAnswers()
	before := subjectsCount(t, p, made)
	if again := p.ask("POST", here, `{"event":{"pages":300}}`, key); again.Body.String() != first.Body.String() ||
		subjectsCount(t, p, made) != before {
		t.Errorf("fired %s, again %s", first.Body, again.Body)
	}

	for body, want := range map[string]string{`{"event":5}`: "event", `[]`: "object"} {
		if answer := p.must(400, "POST", here, body); !strings.Contains(answer["error_msg"].(string), want) {
			t.Errorf("%s: %v", body, answer)
		}
	}
	p.must(200, "PUT", path(t, made, ""), `{"enabled":false}`)
	p.must(400, "POST", here, "{}")
	p.must(400, "POST", here+"?dry_run=2", "{}")
	if dry := p.must(200, "POST", here+"?dry_run=1", ""); at(t, dry, "actions", 0, "would") != "disabled" {
		t.Errorf("dry run of a disabled one: %v", dry)
	}
}

func subjectsCount(t *testing.T, p *platform, made map[string]any) int {
	return len(at(t, p.must(200, "GET", path(t, made, "log/"), ""), "objects").([]any))
}

// TestStopsChainsOfFunctionsAtDepthEight: and logs the skipped run.
func TestStopsChainsOfFunctionsAtDepthEight(t *testing.T) {
	p := newPlatform(t)
	made := p.must(201, "POST", triggers, `{"name":"call me","type":"incoming_webhook","actions":[`+hooked+`]}`)
	number := p.stored(made).ID
	for depth, want := range map[int]run.Status{
		0: run.Pending, 7: run.Pending, 8: run.Skipped, 9: run.Skipped,
	} {
		_, runs, err := p.service.Fire(t.Context(), shop, number, nil, table.Origin{Depth: depth})
		if err != nil || len(runs) != 1 || runs[0].Status != want || runs[0].Event.Depth != depth {
			t.Errorf("at depth %d: %+v %v", depth, runs, err)
		}
	}
	if len(p.queue.sent) != 2 {
		t.Errorf("sent %v", p.queue.sent)
	}
}

// TestDryRun: the response has the rendered actions, and nothing is executed.
func TestDryRun(t *testing.T) {
	p := newPlatform(t)
	made := p.must(201, "POST", triggers, mailOnce)
	here := path(t, made, "fire/?dry_run=1")
	dry := p.must(200, "POST", here, `{"event":{"title":"a <b>","pages":500}}`)
	for _, want := range []struct {
		v    any
		path []any
	}{
		{true, []any{"held"}}, {"pages", []any{"rules", 0, "path"}}, {500.0, []any{"rules", 0, "seen"}},
		{100.0, []any{"rules", 0, "operand"}},
		{"run", []any{"actions", 0, "would"}}, {"a <b>: 500", []any{"actions", 0, "rendered", "subject"}},
		{"<a &lt;b&gt;>", []any{"actions", 0, "rendered", "body"}},
		{500.0, []any{"actions", 1, "rendered", "assign", 0, "value"}},
		{"=", []any{"actions", 1, "rendered", "assign", 0, "operator"}},
	} {
		if got := at(t, dry, want.path...); got != want.v {
			t.Errorf("%v is %v, want %v", want.path, got, want.v)
		}
	}
	if len(p.queue.sent) != 0 || subjectsCount(t, p, made) != 0 {
		t.Errorf("a dry run has sent %v", p.queue.sent)
	}
	if dry := p.must(200, "POST", here, `{"event":{"pages":5}}`); at(t, dry, "held") != false ||
		at(t, dry, "actions", 0, "would") != "conditions" {
		t.Errorf("not held: %v", dry)
	}
	p.must(200, "POST", path(t, made, "fire/"), `{"event":{"pages":500}}`)
	p.now = noon.Add(time.Minute)
	if dry := p.must(200, "POST", here, `{"event":{"pages":500}}`); at(t, dry, "actions", 0, "would") != "frequency" ||
		at(t, dry, "actions", 1, "would") != "run" {
		t.Errorf("after its turn: %v", dry)
	}
}

// TestBackTest: over the rows of the last days, and over the minutes of a timer.
func TestBackTest(t *testing.T) {
	p := newPlatform(t)
	made := p.must(201, "POST", triggers, bookAdd)
	for day, pages := range []int64{450, 350, 250, 150, 50} {
		p.now = noon.Add(time.Duration(day) * 24 * time.Hour)
		for _, o := range p.service.Tables.Insert(
			t.Context(), shop, p.book, []map[string]any{{"title": "t", "pages": pages}}, table.Author{UserID: 70},
		) {
			if o.Err != nil {
				t.Fatal(o.Err)
			}
		}
	}
	p.now = p.now.Add(time.Minute)
	for days, want := range map[int][2]float64{1: {1, 0}, 2: {2, 1}, 3: {3, 2}, 7: {5, 4}} {
		got := p.must(200, "POST", path(t, made, "back-test/"), fmt.Sprintf(`{"days":%d}`, days))
		if got["events"] != want[0] || got["held"] != want[1] || len(at(t, got, "sample").([]any)) != int(want[1]) ||
			got["covers"] == "" {
			t.Errorf("%d days: %v, want %v", days, got, want)
		}
	}
	timer := p.must(
		201, "POST", triggers,
		`{"name":"n","type":"timer","condition":{"cron":"*/5 * * * *"},"actions":[{"type":"email","settings":{"to":["a@example.com"],"subject":"s","body":"b"}}]}`,
	)
	if got := p.must(200, "POST", path(t, timer, "back-test/"), `{"days":1}`); got["events"] != 288.0 ||
		got["held"] != 288.0 || len(at(t, got, "sample").([]any)) != 20 {
		t.Errorf("timer: %v", got)
	}
	for _, body := range []string{`{}`, `{"days":0}`, `{"days":8}`, `{"days":"x"}`} {
		p.must(400, "POST", path(t, made, "back-test/"), body)
	}
}

// TestReplay: of one run, and of the failed runs in a time range.
func TestReplay(t *testing.T) {
	p := newPlatform(t)
	made := p.must(201, "POST", triggers, bookAdd)
	one := p.stored(made)
	failed := p.run(one, 1, run.Failed, "a")
	done := p.run(one, 2, run.Succeeded, "b")
	running := p.run(one, 3, run.Running, "c")
	p.run(one, 9, run.Failed, "d")
	replay := func(r run.Run) string { return "/oserve/v3/trigger-log/" + r.Ref().LogID() + "/replay/" }

	if got := p.must(202, "POST", replay(failed), ""); got["log_id"] != failed.Ref().LogID() || len(p.queue.sent) != 1 ||
		p.queue.sent[0].Run != failed.ID {
		t.Errorf("replayed %v, sent %v", got, p.queue.sent)
	}
	again, err := p.runs.Run(t.Context(), shop, failed.Ref())
	if err != nil || again.Status != run.Pending || again.Error != nil || len(again.Attempts) != 1 ||
		again.Event.ID != "event-1" {
		t.Errorf("the run is %+v %v", again, err)
	}
	p.must(202, "POST", replay(failed), "") // its message may be lost, so it is sent again
	p.must(202, "POST", replay(done), "")
	p.must(409, "POST", replay(running), "")
	p.must(404, "POST", replay(failed), "", "Authorization: Bearer bank")
	for _, name := range []string{"x", "1-2-3", failed.Ref().LogID() + "0"} {
		p.must(404, "POST", "/oserve/v3/trigger-log/"+name+"/replay/", "")
	}

	p.queue.sent = nil
	here, span := path(t, made, "replay/"), fmt.Sprintf(`"from":%d,"to":%d`, noon.Unix(), noon.Unix()+20)
	dry := p.must(200, "POST", here, `{`+span+`,"dry_run":true}`)
	if dry["count"] != 1.0 || at(t, dry, "would_repeat", 0, "effect") != "webhook" || len(p.queue.sent) != 0 {
		t.Errorf("dry run %v", dry)
	}
	key := "Idempotency-Key: range"
	first := p.ask("POST", here, `{`+span+`}`, key)
	p.forgetAnswers()
	second := p.ask("POST", here, `{`+span+`}`, key)
	if first.Code != 202 || decoded(t, first)["count"] != 1.0 || first.Body.String() != second.Body.String() {
		t.Errorf("range: %d %s, again %s", first.Code, first.Body, second.Body)
	}
	p.background()
	if len(p.queue.sent) != 1 {
		t.Errorf("asked for twice, sent %v", p.queue.sent)
	}
	if all := p.must(200, "POST", here, `{`+span+`,"only_failed":false,"dry_run":true}`); all["count"] != 0.0 {
		t.Errorf("all are pending or running: %v", all)
	}
	for _, body := range []string{`{}`, `{"from":5}`, `{"from":5,"to":4}`, `{"from":-1,"to":4}`, `{"from":"x","to":4}`} {
		p.must(400, "POST", here, body)
	}
}
