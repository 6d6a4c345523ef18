package api

import (
	"context"

	"minicloud/shared/errs"
	"minicloud/shared/file"
	"minicloud/shared/httpapi"
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

// CategoryRef is the category of a file.
type CategoryRef struct {
	ID   file.ID `json:"id"`
	Name string  `json:"name"`
}

type oneFile struct {
	ID string `path:"id"`
}

// read serves GET /hserve/v2.1/uploaded-file/:id/.
func (g *Group) read(ctx context.Context, in oneFile) (File, error) {
	scope := httpapi.Scope(ctx)
	f, err := g.Files.Read(ctx, scope, in.ID)
	if err != nil {
		return File{}, err
	}
	shown := File{
		ID: f.ID, Name: f.Name, Path: g.Files.Site.Link(scope, f.CDNPath), CDNPath: f.CDNPath, Size: f.Size,
		MimeType: f.MimeType, CreatedAt: httpapi.Seconds(f.CreatedAt),
	}
	if f.Category == "" {
		return shown, nil
	}
	category, err := g.Files.Category(ctx, scope, string(f.Category))
	// The files of a deleted category stay, without one (C50).
	if errs.Is(err, errs.KindNotFound) {
		return shown, nil
	}
	shown.Category = &CategoryRef{ID: category.ID, Name: category.Name}
	return shown, err
}
