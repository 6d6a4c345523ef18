package file

import (
	"context"
	"net/url"
	"strings"
	"unicode/utf8"

	"golang.org/x/sync/errgroup"

	"minicloud/shared/clip"
	"minicloud/shared/errs"
	"minicloud/shared/language/query"
	"minicloud/shared/language/value/update"
	"minicloud/shared/page"
	"minicloud/shared/table"
	"minicloud/shared/tenant"
)

// Limits of categories.
const (
	MaxCategoryName = 64 // characters
	maxLevels       = 10 // of categories in one another
	counters        = 8  // categories whose files are counted at the same time
)

// CategoryChange is the change of a category; a nil field keeps its value.
type CategoryChange struct {
	Name   *string
	Parent *ID // "" = none
}

// Category returns a category, or errs.NotFound.
func (s *Service) Category(ctx context.Context, scope tenant.Scope, id string) (Category, error) {
	row, ok := Categories().RowIDOf(id)
	if !ok {
		return Category{}, errNoCategory(id)
	}
	found, err := s.Tables.Read(ctx, scope, Categories(), row)
	if errs.Is(err, errs.KindNotFound) {
		return Category{}, errNoCategory(id)
	}
	return CategoryOf(found), err
}

func errNoCategory(id string) error {
	return errs.NotFound("category %q not found", clip.Text(id, clip.Name))
}

