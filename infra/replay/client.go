package main

import (
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"net/url"
	"strings"
	"time"

	"minicloud/infra/local/api"
	"minicloud/infra/local/cloud"
	"minicloud/infra/local/template"
	"minicloud/infra/local/vendors/payvendor"
	"minicloud/shared/tenant"
)

type object = map[string]any

// client calls the local cloud with the credentials of an application.
type client struct {
	cloud       *cloud.Cloud
	credentials cloud.Credentials

	api     *api.Client // nil before the first call
	session http.Header // of the administrator's requests, nil before the sign-in

	event  []byte         // the contents of its file
	began  time.Time      // when the replay of the event began
	vendor *payvendor.API // with the payment vendors' key, nil if the event is for another program
}

// value returns the value of a placeholder.
func (c *client) value(ctx context.Context, name string) (string, error) {
	switch name {
	case "client_id":
		return c.credentials.ClientID, nil
	case "client_secret":
		return c.credentials.ClientSecret, nil
	case "code", "access_token", "refresh_token":
		return c.token(ctx, name)
	case "console_email":
		return c.credentials.ConsoleEmail, nil
	case "console_password":
		return c.credentials.ConsolePassword, nil
	case "session_cookie", "csrf_token":
		return c.ofSession(ctx, name)
	case "miniapp", "miniapp_text":
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
	case "session_token":
		return c.endUser(ctx)
	case "function", "job", "bulk_operation", "table", "removed_table":
		return c.made(ctx, name)
	}
	return "", fmt.Errorf("replay knows no value for {{%s}}; events/README.md lists what it knows", name)
}

// made creates an object whose message waits in a queue of the event's program, and returns its id. Queues are
// stopped during a replay, so only the event invokes the program.
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
	// The table gets a record before it is removed, so that the program has something to delete.
	table := answer.ID.String()
	if name == "table" {
		return table, nil
	}
	if err := c.call(ctx, http.MethodPost, records+table+"/record/", object{"name": "oak"}, nil); err != nil {
		return "", err
	}
	return table, c.call(ctx, http.MethodDelete, tables+table+"/", nil, nil)
}

// endUser registers a user of the demo application and returns the session token.
func (c *client) endUser(ctx context.Context) (string, error) {
	var answer struct{ Token string }
	nobody := &api.Client{Base: c.cloud.URL, Header: http.Header{"X-Service-Client-Id": {c.credentials.ClientID}}}
	err := nobody.Send(ctx, http.MethodPost, "/hserve/v2.1/register/username/",
		object{"username": "visitor", "password": "correct horse"}, &answer)
	return answer.Token, err
}

// scope is the production environment of the application.
func (c *client) scope() tenant.Scope {
	return tenant.Scope{App: c.credentials.Miniapp, Env: tenant.Production}
}

// connect returns a client with an access token of the demo application; it is created once.
func (c *client) connect(ctx context.Context) (*api.Client, error) {
	if c.api != nil {
		return c.api, nil
	}
	var err error
	c.api, err = api.ConnectAs(ctx, c.cloud.URL, c.credentials.ClientID, c.credentials.ClientSecret)
	return c.api, err
}

// call sends one API request and decodes the response into out, unless out is nil.
func (c *client) call(ctx context.Context, method, path string, in, out any) error {
	to, err := c.connect(ctx)
	if err != nil {
		return err
	}
	return to.Send(ctx, method, path, in, out)
}

// token returns a token of the demo application, or an authorization code that is not exchanged yet.
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
	return to.Code(ctx, c.credentials.ClientID, c.credentials.ClientSecret)
}

// ofSession returns a part of the administrator's console session; it signs in once.
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

// invoke calls a function through the Lambda Invoke API. failed is true if the program itself failed; answer is then
// its error.
func (c *client) invoke(
	ctx context.Context, f *template.Function, event []byte,
) (answer []byte, failed bool, err error) {
	services := &api.Client{Base: c.cloud.Services, Header: http.Header{}}
	// A function with tenant isolation cannot be invoked without a tenant id.
	if f.PerTenant {
		services.Header.Set("X-Amz-Tenant-Id", c.scope().String())
	}
	path := "/2015-03-31/functions/" + url.PathEscape(f.Name) + "/invocations"
	about, answer, err := services.Do(ctx, http.MethodPost, path, string(event))
	return answer, about.Get("X-Amz-Function-Error") != "", err
}
