package main

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/http/cookiejar"
	"net/url"

	"minicloud/infra/local/cloud"
	"minicloud/infra/local/template"
	"minicloud/shared/tenant"
)

// client speaks to the local cloud as a user of the demo application.
type client struct {
	cloud *cloud.Cloud

	access, refresh string // once asked for
}

// value returns what a placeholder stands for.
func (c *client) value(ctx context.Context, name string) (string, error) {
	switch name {
	case "client_id":
		return c.cloud.Credentials.ClientID, nil
	case "client_secret":
		return c.cloud.Credentials.ClientSecret, nil
	case "code":
		return c.code(ctx)
	case "access_token", "refresh_token":
		if err := c.tokens(ctx); err != nil {
			return "", err
		}
		if name == "access_token" {
			return c.access, nil
		}
		return c.refresh, nil
	}
	return "", fmt.Errorf("replay knows no value for {{%s}}; events/README.md lists what it knows", name)
}

// code is endpoint 10, redirects and all.
func (c *client) code(ctx context.Context) (string, error) {
	var answer struct {
		Code string `json:"code"`
	}
	err := c.post(ctx, "/api/oauth2/service/openapi/authorize/", nil, &answer)
	return answer.Code, err
}

// tokens is endpoint 11 with a fresh code, once.
func (c *client) tokens(ctx context.Context) error {
	if c.access != "" {
		return nil
	}
	code, err := c.code(ctx)
	if err != nil {
		return err
	}
	var answer struct {
		Access  string `json:"access_token"`
		Refresh string `json:"refresh_token"`
	}
	err = c.post(ctx, "/api/oauth2/access_token/", url.Values{"grant_type": {"authorization_code"}, "code": {code}}, &answer)
	c.access, c.refresh = answer.Access, answer.Refresh
	return err
}

// post sends a form with the client's credentials and decodes the answer.
func (c *client) post(ctx context.Context, path string, form url.Values, answer any) error {
	if form == nil {
		form = url.Values{}
	}
	form.Set("client_id", c.cloud.Credentials.ClientID)
	form.Set("client_secret", c.cloud.Credentials.ClientSecret)
	req, err := http.NewRequestWithContext(ctx, http.MethodPost, c.cloud.URL+path, bytes.NewBufferString(form.Encode()))
	if err != nil {
		return err
	}
	req.Header.Set("Content-Type", "application/x-www-form-urlencoded")
	jar, err := cookiejar.New(nil)
	if err != nil {
		return err
	}
	res, err := (&http.Client{Jar: jar}).Do(req)
	if err != nil {
		return err
	}
	defer res.Body.Close()
	body, err := io.ReadAll(res.Body)
	if err != nil {
		return err
	}
	if res.StatusCode != http.StatusOK {
		return fmt.Errorf("POST %s answered %d: %s", path, res.StatusCode, body)
	}
	return json.Unmarshal(body, answer)
}

// invoke calls a function by the Lambda Invoke API. failed says that the
// program itself failed; answer is then its error.
func (c *client) invoke(ctx context.Context, f *template.Function, event []byte) (answer []byte, failed bool, err error) {
	address := c.cloud.Services + "/2015-03-31/functions/" + url.PathEscape(f.Name) + "/invocations"
	req, err := http.NewRequestWithContext(ctx, http.MethodPost, address, bytes.NewReader(event))
	if err != nil {
		return nil, false, err
	}
	if f.PerTenant {
		scope := tenant.Scope{App: tenant.AppID(c.cloud.Credentials.Miniapp), Env: tenant.Production}
		req.Header.Set("X-Amz-Tenant-Id", scope.String())
	}
	res, err := http.DefaultClient.Do(req)
	if err != nil {
		return nil, false, err
	}
	defer res.Body.Close()
	answer, err = io.ReadAll(res.Body)
	if err == nil && res.StatusCode != http.StatusOK {
		err = fmt.Errorf("invoking %s answered %d: %s", f.Name, res.StatusCode, answer)
	}
	return answer, res.Header.Get("X-Amz-Function-Error") != "", err
}
