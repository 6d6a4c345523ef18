package user

import (
	"context"

	"minicloud/shared/bulk"
	"minicloud/shared/language/value/update"
	"minicloud/shared/page"
	"minicloud/shared/table"
	"minicloud/shared/tenant"
)

// BulkUpdate selects users and says how to change their custom fields.
type BulkUpdate struct {
	Query
	Body   []byte // D28
	Origin table.Origin
	// Background has all matching users changed in the background, whatever the
	// page.
	Background bool
	// ByFunction has fields changed as by UpdateByFunction; then a Page without a Limit is all matching users: up to
	// 1,000 now, more in the background (D50, as for rows).
	ByFunction bool
}

// UpdateMatching changes custom fields of many users (endpoint 18): those of one
// page now, or all of them in the background. A filter that names no field is an
// errs.Invalid here: it must not select everybody. Other errors as Profiles and
// Update.
func (s *Service) UpdateMatching(ctx context.Context, scope tenant.Scope, b BulkUpdate) (bulk.Done, error) {
	t, err := s.profiles(ctx, scope)
	if err != nil {
		return bulk.Done{}, err
	}
	operations, err := update.Parse(b.Body, readable(t), written(t, b.ByFunction))
	if err != nil {
		return bulk.Done{}, err
	}
	// Filters ignores a parameter that names no field, so a typing error would select every user (D50).
	if err := Grammar(t).CheckFilters(b.Filters); err != nil {
		return bulk.Done{}, err
	}
	find, err := b.compile(t)
	if err != nil {
		return bulk.Done{}, err
	}

	change := bulk.Change{Operations: operations, Origin: b.Origin}
	if b.Background {
		return s.Bulk.Start(ctx, scope, t, find.Where, change)
	}
	// A function without a limit means all matching users, a client means one page.
	if b.ByFunction && find.Page.Limit == 0 {
		find.Page.Limit = page.MaxLimit
		return s.Bulk.All(ctx, scope, t, find, change)
	}
	return s.Bulk.Page(ctx, scope, t, find, change)
}
