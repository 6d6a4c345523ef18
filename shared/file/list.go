package file

import (
	"context"
	"slices"

	"minicloud/shared/language/query"
	"minicloud/shared/language/value"
	"minicloud/shared/page"
	"minicloud/shared/table"
	"minicloud/shared/tenant"
)

// colCategoryName is no column: a category can be renamed. Conditions on it become conditions on categories.
const colCategoryName = "category_name"

// createdBy is a column of every row. Conditions on it become conditions on colCreator.
const createdBy = "created_by"

// Query selects files or categories; its texts are as sent by the caller.
type Query struct {
	Where, OrderBy string
	Page           page.Request
	Total          bool // also count all matches
	// All lets a query of files also name their creator and type, which only administrators see.
	All bool
}

// Found is a page of files.
type Found = table.ResultOf[File]

// The columns that callers and administrators may name in conditions on files, and those that sort them.
var (
	asked  = []string{"id", colName, colSize, colCategory, "created_at"}
	known  = append(slices.Clone(asked), colMime, colMedia, createdBy)
	sorted = []string{colName, colSize, "created_at"}
)

// List returns uploaded files, newest first unless OrderBy says otherwise. It returns errs.Invalid for a condition or an
// order by a field that it does not know.
func (s *Service) List(ctx context.Context, scope tenant.Scope, q Query) (Found, error) {
	g := q.grammar()
	where, err := g.Where(q.Where)
	if err != nil {
		return Found{}, err
	}
	order, err := g.OrderBy(q.OrderBy)
	if err != nil {
		return Found{}, err
	}
	if where, err = s.stored(ctx, scope, where); err != nil {
		return Found{}, err
	}

	found, err := s.Tables.Find(ctx, scope, Table(), table.Query{Where: where, Order: order, Page: q.Page, Total: q.Total})
	return Found{Page: page.View(found.Page, Of), Plan: found.Plan, Scanned: found.Scanned}, err
}

func (q Query) grammar() query.Grammar {
	g := Table().Grammar()
	g.Schema = slices.DeleteFunc(g.Schema, func(c value.Column) bool {
		return !slices.Contains(known, c.Name) || !q.All && !slices.Contains(asked, c.Name)
	})
	g.Schema = append(g.Schema, value.Column{Name: colCategoryName, Type: value.String})
	for _, c := range g.Schema {
		if !slices.Contains(sorted, c.Name) {
			g.Unsorted = append(g.Unsorted, c.Name)
		}
	}
	return g
}

// stored replaces conditions on the name of the category by conditions on its id, and on the creator by conditions on the
// column that has an index.
func (s *Service) stored(ctx context.Context, scope tenant.Scope, where query.Predicate) (query.Predicate, error) {
	var all []Category
	if slices.Contains(query.Columns(where), colCategoryName) {
		var err error
		if all, err = s.allCategories(ctx, scope); err != nil {
			return nil, err
		}
	}
	return replaced(where, all)
}

func replaced(p query.Predicate, all []Category) (_ query.Predicate, err error) {
	switch p := p.(type) {
	case query.And:
		parts, err := replacedAll(p, all)
		return query.And(parts), err
	case query.Or:
		parts, err := replacedAll(p, all)
		return query.Or(parts), err
	case *query.Term:
		switch p.Column.Name {
		case colCategoryName:
			return termOf(p, all)
		case createdBy:
			return Table().Grammar().Term(colCreator, p.Op, p.Operand)
		}
	}
	return p, nil
}

func replacedAll(parts []query.Predicate, all []Category) ([]query.Predicate, error) {
	next := make([]query.Predicate, len(parts))
	for i, part := range parts {
		var err error
		if next[i], err = replaced(part, all); err != nil {
			return nil, err
		}
	}
	return next, nil
}

// termOf returns the condition on the id for one on the name. A condition that a missing name meets, such as $ne or
// $isnull, also holds for files of a deleted category, so it excludes the other categories.
func termOf(t *query.Term, all []Category) (query.Predicate, error) {
	op, missing := query.OpIn, t.Match(nil)
	if missing {
		op = query.OpNin
	}
	ids := []any{}
	for _, c := range all {
		if t.Match(map[string]any{colCategoryName: c.Name}) != missing {
			ids = append(ids, string(c.ID))
		}
	}
	if op == query.OpIn && len(ids) == 1 {
		return Table().Grammar().Term(colCategory, query.OpEq, ids[0]) // the index has the files of one value in order
	}
	return Table().Grammar().Term(colCategory, op, ids)
}

// CategoriesOf returns the categories of the files by their ids; those that were deleted are left out.
func (s *Service) CategoriesOf(ctx context.Context, scope tenant.Scope, files ...File) (map[ID]Category, error) {
	var ids []ID
	for _, f := range files {
		if f.Category != "" && !slices.Contains(ids, f.Category) {
			ids = append(ids, f.Category)
		}
	}
	return s.categories(ctx, scope, ids)
}
