package api

import (
	"net/http"
	"strconv"
	"time"

	"minicloud/shared/errs"
	"minicloud/shared/httpapi"
	"minicloud/shared/trigger"
	"minicloud/shared/trigger/manage"
)

// logView is an entry of the trigger log (G10). Times that end in _at are Unix seconds, those called at milliseconds.
// An entry about the trigger itself has no action.
type logView struct {
	ID            string              `json:"id"`
	Trigger       trigger.ID          `json:"trigger"`
	TriggerName   string              `json:"trigger_name"`
	Action        *trigger.ActionID   `json:"action"`
	ActionType    *trigger.ActionType `json:"action_type"`
	ActionID      *string             `json:"action_id"`
	Event         eventView           `json:"event"`
	SubjectID     string              `json:"subject_id"`
	TraceID       *string             `json:"trace_id"`
	Status        trigger.RunStatus   `json:"status"`
	Success       *bool               `json:"success"`
	Attempts      []trigger.Attempt   `json:"attempts"`
	NextAttemptAt *int64              `json:"next_attempt_at"`
	Error         *trigger.RunError   `json:"error"`
	CreatedAt     int64               `json:"created_at"`
	FinishedAt    *int64              `json:"finished_at"`
}

type eventView struct {
	ID   string       `json:"id"`
	Kind trigger.Kind `json:"kind"`
	At   int64        `json:"at"`
}

func viewRun(r trigger.Run) logView {
	v := logView{
		ID: r.Ref().LogID(), Trigger: r.Trigger, TriggerName: r.TriggerName,
		Event: eventView{r.Event.ID, r.Event.Kind, r.Event.At.UnixMilli()}, SubjectID: r.Event.Subject,
		Status: r.Status, Attempts: append([]trigger.Attempt{}, r.Attempts...), NextAttemptAt: seconds(r.NextAttempt),
		Error: r.Error, CreatedAt: r.CreatedAt.Unix(), FinishedAt: seconds(r.FinishedAt),
	}
	if r.Action != 0 {
		v.Action, v.ActionType, v.ActionID = &r.Action, &r.ActionType, &r.ID
	}
	if r.Event.Trace != "" {
		v.TraceID = &r.Event.Trace
	}
	if ended := r.Status == trigger.RunSucceeded; ended || r.Status == trigger.RunFailed {
		v.Success = &ended
	}
	return v
}

// seconds is null for no time.
func seconds(t time.Time) *int64 {
	if t.IsZero() {
		return nil
	}
	n := t.Unix()
	return &n
}

// log serves GET /oserve/v3/trigger/:id/log/.
func (g *Group) log(w http.ResponseWriter, r *http.Request) error {
	number, err := manage.ParseID(r.PathValue("trigger"))
	if err != nil {
		return err
	}
	req, err := httpapi.Page(r)
	if err != nil {
		return err
	}
	filter, err := readRunFilter(r)
	if err != nil {
		return err
	}

	found, err := g.Triggers.Log(r.Context(), httpapi.ScopeOf(r), number, filter, req)
	if err != nil {
		return err
	}
	httpapi.WriteList(w, r, req, found, viewRun)
	return nil
}

// entry serves GET /oserve/v3/trigger-log/:entry/.
func (g *Group) entry(w http.ResponseWriter, r *http.Request) error {
	ref, err := trigger.ParseLogID(r.PathValue("entry"))
	if err != nil {
		return err
	}
	run, err := g.Triggers.Entry(r.Context(), httpapi.ScopeOf(r), ref)
	if err != nil {
		return err
	}
	httpapi.Write(w, http.StatusOK, viewRun(run))
	return nil
}

// wholeLog serves GET /oserve/v3/trigger-log/; with newest=1 it has the newest entry of each trigger.
func (g *Group) wholeLog(w http.ResponseWriter, r *http.Request) error {
	req, err := httpapi.Page(r)
	if err != nil {
		return err
	}
	filter, err := readRunFilter(r)
	if err != nil {
		return err
	}

	newest, _, err := httpapi.Flag(r.URL.Query(), "newest")
	if err != nil {
		return err
	}

	read := g.Triggers.WholeLog
	if newest {
		read = g.Triggers.Newest
	}
	found, err := read(r.Context(), httpapi.ScopeOf(r), filter, req)
	if err != nil {
		return err
	}
	httpapi.WriteList(w, r, req, found, viewRun)
	return nil
}

func readRunFilter(r *http.Request) (f trigger.RunFilter, err error) {
	query := r.URL.Query()
	f.Subject = query.Get("subject_id")
	if text := query.Get("action"); text != "" {
		n, err := strconv.ParseInt(text, 10, 53)
		if err != nil || n <= 0 {
			return f, errs.Invalid("action must be the id of an action")
		}
		f.Action = trigger.ActionID(n)
	}
	success, given, err := httpapi.Flag(r.URL.Query(), "success")
	if err != nil {
		return f, err
	}
	if given {
		f.Statuses = []trigger.RunStatus{trigger.RunFailed}
		if success {
			f.Statuses[0] = trigger.RunSucceeded
		}
	}

	from, err := httpapi.Int(query, "created_at__gte", 0)
	if err != nil {
		return f, err
	}
	to, err := httpapi.Int(query, "created_at__lte", 0)
	if err != nil {
		return f, err
	}
	if from < 0 || to < 0 || max(from, to) > latest {
		return f, errs.Invalid("created_at__gte and created_at__lte must be Unix seconds")
	}
	if query.Get("created_at__gte") != "" {
		f.From = time.Unix(from, 0)
	}
	if query.Get("created_at__lte") != "" { // the whole second
		f.To = time.Unix(to, int64(time.Second-time.Millisecond))
	}
	return f, nil
}

// latest is in the year 2286: later times have more digits than the keys of a log.
const latest = 9_999_999_999
