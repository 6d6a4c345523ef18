// Package action executes the runs of triggers. A run is attempted until it succeeds or fails for good. Its effect
// happens once, however often a message asks for it.
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
	// Slow says that the attempt runs from the slow queue, where it delays only others that wait long.
	Slow bool
}

// Died reports whether the worker of the last attempt died or lost its lease, so that its effect is unknown. A run is
// begun by one conditional write. A doer that sends one message per attempt, and none after a worker Died, therefore
// sends it once without a claim of its own.
func (w Work) Died() bool { return !w.Run.Lost.IsZero() }

// Doer does one type of action.
//
// The same work may come again after a crash, or run twice at once. Its effect must happen once, or be found done and
// answered AlreadyDone. Run.ID is the same every time, also when a run is replayed. ctx ends after AttemptTime.
//
// An error is retried by the schedule of the action's type unless it is a Failure that says otherwise. Of errs,
// NotFound, Invalid, Duplicate, Forbidden, Unauthenticated and TooLarge are permanent and their message is for the
// owner; any other error is the platform's own failure, whose text the owner does not see.
type Doer interface {
	Do(ctx context.Context, w Work) (Result, error)
}

// AttemptTime is how long one attempt may take. Longer work is done in parts: see Result.Unfinished.
const AttemptTime = 40 * time.Second

// AlreadyDone is the Result.Response where the effect was found done (G27).
const AlreadyDone = "already_done"

// MaxState is how many bytes of Result.State are kept.
const MaxState = 8 << 10

// Result is the result of an attempt. The log keeps code and response, also of an attempt that failed.
type Result struct {
	StatusCode int    // of an answer by HTTP
	Response   string // the answer; the log keeps its first run.MaxResponse bytes
	// Unfinished says, without an error, that the run waits or continues: Do is called again, not before After. It does
	// not count as an attempt: the log shows none, and the schedule stays. Long work is done in parts this way, and an
	// action waits for its rate limit.
	Unfinished bool
	After      time.Duration
	// Slow says that the next attempt may wait long for a receiver: it then comes by the slow queue, where it delays
	// only others like it, with Work.Slow set.
	Slow bool
	// Contended says, with Unfinished, that the run conflicted with other runs of its action: for some seconds this
	// program moves those from the first queue to the slow one before it begins them.
	Contended bool
	// State is handed to the next attempt, also after a failure; nil leaves it as it is. A program that dies loses it.
	State []byte
}
