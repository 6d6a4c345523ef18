package api

import (
	"context"
	"fmt"
	"net/http"
	"net/url"
	"strconv"
	"time"

	"minicloud/shared/errs"
	"minicloud/shared/httpapi"
	"minicloud/shared/httpapi/paging"
	"minicloud/shared/id"
	"minicloud/shared/job"
	"minicloud/shared/job/event"
	"minicloud/shared/job/runlog"
	"minicloud/shared/tenant"
)

// Job is a run of a function. Times are Unix seconds with a fraction, and null until they occur.
type Job struct {
	ID         httpapi.ID      `json:"id"`
	CreatedAt  httpapi.Float   `json:"created_at"` // Unix seconds with a fraction.
	StartedAt  *httpapi.Float  `json:"started_at"`
	FinishedAt *httpapi.Float  `json:"finished_at"`
	MemUsage   int64           `json:"mem_usage" minimum:"0"` // The peak heap size, in bytes.
	Service    job.ServiceType `json:"service_type" schema:"ServiceType"`
	Source     job.Source      `json:"source" schema:"JobSource"`
	Status     job.Status      `json:"status" schema:"JobStatus"`
	LogURL     *string         `json:"user_log_url"`                 // The signed URL of the log, valid for 24 hours. null without a log.
	Execution  httpapi.Float   `json:"execution_time" minimum:"0"`   // The execution time of the function's code, in milliseconds.
	Billing    int64           `json:"billing_time" minimum:"0"`     // execution_time rounded up to 100 ms.
	Error      RunError        `json:"error"`                        // Empty on success.
	RunAt      int64           `json:"run_at,omitempty" minimum:"1"` // The earliest start of a delayed job.
	Callback   *JobCallback    `json:"callback,omitempty"`           // The delivery of the callback. Present only when reading a single job that has one.
	TraceID    string          `json:"trace_id,omitempty"`           // The id of the trace; see readTrace. Present only when reading a single job.
	Acted      *actedView      `json:"acted,omitempty"`              // The administrator and the user, when an administrator acted as a user.
}

type actedView struct {
	By   string     `json:"by"` // The administrator's email.
	User httpapi.ID `json:"user_id"`
}

// viewJobs returns the representation of jobs. A job with a log gets a signed URL of it (D23).
func (g *Group) viewJobs(ctx context.Context, records []job.Record) ([]Job, error) {
	refs, err := g.Jobs.Sign(ctx, httpapi.Scope(ctx), records...)
	if err != nil {
		return nil, err
	}

	keptFrom := g.Clock.Now().Add(-job.KeepLog)
	views := make([]Job, 0, len(records))
	for i, record := range records {
		view := Job{
			ID: httpapi.ID(record.ID), CreatedAt: seconds(record.CreatedAt()),
			StartedAt: maybe(record.StartedAt), FinishedAt: maybe(record.FinishedAt),
			MemUsage: record.MemUsage, Service: record.Service, Source: record.Source, Status: record.Status,
			Execution: httpapi.Float(record.Execution), Billing: record.Billing(), Error: viewError(record.Error),
		}
		if record.Acted != (event.Acted{}) {
			view.Acted = &actedView{record.Acted.By, httpapi.ID(record.Acted.User)}
		}
		if at := record.RunAt(); !at.IsZero() {
			view.RunAt = at.Unix()
		}
		// The URL of an expired log would answer 404.
		if record.Log.Bytes > 0 && record.CreatedAt().After(keptFrom) {
			link := logURL(ctx, refs[i])
			view.LogURL = &link
		}

		views = append(views, view)
	}

	return views, nil
}

func seconds(t time.Time) httpapi.Float { return httpapi.Float(t.UnixMilli()) / 1000 }

func maybe(t time.Time) *httpapi.Float {
	if t.IsZero() {
		return nil
	}
	s := seconds(t)
	return &s
}

type ofJob struct {
	named
	Job httpapi.ID `path:"job"`
}

