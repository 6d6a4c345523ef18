package console

import (
	"context"
	"time"

	"minicloud/shared/errs"
	"minicloud/shared/id"
	"minicloud/shared/page"
	"minicloud/shared/tenant"
)

// AuditKept is the retention of audit log entries.
const AuditKept = 400 * 24 * time.Hour

// Entry is a change requested by an administrator. It is written before the change, so that no change is missing from
// the log, and gets its status with the response.
type Entry struct {
	ID id.ID
	At time.Time // ms
	By Administrator
	// Application is 0 for changes of accounts and of the account's own session.
	Application tenant.AppID
	Environment tenant.EnvID // "" if the change is not in an environment
	Method      string
	Path        string // including ids
	Address     string
	// Fields are the names of the request's fields, never values: these may be secret, and they belong to the
	// application. After them come objects that the path does not name, as "kind name": an environment, or a promotion
	// and its items.
	Fields []string
	Status int // of the response, 0 = unknown
}

// AuditFilter selects entries; zero fields select all.
type AuditFilter struct {
	Account  AccountID
	From, To time.Time // from ≤ at < to
}

// AuditStore stores the audit log.
type AuditStore interface {
	// Begin writes an entry. An entry with the same id is either an earlier try of the same request, which succeeds, or
	// another request, which returns errs.Duplicate. It returns errs.Unauthenticated if the account has changed since
	// the entry's revision or the session of its token has ended, so that revoked rights take effect at once.
	Begin(ctx context.Context, e Entry) error
	// SignedIn returns errs.Unauthenticated if the session of an administrator's token has ended. It is for requests
	// without an entry.
	SignedIn(ctx context.Context, by Administrator) error
	// End stores the status of the response.
	End(ctx context.Context, e Entry, status int) error
	// Entries returns the entries of an application, newest first.
	Entries(ctx context.Context, app tenant.AppID, f AuditFilter, req page.Request) (page.Page[Entry], error)
}

// draws is the maximum number of ids drawn for an entry. Two programs that draw in the same millisecond collide once in
// 4,096 times.
const draws = 5

// Note begins an entry with a unique id and returns the entry with that id.
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
