// Package action does what triggers ask for. A run is worked on until it has succeeded or failed for good; its effect
// happens once, however often somebody is asked for it.
//
//	Executor  works on one message: begins a run, has a Doer do it, and ends it or asks for it again    executor.go
//	Batch     lets the runs that a queue has brought at once share what they read                        batch.go
//	Doer      does one type of action
//	Failure   what becomes of a run that failed                                                          failure.go
//	Recipients  finds who gets a message                                                               recipients.go
//	render    fills templates in                                                             render.go
//	Claim     the right to send one message of several                                                   claim.go
//	Many      an attempt at a message to many                                                            many.go
//	ReplayEffects  what a replay would do                                                                replay.go
//	schedule  how long to wait between attempts                                                          schedule.go
package action

import (
	"context"
	"time"

	"minicloud/shared/trigger"
	"minicloud/shared/trigger/run"
)

// Work is one attempt at a run.
type Work struct {
	Run     run.Run         // its event is whole
	Events  []trigger.Event // of a batch, the oldest first; nil for a run of one event
	Trigger trigger.Trigger // as it stands now, or stood when it was deleted
	Action  trigger.Action
	Attempt int // 1 is the first; a replay begins with 1 again
	// State is the Result.State of the attempt before, nil for the first one or when that died.
	State []byte
	// Slow says that it is done where it holds up only others that wait long.
	Slow bool
}

// Died reports whether the worker that began the run before died, or lost its lease: what it did nobody knows. A run is
// begun by one conditional write, so whoever sends one message in an attempt, and none when another Died in its, sends
// it once without a claim of its own.
func (w Work) Died() bool { return !w.Run.Lost.IsZero() }

// Doer does one type of action.
//
// The same work may come again after a crash, or be under way twice at once: what it does must happen once, or be
// found done and answered AlreadyDone. Run.ID is the same every time, also when a run is replayed. ctx ends after
// AttemptTime.
//
// An error is tried again by the schedule of its type of action unless it is a Failure that says otherwise. Of errs,
// NotFound, Invalid, Duplicate, Forbidden, Unauthenticated and TooLarge are permanent and their message is for the
// owner; what is no errs.Error is the platform's own failure, and the owner is not told its text.
type Doer interface {
	Do(ctx context.Context, w Work) (Result, error)
}

// AttemptTime is how long one attempt may take. What takes longer is done in parts: see Result.Unfinished.
const AttemptTime = 40 * time.Second

// AlreadyDone is the Result.Response where the effect was found done (G27).
const AlreadyDone = "already_done"

// MaxState is how many bytes of Result.State are kept.
const MaxState = 8 << 10

// Result is what came of an attempt. The log keeps code and response, also of an attempt that failed.
type Result struct {
	StatusCode int    // of an answer by HTTP
	Response   string // what was answered; the log keeps its first run.MaxResponse bytes
	// Unfinished says, without an error, that the run waits or goes on: Do is called again, not before After. It is no
	// attempt: the log shows none, and the schedule does not go on. So parts of a long work follow each other, and
	// what has to wait for a rate waits.
	Unfinished bool
	After      time.Duration
	// Slow says, of what is done again, that it may wait long for somebody: it is then done where it holds up only
	// others that do. Where it is said, Work.Slow is set.
	Slow bool
	// Contended says, with Unfinished, that the run met others of its kind: for some seconds this program sends those of
	// the same action from the first queue to the slow one before it begins them.
	Contended bool
	// State is handed to the next attempt, also after a failure; nil leaves it as it is. A program that dies loses it.
	State []byte
}
