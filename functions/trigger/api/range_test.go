package api_test

import (
	"context"
	"errors"
	"fmt"
	"testing"
	"time"

	"minicloud/shared/bulk"
	"minicloud/shared/id"
	"minicloud/shared/table"
	"minicloud/shared/tenant"
	"minicloud/shared/trigger"
	"minicloud/shared/trigger/engine"
	"minicloud/shared/trigger/run"
)

// dying is a store whose worker dies after some steps, before it stores the checkpoint of the last one.
type dying struct {
	bulk.Store
	steps int
}

func (s *dying) Advance(
	ctx context.Context, scope tenant.Scope, t table.Table, changes []table.Change, old, next bulk.Operation,
) (map[int]error, error) {
	if s.steps--; s.steps == 0 {
		return nil, errors.New("killed")
	}
	return s.Store.Advance(ctx, scope, t, changes, old, next)
}

func refOf(m run.Message) run.Ref {
	return run.Ref{Trigger: m.Trigger, At: time.UnixMilli(m.At).UTC(), ID: m.Run}
}

// end executes the run of a message, as a worker would.
func (p *platform) end(m run.Message) {
	p.Helper()
	now := p.now.Add(time.Hour)
	b, err := p.runs.Begin(p.Context(), shop, refOf(m), run.Lease{Owner: "w", Until: now.Add(time.Minute)}, now)
	if err != nil || b.Standing != run.Begun {
		p.Fatalf("%+v %v", b, err)
	}
	b.Run.Status, b.Run.FinishedAt = run.Succeeded, now
	if err := p.runs.End(p.Context(), b.Run, "w"); err != nil {
		p.Fatal(err)
	}
}

// TestReplaysLongRangeInParts: the replay runs in the background, each run once, also if the worker dies in the
// middle. It skips entries about the trigger itself.
func TestReplaysLongRangeInParts(t *testing.T) {
	const failed = 1020 // more than the 1,000 entries of a dry run
	p := newPlatform(t)
	made := p.must(201, "POST", triggers, bookAdd)
	one := p.stored(made)
	for n := range failed {
		p.run(one, n, run.Failed, fmt.Sprint(n))
	}
	p.run(one, failed, run.Succeeded, "done")
	broken := run.Run{
		ID: run.IDOf(shop, one.ID, "broken", 0), Scope: shop, Trigger: one.ID, Status: run.Failed,
		CreatedAt: noon,
		Error:     &run.Error{Type: engine.FailedBroken, Message: "column"},
		Event:     trigger.Event{ID: "broken", At: noon},
	}
	if _, err := p.runs.Start(t.Context(), broken, trigger.Frequency{}, noon); err != nil {
		t.Fatal(err)
	}

	here, span := path(t, made, "replay/"), fmt.Sprintf(`"from":%d,"to":%d`, noon.Unix(), noon.Unix()+9999)
	dry := p.must(200, "POST", here, `{`+span+`,"dry_run":true}`)
	if shown := at(t, dry, "would_repeat").([]any); dry["count"] != float64(failed) || len(shown) != 1000 {
		t.Errorf("dry run: %v, %d shown", dry["count"], len(shown))
	}
	all := p.must(200, "POST", here, `{`+span+`,"only_failed":false,"dry_run":true}`)
	if all["count"] != float64(failed+1) {
		t.Errorf("of all statuses: %v", all["count"])
	}

	answer := p.must(202, "POST", here, `{`+span+`}`)
	if answer["count"] != float64(failed) || len(p.queue.sent) != 0 {
		t.Errorf("answer %v, sent at once %d", answer, len(p.queue.sent))
	}
	kept := p.bulk.Store
	p.bulk.Store = &dying{Store: kept, steps: 5}
	operation := id.ID(answer["operation_id"].(float64))
	if err := p.bulk.Work(t.Context(), shop, operation, p.now.Add(time.Minute)); err == nil {
		t.Fatal("it did not die")
	}
	// The run replayed by the step without a checkpoint is executed meanwhile.
	done := p.queue.sent[len(p.queue.sent)-1]
	p.end(done)
	p.bulk.Store = kept
	p.background()

	o, err := p.bulk.Operation(t.Context(), shop, operation)
	if err != nil || o.Status != bulk.StatusSuccess || o.Succeeded != failed || o.Failed != 0 || o.Progress() != 1 {
		t.Errorf("operation %+v %v", o, err)
	}
	sent := map[string]int{}
	for _, m := range p.queue.sent {
		sent[m.Run]++
	}
	if len(sent) != failed || sent[broken.ID] != 0 {
		t.Errorf("%d runs were asked for", len(sent))
	}
	again, err := p.runs.Run(t.Context(), shop, refOf(done))
	if err != nil || again.Status != run.Succeeded {
		t.Errorf("what had gone on is %s %v", again.Status, err)
	}
	if got := p.must(400, "POST", "/oserve/v3/trigger-log/"+broken.Ref().LogID()+"/replay/", ""); got["error_msg"] == "" {
		t.Errorf("an entry without an action: %v", got)
	}
}

