package main

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"os"
	"regexp"
	"strings"
	"time"

	"github.com/aws/aws-sdk-go-v2/service/dynamodb"

	"minicloud/infra/local/cloud"
	"minicloud/infra/seed/demo"
	"minicloud/shared/clock"
	"minicloud/shared/console"
	"minicloud/shared/dynamo/appdb"
	"minicloud/shared/oauth"
	scopes "minicloud/shared/tenant"
)

// things is how many of each kind a tenant has: some are deleted and renamed on the way.
const things = 12

// tenant is an application with some of everything. Its JSON is what hooks.py reads.
type tenant struct {
	base        string
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

// tenants makes both: the demo application, and another.
func tenants(
	ctx context.Context, c *cloud.Cloud, client *dynamodb.Client, names map[string]string,
) (sender, other *tenant, err error) {
	second, err := demo.Seed{
		Client: client, ApplicationsTable: names["ApplicationsTable"], UsersTable: names["UsersTable"],
		TablesTable: names["TablesTable"], RowsTable: names["RowsTable"], RowIndexesTable: names["RowIndexesTable"],
		Clock: clock.System, Name: mark(1),
	}.Plant(ctx, demo.Credentials{})
	if err != nil {
		return nil, nil, err
	}

	store := &appdb.Applications{Client: client, Table: names["ApplicationsTable"]}
	first := demo.Credentials{
		ClientID: c.Credentials.ClientID, ClientSecret: c.Credentials.ClientSecret,
		Miniapp: scopes.AppID(c.Credentials.Miniapp), Environments: map[string]scopes.EnvID{},
	}
	for name, env := range c.Credentials.Environments {
		first.Environments[name] = scopes.EnvID(env)
	}
	for i, known := range []demo.Credentials{first, second} {
		t := &tenant{
			base: c.URL, application: known.Miniapp, Mark: mark(i), ClientID: known.ClientID, Values: map[string][]string{},
		}
		for _, env := range known.Environments {
			t.Env = string(env)
		}
		if err := t.open(ctx, store, known); err != nil {
			return nil, nil, err
		}
		if err := t.settle(ctx); err != nil {
			return nil, nil, err
		}
		sender, other = other, t
	}
	return sender, other, nil
}

// open gets the tokens.
func (t *tenant) open(ctx context.Context, store *appdb.Applications, known demo.Credentials) error {
	client := map[string]any{"client_id": known.ClientID, "client_secret": known.ClientSecret}
	var code struct{ Code string }
	if err := t.ask(ctx, "POST", "/api/oauth2/service/openapi/authorize/", client, &code); err != nil {
		return err
	}
	client["grant_type"], client["code"] = "authorization_code", code.Code
	var tokens struct {
		Access string `json:"access_token"`
	}
	if err := t.ask(ctx, "POST", "/api/oauth2/access_token/", client, &tokens); err != nil {
		return err
	}
	t.Token = tokens.Access

	a, err := store.Application(ctx, known.Miniapp)
	if err != nil {
		return err
	}
	t.Run, err = oauth.RunToken(a, oauth.Run{
		Scope: scopes.Scope{App: a.ID, Env: scopes.Production}, JobID: "5", Depth: 1, Root: 5,
		Deadline: time.Now().Add(24 * time.Hour),
	})
	return err
}

// settle makes some of everything.
func (t *tenant) settle(ctx context.Context) error {
	var users struct{ Objects []struct{ ID json.Number } }
	if err := t.ask(ctx, "GET", "/userve/v2.2/miniapp/user_profile/?limit=12", nil, &users); err != nil {
		return err
	}
	for _, u := range users.Objects {
		for _, name := range []string{"user_profile/id", "account/id", "profile/id", "user/user"} {
			t.Values[name] = append(t.Values[name], u.ID.String())
		}
		path := "/userve/v2.6/miniapp/user_profile/" + u.ID.String() + "/"
		if err := t.ask(ctx, "PUT", path, map[string]any{"about": t.Mark}, nil); err != nil {
			return err
		}
	}
	for i := range things {
		if err := t.settleOne(ctx, fmt.Sprintf("%s-%d", t.Mark, i)); err != nil {
			return err
		}
	}

	for name, value := range map[string]string{
		"version/version": "1", "variable/key": "KEY", "payment-setting/vendor": "alt", "message-setting/vendor": "tpay",
		"notify/vendor": "alt", "{vendor}/client_id": t.ClientID,
	} {
		t.Values[name] = []string{value}
	}
	return errorsOf(
		t.ask(ctx, "PUT", "/oserve/v3/payment-setting/alt/", map[string]any{"app_id": t.Mark}, nil),
		t.ask(ctx, "PUT", "/oserve/v3/message-setting/tpay/", map[string]any{"app_id": t.Mark}, nil),
	)
}

// settleOne makes one of each kind.
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
	err := errorsOf(
		t.ask(ctx, "POST", functions, map[string]any{"name": name, "function_code": code, "remark": t.Mark}, nil),
		t.ask(ctx, "PUT", functions+name+"/variable/", map[string]any{"key": "KEY", "value": t.Mark}, nil),
		t.ask(ctx, "POST", functions+name+"/job/", map[string]any{"data": map[string]any{}, "sync": false}, &job),
		t.ask(ctx, "POST", tables, map[string]any{"name": table, "schema": map[string]any{"fields": []map[string]any{
			{"name": "text", "type": "string"}, {"name": "count", "type": "integer", "indexed": true},
		}}}, nil),
		t.ask(ctx, "POST", "/oserve/v2.4/table/"+table+"/record/", map[string]any{"text": t.Mark, "count": 1}, &row),
		t.ask(ctx, "POST", "/oserve/v1/user-group/", map[string]any{"name": name}, &group),
		t.ask(ctx, "POST", "/oserve/v3/trigger/", map[string]any{
			"name": name, "description": t.Mark, "type": "incoming_webhook", "trace": true, "actions": []map[string]any{
				{"type": "webhook", "settings": map[string]any{"url": "http://127.0.0.1/" + t.Mark}},
			},
		}, &trigger),
	)
	if err == nil {
		err = t.ask(ctx, "POST", "/oserve/v3/trigger/"+trigger.ID.String()+"/fire/",
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

// everything reads what a tenant has.
func (t *tenant) everything(ctx context.Context) (map[string]string, error) {
	seen := map[string]string{}
	paths := []string{"/oserve/v3/payment-setting/alt/", "/oserve/v3/message-setting/tpay/", "/oserve/v3/mail-setting/"}
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
		var text json.RawMessage
		if err := t.ask(ctx, "GET", path, nil, &text); err != nil {
			return nil, err
		}
		seen[path] = string(text)
	}
	return seen, nil
}

// ask sends a request of the tenant that must succeed.
func (t *tenant) ask(ctx context.Context, method, path string, body, into any) error {
	var sent bytes.Buffer
	if body != nil {
		if err := json.NewEncoder(&sent).Encode(body); err != nil {
			return err
		}
	}
	r, err := http.NewRequestWithContext(ctx, method, t.base+path, &sent)
	if err != nil {
		return err
	}
	r.Header.Set("Authorization", "Bearer "+t.Token)
	r.Header.Set("Content-Type", "application/json")
	answer, err := http.DefaultClient.Do(r)
	if err != nil {
		return err
	}
	defer answer.Body.Close()
	text, err := io.ReadAll(answer.Body)
	if err != nil || answer.StatusCode >= http.StatusMultipleChoices {
		return fmt.Errorf("%s %s: %d %s %w", method, path, answer.StatusCode, text, os.ErrInvalid)
	}
	if into == nil {
		return nil
	}
	return json.Unmarshal(text, into)
}

// errorsOf returns the first error.
func errorsOf(all ...error) error {
	for _, err := range all {
		if err != nil {
			return err
		}
	}
	return nil
}