// CategoryNamed returns the newest category with a name; ok is false if there is none.
func (s *Service) CategoryNamed(ctx context.Context, scope tenant.Scope, name string) (c Category, ok bool, err error) {
	where, err := Categories().Grammar().Filters(url.Values{colName: {name}})
	if err != nil {
		return c, false, err
	}
	found, err := s.findCategories(ctx, scope, table.Query{Where: where, Page: page.Request{Limit: 1}})
	if err != nil || len(found.Objects) == 0 {
		return c, false, err
	}
	return found.Objects[0], true, nil
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

// ListCategories returns categories, newest first unless OrderBy says otherwise. It returns errs.Invalid for a condition
// or an order by a field that does not exist.
func (s *Service) ListCategories(ctx context.Context, scope tenant.Scope, q Query) (page.Page[Category], error) {
	g := Categories().Grammar()
	where, err := g.Where(q.Where)
	if err != nil {
		return page.Page[Category]{}, err
	}
	order, err := g.OrderBy(q.OrderBy)
	if err != nil {
		return page.Page[Category]{}, err
	}
	return s.findCategories(ctx, scope, table.Query{Where: where, Order: order, Page: q.Page, Total: q.Total})
}

func (s *Service) findCategories(ctx context.Context, scope tenant.Scope, q table.Query) (page.Page[Category], error) {
	found, err := s.Tables.Find(ctx, scope, Categories(), q)
	return page.View(found.Page, CategoryOf), err
}

// Subcategories returns the newest page.MaxLimit categories whose parent is this one.
func (s *Service) Subcategories(ctx context.Context, scope tenant.Scope, id ID) ([]Category, error) {
	where, err := Categories().Grammar().Term(colParent, query.OpEq, string(id))
	if err != nil {
		return nil, err
	}
	found, err := s.findCategories(ctx, scope, table.Query{Where: where, Page: page.Request{Limit: page.MaxLimit}})
	return found.Objects, err
}

// CountFiles returns how many files each of the categories has; totals over 1,000 are those of lists (D6).
func (s *Service) CountFiles(ctx context.Context, scope tenant.Scope, categories ...Category) ([]int, error) {
	counts := make([]int, len(categories))
	group, ctx := errgroup.WithContext(ctx)
	group.SetLimit(counters)
	for i, c := range categories {
		group.Go(func() error {
			where, err := Table().Grammar().Term(colCategory, query.OpEq, string(c.ID))
			if err != nil {
				return err
			}
			found, err := s.Tables.Find(ctx, scope, Table(), table.Query{Where: where, Page: page.Request{Limit: 1}, Total: true})
			counts[i] = found.Total
			return err
		})
	}
	return counts, group.Wait()
}

// allCategories returns all categories: an environment has few.
func (s *Service) allCategories(ctx context.Context, scope tenant.Scope) (all []Category, err error) {
	for q := (table.Query{Page: page.Request{Limit: page.MaxLimit}}); ; {
		found, err := s.findCategories(ctx, scope, q)
		all = append(all, found.Objects...)
		if err != nil || found.Next == "" {
			return all, err
		}
		q.Page.After = found.Next
	}
}

// categories returns the categories with these ids; missing ones are left out.
func (s *Service) categories(ctx context.Context, scope tenant.Scope, ids []ID) (map[ID]Category, error) {
	if len(ids) == 0 {
		return nil, nil
	}
	rows, err := s.Tables.Rows.ReadRows(ctx, scope, Categories(), ids)
	found := make(map[ID]Category, len(rows))
	for id, row := range rows {
		found[id] = CategoryOf(row)
	}
	return found, err
}

// Parent returns the parent of a category; ok is false if it has none, or it was deleted.
func (s *Service) Parent(ctx context.Context, scope tenant.Scope, c Category) (parent Category, ok bool, err error) {
	if c.Parent == "" {
		return parent, false, nil
	}
	found, err := s.categories(ctx, scope, []ID{c.Parent})
	parent, ok = found[c.Parent]
	return parent, ok, err
}

// CreateCategory adds a category. It returns errs.Invalid, which names the field, for a bad name or parent.
func (s *Service) CreateCategory(ctx context.Context, scope tenant.Scope, c CategoryChange) (Category, error) {
	if c.Name == nil {
		return Category{}, errs.Invalid("name is required")
	}
	fields, err := s.checked(ctx, scope, "", c)
	if err != nil {
		return Category{}, err
	}
	made := s.Tables.Insert(ctx, scope, Categories(), []map[string]any{fields}, table.Author{})[0]
	return CategoryOf(made.Row), made.Err
}

// ChangeCategory changes a category. It returns errs.NotFound for an unknown one, and errs.Invalid, which names the field,
// for a bad name or parent.
func (s *Service) ChangeCategory(ctx context.Context, scope tenant.Scope, id string, c CategoryChange) (Category, error) {
	old, err := s.Category(ctx, scope, id)
	if err != nil {
		return Category{}, err
	}
	fields, err := s.checked(ctx, scope, old.ID, c)
	if err != nil {
		return Category{}, err
	}
	operations, err := update.FromObject(fields, Categories().Schema(), nil)
	if err != nil {
		return Category{}, err
	}
	row, err := s.Tables.Update(ctx, scope, Categories(), old.ID, operations, table.Author{})
	if errs.Is(err, errs.KindNotFound) {
		return Category{}, errNoCategory(id)
	}
	return CategoryOf(row), err
}

// DeleteCategory deletes a category, or returns errs.NotFound. Its files and subcategories stay, without it.
func (s *Service) DeleteCategory(ctx context.Context, scope tenant.Scope, id string) error {
	row, ok := Categories().RowIDOf(id)
	if !ok {
		return errNoCategory(id)
	}
	_, err := s.Tables.Delete(ctx, scope, Categories(), row, table.Author{})
	if errs.Is(err, errs.KindNotFound) {
		return errNoCategory(id)
	}
	return err
}

// checked returns the fields of a change; id is that of the category, "" for a new one.
func (s *Service) checked(ctx context.Context, scope tenant.Scope, id ID, c CategoryChange) (map[string]any, error) {
	fields := map[string]any{}
	if c.Name != nil {
		name := strings.TrimSpace(*c.Name)
		if n := utf8.RuneCountInString(name); n == 0 || n > MaxCategoryName {
			return nil, errs.Invalid("name must have 1 to %d characters", MaxCategoryName)
		}
		fields[colName] = name
	}
	switch {
	case c.Parent == nil:
	case *c.Parent == "":
		fields[colParent] = nil
	default:
		if err := s.checkParent(ctx, scope, id, *c.Parent); err != nil {
			return nil, err
		}
		fields[colParent] = string(*c.Parent)
	}
	if len(fields) == 0 {
		return nil, errs.Invalid("name or parent is required")
	}
	return fields, nil
}

// checkParent returns errs.Invalid for a parent that does not exist, is the category itself or below it, or is too deep.
func (s *Service) checkParent(ctx context.Context, scope tenant.Scope, id, parent ID) error {
	for level := 1; parent != ""; level++ {
		switch {
		case parent == id:
			return errs.Invalid("parent: a category cannot be below itself")
		case level == maxLevels:
			return errs.Invalid("parent: categories have at most %d levels", maxLevels)
		}
		above, err := s.Category(ctx, scope, string(parent))
		if errs.Is(err, errs.KindNotFound) {
			if level > 1 {
				return nil // the parent of the parent was deleted
			}
			return errs.Invalid("parent: %s", errs.Message(err))
		}
		if err != nil {
			return err
		}
		parent = above.Parent
	}
	return nil
}
