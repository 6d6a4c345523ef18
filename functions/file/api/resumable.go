package api

import (
	"context"

	"minicloud/shared/errs"
	"minicloud/shared/file"
	"minicloud/shared/httpapi"
)

// Resumable is an upload in parts: each part of 1 MB is put to upload_url.
type Resumable struct {
	ID            file.ID         `json:"id"`
	MultiID       string          `json:"multi_uuid"`
	Part          int             `json:"multi_part_id"` // The number of the first part, 0.
	URL           string          `json:"upload_url"`
	Authorization string          `json:"authorization"` // The header Authorization of the parts, for 30 minutes.
	Date          string          `json:"date"`          // The header X-Date of the parts.
	Path          string          `json:"path"`
	CDNPath       string          `json:"cdn_path"`
	Name          string          `json:"name"`
	CreatedAt     httpapi.Seconds `json:"created_at"`
}

type newResumable struct {
	newUpload
	Size int64 `json:"file_size" minimum:"1" maximum:"104857600" required:"true"`
}

// beginParts serves POST /hserve/v2.7/resumable-upload/.
func (g *Group) beginParts(ctx context.Context, in newResumable) (Resumable, error) {
	if in.Size < 1 || in.Size > file.MaxForm {
		return Resumable{}, errs.Invalid("file_size must be from 1 to %d", file.MaxForm)
	}
	request := in.request(ctx)
	request.Size = in.Size
	made, err := g.Files.Begin(ctx, httpapi.Scope(ctx), request)
	return g.viewParts(ctx, made), err
}

func (g *Group) viewParts(ctx context.Context, made file.Started) Resumable {
	return Resumable{
		ID: made.File, MultiID: made.MultiID(), URL: receiver(ctx, made),
		Authorization: made.Policy + "." + made.Authorization,
		Date:          made.SignedAt.UTC().Format(dateForm), Path: g.Files.Site.Link(httpapi.Scope(ctx), made.CDNPath),
		CDNPath: made.CDNPath, Name: made.Name, CreatedAt: httpapi.Seconds(made.CreatedAt),
	}
}

// dateForm is the form of the header X-Date, that of HTTP dates.
const dateForm = "Mon, 02 Jan 2006 15:04:05 GMT"

// renewParts serves GET /hserve/v2.7/resumable-upload/:id/.
func (g *Group) renewParts(ctx context.Context, in oneFile) (Resumable, error) {
	caller := httpapi.From(ctx)
	made, err := g.Files.Renew(ctx, caller.Scope, in.ID, file.Request{By: caller.Subject().User, Application: caller.Application})
	return g.viewParts(ctx, made), err
}

type endOfParts struct {
	oneFile
	MultiID string `json:"multi_uuid" required:"true"`
}

// UploadStatus is the answer to the end of an upload in parts.
type UploadStatus struct {
	Status string `json:"upload_status" enum:"success"`
}

// joinParts serves PUT /hserve/v2.7/resumable-upload/:id/.
func (g *Group) joinParts(ctx context.Context, in endOfParts) (UploadStatus, error) {
	caller := httpapi.From(ctx)
	err := g.Files.Join(ctx, caller.Scope, in.ID, in.MultiID, caller.Subject().User)
	return UploadStatus{Status: string(file.Success)}, err
}
