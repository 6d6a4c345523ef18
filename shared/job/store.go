package job

import (
	"context"
	"time"

	"minicloud/shared/id"
	"minicloud/shared/page"
	"minicloud/shared/tenant"
)

// Place is where a job that ends has been until then.
type Place int

// The places; see the package comment.
const (
	Nowhere Place = iota // never recorded: a synchronous run that was refused
	InLine
	InSlot
)

// Filter selects jobs; zero fields select all.
type Filter struct {
	Source  Source
	Status  Status
	Service ServiceType
	From    time.Time // created at or after
	To      time.Time // created at or before, with all milliseconds of that second
}

// Matches reports whether the filter selects r.
func (f Filter) Matches(r Record) bool {
	return (f.Source == "" || f.Source == r.Source) && (f.Status == "" || f.Status == r.Status) &&
		(f.Service == "" || f.Service == r.Service) &&
		(f.From.IsZero() || !r.CreatedAt().Before(f.From)) &&
		(f.To.IsZero() || r.CreatedAt().Before(f.To.Add(time.Second)))
}

// Active is a function that has, or lately had, open jobs.
type Active struct {
	Scope    tenant.Scope
	Function id.ID
	Until    time.Time // announced until then; see Store.Forget
}

// Due is a delayed job whose time comes (D47).
type Due struct {
	Scope    tenant.Scope
	Function id.ID
	Job      id.ID
	RunAt    time.Time
}

// Store remembers jobs. Reads are consistent.
//
// An announcement tells Reap, and lists, where executing jobs may be. Begin and
// Accept announce the job's function until announce; that may be zero only while
// an earlier announcement of the function outlasts the job.
//
// The first write of a job with a Token (Accept, Begin from Nowhere, End from
// Nowhere) is errs.Duplicate where the token has a job already: see Started.
type Store interface {
	// Accept puts a job in the line of its function; with delayed it is also
	// listed by Due. errs.Conflict when the id is taken.
	Accept(ctx context.Context, scope tenant.Scope, w Waiting, delayed bool, announce time.Time) error
	// Waiting returns a job from the line, errs.NotFound when it is not there.
	Waiting(ctx context.Context, scope tenant.Scope, fn, job id.ID) (Waiting, error)
	// Line returns the jobs in the line of a function that may begin before a
	// time, zero for all of them, without their input; the first accepted comes
	// first.
	Line(ctx context.Context, scope tenant.Scope, fn id.ID, before time.Time) ([]Waiting, error)
	// Begin moves a job into its slot, from its line when from is InLine.
	// errs.Conflict when the slot is taken; errs.NotFound when the job is not in
	// the line: another worker began it, or it ended.
	Begin(ctx context.Context, r Running, from Place, announce time.Time) error
	// Renew gives a job in its slot another lease. errs.NotFound when it is not in
	// that slot any more: it has ended.
	Renew(ctx context.Context, r Running, until time.Time) error
	// PutBack moves a job that did not run from its slot into the line again, as
	// it was. errs.NotFound when it is not in that slot.
	PutBack(ctx context.Context, r Running, w Waiting) error
	// Slots returns the jobs in the slots of an application.
	Slots(ctx context.Context, app tenant.AppID) ([]Running, error)
	// End moves a job into the history of its function, with its log.
	// slot says which one when from is InSlot. errs.NotFound when the job is
	// not in that place: it has ended already.
	End(ctx context.Context, scope tenant.Scope, r Record, from Place, slot int) error

	// List returns a page of the jobs of a function, newest first, without the
	// text of their logs. It ends before Limit where long errors would make it
	// pass page.MaxBytes. Total is exact.
	List(ctx context.Context, scope tenant.Scope, fn id.ID, f Filter, now time.Time, req page.Request) (page.Page[Record], error)
	// Read returns one job with its log, errs.NotFound when there is none.
	Read(ctx context.Context, scope tenant.Scope, fn, job id.ID, now time.Time) (Record, error)

	// Fold sums up the ended jobs of a function that were made before an hour began,
	// so that long lists stay cheap. What List and Read return does not depend on
	// it. errs.Conflict when a job ended meanwhile: some hours are left for the next
	// Fold.
	Fold(ctx context.Context, scope tenant.Scope, fn id.ID, before time.Time) error

	// Active returns the functions that were announced and not forgotten.
	Active(ctx context.Context) ([]Active, error)
	// Announce announces a function.
	Announce(ctx context.Context, a Active) error
	// Forget drops an announcement unless it was renewed since it was read.
	Forget(ctx context.Context, a Active) error
	// Due returns up to limit delayed jobs whose time comes before t.
	Due(ctx context.Context, t time.Time, limit int) ([]Due, error)
	// Drop removes a delayed job from the list of Due.
	Drop(ctx context.Context, d Due) error

	// Descend counts a function that is started under a root call, unless there
	// are most of them: then it is errs.TooMany. The count is forgotten some time
	// after until. One whose answer was lost may count twice.
	Descend(ctx context.Context, scope tenant.Scope, root id.ID, most int, until time.Time) error

	// Started returns the job of a write token, errs.NotFound when it has none. End
	// from InSlot keeps the Result for it, up to MaxKeptResult; a job that ends
	// there as schedule_failed did not run and gives the token free.
	Started(ctx context.Context, scope tenant.Scope, token string) (Started, error)

	// Key returns the platform's key for signing, made on first use: 32 random
	// bytes that never change.
	Key(ctx context.Context) ([]byte, error)
}

// Queue carries messages to workers, at least once.
type Queue interface {
	// Send delivers m after delay, at most 15 minutes. Messages of one group
	// share fairly with other groups.
	Send(ctx context.Context, m Message, group string, delay time.Duration) error
}
