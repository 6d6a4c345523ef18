// Package run has what becomes of an action of a trigger for an event: its run, and what stores and workers agree on.
//
//	Run          an entry of the trigger log                    run.go log.go request.go
//	Store        stores runs, with their evaluations            store.go
//	Leases       lets workers work on runs, one at a time       lease.go
//	FlowState    decides when flow controls let a run go on     flow.go
//	Waker        asks workers for runs, now or later            wake.go
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

// Status says how far a run has come, spelled as on the wire (G10).
type Status string

// The states of a run:
//
//	pending ─► running ─► succeeded | failed
//	   │          └─► waiting_retry ─► running
//	   └ skipped: it is not to run
const (
	Pending      Status = "pending"
	Running      Status = "running"
	WaitingRetry Status = "waiting_retry"
	Succeeded    Status = "succeeded"
	Failed       Status = "failed"
	Skipped      Status = "skipped"
)

// Ended reports whether a run of that status is over.
func (s Status) Ended() bool { return s == Succeeded || s == Failed || s == Skipped }

// Why a run was skipped: the type of its error (G10).
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

// MaxResponse is how much of an answer an attempt keeps, in bytes (G10).
const MaxResponse = 2 << 10

// MaxAttempts is how many attempts the log keeps of a run, which can be replayed any number of times.
const MaxAttempts = 30

// Keep is how long the log is kept (D39).
const Keep = 180 * 24 * time.Hour

// Run is what one action makes of one event: an entry of the trigger log (G10). It is stored once, however often the
// event comes.
type Run struct {
	ID          string // see IDOf
	Scope       tenant.Scope
	Trigger     trigger.ID
	TriggerName string
	Action      trigger.ActionID
	ActionType  trigger.ActionType
	Event       trigger.Event
	Status      Status
	Error       *Error    // of one that failed or was skipped
	Attempts    []Attempt // the newest MaxAttempts
	NextAttempt time.Time // not before; zero = at once
	CreatedAt   time.Time // of the event, so that a repetition has the same
	FinishedAt  time.Time
	Flow        *Flow // nil for an action without flow controls

	// State for the workers; see Leases.
	Tries    int       // attempts begun since the run was made pending, the one under way included
	Lost     time.Time // when the attempt before began, if its worker died in it
	HasDone  bool      // it has had its effect: it has succeeded once, and may have been replayed since
	Progress []byte    // what the last attempt left for the next
}

// Ref names a run: where it is stored follows from it.
type Ref struct {
	Trigger trigger.ID
	At      time.Time // Run.CreatedAt, in milliseconds
	ID      string
}

// Ref returns the name of the run.
func (r Run) Ref() Ref { return Ref{Trigger: r.Trigger, At: r.CreatedAt, ID: r.ID} }

// Link is what the action writes, starts or calls says of where it comes from.
func (r Run) Link() trace.Link { return trace.Link{ID: r.Event.Trace, Cause: r.ID} }

// New returns a run without flow controls.
func New(t trigger.Trigger, a trigger.Action, e trigger.Event) Run {
	if e.Trace == "" {
		e.Trace = e.ID // nothing led to it: it is the first of its trace
	}
	return Run{
		ID: IDOf(e.Scope, t.ID, e.ID, a.ID), Scope: e.Scope, Trigger: t.ID, TriggerName: t.Name,
		Action: a.ID, ActionType: a.Type, Event: e, Status: Pending, CreatedAt: e.At.Truncate(time.Millisecond),
	}
}

// Skipped returns the run with the reason why it is skipped.
func (r Run) Skipped(kind, message string) Run {
	r.Status, r.Error, r.FinishedAt = Skipped, &Error{Type: kind, Message: message}, r.CreatedAt
	return r
}

// Message asks a worker to do something for a trigger: to work on a run.
type Message struct {
	Scope   string     `json:"scope"` // tenant.Scope as text
	Trigger trigger.ID `json:"trigger"`
	Run     string     `json:"run,omitempty"`
	At      int64      `json:"at,omitempty"` // Unix milliseconds, Ref.At
	// Action is the run's, 0 where the sender does not know it.
	Action trigger.ActionID `json:"action,omitempty"`
	// Slow says that the run may wait long for somebody, and goes where it holds up only others that do.
	Slow bool `json:"slow,omitempty"`
}

// MessageFor returns the message that asks a worker for a run.
func MessageFor(r Run) Message {
	m := MessageOf(r.Ref(), r.Scope)
	m.Action = r.Action
	return m
}

// Evaluated is what a trigger made of one event (G11).
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

// Decision says whether an action ran, and why it did not, or waits.
type Decision struct {
	Action trigger.ActionID `json:"action"`
	Fired  bool             `json:"fired"`
	Why    string           `json:"why,omitempty"`
}

// Decided returns the decision of an evaluation about a new run.
func (r Run) Decided() Decision {
	d := Decision{Action: r.Action, Fired: r.Status != Skipped, Why: r.Waits()}
	if r.Status == Skipped && r.Error != nil {
		d.Why = r.Error.Type
		d.Fired = d.Why == SkippedBatched // it runs with others
	}
	return d
}

// Waits says what a pending run waits for, "" for nothing but a worker.
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

// MaxEvaluations is how many of them a trigger keeps (G11).
const MaxEvaluations = 50

// IDOf is the id of what one action makes of one event (D38): a UUID of
// version 5, equal whenever the event comes again. It is the value of
// X-Service-Webhook-Action-Id.
func IDOf(scope tenant.Scope, t trigger.ID, event string, action trigger.ActionID) string {
	sum := sha1.Sum(fmt.Appendf(nil, "minicloud action\n%s\n%d\n%d\n%s", scope, t, action, event))
	sum[6] = sum[6]&0x0f | 5<<4
	sum[8] = sum[8]&0x3f | 0x80
	text := hex.EncodeToString(sum[:16])
	return strings.Join([]string{text[:8], text[8:12], text[12:16], text[16:20], text[20:]}, "-")
}
