// Package action executes the runs of triggers. A run is attempted until it succeeds or fails for good. Its effect
// happens once, even if its message is delivered several times.
//
//	Executor       handles one message: begins a run, calls its Doer, and ends or retries the run    executor.go
//	Batch          lets the runs of one batch of messages share their reads                          batch.go
//	Doer           executes one type of action
//	Failure        an error that decides how its run continues                                       failure.go
//	Recipients     finds the recipients of a message                                                 recipients.go
//	render         renders templates                                                                 render.go
//	Claim          the exclusive right to send one message                                           claim.go
//	Many           an attempt at a message to many recipients                                        many.go
//	ReplayEffects  predicts the effect of a replay                                                   replay.go
//	schedule       the delays between attempts                                                       schedule.go
package action

import (
	"context"
	"time"

	"minicloud/shared/trigger"
	"minicloud/shared/trigger/run"
)

// Work is one attempt at a run.
type Work struct {
	Run     run.Run         // with its complete event
	Events  []trigger.Event // of a batch, oldest first; nil for a run of one event
	Trigger trigger.Trigger // the current trigger, or its last state if it was deleted
	Action  trigger.Action
	Attempt int // 1 is the first; a replay begins with 1 again
	// State is the Result.State of the previous attempt, nil for the first one or if that attempt's program died.
	State []byte
	// Slow means that the attempt comes from the slow queue, where it delays only other slow attempts.
	Slow bool
}

// Died reports whether the worker of the last attempt died or lost its lease, so that the effect of that attempt is
// unknown. Each attempt begins with one conditional write. A doer that sends one message per attempt, and none after a
// worker died, therefore sends it once without a claim.
func (w Work) Died() bool { return !w.Run.Lost.IsZero() }

// Doer executes one type of action.
//
// The same work can come again after a crash, or run concurrently. Its effect must happen once: a doer that finds the
// effect done returns AlreadyDone. Run.ID is the same in all attempts and replays. ctx ends after AttemptTime.
//
// A failed run is retried by the schedule of the action's type, unless the error is a Failure that says otherwise. The
// errs kinds NotFound, Invalid, Duplicate, Forbidden, Unauthenticated and TooLarge are permanent, and the owner sees
// their message. Any other error is a failure of the platform, whose text the owner does not see.
type Doer interface {
	Do(ctx context.Context, w Work) (Result, error)
}

// AttemptTime is the time limit of one attempt. Longer work is split into parts: see Result.Unfinished.
const AttemptTime = 40 * time.Second

// AlreadyDone is the Result.Response if the effect had already happened (G27).
const AlreadyDone = "already_done"

// MaxState is the largest stored Result.State, in bytes.
const MaxState = 8 << 10

// Result is the result of an attempt. The log stores code and response, also of a failed attempt.
type Result struct {
	StatusCode int    // of an HTTP response
	Response   string // the log stores its first run.MaxResponse bytes
	// Unfinished, without an error, means that Do is called again, not before After. It is not an attempt: it is
	// neither logged nor counted in the schedule. Long work is split into parts this way, and actions wait for rate
	// limits.
	Unfinished bool
	After      time.Duration
	// Slow means that the next attempt may wait long for a receiver. It comes from the slow queue, where it delays only
	// other slow attempts, with Work.Slow set.
	Slow bool
	// Contended, with Unfinished, means that the run conflicted with other runs of its action. For some seconds this
	// program moves runs of that action from the first queue to the slow one without beginning them.
	Contended bool
	// State is passed to the next attempt, also after a failure; nil keeps the previous one. It is lost if the program
	// dies.
	State []byte
}
