package units

import (
	"bytes"
	"context"
	"fmt"
	"mime/multipart"
	"net/http"

	"minicloud/infra/local/api"
)

// uploads returns the requests of uploads by an end user.
func (b *Bench) uploads(user *api.Client) []Request {
	var made struct {
		ID            string `json:"id"`
		URL           string `json:"upload_url"`
		Policy        string `json:"policy"`
		Authorization string `json:"authorization"`
	}
	begin := func(ctx context.Context) error {
		return user.Send(ctx, "POST", "/hserve/v2.1/upload/", map[string]any{"filename": "a.txt"}, &made)
	}
	return []Request{
		{Name: "upload, started", send: begin},
		{Name: "upload, started and received", send: func(ctx context.Context) error {
			if err := begin(ctx); err != nil {
				return err
			}
			return send(ctx, made.URL, map[string]string{"policy": made.Policy, "authorization": made.Authorization, "file": "content"})
		}},
		{Name: "file, read", send: func(ctx context.Context) error {
			return user.Send(ctx, "GET", "/hserve/v2.1/uploaded-file/"+made.ID+"/", nil, nil)
		}},
	}
}

// send sends a form.
func send(ctx context.Context, url string, fields map[string]string) error {
	var body bytes.Buffer
	form := multipart.NewWriter(&body)
	for name, value := range fields {
		if err := form.WriteField(name, value); err != nil {
			return err
		}
	}
	form.Close()
	r, err := http.NewRequestWithContext(ctx, http.MethodPost, url, &body)
	if err != nil {
		return err
	}
	r.Header.Set("Content-Type", form.FormDataContentType())
	answer, err := http.DefaultClient.Do(r)
	if err != nil {
		return err
	}
	defer answer.Body.Close()
	if answer.StatusCode != http.StatusOK {
		return fmt.Errorf("%s: status %d", url, answer.StatusCode)
	}
	return nil
}
