// Package file manages the files of an application: their uploads, records and categories (client API, 5).
//
//	File      a row of the built-in table _file               file.go, table.go
//	Category  a row of the built-in table _filecategory       category.go
//	Upload    a file that is awaited, until it is complete    upload.go
//	Policy    the signed permission to upload                 policy.go
//	Objects   the port to the content of files                objects.go
//
// An upload and its due time are one item, so no crash leaves one without the other. The content is stored before its
// record, and the record takes the place of the upload in one transaction:
//
//	Begin ── upload ── take ── content ── record (upload gone) ── event by the stream
//	             └── due: content there: record, else the event "upload fail", upload gone
package file

import (
	"net/url"

	"minicloud/shared/errs"
	"minicloud/shared/table"
	"minicloud/shared/tenant"
)

// ID is the id of a file: 24 hex digits, ordered by time.
type ID = table.RowID

// File is an uploaded file.
type File struct {
	ID                   ID
	Name                 string
	CDNPath              string // the last part of the link and of the key
	Size                 int64  // bytes
	MimeType             string // without parameters
	MediaType            MediaType
	Category             ID     // "" = none
	ETag                 string // of the content, without quotes
	Named                bool   // the name is the CDNPath
	CreatedBy            int64  // id of the user, 0 = an administrator or a function
	CreatedAt, UpdatedAt int64  // Unix seconds
}

// Category groups files. Administrators make them (C50).
type Category struct {
	ID                   ID
	Name                 string
	Parent               ID    // "" = none
	CreatedAt, UpdatedAt int64 // Unix seconds
}

// Of returns the file of a row of Table.
func Of(row table.Row) File {
	f := File{ID: row.ID, CreatedBy: row.CreatedBy, CreatedAt: row.CreatedAt(), UpdatedAt: row.UpdatedAt}
	f.Name, _ = row.Fields[colName].(string)
	f.CDNPath, _ = row.Fields[colCDNPath].(string)
	f.Size, _ = row.Fields[colSize].(int64)
	f.MimeType, _ = row.Fields[colMime].(string)
	f.ETag, _ = row.Fields[colETag].(string)
	f.Named, _ = row.Fields[colNamed].(bool)
	media, _ := row.Fields[colMedia].(string)
	category, _ := row.Fields[colCategory].(string)
	f.MediaType, f.Category = MediaType(media), ID(category)
	return f
}

// fields returns the values of the file's row.
func (f File) fields() map[string]any {
	fields := map[string]any{
		colName: f.Name, colCDNPath: f.CDNPath, colSize: f.Size, colMime: f.MimeType, colMedia: string(f.MediaType),
		colETag: f.ETag, colNamed: f.Named, colCreator: f.CreatedBy,
	}
	if f.Category != "" {
		fields[colCategory] = string(f.Category)
	}
	return fields
}

// CategoryOf returns the category of a row of Categories.
func CategoryOf(row table.Row) Category {
	c := Category{ID: row.ID, CreatedAt: row.CreatedAt(), UpdatedAt: row.UpdatedAt}
	c.Name, _ = row.Fields[colName].(string)
	parent, _ := row.Fields[colParent].(string)
	c.Parent = ID(parent)
	return c
}

// Site is the address of the distribution that serves files, without a slash at the end.
type Site string

// Link returns the address of a file.
func (s Site) Link(scope tenant.Scope, cdnPath string) string {
	return string(s) + "/" + Key(scope, url.PathEscape(cdnPath))
}

// Payload returns the file as it appears in events (contract, File record).
func (s Site) Payload(scope tenant.Scope, f File) map[string]any {
	categories := []any{}
	if f.Category != "" {
		categories = append(categories, string(f.Category))
	}
	return map[string]any{
		"id": string(f.ID), "name": f.Name, "status": string(Success), "categories": categories, "size": f.Size,
		"media_type": string(f.MediaType), "mime_type": f.MimeType, "reference": "", "cdn_path": f.CDNPath,
		"path": s.Link(scope, f.CDNPath), "created_at": f.CreatedAt, "updated_at": f.UpdatedAt, "created_by": f.CreatedBy,
	}
}

// Status is the state of a file in answers and events.
type Status string

// The states. A row of Table is always a Success; an Upload is Pending.
const (
	Pending Status = "pending"
	Success Status = "success"
)

// errNoFile returns the errs.NotFound of a file.
func errNoFile(id string) error { return errs.NotFound("file %q not found", id) }
