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

// Filter selects entries of the trigger log. A zero field matches all entries.
type Filter struct {
	Statuses []Status
	Action   trigger.ActionID
	Actions  bool // only entries with an action
	Subject  string
	From, To time.Time // time of the event, both inclusive
	Before   Place     // only entries older than this place
	// ReplayedBy also matches the runs that this operation has replayed, whatever their status is now.
	ReplayedBy id.ID
}

// Place is the position of a run in the log. Places sort as text, oldest first.
type Place string

// Place returns the position of the run in the log.
func (r Ref) Place() Place { return Place(fmt.Sprintf("%013d#%s", r.At.UnixMilli(), r.ID)) }

// Log reads and replays runs.
type Log interface {
	// Run returns a run with its event. It returns errs.NotFound if the run does not exist.
	Run(ctx context.Context, scope tenant.Scope, ref Ref) (Run, error)
	// List returns the newest runs of a trigger that match the filter, at most limit, newest first. Their events have
	// only id, kind, subject, time and trace.
	List(ctx context.Context, scope tenant.Scope, t trigger.ID, f Filter, limit int) ([]Run, error)
	// Count returns the number of runs of a trigger that match the filter.
	Count(ctx context.Context, scope tenant.Scope, t trigger.ID, f Filter) (int, error)
	// Events returns the events since a time for which a trigger has runs, newest first. An event with runs of several
	// actions is returned once for each.
	Events(ctx context.Context, scope tenant.Scope, t trigger.ID, since time.Time) iter.Seq2[trigger.Event, error]
	// Replay makes a run pending again if it has ended, if it has not begun, or if its time is past and no worker has
	// it, because its message was lost. It returns errs.NotFound if the run does not exist, errs.Conflict while a
	// worker has it, and errs.Invalid for an entry without an action. An operation replays each run once; repeating a
	// replay of the same operation has no effect and is no error.
	Replay(ctx context.Context, scope tenant.Scope, ref Ref, now time.Time, operation id.ID) error
	// Traced returns the oldest runs of a trace, at most limit, oldest first, with the fields that List returns. It is
	// eventually consistent: a run that was just stored may be missing.
	Traced(ctx context.Context, scope tenant.Scope, trace string, limit int) ([]Run, error)
	// LastTurn returns when an action with a frequency limit last ran, zero if never.
	LastTurn(ctx context.Context, scope tenant.Scope, t trigger.ID, a trigger.ActionID) (time.Time, error)
	// State returns the flow-control state of the run's key.
	State(ctx context.Context, r Run) (FlowState, error)
}

// LogID returns the id of the run on the wire: <trigger>-<Unix milliseconds>-<id>.
func (r Ref) LogID() string { return fmt.Sprintf("%d-%d-%s", r.Trigger, r.At.UnixMilli(), r.ID) }

// ParseLogID parses a LogID. It returns errs.NotFound for any text that is not a LogID.
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

// MessageOf returns the message that makes a worker begin the run.
func MessageOf(r Ref, scope tenant.Scope) Message {
	return Message{Scope: scope.String(), Trigger: r.Trigger, Run: r.ID, At: r.At.UnixMilli()}
}
