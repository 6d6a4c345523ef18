// Package callback delivers the results of asynchronous runs to their callback_url: at least once, always with the same
// webhook-id, by the rules of package delivery.
//
// A callback costs its run two more write units, one per further attempt and one for its end; and three reads.
package callback

import (
	"context"
	"encoding/json"
	"fmt"
	"log/slog"
	"time"

	"minicloud/shared/clock"
	"minicloud/shared/delivery"
	"minicloud/shared/errs"
	"minicloud/shared/id"
	"minicloud/shared/job"
	"minicloud/shared/retry"
	"minicloud/shared/tenant"
	"minicloud/shared/trace/logging"
)

// MaxURL is the maximum length of a callback_url, in characters.
const MaxURL = 2048

// Check returns errs.Invalid for an address that is not allowed as a callback_url. Tests set anyPort.
func Check(url string, anyPort bool) error {
	if len(url) > MaxURL {
		return errs.Invalid("callback_url must be an http or https address of at most %d characters", MaxURL)
	}
	if wrong := delivery.CheckURL(url, anyPort); wrong != "" {
		return errs.Invalid("callback_url %s", wrong)
	}
	return nil
}

// Status is the state of a job's callback.
type Status string

// The states of a callback. A callback is also pending while its job has not ended.
const (
	Pending   Status = "pending"
	Delivered Status = "delivered"
	Failed    Status = "failed"
)

// Callback is the delivery of a job's result to its callback_url. The store writes it in the transaction that ends the
// job, so that no end loses its callback.
type Callback struct {
	Function id.ID
	Job      id.ID
	URL      string
	Status   Status
	Attempts int
	// Next is the time of the next attempt, in whole seconds; only the first attempt may be earlier.
	Next       time.Time
	StatusCode int    // of the last response, 0 = no response
	Error      string // why the last attempt failed
	// Result is the value that main returned; Omitted reports that it was too large to be stored.
	Result  json.RawMessage
	Omitted bool
}

// Store stores callbacks. job.Store.End writes a pending callback for each job with a callback_url; job.Store.Due lists
// it once First has passed.
type Store interface {
	// Callback returns the callback of an ended job. It returns errs.NotFound if the job has none.
	Callback(ctx context.Context, scope tenant.Scope, fn, job id.ID) (Callback, error)
	// PutCallback replaces old by next. Due lists a pending callback; a delivered or failed one loses its result. It
	// returns errs.Conflict if another attempt was recorded after old was read.
	PutCallback(ctx context.Context, scope tenant.Scope, old, next Callback) error
}

// First is the delay after which Due lists the callback of an ended job: a callback that is still pending then has lost
// its message, and a tick sends another.
const First = time.Minute

// Keep is the retention of a callback's outcome.
const Keep = job.KeepLog

// Service attempts callbacks.
type Service struct {
	Store  Store
	Keys   *Keys
	Depths delivery.Depths
	Sender delivery.Sender
	Clock  clock.Clock
	Log    *slog.Logger
}

// Deliver implements job.Callbacks.
func (s *Service) Deliver(ctx context.Context, scope tenant.Scope, r job.Record) (wait time.Duration, err error) {
	one, err := s.Store.Callback(ctx, scope, r.Function, r.ID)
	now := s.Clock.Now()
	switch {
	case errs.Is(err, errs.KindNotFound):
		return 0, nil
	case err != nil:
		return 0, fmt.Errorf("callback of job %d: %w", r.ID, err)
	case one.Status != Pending, one.Attempts > 0 && now.Before(one.Next):
		return 0, nil // ended, or the message for the next attempt is in the queue
	}

	next := one
	next.Attempts++
	answer, outcome, err := s.attempt(ctx, scope, r, one)
	if err != nil {
		return 0, fmt.Errorf("callback of job %d: %w", r.ID, err)
	}
	next.judge(answer, outcome, now)
	if outcome != nil && delivery.AsFailure(outcome) == nil {
		s.log().ErrorContext(ctx, "callback failed", "job", r.ID, "error", outcome.Error())
	}

	err = s.Store.PutCallback(ctx, scope, one, next)
	if errs.Is(err, errs.KindConflict) {
		return 0, nil // a redelivery of this message made the attempt first
	}
	if err != nil {
		return 0, fmt.Errorf("callback of job %d: %w", r.ID, err)
	}
	s.log().InfoContext(ctx, "callback", "miniapp", scope.App, "env", scope.Env, "job", r.ID, "status", next.Status,
		"attempts", next.Attempts, "code", next.StatusCode)
	if next.Status != Pending {
		return 0, nil
	}
	return next.Next.Sub(now), nil
}

