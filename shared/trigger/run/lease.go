package run

import (
	"context"
	"time"

	"minicloud/shared/tenant"
	"minicloud/shared/trigger"
)

// Standing is the result of a worker's attempt to begin a run.
type Standing int

// The standings.
const (
	Begun    Standing = iota // the worker has the lease
	Early                    // the run must not begin before its NextAttempt
	UnderWay                 // another worker has the lease
	Over                     // the run has ended
	Behind                   // earlier runs of its key have not ended; the worker that ends the last one enqueues it
)

// Lease gives one worker the exclusive right to a run.
type Lease struct {
	Owner string    // unique per attempt
	Until time.Time // expiry: the worker counts as dead from then on, and another one may begin the run
}

// Beginning is the result of Leases.Begin.
type Beginning struct {
	Standing Standing
	Run      Run             // complete if Begun; otherwise only status, attempts and times
	Events   []trigger.Event // events of a batch that has begun, oldest first; nil for a run of one event
	Until    time.Time       // Early: the NextAttempt of the run. UnderWay: when the other lease expires
	Enqueue  []Run           // other runs that the worker must enqueue now, each not before its NextAttempt
}

// Leases hands each run to one worker at a time.
//
//	pending | waiting_retry ──Begin──► running ──End───► succeeded | failed | skipped
//	         ▲                         │  ▲ │
//	         └──────────Wait───────────┘  └─┘ Begin, when the lease has expired
//
// The queue must always hold a message for a run that has not ended. Before a worker deletes a message, it has ended
// the run or enqueued another message. So a worker calls Wait before it enqueues the next message, and a worker that
// finds a run Early or UnderWay enqueues a message for Until.
//
// A run that waits at a flow control (Flow.Gate) passes it in Begin when its time has come. The worker that ends an
// ordered run, or finds it Over, calls Leave before it deletes the message, so that the next run can begin.
type Leases interface {
	// Begin makes a run running if it is pending or waiting_retry and its time has come, or if its lease has expired,
	// and increments Tries. It is idempotent for one owner, because a response can be lost. It returns errs.NotFound if
	// the run does not exist.
	Begin(ctx context.Context, scope tenant.Scope, ref Ref, l Lease, now time.Time) (Beginning, error)
	// Wait postpones a running run to its NextAttempt and stores its Attempts, Tries and Progress. It returns
	// errs.NotFound if the owner no longer has the lease.
	Wait(ctx context.Context, r Run, owner string) error
	// End stores the result of a running run: Status, Error, Attempts, Progress, HasDone and FinishedAt. It returns
	// errs.NotFound like Wait.
	End(ctx context.Context, r Run, owner string) error
	// Leave removes an ordered run that has ended from the order of its key. It returns the next run if that must be
	// enqueued now, otherwise nil. For a run that is not ordered it does nothing and returns nil.
	Leave(ctx context.Context, r Run, now time.Time) (*Run, error)
}
