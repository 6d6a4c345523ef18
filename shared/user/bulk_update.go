package user

import (
	"context"

	"minicloud/shared/bulk"
	"minicloud/shared/page"
	"minicloud/shared/table"
	"minicloud/shared/tenant"
)

// BulkUpdate selects users and changes their custom fields.
type BulkUpdate struct {
	Query
	Body   []byte // D28
	Origin table.Origin
	// Background updates all matching users in the background and ignores the page.
	Background bool
	// ByFunction allows the fields that functions may write (Update). A Page without a Limit then means all matching users: up to
	// 1,000 now, more in the background (D50, as for rows).
	ByFunction bool
}

// UpdateMatching changes custom fields of many users (endpoint 18): those of one page now, or all of them in the
// background. It returns errs.Invalid for a filter that names no field, because such a filter must not select every
// user. Other errors are those of Profiles and Update.
func (s *Service) UpdateMatching(ctx context.Context, scope tenant.Scope, b BulkUpdate) (bulk.Done, error) {
	t, err := s.ProfileTable(ctx, scope)
	if err != nil {
		return bulk.Done{}, err
	}
	operations, err := parseUpdate(t, b.Body, readable(t), written(t, b.ByFunction))
	if err != nil {
		return bulk.Done{}, err
	}
	// Filters ignores a parameter that names no field, so a typo would select every user (D50).
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
	// Without a limit, a function means all matching users and a client means one page.
	if b.ByFunction && find.Page.Limit == 0 {
		find.Page.Limit = page.MaxLimit
		return s.Bulk.All(ctx, scope, t, find, change)
	}
	return s.Bulk.Page(ctx, scope, t, find, change)
}
