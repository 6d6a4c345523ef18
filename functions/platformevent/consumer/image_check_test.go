package consumer_test

import (
	"context"
	"testing"

	"minicloud/shared/errs"
	"minicloud/shared/file/imagecheck"
	"minicloud/shared/tenant"
	"minicloud/shared/trigger"
)

// images is a fake that answers with a check, or fails.
type images struct {
	check imagecheck.Check
	err   error
	tasks []imagecheck.Task
}

func (i *images) Run(_ context.Context, _ tenant.Scope, t imagecheck.Task) (imagecheck.Check, error) {
	i.tasks = append(i.tasks, t)
	return i.check, i.err
}

// fired is a fake engine that records events.
type fired struct{ events []trigger.Event }

func (f *fired) Fire(_ context.Context, events []trigger.Event) (int, error) {
	f.events = append(f.events, events...)
	return len(events), nil
}

const imageTask = `{"miniapp":7,"env":"production","file":"5f","etag":"e","record":{"id":"5f","name":"a.png","status":"success","size":5,"created_by":9}}`

// TestImageCheckFiresItsResult: with the ID of the task, so that a repetition has no second effect.
func TestImageCheckFiresItsResult(t *testing.T) {
	for name, tt := range map[string]struct {
		detail string
		check  imagecheck.State
		err    error
		result string // of the event, "" = none
		again  bool   // the queue delivers it again
		dead   bool
	}{
		"safe":          {detail: imageTask, check: imagecheck.Safe, result: trigger.ResultSuccess},
		"risky":         {detail: imageTask, check: imagecheck.Risky, result: trigger.ResultFail},
		"not checkable": {detail: imageTask, check: imagecheck.Failed, result: trigger.ResultFail},
		"asked for by a client": {
			detail: `{"miniapp":7,"file":"5f","etag":"e"}`, check: imagecheck.Risky,
		},
		"deleted meanwhile":      {detail: imageTask, err: errs.NotFound("no file")},
		"the vendor is down":     {detail: imageTask, err: errs.Unavailable(5, "later"), again: true},
		"unknown application":    {detail: `{"miniapp":8,"file":"5f","record":{}}`, dead: true},
		"no file in the record":  {detail: `{"miniapp":7,"file":"5f","record":{}}`, check: imagecheck.Safe, dead: true},
		"no id of a file at all": {detail: `{"miniapp":7,"file":5}`, dead: true},
	} {
		t.Run(name, func(t *testing.T) {
			g, _, letters := newGroup(t)
			vendor, engine := &images{check: imagecheck.Check{State: tt.check}, err: tt.err}, &fired{}
			g.Images, g.Engine = vendor, engine
			err := g.Consume(t.Context(), event("image-check", tt.detail))
			if (err != nil) != tt.again || (len(letters.reasons) > 0) != tt.dead {
				t.Errorf("%v, dead letters %q", err, letters.reasons)
			}
			if tt.result == "" {
				if len(engine.events) > 0 {
					t.Errorf("fired %+v", engine.events)
				}
				return
			}
			want := map[string]any{"operation": "image_check", "result": tt.result}
			e := engine.events[0]
			if len(engine.events) != 1 || e.ID != "e1" || e.Subject != "5f" || e.Facts["result"] != want["result"] ||
				e.Facts["operation"] != want["operation"] || e.Payload["status"] != "success" || !e.At.Equal(now) {
				t.Errorf("fired %+v", engine.events)
			}
			if task := vendor.tasks[0]; task.ID != "e1" || task.File != "5f" || task.ETag != "e" || !task.At.Equal(now) {
				t.Errorf("task %+v", task)
			}
		})
	}
}
