package api_test

import (
	"fmt"
	"net/url"
	"strings"
	"testing"
	"time"

	"minicloud/shared/id"
	"minicloud/shared/job"
	"minicloud/shared/sandbox"
	"minicloud/shared/trace"
	"minicloud/shared/trigger"
	"minicloud/shared/trigger/run"
)

// ran stores a run and its event in a trace; the run ends a second after the event.
func (p *platform) ran(
	t trigger.Trigger, event string, kind trigger.ActionType, from trace.Link, status run.Status, response string,
) run.Run {
	p.Helper()
	p.now = p.now.Add(time.Second)
	e := trigger.Event{
		ID: event, Scope: shop, Kind: trigger.OnCreate, At: p.now, Subject: "s", Trace: from.ID, Cause: from.Cause,
	}
	r := run.Run{
		ID: run.IDOf(shop, t.ID, event, t.Actions[0].ID), Scope: shop, Trigger: t.ID, TriggerName: t.Name,
		Action: t.Actions[0].ID, ActionType: kind, Event: e, Status: status, CreatedAt: p.now,
	}
	if status.Ended() && status != run.Skipped {
		r.FinishedAt = p.now.Add(time.Second)
		r.Attempts = []run.Attempt{{At: p.now.UnixMilli(), DurationMS: 7, Response: response}}
	}
	if status == run.Failed {
		r.Error, r.Attempts[0].Error = &run.Error{Type: "network", Message: "no route"}, "no route"
	}
	if _, err := p.runs.Start(p.Context(), r, trigger.Frequency{}, p.now); err != nil {
		p.Fatal(err)
	}
	return r
}

// worked stores a finished job in a trace and returns its id as a cause.
func (p *platform) worked(number id.ID, from trace.Link, status job.Status) string {
	p.Helper()
	r := job.Record{
		ID: id.First(p.now) + number, Function: 5, Name: fmt.Sprint("fn", number), Status: job.StatusWaiting,
		Source: job.SourceFlexSchema, Service: job.Batch, Plan: sandbox.PlanFree, Trace: from,
	}
	r.Status, r.StartedAt, r.FinishedAt = status, p.now, p.now.Add(2*time.Second)
	if _, err := p.jobs.End(p.Context(), shop, r, job.Nowhere); err != nil {
		p.Fatal(err)
	}
	return r.Cause()
}

// outline returns a tree as one line: kind, name and ok of each node, and its children in brackets.
func outline(n any) string {
	node := n.(map[string]any)
	text := fmt.Sprint(node["kind"], " ", node["name"], " ", node["ok"])
	var below []string
	for _, child := range node["children"].([]any) {
		below = append(below, outline(child))
	}
	if len(below) > 0 {
		text += " [" + strings.Join(below, ", ") + "]"
	}
	return text
}

func tracePath(name string) string { return "/oserve/v3/trace/" + url.PathEscape(name) + "/" }

func TestTrace(t *testing.T) {
	p := newPlatform(t)
	one := p.stored(p.must(201, "POST", triggers, bookAdd))
	root := trace.Link{ID: "JK-a="}

	// A request writes a row, an action starts a job, the job calls another job, and that one writes a row.
	first := p.ran(one, "e1", trigger.CloudFunction, root, run.Succeeded, "")
	outer := p.worked(1, first.Link(), job.StatusFulfilled)
	inner := p.worked(2, trace.Link{ID: root.ID, Cause: outer}, job.StatusExecutionFailed)
	p.ran(one, "e2", trigger.TableOperation, trace.Link{ID: root.ID, Cause: inner}, run.Failed, "")
	p.ran(one, "e3", trigger.Webhook, first.Link(), run.Skipped, "")
	p.ran(one, "e4", trigger.Webhook, trace.Link{ID: root.ID, Cause: "gone"}, run.Succeeded, "{}")

	got := p.must(200, "GET", tracePath(root.ID), "")
	want := "request  false [event on_create s false [trigger long books false [action cloud_function true " +
		"[attempt attempt 1 true, job fn1 true [job fn2 false [event on_create s false [trigger long books false " +
		"[action table_operation false [attempt attempt 1: no route false]]]]], " +
		"event on_create s true [trigger long books true [action webhook <nil>]]]]], " +
		"event on_create s true [trigger long books true [action webhook true [attempt attempt 1 true]]]]"
	if text := outline(got); text != want {
		t.Errorf("got  %s\nwant %s", text, want)
	}
	if got["id"] != root.ID || got["at"] != float64(noon.Add(time.Second).UnixMilli()) || got["duration_ms"] != 4000.0 ||
		at(t, got, "children", 0, "children", 0, "children", 0, "id") != first.Ref().LogID() {
		t.Errorf("the request is %v, %v, %v ms", got["id"], got["at"], got["duration_ms"])
	}

	for _, unknown := range []string{"JK-a", "other", "a b", strings.Repeat("x", 200)} {
		p.must(404, "GET", tracePath(unknown), "")
	}
	p.must(404, "GET", tracePath(root.ID), "", "Authorization: Bearer bank")
}

// TestTraceOfEvent: the response of an action names the job that it started; an event without a cause is a root.
func TestTraceOfEvent(t *testing.T) {
	p := newPlatform(t)
	one := p.stored(p.must(201, "POST", triggers, bookAdd))
	started := p.worked(1, trace.Link{ID: "timer#1#2"}, job.StatusFulfilled)
	function, number, _ := job.ParseCause(started)
	p.ran(one, "timer#1#2", trigger.CloudFunction, trace.Link{ID: "timer#1#2"}, run.Succeeded,
		fmt.Sprintf(`{"job_id":%d,"function":%d}`, number, function))
	p.ran(one, "written", trigger.Webhook, trace.Link{ID: "timer#1#2", Cause: started}, run.Pending, "")

	want := "event on_create s <nil> [trigger long books <nil> [action cloud_function true [attempt attempt 1 true " +
		"[job fn1 true [event on_create s <nil> [trigger long books <nil> [action webhook <nil>]]]]]]]"
	if got := outline(p.must(200, "GET", tracePath("timer#1#2"), "")); got != want {
		t.Errorf("got  %s\nwant %s", got, want)
	}
}

// TestTraceWithForgedCauses: forged causes do not make a cycle in the tree.
func TestTraceWithForgedCauses(t *testing.T) {
	p := newPlatform(t)
	one := p.stored(p.must(201, "POST", triggers, bookAdd))
	runOf := func(event string) string { return run.IDOf(shop, one.ID, event, one.Actions[0].ID) }
	for event, cause := range map[string]string{"a": "b", "b": "a", "c": "c"} {
		p.ran(one, event, trigger.Webhook, trace.Link{ID: "x", Cause: runOf(cause)}, run.Succeeded, "")
	}
	if text := outline(p.must(200, "GET", tracePath("x"), "")); strings.Count(text, "event ") != 3 {
		t.Error(text)
	}
}

func TestTraceIsBounded(t *testing.T) {
	p := newPlatform(t)
	one := p.stored(p.must(201, "POST", triggers, bookAdd))
	for n := range 201 {
		p.ran(one, fmt.Sprint("e", n), trigger.Webhook, trace.Link{ID: "x"}, run.Skipped, "")
	}
	got := p.must(200, "GET", tracePath("x"), "")
	if got["truncated"] != true || len(got["children"].([]any)) != 200 {
		t.Errorf("%d events, truncated %v", len(got["children"].([]any)), got["truncated"])
	}
}
