package file

import (
	"context"
	"net/url"

	"minicloud/shared/clip"
	"minicloud/shared/errs"
	"minicloud/shared/page"
	"minicloud/shared/table"
	"minicloud/shared/tenant"
)

// Category returns a category, or errs.NotFound.
func (s *Service) Category(ctx context.Context, scope tenant.Scope, id string) (Category, error) {
	missing := errs.NotFound("category %q not found", clip.Text(id, clip.Name))
	row, ok := Categories().RowIDOf(id)
	if !ok {
		return Category{}, missing
	}
	found, err := s.Tables.Read(ctx, scope, Categories(), row)
	if errs.Is(err, errs.KindNotFound) {
		return Category{}, missing
	}
	return CategoryOf(found), err
}

// CategoryNamed returns the newest category with a name; ok is false if there is none.
func (s *Service) CategoryNamed(ctx context.Context, scope tenant.Scope, name string) (c Category, ok bool, err error) {
	t := Categories()
	where, err := t.Grammar().Filters(url.Values{colName: {name}})
	if err != nil {
		return c, false, err
	}
	found, err := s.Tables.Find(ctx, scope, t, table.Query{Where: where, Page: page.Request{Limit: 1}})
	if err != nil || len(found.Objects) == 0 {
		return c, false, err
	}
	return CategoryOf(found.Objects[0]), true, nil
}

// categoryOf returns the id of the category that a request names: the id wins, and an unknown name is none.
func (s *Service) categoryOf(ctx context.Context, scope tenant.Scope, id, name string) (ID, error) {
	switch {
	case id != "":
		c, err := s.Category(ctx, scope, id)
		return c.ID, err
	case name != "":
		c, _, err := s.CategoryNamed(ctx, scope, name)
		return c.ID, err
	}
	return "", nil
}
