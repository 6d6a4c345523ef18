package run

import (
	"context"
	"time"

	"minicloud/shared/tenant"
	"minicloud/shared/trigger"
)

// Store remembers runs.
type Store interface {
	// Start stores a run that there is not yet. Of an action that is limited, a pending run is stored only with its
	// turn, in one step: where another event had it, the run is stored as skipped. Of one with flow controls it is
	// stored together with what they remember of its key (FlowState.Enter).
	Start(ctx context.Context, r Run, limit trigger.Frequency, now time.Time) (Started, error)
	// Run returns a run with its event, errs.NotFound when there is none.
	Run(ctx context.Context, scope tenant.Scope, ref Ref) (Run, error)
}

// Started is what became of the run of an event.
type Started struct {
	Run     Run   // as it is stored, now or by an earlier delivery of the event
	Enqueue []Run // the runs to ask for, each not before its NextAttempt; only their Scope and Ref are sure to be there
}

// Notes are what one trigger made of some events, newest first.
type Notes struct {
	Scope   tenant.Scope
	Trigger trigger.ID
	First   trigger.Event
	List    []Evaluated
	// Seen is how many events there were, Held of how many the conditions held: the list has MaxEvaluations at most.
	Seen, Held int
}

// Seen is how many events a trigger looked at, some at a time.
type Seen struct {
	At   time.Time // of the first of them
	Seen int
	Held int // of these the conditions held
}

// Evaluations remembers what triggers made of events.
type Evaluations interface {
	// Note keeps what triggers made of some events, each under the first of them: noting them again changes nothing.
	Note(ctx context.Context, all []Notes) error
	// Evaluations returns the newest MaxEvaluations, newest first.
	Evaluations(ctx context.Context, scope tenant.Scope, t trigger.ID) ([]Evaluated, error)
	// Seen returns how many events a trigger looked at since a time while it kept evaluations, newest first. Of those
	// who look often it returns at most limit times.
	Seen(ctx context.Context, scope tenant.Scope, t trigger.ID, since time.Time, limit int) ([]Seen, error)
}

// Queue carries messages to workers, at least once.
type Queue interface {
	// Send delivers m after delay, at most 15 minutes. Messages of one group share fairly with other groups.
	Send(ctx context.Context, m Message, group string, delay time.Duration) error
}

// BatchQueue is a Queue that takes many messages for the price of a few.
type BatchQueue interface {
	Queue
	// SendAll delivers messages of one group at once. With an error, some may be on their way.
	SendAll(ctx context.Context, all []Message, group string) error
}
