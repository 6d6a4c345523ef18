package main

import (
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"regexp"
	"strings"
	"time"

	"github.com/aws/aws-sdk-go-v2/service/dynamodb"

	"minicloud/infra/local/api"
	"minicloud/infra/local/cloud"
	"minicloud/infra/seed/demo"
	"minicloud/shared/clock"
	"minicloud/shared/console"
	"minicloud/shared/dynamo/appdb"
	"minicloud/shared/oauth"
	scopes "minicloud/shared/tenant"
)

// things is the number of entities of each kind: requests delete and rename some of them.
const things = 12

// tenant is an application with some of everything. Its JSON is what hooks.py reads.
type tenant struct {
	client      *api.Client
	application scopes.AppID
	Mark        string              `json:"mark"` // stands in everything they have
	ClientID    string              `json:"client_id"`
	Token       string              `json:"token"`
	Run         string              `json:"run"`    // the token of a run
	Env         string              `json:"env"`    // a test environment
	Values      map[string][]string `json:"values"` // of path parameters, by <segment before>/<name>

	// Of the sender only.
	Spare          string                       `json:"spare"`          // an application that may be broken
	Administrators string                       `json:"administrators"` // the URL that hands out sessions
	Accounts       map[string]console.AccountID `json:"accounts"`       // of those who send, by role
	Emails         []string                     `json:"emails"`         // of accounts that others may change
	Password       string                       `json:"password"`       // of all
}

func mark(i int) string { return fmt.Sprintf("mark-of-tenant-%d", i) }

// tenants creates the two tenants: the demo application, and another one.
func tenants(ctx context.Context, c *cloud.Cloud, client *dynamodb.Client) (sender, other *tenant, err error) {
	second, err := demo.Seed{Client: client, Users: true, Clock: clock.System, Name: mark(1)}.Plant(ctx, demo.Credentials{})
	if err != nil {
		return nil, nil, err
	}

	store := &appdb.Applications{Client: client, Table: "ApplicationsTable"}
	for i, known := range []demo.Credentials{c.Credentials.Credentials, second} {
		t := &tenant{
			application: known.Miniapp, Mark: mark(i), ClientID: known.ClientID, Values: map[string][]string{},
		}
		for _, env := range known.Environments {
			t.Env = string(env)
		}
		if err := t.open(ctx, c.URL, store, known); err != nil {
			return nil, nil, err
		}
		if err := t.settle(ctx); err != nil {
			return nil, nil, err
		}
		// After both turns the first is sender and the second other.
		sender, other = other, t
	}
	return sender, other, nil
}

// open gets the tokens.
func (t *tenant) open(ctx context.Context, base string, store *appdb.Applications, known demo.Credentials) (err error) {
	if t.client, err = api.ConnectAs(ctx, base, known.ClientID, known.ClientSecret); err != nil {
		return err
	}
	t.Token = t.client.Token

	a, err := store.Application(ctx, known.Miniapp)
	if err != nil {
		return err
	}
	// Calls of running code carry a token of another kind, so requests are tried with both.
	t.Run, err = oauth.RunToken(a, oauth.Run{
		Scope: scopes.Scope{App: a.ID, Env: scopes.Production}, JobID: "5", Depth: 1, Root: 5,
		Deadline: time.Now().Add(24 * time.Hour),
	})
	return err
}

// settle creates entities of every kind.
func (t *tenant) settle(ctx context.Context) error {
	var users struct{ Objects []struct{ ID json.Number } }
	if err := t.client.Send(ctx, "GET", "/userve/v2.2/miniapp/user_profile/?limit=12", nil, &users); err != nil {
		return err
	}
	for _, u := range users.Objects {
		for _, name := range []string{"user_profile/id", "account/id", "profile/id", "user/user"} {
			t.Values[name] = append(t.Values[name], u.ID.String())
		}
		path := "/userve/v2.6/miniapp/user_profile/" + u.ID.String() + "/"
		if err := t.client.Send(ctx, "PUT", path, map[string]any{"about": t.Mark}, nil); err != nil {
			return err
		}
	}
	for i := range things {
		if err := t.settleOne(ctx, fmt.Sprintf("%s-%d", t.Mark, i)); err != nil {
			return err
		}
	}

	// These keys are the same for every tenant, so they are not read from an answer.
	for name, value := range map[string]string{
		"version/version": "1", "variable/key": "KEY", "payment-setting/vendor": "alt", "message-setting/vendor": "tpay",
		"login-setting/provider": "oauth-chat-web", "idp/vendor": "chat",
		"notify/vendor": "alt", "{vendor}/client_id": t.ClientID,
	} {
		t.Values[name] = []string{value}
	}
	return cmp.Or(
		t.client.Send(ctx, "PUT", "/oserve/v3/payment-setting/alt/", map[string]any{"app_id": t.Mark}, nil),
		t.client.Send(ctx, "PUT", "/oserve/v3/message-setting/tpay/", map[string]any{"app_id": t.Mark}, nil),
		t.client.Send(ctx, "PUT", "/oserve/v3/login-setting/oauth-chat-web/", map[string]any{"app_id": t.Mark}, nil),
	)
}

