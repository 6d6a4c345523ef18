package api

import (
	"context"

	"minicloud/shared/file"
	"minicloud/shared/httpapi"
	"minicloud/shared/page"
)

// ListedCategory is a category of files in a list.
type ListedCategory struct {
	ID        file.ID         `json:"id"`
	Name      string          `json:"name"`
	CreatedAt httpapi.Seconds `json:"created_at"`
	UpdatedAt httpapi.Seconds `json:"updated_at"`
	Files     *int            `json:"files,omitempty" minimum:"0"` // Only with return_total_count.
}

// Category is a category of files.
type Category struct {
	ListedCategory
	Parent        *CategoryRef  `json:"parent"` // Null without one.
	Subcategories []CategoryRef `json:"subcategories"`
}

func viewCategory(c file.Category) ListedCategory {
	return ListedCategory{
		ID: c.ID, Name: c.Name, CreatedAt: httpapi.Seconds(c.CreatedAt), UpdatedAt: httpapi.Seconds(c.UpdatedAt),
	}
}

// listCategories serves GET /hserve/v2.2/file-category/.
func (g *Group) listCategories(ctx context.Context, in listed) (answer httpapi.Envelope[ListedCategory], err error) {
	scope := httpapi.Scope(ctx)
	found, err := g.Files.ListCategories(ctx, scope, in.query())
	if err != nil {
		return answer, err
	}
	var counts []int
	if in.Total {
		if counts, err = g.Files.CountFiles(ctx, scope, found.Objects...); err != nil {
			return answer, err
		}
	}

	shown := page.Page[ListedCategory]{Total: found.Total, Next: found.Next}
	for i, c := range found.Objects {
		view := viewCategory(c)
		if counts != nil {
			view.Files = &counts[i]
		}
		shown.Objects = append(shown.Objects, view)
	}
	return httpapi.ListOf(ctx, in.Page, shown, func(c ListedCategory) ListedCategory { return c }), nil
}

type oneCategory struct {
	ID string `path:"id"`
}

// readCategory serves GET /hserve/v1.3/file-category/:id/.
func (g *Group) readCategory(ctx context.Context, in oneCategory) (Category, error) {
	c, err := g.Files.Category(ctx, httpapi.Scope(ctx), in.ID)
	if err != nil {
		return Category{}, err
	}
	return g.whole(ctx, c)
}

// whole returns a category with its files, its parent and its subcategories.
func (g *Group) whole(ctx context.Context, c file.Category) (shown Category, err error) {
	scope := httpapi.Scope(ctx)
	counts, err := g.Files.CountFiles(ctx, scope, c)
	if err != nil {
		return shown, err
	}
	parent, ok, err := g.Files.Parent(ctx, scope, c)
	if err != nil {
		return shown, err
	}
	below, err := g.Files.Subcategories(ctx, scope, c.ID)
	if err != nil {
		return shown, err
	}

	shown = Category{ListedCategory: viewCategory(c), Subcategories: []CategoryRef{}}
	shown.Files = &counts[0]
	if ok {
		shown.Parent = refTo(parent)
	}
	for _, c := range below {
		shown.Subcategories = append(shown.Subcategories, *refTo(c))
	}
	return shown, nil
}

type newCategory struct {
	Name   string                    `json:"name" minLength:"1" maxLength:"64" required:"true"`
	Parent httpapi.Nullable[file.ID] `json:"parent"` // The category that contains this one.
}

// createCategory serves POST /oserve/v2.2/file-category/.
func (g *Group) createCategory(ctx context.Context, in newCategory) (Category, error) {
	made, err := g.Files.CreateCategory(ctx, httpapi.Scope(ctx), file.CategoryChange{Name: &in.Name, Parent: parentOf(in.Parent)})
	if err != nil {
		return Category{}, err
	}
	return g.whole(ctx, made)
}

type categoryChange struct {
	oneCategory
	Name   *string                   `json:"name" minLength:"1" maxLength:"64"`
	Parent httpapi.Nullable[file.ID] `json:"parent"` // Null takes the category out of its parent.
}

// changeCategory serves PUT /oserve/v2.2/file-category/:id/.
func (g *Group) changeCategory(ctx context.Context, in categoryChange) (Category, error) {
	change := file.CategoryChange{Name: in.Name, Parent: parentOf(in.Parent)}
	changed, err := g.Files.ChangeCategory(ctx, httpapi.Scope(ctx), in.ID, change)
	if err != nil {
		return Category{}, err
	}
	return g.whole(ctx, changed)
}

// parentOf returns the parent that a request gives, nil if it gives none.
func parentOf(given httpapi.Nullable[file.ID]) *file.ID {
	switch {
	case !given.Given:
		return nil
	case given.Value == nil:
		return new(file.ID)
	}
	return given.Value
}

// deleteCategory serves DELETE /oserve/v2.2/file-category/:id/.
func (g *Group) deleteCategory(ctx context.Context, in oneCategory) (httpapi.None, error) {
	return httpapi.None{}, g.Files.DeleteCategory(ctx, httpapi.Scope(ctx), in.ID)
}
