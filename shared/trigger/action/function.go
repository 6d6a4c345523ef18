package action

import (
	"context"
	"fmt"
	"time"

	"minicloud/shared/app"
	"minicloud/shared/errs"
	"minicloud/shared/job"
	"minicloud/shared/job/event"
	"minicloud/shared/language/value"
	"minicloud/shared/tenant"
	"minicloud/shared/trigger"
	"minicloud/shared/trigger/run"
)

// Jobs starts asynchronous runs of functions; *job.Service implements it.
type Jobs interface {
	Start(ctx context.Context, scope tenant.Scope, name string, call job.Call, runAt time.Time) (job.Record, error)
}

// CloudFunction starts a function as an asynchronous job, with the event.data and the source of the event's type (D22).
// The action succeeds when the job is accepted; the result of the job is in the history of the function.
type CloudFunction struct {
	Jobs         Jobs
	Applications app.Reader
	BaseURL      string // URL at which functions reach the platform
}

// Do starts the job once: the job is accepted in one transaction with a write token of the run, which is stored as long
// as the log. It returns errs.NotFound if the function does not exist.
func (d *CloudFunction) Do(ctx context.Context, w Work) (Result, error) {
	settings := w.Action.Settings.(*trigger.CloudFunctionSettings)
	data, err := value.Encode(w.data())
	if err != nil {
		return Result{}, fmt.Errorf("encode event.data: %w", err)
	}
	meta, err := d.meta(ctx, w)
	if err != nil {
		return Result{}, err
	}

	record, err := d.Jobs.Start(ctx, w.Run.Scope, settings.Function, job.Call{
		Source: job.Source(w.Trigger.Type.Definition().Source), Input: event.Input{Data: data, Meta: meta},
		Token: startToken(w.Run),
	}, time.Time{})
	if errs.Is(err, errs.KindNotFound) {
		return Result{}, Permanent(string(errs.KindNotFound), "function %q does not exist", settings.Function)
	}
	if err != nil {
		return Result{}, err
	}
	if record.Status == job.StatusExecutionRejected && record.Error != nil {
		return Result{}, Permanent(string(record.Status), "job %d: %s", record.ID, record.Error.Message)
	}
	return Result{Response: fmt.Sprintf(`{"job_id":%d,"function":%d}`, record.ID, record.Function)}, nil
}

// data returns event.data as the contract defines it for the event type, and for a batch the list of events (G5).
func (w Work) data() map[string]any {
	if w.Events == nil {
		return w.Run.Event.Payload
	}
	each := make([]map[string]any, len(w.Events))
	for i, e := range w.Events {
		each[i] = e.Payload
	}
	return run.BatchData(each)
}

// Depth is the depth of the rows, jobs and requests of the action: one more than the depth of its event, for a batch of
// its deepest event (G19).
func (w Work) Depth() int {
	depth := w.Run.Event.Depth
	for _, e := range w.Events {
		depth = max(depth, e.Depth)
	}
	return depth + 1
}

// meta returns the rest of the event. Only for a test environment it reads the application, to get its name.
func (d *CloudFunction) meta(ctx context.Context, w Work) (event.Meta, error) {
	m := event.Meta{
		SchemaName: w.Run.Event.TableName, BaseURL: d.BaseURL, TimeZone: w.Trigger.Timezone, Trace: w.Run.Link(),
		Depth: w.Depth() - 1, // the job adds one
	}
	scope := w.Run.Scope
	if scope.Env == tenant.Production {
		return m, nil
	}
	a, err := d.Applications.Application(ctx, scope.App)
	if err != nil {
		return m, fmt.Errorf("application %d: %w", scope.App, err)
	}
	m.EnvName, _ = a.Environment(scope.Env)
	return m, nil
}
