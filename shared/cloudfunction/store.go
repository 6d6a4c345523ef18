package cloudfunction

import (
	"context"

	"minicloud/shared/id"
	"minicloud/shared/page"
	"minicloud/shared/tenant"
)

// Filter selects functions of a list; the zero value selects all, with code.
type Filter struct {
	Name string // substring of the name, ignoring case, see page.Named
	// NoCode leaves out the code's text (Code.Gzip is nil): records are small, but code has up to 1 MB.
	NoCode bool
}

// Store stores functions and their versions. Every read is consistent: it sees every write that was acknowledged
// before.
type Store interface {
	// Create stores a new function at version 1. It returns errs.Duplicate if the name is taken, and errs.Conflict
	// if the id is taken; the caller then draws another id.
	Create(ctx context.Context, scope tenant.Scope, f Function) error
	// Read returns the function with that name, errs.NotFound if there is none.
	Read(ctx context.Context, scope tenant.Scope, name Name) (Function, error)
	// ReadID returns the function with that id, errs.NotFound if there is none.
	ReadID(ctx context.Context, scope tenant.Scope, fn id.ID) (Function, error)
	// List returns a page of the functions that match the filter, newest first. The page is shorter than Limit if
	// more functions would exceed page.MaxBytes, but it has at least one function if any is left. Total is exact.
	List(ctx context.Context, scope tenant.Scope, f Filter, req page.Request) (page.Page[Function], error)
	// Update replaces old, as it was read, by next. If next.Version is higher, it keeps old as a version and drops
	// all but the last MaxVersions. It returns errs.Conflict if old is no longer current (read again), and
	// errs.Duplicate if next has another name that is taken.
	Update(ctx context.Context, scope tenant.Scope, old, next Function) error
	// Delete removes f and its versions. It returns errs.Conflict if f, as it was read, is no longer current.
	Delete(ctx context.Context, scope tenant.Scope, f Function) error
	// Versions returns the stored versions before the current one, newest first, without the code's text (Code.Gzip
	// is nil).
	Versions(ctx context.Context, scope tenant.Scope, fn id.ID) ([]Version, error)
	// Version returns one stored version before the current one, with its code, and errs.NotFound if it is not
	// stored.
	Version(ctx context.Context, scope tenant.Scope, fn id.ID, number int) (Version, error)
}
