package job

import (
	"context"
	"time"

	"minicloud/shared/id"
	"minicloud/shared/page"
	"minicloud/shared/tenant"
)

// Place is the location of a job before it begins or ends.
type Place int

// The places; see the package comment.
const (
	Nowhere Place = iota // not recorded yet: a synchronous run
	Pending
	InSlot
)

// Filter selects jobs; a zero field matches all.
type Filter struct {
	Source  Source
	Status  Status
	Service ServiceType
	From    time.Time // created at or after
	To      time.Time // created at or before; includes the whole second
}

// Matches reports whether the filter selects r.
func (f Filter) Matches(r Record) bool {
	return (f.Source == "" || f.Source == r.Source) && (f.Status == "" || f.Status == r.Status) &&
		(f.Service == "" || f.Service == r.Service) &&
		(f.From.IsZero() || !r.CreatedAt().Before(f.From)) &&
		(f.To.IsZero() || r.CreatedAt().Before(f.To.Add(time.Second)))
}

// Listing is a page of jobs, and the overdue jobs that the store found while reading it. The caller must expire these
// and read the list again.
type Listing struct {
	page.Page[Record]
	Overdue []Record
}

// Counted is the number N of jobs that ended with a status, in the nine minutes from At.
type Counted struct {
	At     time.Time
	Status Status
	N      int
}

// Active is a function that has, or recently had, open jobs.
type Active struct {
	Scope    tenant.Scope
	Function id.ID
	Until    time.Time // end of the announcement; see Store.Forget
}

// Due is a delayed job that becomes ready (D47: run_at), or the pending callback of an ended job.
type Due struct {
	Scope    tenant.Scope
	Function id.ID
	Job      id.ID
	RunAt    time.Time
	Callback bool
	Shard    int // of the list that has it
}

// Store stores jobs. Reads are consistent. Record.Slot and Record.Lease are stored while a job is open.
//
// The first write of a job with a Token (Accept, Begin from Nowhere, End from Nowhere) returns errs.Duplicate if the
// token already has a job: see Started.
type Store interface {
	// Accepting jobs.

	// Announce stores that a function may have open jobs until a time; Active returns it.
	Announce(ctx context.Context, a Active) error
	// Accept makes a job pending; if delayed, Due lists it too. It returns errs.Conflict if the id is taken.
	Accept(ctx context.Context, scope tenant.Scope, w PendingJob, delayed bool) error
	// Descend counts a function started under a root call. It returns errs.TooMany if the count has reached most. The
	// count is removed some time after until. A call whose response was lost may count twice.
	Descend(ctx context.Context, scope tenant.Scope, root id.ID, most int, until time.Time) error
	// Started returns the job of a write token. It returns errs.NotFound if there is none. End from InSlot stores the
	// Result for it, up to MaxKeptResult. A job that ends there as schedule_failed did not run, so its token becomes
	// free again.
	Started(ctx context.Context, scope tenant.Scope, token string) (Started, error)

	// Running jobs.

	// ReadPending returns a pending job with its input. It returns errs.NotFound if the job is not pending.
	ReadPending(ctx context.Context, scope tenant.Scope, fn, job id.ID) (PendingJob, error)
	// Begin moves a job into its slot. It returns errs.Conflict if the slot is taken, and errs.NotFound if from is
	// Pending but the job is not: another worker began it, or it ended.
	Begin(ctx context.Context, r Running, from Place) error
	// Renew extends the lease of a job in its slot. It returns errs.NotFound if the job has left the slot: it has
	// ended.
	Renew(ctx context.Context, r Running, until time.Time) error
	// PutBack makes a job that did not run pending again, unchanged. It returns errs.NotFound if it is not in its slot.
	PutBack(ctx context.Context, r Running, w PendingJob) error
	// End records the end of a job with its log and removes the job from its place. It returns the id of the record,
	// which is a new one if another job has the job's id. It returns errs.NotFound if the job is not in that place: it
	// has already ended.
	End(ctx context.Context, scope tenant.Scope, r Record, from Place) (id.ID, error)

	// Reading jobs.

	// List returns a page of the jobs of a function, newest first, without log texts. The page is shorter than Limit if
	// long errors would make it exceed page.MaxBytes. It returns errs.Invalid for an offset over page.MaxOffset if the
	// list continues there. Total is exact below 256, and for a source or service type among at most 1,000 jobs;
	// otherwise it may lag 2 s behind the writes, which D6 allows.
	List(ctx context.Context, scope tenant.Scope, fn id.ID, f Filter, now time.Time, req page.Request) (Listing, error)
	// Read returns one job with its log. It returns errs.NotFound if there is none.
	Read(ctx context.Context, scope tenant.Scope, fn, job id.ID, now time.Time) (Record, error)

	// Sweeps and ticks.

	// Active returns the functions that are announced and not forgotten.
	Active(ctx context.Context) ([]Active, error)
	// Forget deletes an announcement unless it was renewed after it was read.
	Forget(ctx context.Context, a Active) error
	// Pending returns the pending jobs of a function that may begin before a time (zero = all), without their input, in
	// the order of acceptance.
	Pending(ctx context.Context, scope tenant.Scope, fn id.ID, before time.Time) ([]PendingJob, error)
	// Slots returns the jobs in the slots of an application.
	Slots(ctx context.Context, app tenant.AppID) ([]Running, error)
	// Expire is End from InSlot by a process that is not the job's worker. If the worker recorded the end but died
	// before it freed the slot, Expire only frees the slot.
	Expire(ctx context.Context, scope tenant.Scope, r Record) (id.ID, error)
	// Due returns delayed jobs and callbacks with a RunAt before t, earliest first: fewer than limit are all there are.
	Due(ctx context.Context, t time.Time, limit int) ([]Due, error)
	// Drop removes an entry from the list of Due.
	Drop(ctx context.Context, d Due) error
}

// Queue delivers messages to workers, at least once, and shares its workers fairly between applications.
type Queue interface {
	// Send delivers the messages after delay, at most 15 minutes.
	Send(ctx context.Context, delay time.Duration, all ...Message) error
}
