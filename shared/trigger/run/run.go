// Package run defines the runs of actions: a run is the execution of one action for one event. It also defines the
// interfaces between stores and workers.
//
//	Run          an entry of the trigger log                    run.go log.go request.go
//	Store        stores runs and the evaluations of triggers    run_store.go
//	Leases       hands each run to one worker at a time         lease.go
//	FlowState    decides when a run passes its flow controls    flow.go
//	Waker        sends the messages of runs, now or later       wake.go
package run

import (
	"crypto/sha1"
	"encoding/hex"
	"fmt"
	"strings"
	"time"

	"minicloud/shared/tenant"
	"minicloud/shared/trace"
	"minicloud/shared/trigger"
)

// Status is the state of a run, spelled as on the wire (G10).
type Status string

// The states of a run:
//
//	pending ─► running ─► succeeded | failed
//	   │          └─► waiting_retry ─► running
//	   └ skipped: it must not run
const (
	Pending      Status = "pending"
	Running      Status = "running"
	WaitingRetry Status = "waiting_retry"
	Succeeded    Status = "succeeded"
	Failed       Status = "failed"
	Skipped      Status = "skipped"
)

// Ended reports whether the status is final.
func (s Status) Ended() bool { return s == Succeeded || s == Failed || s == Skipped }

// The types of the Error of a skipped run (G10).
const (
	SkippedFrequency = "frequency"
	SkippedLoop      = "loop_detected"
	SkippedDebounced = "debounced"
	SkippedDisabled  = "disabled"
	SkippedBatched   = "batched" // its event is in the batch of another run
)

// Error is the reason why a run failed or was skipped.
type Error struct {
	Type    string `json:"type"` // The reason of a skipped run: frequency, loop_detected, debounced, disabled, batched.
	Message string `json:"message"`
}

// Attempt is one attempt of a run.
type Attempt struct {
	At         int64  `json:"at" schema:"Milliseconds"`
	DurationMS int64  `json:"duration_ms" minimum:"0"`
	StatusCode int    `json:"status_code,omitempty"`
	Error      string `json:"error,omitempty"`
	Response   string `json:"response,omitempty"` // The first 2 KB of the response.
}

// MaxResponse is the maximum size of a stored response, in bytes (G10).
const MaxResponse = 2 << 10

// MaxAttempts is the maximum number of attempts stored per run. Replays can make more.
const MaxAttempts = 30

// Keep is the retention period of the log (D39).
const Keep = 180 * 24 * time.Hour

// Run is the execution of one action for one event: an entry of the trigger log (G10). Redelivered events do not store
// it again.
type Run struct {
	ID          string // see IDOf
	Scope       tenant.Scope
	Trigger     trigger.ID
	TriggerName string
	Action      trigger.ActionID
	ActionType  trigger.ActionType
	Event       trigger.Event
	Status      Status
	Error       *Error    // nil unless failed or skipped
	Attempts    []Attempt // the newest MaxAttempts
	NextAttempt time.Time // earliest time of the next attempt; zero = now
	CreatedAt   time.Time // the time of the event, so it is the same in every redelivery
	FinishedAt  time.Time
	Flow        *Flow // nil for an action without flow controls

	// State for workers; see Leases.
	Tries    int       // attempts begun since the run became pending, including the current one
	Lost     time.Time // when the previous attempt began, if its worker died
	HasDone  bool      // the run has succeeded at least once; it may have been replayed since
	Progress []byte    // checkpoint of the last attempt for the next one
}

// Ref identifies a run and determines where it is stored.
type Ref struct {
	Trigger trigger.ID
	At      time.Time // Run.CreatedAt, in milliseconds
	ID      string
}

// Ref returns the Ref of the run.
func (r Run) Ref() Ref { return Ref{Trigger: r.Trigger, At: r.CreatedAt, ID: r.ID} }

// Link returns the trace link for everything that the run writes, starts or calls.
func (r Run) Link() trace.Link { return trace.Link{ID: r.Event.Trace, Cause: r.ID} }

