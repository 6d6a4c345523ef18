package console

import (
	"context"
	"time"

	"minicloud/shared/errs"
	"minicloud/shared/id"
	"minicloud/shared/page"
	"minicloud/shared/tenant"
)

// AuditKept is how long the audit log keeps an entry.
const AuditKept = 400 * 24 * time.Hour

// Entry is one change that an administrator asked for. It is written before the change is made, so that none is made
// without it, and has no status until the answer is known.
type Entry struct {
	ID id.ID
	At time.Time // ms
	By Administrator
	// Application is 0 for changes of accounts and of the account's own session.
	Application tenant.AppID
	Environment tenant.EnvID // "" where the change is of none
	Method      string
	Path        string // with its ids
	Address     string
	// Fields are the names of what the request gave, never a value: values may be secrets, and are the application's.
	// They are followed by the objects that the path does not name, as "kind name": an environment, or a promotion and
	// what it carries.
	Fields []string
	Status int // of the answer, 0 = not known
}

// AuditFilter selects entries; zero fields select all.
type AuditFilter struct {
	Account  AccountID
	From, To time.Time // from ≤ at < to
}

// AuditStore remembers what administrators did.
type AuditStore interface {
	// Begin writes an entry; one of that id is an earlier try of the same request, or errs.Duplicate of another one.
	// errs.Unauthenticated when the account is not of the entry's revision any more or the session of its token is
	// over: who lost a right or signed out since changes nothing with what they hold.
	Begin(ctx context.Context, e Entry) error
	// SignedIn returns errs.Unauthenticated when the session of an administrator's token is over, for requests of which
	// no entry is written.
	SignedIn(ctx context.Context, by Administrator) error
	// End notes the status of the answer.
	End(ctx context.Context, e Entry, status int) error
	// Entries returns those of an application, the newest first.
	Entries(ctx context.Context, app tenant.AppID, f AuditFilter, req page.Request) (page.Page[Entry], error)
}

// draws is how often an entry's id is drawn. Two programs draw the same one in a millisecond once in 4,096 times.
const draws = 5

// Note begins an entry under an id that no other one has, and returns it with that.
func Note(ctx context.Context, begin func(context.Context, Entry) error, ids *id.Source, e Entry) (Entry, error) {
	var err error
	for range draws {
		e.ID = ids.New(e.At)
		if err = begin(ctx, e); !errs.Is(err, errs.KindDuplicate) {
			break
		}
	}
	return e, err
}