// readJob serves one job.
func (g *Group) readJob(ctx context.Context, in ofJob) (v Job, err error) {
	scope := httpapi.Scope(ctx)
	record, err := g.Jobs.Read(ctx, scope, in.Function, int64(in.Job))
	if err != nil {
		return v, err
	}
	views, err := g.viewJobs(ctx, []job.Record{record})
	if err != nil {
		return v, err
	}
	v = views[0]
	v.TraceID = record.Trace.ID
	return v, g.showCallback(ctx, scope, record, &v)
}

// cancelJob cancels a waiting job (D47).
func (g *Group) cancelJob(ctx context.Context, in ofJob) (none httpapi.None, err error) {
	return none, g.Jobs.Cancel(ctx, httpapi.Scope(ctx), in.Function, int64(in.Job))
}

// followFor is the longest wait for a followed log: the gateway ends a request after 30 s.
const followFor = 20 * time.Second

// readLog returns the log of a job as text. With follow=1 it waits for the job to end. The header
// X-Service-Job-Status has the status of the job.
func (g *Group) readLog(w http.ResponseWriter, r *http.Request) error {
	n, err := jobNumber(r)
	if err != nil {
		return err
	}

	follow, err := paging.Flag("follow", r.URL.Query().Get("follow"))
	if err != nil {
		return err
	}

	// Without follow, the log is returned at once, as far as it is written.
	var patience time.Duration
	if follow {
		patience = followFor
	}

	record, err := g.Jobs.Follow(r.Context(), httpapi.Scope(r.Context()), r.PathValue("name"), n, patience)
	if err != nil {
		return err
	}

	text, err := record.Log.Text()
	if err != nil {
		return err
	}

	w.Header().Set("X-Service-Job-Status", string(record.Status))
	writeText(w, text)

	return nil
}

// openLog serves a signed log URL, which needs no other credential.
func (g *Group) openLog(w http.ResponseWriter, r *http.Request) error {
	ref, ok := logRef(r)
	if !ok {
		return errs.Forbidden("this log URL is not valid, open it exactly as user_log_url has it")
	}
	text, err := g.Jobs.Open(r.Context(), ref)
	if err != nil {
		return err
	}
	writeText(w, text)
	return nil
}

func writeText(w http.ResponseWriter, text string) {
	w.Header().Set("Content-Type", "text/plain; charset=utf-8")
	// A function controls the text of its log: without this header a browser could render it as HTML.
	w.Header().Set("X-Content-Type-Options", "nosniff")
	w.WriteHeader(http.StatusOK)
	fmt.Fprint(w, text)
}

// logURL returns the URL of a log on the host that the caller used.
func logURL(ctx context.Context, ref runlog.Ref) string {
	query := url.Values{
		"scope":     {ref.Scope.String()},
		"function":  {strconv.FormatInt(int64(ref.Function), 10)},
		"expires":   {strconv.FormatInt(ref.Expires, 10)},
		"signature": {ref.Signature},
	}
	return fmt.Sprintf("%s/oserve/v1.3/cloud-function-log/%d/?%s", httpapi.BaseURL(ctx), ref.Job, query.Encode())
}

// logRef parses a URL made by logURL.
func logRef(r *http.Request) (runlog.Ref, bool) {
	query := r.URL.Query()
	scope, wrongScope := tenant.Parse(query.Get("scope"))
	fn, wrongFunction := strconv.ParseInt(query.Get("function"), 10, 64)
	expires, wrongTime := strconv.ParseInt(query.Get("expires"), 10, 64)
	n, wrongJob := jobNumber(r)
	if wrongScope != nil || wrongFunction != nil || wrongTime != nil || wrongJob != nil {
		return runlog.Ref{}, false
	}
	return runlog.Ref{
		Scope: scope, Function: id.ID(fn), Job: id.ID(n), Expires: expires, Signature: query.Get("signature"),
	}, true
}

// jobNumber reads the id of a job from the path. A malformed id names no job: it returns errs.NotFound.
func jobNumber(r *http.Request) (int64, error) {
	n, err := strconv.ParseInt(r.PathValue("job"), 10, 64)
	if err != nil || n <= 0 {
		return 0, errs.NotFound("there is no job %q", r.PathValue("job"))
	}
	return n, nil
}