// TestReplayFilters: a replay selects runs by action or subject, and a dry run shows one of them.
func TestReplayFilters(t *testing.T) {
	p := newPlatform(t)
	made := p.must(201, "POST", triggers, bookAdd)
	one := p.stored(made)
	first := p.run(one, 1, run.Failed, "a")
	p.run(one, 2, run.Failed, "b")
	here, span := path(t, made, "replay/"), fmt.Sprintf(`"from":%d,"to":%d`, noon.Unix(), noon.Unix()+20)
	for part, want := range map[string]float64{
		``: 2, `,"subject_id":"a"`: 1, `,"subject_id":"c"`: 0, fmt.Sprintf(`,"action":%d`, one.Actions[0].ID): 2,
		`,"action":999`: 0, fmt.Sprintf(`,"subject_id":"b","action":%d`, one.Actions[0].ID): 1,
	} {
		if dry := p.must(200, "POST", here, `{`+span+part+`,"dry_run":true}`); dry["count"] != want ||
			len(at(t, dry, "would_repeat").([]any)) != int(want) {
			t.Errorf("%s: %v, want %v", part, dry, want)
		}
	}
	p.must(400, "POST", here, `{`+span+`,"action":0}`)

	entry := "/oserve/v3/trigger-log/" + first.Ref().LogID() + "/replay/"
	dry := p.must(200, "POST", entry+"?dry_run=1", "")
	if dry["log_id"] != first.Ref().LogID() || dry["effect"] != "webhook" || len(p.queue.sent) != 0 ||
		at(t, dry, "rendered", "url") != "https://example.com/books" {
		t.Errorf("dry run of one: %v, sent %v", dry, p.queue.sent)
	}
	fire := p.must(200, "POST", path(t, made, "fire/?dry_run=1"), `{"event":{"title":"Emma","pages":500}}`)
	if at(t, fire, "actions", 0, "rendered", "claims", "title") != "Emma" {
		t.Errorf("dry run of an event: %v", fire)
	}
	p.must(200, "PUT", path(t, made, ""), `{"enabled":false}`)
	if dry := p.must(200, "POST", entry+"?dry_run=1", ""); dry["effect"] != "disabled" || dry["why"] == "" {
		t.Errorf("of a disabled trigger: %v", dry)
	}
	p.must(200, "PUT", path(t, made, ""), `{"enabled":true}`)

	answer := p.must(202, "POST", here, `{`+span+`,"subject_id":"a"}`)
	p.background()
	if answer["count"] != 1.0 || len(p.queue.sent) != 1 || p.queue.sent[0].Run != first.ID {
		t.Errorf("answer %v, sent %v", answer, p.queue.sent)
	}
	p.must(409, "POST", entry+"?dry_run=1", "")
	p.must(404, "POST", entry+"?dry_run=1", "", "Authorization: Bearer bank")
	p.must(400, "POST", entry+"?dry_run=2", "")
}
