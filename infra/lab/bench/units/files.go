package units

import (
	"bytes"
	"context"
	"fmt"
	"net/http"
	"net/url"
	"strings"

	"minicloud/infra/lab/client"
	"minicloud/infra/local/api"
)

// files returns the requests of an end user for uploads, files and categories, and those of administrators.
func (b *Bench) files(ctx context.Context) ([]Request, error) {
	var registered struct {
		Token string `json:"token"`
	}
	user, account := b.anyone(), map[string]any{"username": "photographer", "password": "correct horse"}
	if err := user.Send(ctx, "POST", "/hserve/v2.1/register/username/", account, &registered); err != nil {
		return nil, err
	}
	user.Header.Set("Authorization", "Service-r1 "+registered.Token)
	var category struct {
		ID string `json:"id"`
	}
	const categories, owned, own = "/oserve/v2.2/file-category/", "/oserve/v2.2/file/", "/hserve/v2.1/uploaded-file/"
	if err := b.client.Send(ctx, "POST", categories, map[string]any{"name": "photos"}, &category); err != nil {
		return nil, err
	}
	var made client.Upload
	begin := func(ctx context.Context) error {
		return user.Send(ctx, "POST", "/hserve/v2.1/upload/", map[string]any{"filename": "a.txt"}, &made)
	}
	received := func(ctx context.Context) error {
		if err := begin(ctx); err != nil {
			return err
		}
		return send(ctx, made.URL, made.Fields())
	}
	named := numbered("name", "category %d")
	by := url.QueryEscape(`{"created_by":1}`)
	return append([]Request{
		{Name: "upload, started", send: begin},
		{Name: "upload, started and received", send: received},
		{Name: "upload by the form of S3", send: func(ctx context.Context) error {
			if err := begin(ctx); err != nil {
				return err
			}
			return send(ctx, made.Form.URL, made.Form.Fields)
		}},
		{Name: "file, read", send: func(ctx context.Context) error { return as(user, "GET", own+made.ID+"/", nil)(ctx) }},
		{Name: "file list, first page", send: as(user, "GET", own, nil)},
		{Name: "file list, first page and total", send: as(user, "GET", "/hserve/v1.3/uploaded-file/", nil)},
		{Name: "file list, of a user", send: as(b.client, "GET", owned+"?where="+by, nil)},
		{Name: "file, uploaded and deleted", send: func(ctx context.Context) error {
			if err := received(ctx); err != nil {
				return err
			}
			return user.Send(ctx, "DELETE", own+made.ID+"/", nil, nil)
		}},
		{Name: "file, uploaded and deleted in a list", send: func(ctx context.Context) error {
			if err := received(ctx); err != nil {
				return err
			}
			return user.Send(ctx, "DELETE", own, map[string]any{"id__in": []string{made.ID}}, nil)
		}},
		{Name: "category list, first page", send: as(user, "GET", "/hserve/v2.2/file-category/", nil)},
		{Name: "category, read", send: as(user, "GET", "/hserve/v2.2/file-category/"+category.ID+"/", nil)},
		{Name: "category, renamed", send: as(b.client, "PUT", categories+category.ID+"/", named)},
		{Name: "category, created", send: as(b.client, "POST", categories, named)},
		{Name: "text, checked", send: as(user, "POST", "/hserve/v1.7/censor-msg/", always(map[string]any{"content": "hello"}))},
	}, b.parts(user)...), nil
}

// parts returns the requests of an upload in parts.
func (b *Bench) parts(user *api.Client) []Request {
	const resumable, content = "/hserve/v2.7/resumable-upload/", "content"
	var made client.Upload
	begin := func(ctx context.Context) error {
		return user.Send(ctx, "POST", resumable, map[string]any{"filename": "a.txt", "file_size": len(content)}, &made)
	}
	part := func(ctx context.Context) error {
		r, err := http.NewRequestWithContext(ctx, http.MethodPut, made.URL, strings.NewReader(content))
		if err != nil {
			return err
		}
		for name, text := range map[string]string{
			"Authorization": made.Authorization, "X-Date": made.Date, "X-Service-Multi-Stage": "upload",
			"X-Service-Multi-UUID": made.MultiID, "X-Service-Part-ID": "0",
		} {
			r.Header.Set(name, text)
		}
		return succeed(r)
	}
	return []Request{
		{Name: "upload in parts, started", send: begin},
		{Name: "upload in parts, a part", send: part},
		{Name: "upload in parts, renewed", send: func(ctx context.Context) error {
			return user.Send(ctx, "GET", resumable+made.ID+"/", nil, nil)
		}},
		{Name: "upload in parts, started, a part, joined", send: func(ctx context.Context) error {
			if err := begin(ctx); err != nil {
				return err
			}
			if err := part(ctx); err != nil {
				return err
			}
			return user.Send(ctx, "PUT", resumable+made.ID+"/", map[string]any{"multi_uuid": made.MultiID}, nil)
		}},
	}
}

// send sends a file in a form.
func send(ctx context.Context, url string, fields map[string]string) error {
	kind, body := client.Form(fields, "content")
	r, err := http.NewRequestWithContext(ctx, http.MethodPost, url, bytes.NewReader(body))
	if err != nil {
		return err
	}
	r.Header.Set("Content-Type", kind)
	return succeed(r)
}

// succeed sends a request, which must succeed.
func succeed(r *http.Request) error {
	answer, err := http.DefaultClient.Do(r)
	if err != nil {
		return err
	}
	defer answer.Body.Close()
	if answer.StatusCode >= http.StatusBadRequest {
		return fmt.Errorf("%s: status %d", r.URL, answer.StatusCode)
	}
	return nil
}
