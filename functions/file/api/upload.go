package api

import (
	"context"
	"encoding/json"

	"minicloud/shared/errs"
	"minicloud/shared/file"
	"minicloud/shared/httpapi"
	"minicloud/shared/table"
)

// OneOrMore is an id, or a list with one: mini-programs send both.
type OneOrMore string

// ReadMember reads the member of a body; "" and an empty list are none.
func (o *OneOrMore) ReadMember(field string, text []byte) error {
	var one string
	if json.Unmarshal(text, &one) == nil {
		*o = OneOrMore(one)
		return nil
	}
	var list []string
	if err := json.Unmarshal(text, &list); err != nil || len(list) > 1 {
		return errs.Invalid("%s must be an id or a list with one id", field)
	}
	if len(list) > 0 {
		*o = OneOrMore(list[0])
	}
	return nil
}

type newUpload struct {
	Filename     string    `json:"filename"`
	CategoryID   OneOrMore `json:"category_id" schema:"OneOrMore"` // Wins over category_name.
	CategoryName string    `json:"category_name"`                  // An unknown name is none.
	Random       *bool     `json:"random_file_link"`               // False: the file name is the last part of the link.
}

// Upload is a started upload: the content goes to upload_url, as multipart/form-data with the fields file, policy and
// authorization in any order, or to the store of files with post_form.
type Upload struct {
	ID            file.ID         `json:"id"`
	Policy        string          `json:"policy"`
	Authorization string          `json:"authorization"`
	URL           string          `json:"upload_url"`
	Path          string          `json:"path"` // The address of the file, once it is uploaded.
	Link          string          `json:"file_link"`
	CDNPath       string          `json:"cdn_path"`
	Name          string          `json:"name"`
	CreatedAt     httpapi.Seconds `json:"created_at"`
	Form          file.Form       `json:"post_form"` // The other way, for files up to 100 MB.
}

type start struct {
	Body *newUpload `body:"newUpload"` // All its members are optional.
}

// begin serves POST /hserve/v2.1/upload/.
func (g *Group) begin(ctx context.Context, in start) (Upload, error) {
	var asked newUpload
	if in.Body != nil {
		asked = *in.Body
	}
	scope := httpapi.Scope(ctx)
	made, err := g.Files.Begin(ctx, scope, asked.request(ctx))
	if err != nil {
		return Upload{}, err
	}
	link := g.Files.Site.Link(scope, made.CDNPath)
	return Upload{
		ID: made.File, Policy: made.Policy, Authorization: made.Authorization, URL: receiver(ctx, made),
		Path: link, Link: link, CDNPath: made.CDNPath, Name: made.Name,
		CreatedAt: httpapi.Seconds(made.CreatedAt), Form: made.Form,
	}, nil
}

// receiver returns the address that receives the content of an upload.
func receiver(ctx context.Context, made file.Started) string {
	return httpapi.BaseURL(ctx) + "/upload/" + string(made.File) + "/"
}

// request returns the start of an upload by the caller.
func (in newUpload) request(ctx context.Context) file.Request {
	caller := httpapi.From(ctx)
	return file.Request{
		Name: in.Filename, CategoryID: string(in.CategoryID), CategoryName: in.CategoryName,
		Named: in.Random != nil && !*in.Random, By: caller.Subject().User, Application: caller.Application,
		Origin: table.Origin{Depth: caller.Depth, Trace: httpapi.Link(ctx)},
	}
}
