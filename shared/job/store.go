package job

import (
	"context"
	"time"

	"minicloud/shared/id"
	"minicloud/shared/page"
	"minicloud/shared/tenant"
)

// Place is where a job is before it begins or ends.
type Place int

// The places; see the package comment.
const (
	Nowhere Place = iota // never recorded: a synchronous run
	Pending
	InSlot
)

// Filter selects jobs; zero fields select all.
type Filter struct {
	Source  Source
	Status  Status
	Service ServiceType
	From    time.Time // created at or after
	To      time.Time // created at or before; the whole second counts
}

// Matches reports whether the filter selects r.
func (f Filter) Matches(r Record) bool {
	return (f.Source == "" || f.Source == r.Source) && (f.Status == "" || f.Status == r.Status) &&
		(f.Service == "" || f.Service == r.Service) &&
		(f.From.IsZero() || !r.CreatedAt().Before(f.From)) &&
		(f.To.IsZero() || r.CreatedAt().Before(f.To.Add(time.Second)))
}

// Listing is a page of jobs, and the overdue jobs that the store met while it read the page. The caller expires these
// and reads the list again.
type Listing struct {
	page.Page[Record]
	Overdue []Record
}

// Counted are N jobs that ended with a status, in the nine minutes from At.
type Counted struct {
	At     time.Time
	Status Status
	N      int
}

// Active is a function that has, or lately had, open jobs.
type Active struct {
	Scope    tenant.Scope
	Function id.ID
	Until    time.Time // announced until then; see Upkeep.Forget
}

// Due is a delayed job that becomes ready (D47: run_at), or the pending callback of an ended job.
type Due struct {
	Scope    tenant.Scope
	Function id.ID
	Job      id.ID
	RunAt    time.Time
	Callback bool
}

// Store remembers jobs. Reads are consistent. Record.Slot and Record.Lease are kept while a job is open.
//
// The first write of a job with a Token (Accept, Begin from Nowhere, End from Nowhere) returns errs.Duplicate when the
// token has a job already: see Intake.Started.
type Store interface {
	Intake
	Execution
	History
	Upkeep
}

// Intake is the part of the store that accepts jobs.
type Intake interface {
	// Announce says that a function may have open jobs until a time, so that Upkeep.Active knows it.
	Announce(ctx context.Context, a Active) error
	// Accept makes a job pending; with delayed it is also listed by Due. errs.Conflict when the id is taken.
	Accept(ctx context.Context, scope tenant.Scope, w PendingJob, delayed bool) error
	// Descend counts a function started under a root call, errs.TooMany when most are counted already. The count is
	// removed some time after until. A call whose answer was lost may count twice.
	Descend(ctx context.Context, scope tenant.Scope, root id.ID, most int, until time.Time) error
	// Started returns the job of a write token, errs.NotFound when it has none. End from InSlot keeps the Result for
	// it, up to MaxKeptResult. A job that ends there as schedule_failed did not run, so its token becomes free again.
	Started(ctx context.Context, scope tenant.Scope, token string) (Started, error)
}

// Execution is the part of the store that runs jobs.
type Execution interface {
	// ReadPending returns a pending job with its input, errs.NotFound when it is not pending.
	ReadPending(ctx context.Context, scope tenant.Scope, fn, job id.ID) (PendingJob, error)
	// Begin moves a job into its slot. errs.Conflict when the slot is taken; errs.NotFound when from is Pending and
	// the job is not pending: another worker began it, or it ended.
	Begin(ctx context.Context, r Running, from Place) error
	// Renew extends the lease of a job in its slot. errs.NotFound when the job has left the slot: it has ended.
	Renew(ctx context.Context, r Running, until time.Time) error
	// PutBack makes a job that did not run pending again, unchanged. errs.NotFound when it is not in its slot.
	PutBack(ctx context.Context, r Running, w PendingJob) error
	// End records the end of a job with its log and removes the job from its place. It returns the id of the record,
	// which is another one where another job has the job's id. errs.NotFound when the job is not in that place: it has
	// ended already.
	End(ctx context.Context, scope tenant.Scope, r Record, from Place) (id.ID, error)
}

// History is the part of the store that shows jobs.
type History interface {
	// List returns a page of the jobs of a function, newest first, without the text of their logs. It ends before
	// Limit when long errors would make it pass page.MaxBytes. errs.Invalid for an offset over page.MaxOffset where the
	// list goes on there. Total is exact below 256, and for a source or service
	// type among at most 1,000 jobs; else it may lag 2 s behind the writes, which D6 allows.
	List(ctx context.Context, scope tenant.Scope, fn id.ID, f Filter, now time.Time, req page.Request) (Listing, error)
	// Read returns one job with its log, errs.NotFound when there is none.
	Read(ctx context.Context, scope tenant.Scope, fn, job id.ID, now time.Time) (Record, error)
}

// Upkeep is the part of the store that sweeps and ticks need.
type Upkeep interface {
	// Active returns the functions that were announced and not forgotten.
	Active(ctx context.Context) ([]Active, error)
	// Forget drops an announcement unless it was renewed since it was read.
	Forget(ctx context.Context, a Active) error
	// Pending returns the pending jobs of a function that may begin before a time (zero = all), without their input,
	// in the order in which they were accepted.
	Pending(ctx context.Context, scope tenant.Scope, fn id.ID, before time.Time) ([]PendingJob, error)
	// Slots returns the jobs in the slots of an application.
	Slots(ctx context.Context, app tenant.AppID) ([]Running, error)
	// Expire is End from InSlot by another process than the job's worker. When the worker recorded the end and died
	// before it freed the slot, Expire only frees the slot.
	Expire(ctx context.Context, scope tenant.Scope, r Record) (id.ID, error)
	// Due returns up to limit delayed jobs and callbacks with a RunAt before t.
	Due(ctx context.Context, t time.Time, limit int) ([]Due, error)
	// Drop removes an entry from the list of Due.
	Drop(ctx context.Context, d Due) error
}

// Queue carries messages to workers, at least once.
type Queue interface {
	// Send delivers m after delay, at most 15 minutes. Messages of one group share fairly with other groups.
	Send(ctx context.Context, m Message, group string, delay time.Duration) error
}
