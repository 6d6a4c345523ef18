package api

import (
	"context"

	"minicloud/shared/file"
	"minicloud/shared/httpapi"
	"minicloud/shared/page"
)

// File is an uploaded file.
type File struct {
	ID        file.ID         `json:"id"`
	Name      string          `json:"name"`
	Path      string          `json:"path"` // The address of the file.
	CDNPath   string          `json:"cdn_path"`
	Size      int64           `json:"size"` // Bytes.
	MimeType  string          `json:"mime_type"`
	CreatedAt httpapi.Seconds `json:"created_at"`
	Category  *CategoryRef    `json:"category"` // Null without one.
}

// OwnedFile is a file as administrators see it.
type OwnedFile struct {
	File
	MediaType file.MediaType  `json:"media_type"`
	CreatedBy int64           `json:"created_by"` // The user; 0 for administrators and functions.
	UpdatedAt httpapi.Seconds `json:"updated_at"`
}

// CategoryRef is the category of a file, or the parent of a category.
type CategoryRef struct {
	ID   file.ID `json:"id"`
	Name string  `json:"name"`
}

func refTo(c file.Category) *CategoryRef { return &CategoryRef{ID: c.ID, Name: c.Name} }

// views returns the files as they are answered. The files of a deleted category stay, without one (C50).
func (g *Group) views(ctx context.Context, files ...file.File) ([]OwnedFile, error) {
	scope := httpapi.Scope(ctx)
	categories, err := g.Files.CategoriesOf(ctx, scope, files...)
	if err != nil {
		return nil, err
	}
	shown := make([]OwnedFile, len(files))
	for i, f := range files {
		shown[i] = OwnedFile{
			File: File{
				ID: f.ID, Name: f.Name, Path: g.Files.Site.Link(scope, f.CDNPath), CDNPath: f.CDNPath, Size: f.Size,
				MimeType: f.MimeType, CreatedAt: httpapi.Seconds(f.CreatedAt),
			},
			MediaType: f.MediaType, CreatedBy: f.CreatedBy, UpdatedAt: httpapi.Seconds(f.UpdatedAt),
		}
		if c, ok := categories[f.Category]; ok {
			shown[i].Category = refTo(c)
		}
	}
	return shown, nil
}

type oneFile struct {
	ID string `path:"id"`
}

// read serves GET /hserve/v2.1/uploaded-file/:id/.
func (g *Group) read(ctx context.Context, in oneFile) (File, error) {
	shown, err := g.readOwned(ctx, in)
	return shown.File, err
}

// readOwned serves GET /oserve/v2.2/file/:id/.
func (g *Group) readOwned(ctx context.Context, in oneFile) (OwnedFile, error) {
	f, err := g.Files.Read(ctx, httpapi.Scope(ctx), in.ID)
	if err != nil {
		return OwnedFile{}, err
	}
	shown, err := g.views(ctx, f)
	if err != nil {
		return OwnedFile{}, err
	}
	return shown[0], nil
}

type listed struct {
	Where   string `query:"where" ref:"whereText"`
	OrderBy string `query:"order_by" ref:"orderBy"`
	Page    page.Request
	Total   bool `query:"return_total_count" ref:"returnTotalCount"`
}

func (l listed) query() file.Query {
	return file.Query{Where: l.Where, OrderBy: l.OrderBy, Page: l.Page, Total: l.Total}
}

// list serves GET /hserve/v2.2/uploaded-file/.
func (g *Group) list(ctx context.Context, in listed) (answer httpapi.Envelope[File], err error) {
	found, err := g.find(ctx, in.query())
	return httpapi.ListOf(ctx, in.Page, found, func(f OwnedFile) File { return f.File }), err
}

// listOwned serves GET /oserve/v2.2/file/.
func (g *Group) listOwned(ctx context.Context, in listed) (answer httpapi.Envelope[OwnedFile], err error) {
	q := in.query()
	q.All = true
	found, err := g.find(ctx, q)
	return httpapi.ListOf(ctx, in.Page, found, func(f OwnedFile) OwnedFile { return f }), err
}

func (g *Group) find(ctx context.Context, q file.Query) (page.Page[OwnedFile], error) {
	found, err := g.Files.List(ctx, httpapi.Scope(ctx), q)
	if err != nil {
		return page.Page[OwnedFile]{}, err
	}
	httpapi.Explain(ctx, found.Plan, found.Scanned)
	shown, err := g.views(ctx, found.Objects...)
	return page.Page[OwnedFile]{Objects: shown, Total: found.Total, Next: found.Next}, err
}
