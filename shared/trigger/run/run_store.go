package run

import (
	"context"
	"time"

	"minicloud/shared/tenant"
	"minicloud/shared/trigger"
)

// Store stores runs.
type Store interface {
	// Start stores a run unless it exists. If the action has a frequency limit, a pending run takes its turn in the
	// same transaction; if another event has the turn, the run is stored as skipped. A run with flow controls is stored
	// together with the new FlowState of its key (FlowState.Enter).
	Start(ctx context.Context, r Run, limit trigger.Frequency, now time.Time) (Started, error)
	// Run returns a run with its event. It returns errs.NotFound if the run does not exist.
	Run(ctx context.Context, scope tenant.Scope, ref Ref) (Run, error)
}

// Started is the result of Store.Start.
type Started struct {
	Run     Run   // the stored run, from this or an earlier delivery of the event
	Enqueue []Run // the runs to enqueue, each not before its NextAttempt; only Scope and Ref are always set
}

// Notes are the evaluations of a trigger for a group of events, newest first.
type Notes struct {
	Scope   tenant.Scope
	Trigger trigger.ID
	First   trigger.Event
	List    []Evaluated
	// Seen is the number of events, Held the number of those for which the conditions held. List has at most
	// MaxEvaluations of them.
	Seen, Held int
}

// Seen is the number of events that a trigger evaluated in one group.
type Seen struct {
	At   time.Time // time of the first event
	Seen int
	Held int // number of events for which the conditions held
}

// Evaluations stores the evaluations of triggers.
type Evaluations interface {
	// Note stores evaluations, one item per trigger under the key of its first event. Storing them again changes
	// nothing.
	Note(ctx context.Context, all []Notes) error
	// Evaluations returns the newest MaxEvaluations evaluations of a trigger, newest first. If held is set, it returns
	// those whose conditions held or did not hold, of the newest MaxEvaluations groups of events.
	Evaluations(ctx context.Context, scope tenant.Scope, t trigger.ID, held *bool) ([]Evaluated, error)
	// Seen returns the numbers of events that a trigger evaluated since a time while it was traced, newest first, at
	// most limit entries.
	Seen(ctx context.Context, scope tenant.Scope, t trigger.ID, since time.Time, limit int) ([]Seen, error)
}

// Queue delivers messages to workers at least once, and shares its workers fairly between applications.
type Queue interface {
	// Send delivers the messages after delay, at most 15 minutes. After an error, some of them may have been sent.
	Send(ctx context.Context, delay time.Duration, all ...Message) error
}
