package job

import (
	"context"
	"crypto/hmac"
	"crypto/sha256"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"log/slog"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"time"

	"minicloud/shared/clock"
	"minicloud/shared/errs"
	"minicloud/shared/id"
	"minicloud/shared/logging"
	"minicloud/shared/retry"
	"minicloud/shared/tenant"
	"minicloud/shared/trace/depth"
)

// MaxCallbackURL is the maximum length of a callback_url, in characters.
const MaxCallbackURL = 2048

// callbackPorts are the only ports that outgoing webhooks may use (D37); "" is the scheme's default port.
var callbackPorts = []string{"", "80", "443", "8080", "8443"}

// CheckCallback returns errs.Invalid for an address that cannot be a callback_url. anyPort is for tests.
func CheckCallback(text string, anyPort bool) error {
	u, err := url.Parse(text)
	switch {
	case err != nil, u.Host == "", u.Scheme != "http" && u.Scheme != "https", len(text) > MaxCallbackURL:
		return errs.Invalid("callback_url must be an http or https address of at most %d characters", MaxCallbackURL)
	case u.User != nil:
		return errs.Invalid("callback_url must not hold a name or a password")
	case !anyPort && !slices.Contains(callbackPorts, u.Port()):
		return errs.Invalid("callback_url must have no port or one of 80, 443, 8080, 8443")
	}
	return nil
}

// CallbackStatus is the state of a job's callback.
type CallbackStatus string

// The states of a callback. The callback of a job that has not ended is pending, too.
const (
	CallbackPending   CallbackStatus = "pending"
	CallbackDelivered CallbackStatus = "delivered"
	CallbackFailed    CallbackStatus = "failed"
)

// Callback is the delivery of a job's result to its callback_url. The store writes it in the transaction that ends the
// job, so that no end is without its callback.
type Callback struct {
	Function id.ID
	Job      id.ID
	URL      string
	Status   CallbackStatus
	Attempts int
	// Next is the time of the next attempt, in whole seconds; the first attempt may come earlier.
	Next       time.Time
	StatusCode int    // of the last answer, 0 = there was none
	Error      string // why the last attempt failed
	// Result is the value that main returned; Omitted reports that it was too large to be kept.
	Result  json.RawMessage
	Omitted bool
}

// CallbackStore remembers callbacks. Store.End writes one, pending, for each job that has a Callback, listed by Due
// for FirstCallback later.
type CallbackStore interface {
	// Callback returns the callback of a job that has ended, errs.NotFound when it has none.
	Callback(ctx context.Context, scope tenant.Scope, fn, job id.ID) (Callback, error)
	// PutCallback replaces old by next. Due lists a pending callback; a delivered or failed one loses its result.
	// errs.Conflict when another attempt was recorded since old was read.
	PutCallback(ctx context.Context, scope tenant.Scope, old, next Callback) error
}

// FirstCallback is how long after the end of a job Due lists its callback: a callback still pending then has lost its
// message, and a tick sends another.
const FirstCallback = time.Minute

// KeepCallback is how long the outcome of a callback is kept.
const KeepCallback = KeepLog

// maxCallbackAfter bounds the Retry-After of a receiver.
const maxCallbackAfter = 24 * time.Hour

// Poster sends the requests of callbacks.
type Poster interface {
	// Post returns the status of the answer and its Retry-After. errs.Invalid when the target must not be called,
	// errs.Timeout and errs.Unavailable when there was no answer.
	Post(ctx context.Context, url string, headers map[string]string, body []byte) (status int, after time.Duration, err error)
}

// Callbacks delivers the results of runs to their callback_url: at least once, always with the same webhook-id, and
// with the retry schedule of webhooks, which lasts three days (D37). A callback adds two write units to its run, one
// for each further attempt and one for its end; and three reads.
type Callbacks struct {
	Store  CallbackStore
	Keys   *CallbackKeys
	Depths Depths
	Poster Poster
	Queue  Queue
	Clock  clock.Clock
	Log    *slog.Logger
}

// callBack sends the message that delivers the callback of an ended job. It only logs a failure: Due lists the
// callback, so a tick sends the message again.
func (s *Service) callBack(ctx context.Context, scope tenant.Scope, r Record) {
	if r.Callback == "" || s.Queue == nil {
		return
	}
	m := Message{Scope: scope.String(), Function: r.Function, Job: r.ID, Callback: true}
	if err := s.send(ctx, m, scope, 0); err != nil {
		s.log().WarnContext(ctx, "callback was not asked for", "job", r.ID, "error", err.Error())
	}
}