// settleOne creates one entity of each kind.
func (t *tenant) settleOne(ctx context.Context, name string) error {
	functions, tables := "/oserve/v1.3/cloud-function/", "/oserve/v1.8/table/"
	table := "t" + strings.ReplaceAll(name, "-", "_")
	var job, group struct {
		ID  json.Number
		Job json.Number `json:"job_id"`
	}
	var row struct{ ID string }
	var trigger struct {
		ID      json.Number
		HookURL string `json:"hook_url"`
		Actions []struct{ ID json.Number }
	}
	var fired struct {
		Actions []struct {
			LogID string `json:"log_id"`
		}
	}
	code := "exports.main = async () => '" + t.Mark + "'"
	err := cmp.Or(
		t.client.Send(ctx, "POST", functions, map[string]any{"name": name, "function_code": code, "remark": t.Mark}, nil),
		t.client.Send(ctx, "PUT", functions+name+"/variable/", map[string]any{"key": "KEY", "value": t.Mark}, nil),
		t.client.Send(ctx, "POST", functions+name+"/job/", map[string]any{"data": map[string]any{}, "sync": false}, &job),
		t.client.Send(ctx, "POST", tables, map[string]any{"name": table, "schema": map[string]any{"fields": []map[string]any{
			{"name": "text", "type": "string"}, {"name": "count", "type": "integer", "indexed": true},
		}}}, nil),
		t.client.Send(ctx, "POST", "/oserve/v2.4/table/"+table+"/record/", map[string]any{"text": t.Mark, "count": 1}, &row),
		t.client.Send(ctx, "POST", "/oserve/v1/user-group/", map[string]any{"name": name}, &group),
		t.client.Send(ctx, "POST", "/oserve/v3/trigger/", map[string]any{
			"name": name, "description": t.Mark, "type": "incoming_webhook", "trace": true, "actions": []map[string]any{
				{"type": "webhook", "settings": map[string]any{"url": "http://127.0.0.1/" + t.Mark}},
			},
		}, &trigger),
	)
	// Only after success: without a trigger there is no ID for the path.
	if err == nil {
		err = t.client.Send(ctx, "POST", "/oserve/v3/trigger/"+trigger.ID.String()+"/fire/",
			map[string]any{"event": map[string]any{"of": t.Mark}}, &fired)
	}
	if err != nil || len(fired.Actions) == 0 {
		return fmt.Errorf("a thing of each kind: %w, %v", err, fired)
	}

	for at, value := range map[string]string{
		"cloud-function/name": name, "job/job": job.Job.String(), "cloud-function-log/job": job.Job.String(),
		"table/table": table, "record/id": row.ID, "user-group/id": group.ID.String(),
		"trigger/trigger": trigger.ID.String(), "action/action": trigger.Actions[0].ID.String(),
		"trigger-log/entry":     fired.Actions[0].LogID,
		"incoming-webhook/hook": regexp.MustCompile(`[^/]+/$`).FindString(trigger.HookURL),
	} {
		t.Values[at] = append(t.Values[at], strings.TrimSuffix(value, "/"))
	}
	return nil
}

// everything reads the tenant's entities, by path.
func (t *tenant) everything(ctx context.Context) (map[string]string, error) {
	seen := map[string]string{}
	paths := []string{"/oserve/v3/payment-setting/alt/", "/oserve/v3/message-setting/tpay/",
		"/oserve/v3/login-setting/oauth-chat-web/", "/oserve/v3/mail-setting/"}
	for at, pattern := range map[string]string{
		"cloud-function/name": "/oserve/v1.3/cloud-function/%s/", "table/table": "/oserve/v2.4/table/%s/record/",
		"user-group/id": "/oserve/v1/user-group/%s/", "trigger/trigger": "/oserve/v3/trigger/%s/",
		"user_profile/id": "/userve/v2.2/miniapp/user_profile/%s/",
	} {
		for _, value := range t.Values[at] {
			paths = append(paths, fmt.Sprintf(pattern, value))
		}
	}
	for _, path := range paths {
		// Kept as text: any difference counts, also one of format.
		var text json.RawMessage
		if err := t.client.Send(ctx, "GET", path, nil, &text); err != nil {
			return nil, err
		}
		seen[path] = string(text)
	}
	return seen, nil
}
