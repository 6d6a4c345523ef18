package main

import (
	"bytes"
	"context"
	"crypto/rsa"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"strings"
	"time"

	"minicloud/infra/local/api"
	"minicloud/infra/local/cloud"
	"minicloud/infra/local/template"
	"minicloud/shared/tenant"
)

type object = map[string]any

// client speaks to the local cloud as a user of the demo application.
type client struct {
	cloud  *cloud.Cloud
	tables map[string]string // names of the tables by what the template calls them

	api     *api.Client
	session http.Header // of the administrator's requests, once asked for

	event  []byte          // as its file has it
	began  time.Time       // when it is played
	vendor *rsa.PrivateKey // of payment vendors, nil where the event is for another program
}

// value returns what a placeholder stands for.
func (c *client) value(ctx context.Context, name string) (string, error) {
	switch name {
	case "client_id":
		return c.cloud.Credentials.ClientID, nil
	case "client_secret":
		return c.cloud.Credentials.ClientSecret, nil
	case "code", "access_token", "refresh_token":
		return c.token(ctx, name)
	case "console_email":
		return c.cloud.Credentials.ConsoleEmail, nil
	case "console_password":
		return c.cloud.Credentials.ConsolePassword, nil
	case "session_cookie", "csrf_token":
		return c.ofSession(ctx, name)
	case "miniapp":
		return fmt.Sprint(int64(c.scope().App)), nil
	case "scope":
		return c.scope().String(), nil
	case "unix_time":
		return fmt.Sprint(c.began.Unix()), nil
	case "chat_signature", "alt_signature":
		return c.signature(name, c.event)
	case "hook":
		return demoHook, nil
	case "run":
		return c.plantRun(ctx)
	case "function", "job", "bulk_operation", "removed_table":
		return c.made(ctx, name)
	}
	return "", fmt.Errorf("replay knows no value for {{%s}}; events/README.md lists what it knows", name)
}

// made creates an entity whose message waits in a queue of the event's program, and returns its ID. Queues are held
// in a replay, so only the event invokes the program.
func (c *client) made(ctx context.Context, name string) (string, error) {
	const hello = "/oserve/v1.3/cloud-function/hello/"
	var answer struct {
		ID        json.Number `json:"id"`
		Job       json.Number `json:"job_id"`
		Operation json.Number `json:"operation_id"`
	}
	switch name {
	case "function":
		err := c.call(ctx, http.MethodGet, hello, nil, &answer)
		return answer.ID.String(), err
	case "job":
		err := c.call(ctx, http.MethodPost, hello+"job/", object{"data": object{"name": "Ada"}, "sync": false}, &answer)
		return answer.Job.String(), err
	case "bulk_operation":
		err := c.call(ctx, http.MethodPut, "/userve/v2.6/miniapp/user_profile/?async=1", object{"level": 3}, &answer)
		return answer.Operation.String(), err
	}

	const tables, records = "/oserve/v1.8/table/", "/oserve/v2.4/table/"
	fields := object{"name": "plants", "schema": object{"fields": []object{{"name": "name", "type": "string"}}}}
	if err := c.call(ctx, http.MethodPost, tables, fields, &answer); err != nil {
		return "", err
	}
	// The record comes before the removal, so that there is something for the program to delete.
	table := answer.ID.String()
	if err := c.call(ctx, http.MethodPost, records+table+"/record/", object{"name": "oak"}, nil); err != nil {
		return "", err
	}
	return table, c.call(ctx, http.MethodDelete, tables+table+"/", nil, nil)
}

// scope is the production environment of the demo application.
func (c *client) scope() tenant.Scope {
	return tenant.Scope{App: tenant.AppID(c.cloud.Credentials.Miniapp), Env: tenant.Production}
}

// connect gets a client with an access token of the demo application, once.
func (c *client) connect(ctx context.Context) (*api.Client, error) {
	if c.api != nil {
		return c.api, nil
	}
	var err error
	c.api, err = api.Connect(ctx, c.cloud)
	return c.api, err
}

// call makes one request of the API and decodes the answer, unless it is nil.
func (c *client) call(ctx context.Context, method, path string, in, out any) error {
	to, err := c.connect(ctx)
	if err != nil {
		return err
	}
	return to.Send(ctx, method, path, in, out)
}

// token returns a token of the demo application, or a code that is not exchanged yet.
func (c *client) token(ctx context.Context, name string) (string, error) {
	to, err := c.connect(ctx)
	if err != nil {
		return "", err
	}
	switch name {
	case "access_token":
		return to.Token, nil
	case "refresh_token":
		return to.Refresh, nil
	}
	return to.Code(ctx, c.cloud.Credentials.ClientID, c.cloud.Credentials.ClientSecret)
}

// ofSession signs the administrator in to the console, once, and returns a part of the session.
func (c *client) ofSession(ctx context.Context, name string) (string, error) {
	if c.session == nil {
		var err error
		if c.session, err = api.SignIn(ctx, c.cloud, nil); err != nil {
			return "", err
		}
	}
	if name == "csrf_token" {
		return c.session.Get("X-CSRF-Token"), nil
	}
	_, cookie, _ := strings.Cut(c.session.Get("Cookie"), "=")
	return cookie, nil
}

// invoke calls a function by the Lambda Invoke API. failed is true when the program itself failed; answer is then
// its error.
func (c *client) invoke(
	ctx context.Context, f *template.Function, event []byte,
) (answer []byte, failed bool, err error) {
	address := c.cloud.Services + "/2015-03-31/functions/" + url.PathEscape(f.Name) + "/invocations"
	req, err := http.NewRequestWithContext(ctx, http.MethodPost, address, bytes.NewReader(event))
	if err != nil {
		return nil, false, err
	}
	// Lambda refuses to invoke a function with tenant isolation without a tenant.
	if f.PerTenant {
		req.Header.Set("X-Amz-Tenant-Id", c.scope().String())
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
