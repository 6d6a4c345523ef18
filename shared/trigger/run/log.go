package run

import (
	"context"
	"fmt"
	"iter"
	"strconv"
	"strings"
	"time"

	"minicloud/shared/errs"
	"minicloud/shared/id"
	"minicloud/shared/tenant"
	"minicloud/shared/trigger"
)

// Filter chooses entries of the trigger log; what is not given chooses all.
type Filter struct {
	Statuses []Status
	Action   trigger.ActionID
	Actions  bool // only entries with an action
	Subject  string
	From, To time.Time // of the event, both included
	Before   Place     // older than that one
	// ReplayedBy is an operation whose runs are chosen whatever status they have got since.
	ReplayedBy id.ID
}

// Place is where a run is in the log of its environment, newest last as texts.
type Place string

// Place returns where the run is.
func (r Ref) Place() Place { return Place(fmt.Sprintf("%013d#%s", r.At.UnixMilli(), r.ID)) }

// Log reads what actions did, and has it done once more.
type Log interface {
	// Run returns a run with its event, errs.NotFound when there is none.
	Run(ctx context.Context, scope tenant.Scope, ref Ref) (Run, error)
	// List returns the newest runs of a trigger that the filter chooses, at most limit of them, newest first. Of their
	// events they have only id, kind, subject, time and trace.
	List(ctx context.Context, scope tenant.Scope, t trigger.ID, f Filter, limit int) ([]Run, error)
	// Count returns how many runs of a trigger the filter chooses.
	Count(ctx context.Context, scope tenant.Scope, t trigger.ID, f Filter) (int, error)
	// Events returns the events since a time that a trigger acted on, newest first; one that several actions were for
	// comes several times.
	Events(ctx context.Context, scope tenant.Scope, t trigger.ID, since time.Time) iter.Seq2[trigger.Event, error]
	// Replay makes a run pending that has ended, has not begun, or should have gone on before now but nobody works on
	// it: its message was lost. errs.NotFound when there is none, errs.Conflict while it is under way, errs.Invalid for
	// an entry without an action.
	// An operation replays a run once: one that it has replayed is fine.
	Replay(ctx context.Context, scope tenant.Scope, ref Ref, now time.Time, operation id.ID) error
	// Traced returns the oldest runs of a trace, at most limit of them, oldest first, as List does. What has just been
	// stored may be missing.
	Traced(ctx context.Context, scope tenant.Scope, trace string, limit int) ([]Run, error)
	// LastTurn returns when a limited action had its turn last, zero for never.
	LastTurn(ctx context.Context, scope tenant.Scope, t trigger.ID, a trigger.ActionID) (time.Time, error)
	// State returns what the flow controls of an action remember of a run's key.
	State(ctx context.Context, r Run) (FlowState, error)
}

// LogID is the run's name on the wire: <trigger>-<Unix milliseconds>-<id>.
func (r Ref) LogID() string { return fmt.Sprintf("%d-%d-%s", r.Trigger, r.At.UnixMilli(), r.ID) }

// ParseLogID reads a LogID; what cannot be one does not exist.
func ParseLogID(text string) (Ref, error) {
	parts := strings.SplitN(text, "-", 3)
	if len(parts) == 3 && len(parts[2]) == len("00000000-0000-0000-0000-000000000000") {
		number, bad := strconv.ParseInt(parts[0], 10, 53)
		ms, worse := strconv.ParseInt(parts[1], 10, 53)
		if bad == nil && worse == nil && number > 0 && ms > 0 {
			return Ref{Trigger: trigger.ID(number), At: time.UnixMilli(ms).UTC(), ID: parts[2]}, nil
		}
	}
	return Ref{}, errs.NotFound("there is no such log entry")
}

// MessageOf asks a worker for a run.
func MessageOf(r Ref, scope tenant.Scope) Message {
	return Message{Scope: scope.String(), Trigger: r.Trigger, Run: r.ID, At: r.At.UnixMilli()}
}
