package api

import (
	"context"
	"time"

	"minicloud/shared/httpapi"
	"minicloud/shared/page"
	"minicloud/shared/trigger"
	"minicloud/shared/trigger/run"
)

// TriggerLog is an entry of the trigger log (G10): the run of one action for one event. An entry about the trigger
// itself has no action.
type TriggerLog struct {
	ID            string              `json:"id"`
	Trigger       trigger.ID          `json:"trigger"`
	TriggerName   string              `json:"trigger_name"`
	Action        *trigger.ActionID   `json:"action"`
	ActionType    *trigger.ActionType `json:"action_type"`
	ActionID      *string             `json:"action_id"` // The UUID of the run, X-Service-Webhook-Action-Id.
	Event         loggedEvent         `json:"event"`
	SubjectID     string              `json:"subject_id"` // The id of the row, file or call, or the trade number of the payment.
	TraceID       *string             `json:"trace_id"`
	Status        run.Status          `json:"status" enum:"pending,running,waiting_retry,succeeded,failed,skipped"`
	Success       *bool               `json:"success"` // Whether the run succeeded. null until it has ended, and when it was skipped.
	Attempts      []run.Attempt       `json:"attempts"`
	NextAttemptAt *httpapi.Seconds    `json:"next_attempt_at"`
	Error         *run.Error          `json:"error"`
	CreatedAt     httpapi.Seconds     `json:"created_at"`
	FinishedAt    *httpapi.Seconds    `json:"finished_at"`
}

type loggedEvent struct {
	ID   string               `json:"id"`
	Kind trigger.Kind         `json:"kind"`
	At   httpapi.Milliseconds `json:"at"`
}

func viewRun(r run.Run) TriggerLog {
	v := TriggerLog{
		ID: r.Ref().LogID(), Trigger: r.Trigger, TriggerName: r.TriggerName,
		Event:     loggedEvent{r.Event.ID, r.Event.Kind, httpapi.Milliseconds(r.Event.At.UnixMilli())},
		SubjectID: r.Event.Subject, TraceID: httpapi.OrNull(r.Event.Trace),
		Status: r.Status, Attempts: append([]run.Attempt{}, r.Attempts...), NextAttemptAt: seconds(r.NextAttempt),
		Error: r.Error, CreatedAt: httpapi.Seconds(r.CreatedAt.Unix()), FinishedAt: seconds(r.FinishedAt),
	}
	if r.Action != 0 {
		v.Action, v.ActionType, v.ActionID = &r.Action, &r.ActionType, &r.ID
	}
	if ended := r.Status == run.Succeeded; ended || r.Status == run.Failed {
		v.Success = &ended
	}
	return v
}

// seconds returns nil for the zero time, which JSON shows as null.
func seconds(t time.Time) *httpapi.Seconds {
	if t.IsZero() {
		return nil
	}
	n := httpapi.Seconds(t.Unix())
	return &n
}

// latest is in the year 2286: later times have more digits than the keys of the log.
const latest = 9_999_999_999

// endOf returns the last millisecond of a second; entries are stored with milliseconds.
func endOf(second int64) time.Time { return time.Unix(second, int64(time.Second-time.Millisecond)) }

// logFilter holds the parameters that select entries of the log.
type logFilter struct {
	Page    page.Request
	Success *bool      `query:"success"`
	Action  httpapi.ID `query:"action"`
	Subject string     `query:"subject_id"` // The id of the row, file or call, or the trade number of the payment.
	From    *int64     `query:"created_at__gte" minimum:"0" maximum:"9999999999"`
	To      *int64     `query:"created_at__lte" minimum:"0" maximum:"9999999999"`
}

func (in logFilter) filter() run.Filter {
	f := run.Filter{Subject: in.Subject, Action: trigger.ActionID(in.Action)}
	if in.Success != nil {
		f.Statuses = []run.Status{run.Failed}
		if *in.Success {
			f.Statuses[0] = run.Succeeded
		}
	}
	if in.From != nil {
		f.From = time.Unix(*in.From, 0)
	}
	if in.To != nil {
		f.To = endOf(*in.To)
	}
	return f
}

type readLog struct {
	byID
	logFilter
}

// log serves GET /oserve/v3/trigger/:id/log/.
func (g *Group) log(ctx context.Context, in readLog) (answer httpapi.Envelope[TriggerLog], err error) {
	found, err := g.Triggers.Log(ctx, httpapi.Scope(ctx), in.ID, in.filter(), in.Page)
	return httpapi.ListOf(ctx, in.Page, found, viewRun), err
}

// byEntry holds the path parameter of one entry.
type byEntry struct {
	Entry string `path:"entry"` // The id of the log entry.
}

// entry serves GET /oserve/v3/trigger-log/:entry/.
func (g *Group) entry(ctx context.Context, in byEntry) (v TriggerLog, err error) {
	ref, err := run.ParseLogID(in.Entry)
	if err != nil {
		return v, err
	}
	run, err := g.Triggers.Entry(ctx, httpapi.Scope(ctx), ref)
	return viewRun(run), err
}

type readWholeLog struct {
	logFilter
	Newest bool `query:"newest"` // 1 lists only the newest entry of each trigger.
}

// wholeLog serves GET /oserve/v3/trigger-log/; with newest=1 it lists only the newest entry of each trigger.
func (g *Group) wholeLog(ctx context.Context, in readWholeLog) (answer httpapi.Envelope[TriggerLog], err error) {
	read := g.Triggers.WholeLog
	if in.Newest {
		read = g.Triggers.Newest
	}
	found, err := read(ctx, httpapi.Scope(ctx), in.filter(), in.Page)
	return httpapi.ListOf(ctx, in.Page, found, viewRun), err
}
