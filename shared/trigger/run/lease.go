package run

import (
	"context"
	"time"

	"minicloud/shared/tenant"
	"minicloud/shared/trigger"
)

// Standing says how a run stands when a worker wants to begin it.
type Standing int

// The standings.
const (
	Begun    Standing = iota // it is the worker's now
	Early                    // its time has not come
	UnderWay                 // another worker has it
	Over                     // it has ended
	Behind                   // those of its key before it have not ended: who ends the last of them asks for it
)

// Lease is one worker's right to a run.
type Lease struct {
	Owner string    // a text that no other attempt has
	Until time.Time // from then on another worker may begin the run: this one has died
}

// Beginning is what came of asking for a run.
type Beginning struct {
	Standing Standing
	Run      Run             // whole where it has begun, else its status, attempts and times
	Events   []trigger.Event // of a batch that has begun, the oldest first; nil for a run of one event
	Until    time.Time       // Early: when its time comes. UnderWay: when the other's lease ends
	Enqueue  []Run           // other runs that have to be asked for now, each not before its NextAttempt
}

// Leases lets workers work on runs, one at a time.
//
//	pending | waiting_retry ──Begin──► running ──End───► succeeded | failed | skipped
//	         ▲                         │  ▲ │
//	         └──────────Wait───────────┘  └─┘ Begin, when the lease is over
//
// A message of a run that has not ended is never the last one: who takes it off the queue has ended the run, or has
// asked for it again before. So Wait comes first and the next message after it, and whoever finds a run Early or
// UnderWay asks for it again at Until.
//
// A run that is held back by a flow control (Flow.Gate) passes it in Begin when its time has come. Of an ordered
// one, who ended it, or finds it Over, lets the one behind it go on by Leave before the message is taken off.
type Leases interface {
	// Begin makes a run that is pending or waits, and whose time has come, running: Tries counts it. The same owner may
	// ask twice, since answers get lost. errs.NotFound when there is no such run.
	Begin(ctx context.Context, scope tenant.Scope, ref Ref, l Lease, now time.Time) (Beginning, error)
	// Wait puts a running run off to its NextAttempt, with its Attempts, Tries and Progress.
	// errs.NotFound when the owner does not have it any more.
	Wait(ctx context.Context, r Run, owner string) error
	// End stores how a running run ended: Status, Error, Attempts, Progress, HasDone and FinishedAt. errs.NotFound as
	// Wait.
	End(ctx context.Context, r Run, owner string) error
	// Leave takes an ordered run that has ended out of the order of its key. It returns the run that is to be asked for
	// then, nil for none; of runs that are not ordered always nil.
	Leave(ctx context.Context, r Run, now time.Time) (*Run, error)
}