// New returns a pending run without flow controls.
func New(t trigger.Trigger, a trigger.Action, e trigger.Event) Run {
	if e.Trace == "" {
		e.Trace = e.ID // the event has no cause, so it starts a trace
	}
	return Run{
		ID: IDOf(e.Scope, t.ID, e.ID, a.ID), Scope: e.Scope, Trigger: t.ID, TriggerName: t.Name,
		Action: a.ID, ActionType: a.Type, Event: e, Status: Pending, CreatedAt: e.At.Truncate(time.Millisecond),
	}
}

// Skipped returns the run as skipped, with the reason.
func (r Run) Skipped(kind, message string) Run {
	r.Status, r.Error, r.FinishedAt = Skipped, &Error{Type: kind, Message: message}, r.CreatedAt
	return r
}

// Message makes a worker begin a run.
type Message struct {
	Scope   string     `json:"scope"` // tenant.Scope.String
	Trigger trigger.ID `json:"trigger"`
	Run     string     `json:"run,omitempty"`
	At      int64      `json:"at,omitempty"` // Ref.At, Unix milliseconds
	// Action is the action of the run, 0 if the sender does not know it.
	Action trigger.ActionID `json:"action,omitempty"`
	// Slow is true if the run may wait long, for example for a slow receiver. Slow messages use a queue of their own,
	// so that they do not delay other runs.
	Slow bool `json:"slow,omitempty"`
}

// Group returns the fairness key of the message: its application.
func (m Message) Group() string { return tenant.FairnessKey(m.Scope) }

// MessageFor returns the message that makes a worker begin the run.
func MessageFor(r Run) Message {
	m := MessageOf(r.Ref(), r.Scope)
	m.Action = r.Action
	return m
}

// Evaluated is the stored evaluation of one event by a trigger (G11).
type Evaluated struct {
	EventID string       `json:"event_id"`
	Kind    trigger.Kind `json:"kind"`
	Subject string       `json:"subject_id"`
	At      int64        `json:"at" schema:"Milliseconds"`
	Held    bool         `json:"held"`
	Rules   []RuleResult `json:"rules" nullable:"true"`
	Actions []Decision   `json:"actions"`
}

// RuleResult is the result of one rule.
type RuleResult struct {
	Path     string           `json:"path"` // The field of the rule.
	Operator trigger.Operator `json:"operator"`
	Operand  any              `json:"operand"` // The operand of the rule.
	Seen     any              `json:"seen"`    // The value of the field.
	Held     bool             `json:"held"`
}

// Decision says whether an action ran, and why it was skipped or waits.
type Decision struct {
	Action trigger.ActionID `json:"action"`
	Fired  bool             `json:"fired"`
	Why    string           `json:"why,omitempty"`
}

// Decided returns the decision about a new run.
func (r Run) Decided() Decision {
	d := Decision{Action: r.Action, Fired: r.Status != Skipped, Why: r.Waits()}
	if r.Status == Skipped && r.Error != nil {
		d.Why = r.Error.Type
		d.Fired = d.Why == SkippedBatched // the event is processed by the run of its batch
	}
	return d
}

// Waits says which flow control holds a pending run back, "" if the run only waits for a worker.
func (r Run) Waits() string {
	if r.Status != Pending || r.Flow == nil {
		return ""
	}
	switch {
	case r.Flow.Gate == GateOrdered:
		return "runs behind those of its key that came before: ordered"
	case !r.NextAttempt.IsZero():
		return fmt.Sprintf("waits until %s: %s", r.NextAttempt.UTC().Format(time.RFC3339), r.Flow.Gate)
	}
	return ""
}

// MaxEvaluations is the number of evaluations stored per trigger (G11).
const MaxEvaluations = 50

// IDOf returns the id of the run of an action for an event (D38): a UUID of version 5, the same in every redelivery of
// the event. It is the value of X-Service-Webhook-Action-Id.
func IDOf(scope tenant.Scope, t trigger.ID, event string, action trigger.ActionID) string {
	sum := sha1.Sum(fmt.Appendf(nil, "minicloud action\n%s\n%d\n%d\n%s", scope, t, action, event))
	sum[6] = sum[6]&0x0f | 5<<4
	sum[8] = sum[8]&0x3f | 0x80
	text := hex.EncodeToString(sum[:16])
	return strings.Join([]string{text[:8], text[8:12], text[12:16], text[16:20], text[20:]}, "-")
}