// attempt sends the request once. outcome is the result of delivery.Judge; err means that no attempt was made.
func (s *Service) attempt(
	ctx context.Context, scope tenant.Scope, r job.Record, one Callback,
) (answer delivery.Answer, outcome, err error) {
	text, err := json.Marshal(bodyOf(r, one))
	if err != nil {
		return answer, nil, err
	}
	keys, err := s.Keys.open(ctx, scope)
	if err != nil {
		return answer, nil, fmt.Errorf("keys: %w", err)
	}
	// The id is the same for all attempts of a job, so that receivers can detect duplicates.
	m := delivery.Message{
		URL: one.URL, ID: fmt.Sprintf("job-%d", r.ID), ContentType: "application/json", Body: string(text),
		Trace: r.Trace.ID, App: scope.App, Depth: r.Depth,
	}
	request, err := m.Request(ctx, s.Depths, keys, s.Clock.Now())
	if err != nil {
		return answer, nil, err
	}
	answer, err = s.Sender.Send(ctx, request)
	return answer, delivery.Judge(request, answer, err), nil
}

// judge records the outcome of an attempt and the time of the next one.
func (c *Callback) judge(answer delivery.Answer, outcome error, now time.Time) {
	c.StatusCode, c.Error = answer.Status, ""
	var after time.Duration
	switch failure := delivery.AsFailure(outcome); {
	case outcome == nil:
		c.Status = Delivered
	case failure == nil:
		c.Error = "the platform failed"
	default:
		c.Error, after = failure.Message, failure.After
		if failure.Final {
			c.Status = Failed
		}
	}

	// Delays are between attempts, so the number of attempts is one higher.
	if c.Status == Pending && c.Attempts > len(delivery.Delays) {
		c.Status = Failed
	}
	if c.Status != Pending {
		c.Result = nil
		return
	}
	wait := max(retry.Spread(delivery.Delays[c.Attempts-1]), after)
	c.Next = now.Add(wait + time.Second - 1).Truncate(time.Second)
}

// body is the body of a callback: its job, and the result in the form of a synchronous run.
type body struct {
	JobID      int64           `json:"job_id"`
	Function   string          `json:"function_name"`
	Status     job.Status      `json:"status"`
	Code       int             `json:"code"`
	Data       json.RawMessage `json:"data"`
	Omitted    bool            `json:"data_omitted,omitempty"`
	Error      bodyError       `json:"error"`
	CreatedAt  float64         `json:"created_at"`
	StartedAt  *float64        `json:"started_at"`
	FinishedAt float64         `json:"finished_at"`
}

type bodyError struct {
	Message string `json:"message,omitempty"`
	Type    string `json:"type,omitempty"`
}

func bodyOf(r job.Record, one Callback) body {
	b := body{
		JobID: int64(r.ID), Function: r.Name, Status: r.Status, Code: job.Result{Record: r}.Code(), Data: one.Result,
		Omitted: one.Omitted, CreatedAt: seconds(r.CreatedAt()), FinishedAt: seconds(r.FinishedAt),
	}
	if len(b.Data) == 0 {
		b.Data = json.RawMessage("null")
	}
	if r.Error != nil {
		b.Error = bodyError{Message: r.Error.Message, Type: r.Error.Type}
	}
	// A job that was cancelled or got no slot never began.
	if !r.StartedAt.IsZero() {
		started := seconds(r.StartedAt)
		b.StartedAt = &started
	}
	return b
}

// seconds returns Unix seconds with milliseconds as the fraction.
func seconds(t time.Time) float64 { return float64(t.UnixMilli()) / 1000 }

func (s *Service) log() *slog.Logger { return logging.OrNone(s.Log) }
