package cloudfunction

import (
	"context"

	"minicloud/shared/id"
	"minicloud/shared/page"
	"minicloud/shared/tenant"
)

// Filter selects the functions of a list; its zero value selects all, with code.
type Filter struct {
	Name string // a part of the name, see page.Named
	// NoCode leaves the code's text out (Code.Gzip is nil): records are small, code has up to 1 MB.
	NoCode bool
}

// Store remembers functions and their versions. Every read is consistent: it
// sees every write that was acknowledged before.
type Store interface {
	// Create records a new function at version 1. errs.Duplicate when the name
	// is taken; errs.Conflict when the id is, so that the caller draws again.
	Create(ctx context.Context, scope tenant.Scope, f Function) error
	// Read returns the function of that name, errs.NotFound when there is none.
	Read(ctx context.Context, scope tenant.Scope, name Name) (Function, error)
	// ReadID returns the function of that id, errs.NotFound when there is none.
	ReadID(ctx context.Context, scope tenant.Scope, fn id.ID) (Function, error)
	// List returns a page of the functions that the filter chooses, newest first. It
	// ends before Limit when more would pass page.MaxBytes, but holds at least one
	// record if there is one. Total is exact.
	List(ctx context.Context, scope tenant.Scope, f Filter, req page.Request) (page.Page[Function], error)
	// Update replaces old, as it was read, by next. When next.Version is higher,
	// old is kept as a version and those before the last MaxVersions are dropped.
	// errs.Conflict when old is no longer current (read again); errs.Duplicate
	// when next has another name and it is taken.
	Update(ctx context.Context, scope tenant.Scope, old, next Function) error
	// Delete removes f with its versions, errs.Conflict when f, as it was read,
	// is no longer current.
	Delete(ctx context.Context, scope tenant.Scope, f Function) error
	// Versions returns the kept versions before the current one, newest first,
	// without their code's text (Code.Gzip is nil).
	Versions(ctx context.Context, scope tenant.Scope, fn id.ID) ([]Version, error)
	// Version returns one kept version before the current one with its code,
	// errs.NotFound when it is not kept.
	Version(ctx context.Context, scope tenant.Scope, fn id.ID, number int) (Version, error)
}