// deliver makes an attempt at the callback of a job. An error means that the message must be delivered again.
func (c *Callbacks) deliver(ctx context.Context, scope tenant.Scope, r Record) error {
	one, err := c.Store.Callback(ctx, scope, r.Function, r.ID)
	now := c.Clock.Now()
	switch {
	case errs.Is(err, errs.KindNotFound):
		return nil
	case err != nil:
		return fmt.Errorf("callback of job %d: %w", r.ID, err)
	case one.Status != CallbackPending, one.Attempts > 0 && now.Before(one.Next):
		return nil // the callback has ended, or the message for the next attempt is on its way
	}

	next := one
	next.Attempts++
	after, err := c.post(ctx, scope, r, &next)
	if err != nil {
		return err
	}
	if next.Status == CallbackPending {
		wait := max(retry.Spread(retry.Deliveries[next.Attempts-1]), min(after, maxCallbackAfter))
		next.Next = now.Add(wait + time.Second - 1).Truncate(time.Second)
	} else {
		next.Result = nil
	}
	err = c.Store.PutCallback(ctx, scope, one, next)
	if errs.Is(err, errs.KindConflict) {
		return nil // a second delivery of this message made the attempt first
	}
	if err != nil {
		return fmt.Errorf("callback of job %d: %w", r.ID, err)
	}
	c.log().InfoContext(ctx, "callback", "miniapp", scope.App, "env", scope.Env, "job", r.ID, "status", next.Status,
		"attempts", next.Attempts, "code", next.StatusCode)
	if next.Status != CallbackPending || next.Next.Sub(now) > tickAhead {
		return nil
	}
	m := Message{Scope: scope.String(), Function: r.Function, Job: r.ID, Callback: true}
	return c.Queue.Send(ctx, m, fmt.Sprint(int64(scope.App)), next.Next.Sub(now))
}

// post sends one request and records its outcome in one.
func (c *Callbacks) post(ctx context.Context, scope tenant.Scope, r Record, one *Callback) (after time.Duration, err error) {
	body, err := json.Marshal(callbackOf(r, *one))
	if err != nil {
		return 0, fmt.Errorf("callback of job %d: %w", r.ID, err)
	}
	keys, err := c.Keys.open(ctx, scope)
	if err != nil {
		return 0, fmt.Errorf("keys of callbacks: %w", err)
	}

	headers := callbackHeaders(r, keys, c.Clock.Now(), body)
	if headers[depth.Header], err = c.Depths.DepthHeader(ctx, scope.App, r.Depth); err != nil {
		return 0, err
	}

	status, after, err := c.Poster.Post(ctx, one.URL, headers, body)
	one.StatusCode, one.Error = status, ""
	switch {
	case err == nil && status >= 200 && status <= 299:
		one.Status = CallbackDelivered
		return 0, nil
	case err == nil:
		one.Error = fmt.Sprintf("it was answered with %d", status)
	case errs.Is(err, errs.KindInternal):
		c.log().ErrorContext(ctx, "callback failed", "job", r.ID, "error", err.Error())
		one.Error = "the platform failed"
	default:
		one.Error = errs.Message(err)
	}
	// 410 Gone is the receiver's own request to stop.
	if status == 410 || errs.Is(err, errs.KindInvalid) || one.Attempts > len(retry.Deliveries) {
		one.Status = CallbackFailed
	}
	return after, nil
}

// callbackBody is the body of a callback: the result as a synchronous run returns it, and the job it belongs to.
type callbackBody struct {
	JobID      int64           `json:"job_id"`
	Function   string          `json:"function_name"`
	Status     Status          `json:"status"`
	Code       int             `json:"code"`
	Data       json.RawMessage `json:"data"`
	Omitted    bool            `json:"data_omitted,omitempty"`
	Error      callbackError   `json:"error"`
	CreatedAt  float64         `json:"created_at"`
	StartedAt  *float64        `json:"started_at"`
	FinishedAt float64         `json:"finished_at"`
}

type callbackError struct {
	Message string `json:"message,omitempty"`
	Type    string `json:"type,omitempty"`
}

func callbackOf(r Record, one Callback) callbackBody {
	b := callbackBody{
		JobID: int64(r.ID), Function: r.Name, Status: r.Status, Code: Result{Record: r}.Code(), Data: one.Result,
		Omitted: one.Omitted, CreatedAt: float64(r.CreatedAt().UnixMilli()) / 1000,
		FinishedAt: float64(r.FinishedAt.UnixMilli()) / 1000,
	}
	if len(b.Data) == 0 {
		b.Data = json.RawMessage("null")
	}
	if r.Error != nil {
		b.Error = callbackError{Message: r.Error.Message, Type: r.Error.Type}
	}
	if !r.StartedAt.IsZero() {
		started := float64(r.StartedAt.UnixMilli()) / 1000
		b.StartedAt = &started
	}
	return b
}

// callbackHeaders returns the headers of Standard Webhooks, unsigned without a key.
func callbackHeaders(r Record, keys []string, at time.Time, body []byte) map[string]string {
	name, seconds := fmt.Sprintf("job-%d", r.ID), strconv.FormatInt(at.Unix(), 10)
	headers := map[string]string{
		"Content-Type": "application/json", "User-Agent": "minicloud", "webhook-id": name, "webhook-timestamp": seconds,
	}
	// During KeyOverlap both keys sign, so that a receiver may switch to the new key at any moment.
	signatures := make([]string, len(keys))
	for i, key := range keys {
		mac := hmac.New(sha256.New, []byte(key))
		mac.Write([]byte(name + "." + seconds + "."))
		mac.Write(body)
		signatures[i] = "v1," + base64.StdEncoding.EncodeToString(mac.Sum(nil))
	}
	if len(signatures) > 0 {
		headers["webhook-signature"] = strings.Join(signatures, " ")
	}
	if r.Trace.ID != "" {
		headers["X-Service-Trace-Id"] = r.Trace.ID
	}
	return headers
}

func (c *Callbacks) log() *slog.Logger { return logging.OrNone(c.Log) }
