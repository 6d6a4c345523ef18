package units

import (
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"net/http/httptest"
	"slices"

	"minicloud/infra/seed/demo"
	"minicloud/infra/seed/sender"
	"minicloud/shared/tenant"
	"minicloud/shared/trigger"
)

// Settings of the application that messages need.
const (
	mailSender = "shop@example.com"
	smsSetting = `{"enabled":true,"signatures":[{"name":"Tea","status":"approved"}],
		"templates":[{"name":"hi","text":"hello {{ name }}","status":"approved"}]}`
	chatSetting = `{"app_id":"wx1","app_secret":"secret"}`
)

// act is a measured action. It costs four DynamoDB calls, which include storing its run, plus those of an effect in
// DynamoDB itself.
type act struct {
	name     string
	kind     trigger.ActionType
	settings string
}

// acts returns the actions to measure; target is the id of a row, receiver the URL of a webhook receiver.
func acts(target, receiver string) []act {
	return []act{
		{"webhook", "webhook", fmt.Sprintf(`{"url":%q}`, receiver)},
		// A mail makes one more call: one item has the state of the sender and the budget.
		{"email", "email", `{"to":["a@example.com"],"subject":"{{ city }}","body":"{{ text }}","format":"text"}`},
		// Three more calls: the rate limit of the phone number, the claim written with it, and the budget.
		{"SMS to one number", "sms", `{"recipient":{"kind":"phone","phone":"{{ phone }}"},"signature":"Tea","template":"hi",
			"keywords":{"name":"{{ city }}"}}`},
		// Seven more calls: the schema, the user by an index, the user's row, the form ids, the claim, the mark that
		// it was sent, and the spent form id.
		{"template message to one user", "template_message", `{"vendor":"chat","recipient":{"kind":"users",
			"where":{"nickname":"Ada"}},"template_id":"t1","keywords":{"keyword1":"{{ city }}"}}`},
		// Two more calls: the function and its job.
		{"cloud function", "cloud_function", `{"function":"trivial"}`},
		// Two more calls: the schema, and the row with its idempotency mark.
		{"creates a row", "table_operation",
			`{"table":"target","operation":"create","assign":[{"field":"city","value":"{{ city }}"}]}`},
		// Three more calls: the schema, the row, and the row with its idempotency mark.
		{"updates a row by id", "table_operation",
			`{"table":"target","operation":"update","where":{"id":"` + target +
				`"},"assign":[{"field":"height","operator":"inc_by","value":"{{ height }}"}]}`},
	}
}

// actions returns requests that create rows whose triggers run an action; the cost includes the request, its event and
// its run. The requests that read and replay those runs follow.
func (b *Bench) actions(ctx context.Context) ([]Request, error) {
	target, err := b.makeTable(ctx, "target", false)
	if err != nil {
		return nil, err
	}
	for path, setting := range map[string]string{
		"sms-setting/": smsSetting, "message-setting/chat/": chatSetting,
	} {
		if _, err := b.client.Call(ctx, "PUT", "/oserve/v3/"+path, setting); err != nil {
			return nil, err
		}
	}
	app := tenant.AppID(b.cloud.Credentials.Miniapp)
	if err := sender.Confirm(ctx, app, b.client.Call, mailSender); err != nil {
		return nil, err
	}
	for i := range 2 * Samples { // each form id allows three messages
		formID := fmt.Sprintf(`{"vendor":"chat","kind":"payment","form_id":"f%d"}`, i)
		path := fmt.Sprintf("/oserve/v3/user/%d/form-id/", demo.UserID(0))
		if _, err := b.client.Call(ctx, "POST", path, formID); err != nil {
			return nil, err
		}
	}
	receiver := httptest.NewServer(http.HandlerFunc(func(http.ResponseWriter, *http.Request) {}))
	b.t.Cleanup(receiver.Close)

	n := history
	create := func() any { // each SMS goes to a new number, because a number accepts one a minute
		n++
		row := draft(n)
		row["phone"] = fmt.Sprintf("+8613800%06d", n)
		return row
	}
	var list []Request
	var first, last int64 // triggers of the webhook and of the row update
	all := acts(target, receiver.URL)
	for _, kind := range trigger.ActionTypes {
		if !slices.ContainsFunc(all, func(a act) bool { return a.kind == kind }) {
			return nil, fmt.Errorf("no action of type %s has a ceiling: give it a row in acts", kind)
		}
	}
	for i, a := range all {
		source := fmt.Sprintf("acts_%d", i)
		if last, err = b.makeActing(ctx, source, a); err != nil {
			return nil, fmt.Errorf("trigger of %s: %w", a.name, err)
		}
		if first == 0 {
			first = last
		}
		list = append(list, Request{Name: "action: " + a.name, send: b.call("POST", fmt.Sprintf(rows, source), create)})
	}

	return append(list,
		Request{Name: "replay: webhook, sent again", send: b.replay(first)},
		Request{Name: "replay: table operation, already done", send: b.replay(last)},
		Request{Name: "replay: dry run of a range", send: b.call("POST", fmt.Sprint(triggers, last, "/replay/"),
			fixed(`{"from":1,"to":9999999999,"only_failed":false,"dry_run":true}`))},
		Request{Name: "trace read, one action", send: b.trace(last)},
	), nil
}

// makeActing creates a table whose new rows run one action, and returns the trigger's id.
func (b *Bench) makeActing(ctx context.Context, source string, a act) (int64, error) {
	schema := fmt.Sprintf(`{"name":%q,"schema":{"fields":[{"name":"city","type":"string"},{"name":"height","type":"number"},
		{"name":"text","type":"string"},{"name":"phone","type":"string"}]}}`, source)
	if _, err := b.client.Call(ctx, "POST", "/oserve/v1.8/table/", schema); err != nil {
		return 0, err
	}
	var m made
	err := b.client.Send(ctx, "POST", triggers, json.RawMessage(fmt.Sprintf(`{"name":"priced","type":"table","trace":false,
		"condition":{"table":%q,"event":"create"},"actions":[{"type":%q,"settings":%s}]}`, source, a.kind, a.settings)), &m)
	return m.ID, err
}

// entry is an entry of the trigger log.
type entry struct {
	ID     string `json:"id"`
	Trace  string `json:"trace_id"`
	Status string `json:"status"`
}

// newest returns the newest entry of a trigger's log. It returns an error if there is none or if that run has not
// succeeded.
func (b *Bench) newest(ctx context.Context, of int64) (entry, error) {
	var log struct {
		Objects []entry `json:"objects"`
	}
	if err := b.client.Send(ctx, "GET", fmt.Sprint(triggers, of, "/log/?limit=1"), nil, &log); err != nil {
		return entry{}, err
	}
	if len(log.Objects) != 1 || log.Objects[0].Status != "succeeded" {
		return entry{}, fmt.Errorf("log of trigger %d: %+v", of, log)
	}
	return log.Objects[0], nil
}

// replay returns a request that replays the newest run of a trigger. The run is looked up once.
func (b *Bench) replay(of int64) func(context.Context) error {
	return b.about(of, func(ctx context.Context, e entry) error {
		return b.client.Send(ctx, "POST", triggerLog+e.ID+"/replay/", nil, nil)
	})
}

// trace returns a request that reads the trace of the newest run of a trigger.
func (b *Bench) trace(of int64) func(context.Context) error {
	return b.about(of, func(ctx context.Context, e entry) error {
		return b.client.Send(ctx, "GET", "/oserve/v3/trace/"+e.Trace+"/", nil, nil)
	})
}

// about returns a request on the newest log entry of a trigger. The first call, which is not measured, looks the entry
// up.
func (b *Bench) about(of int64, do func(context.Context, entry) error) func(context.Context) error {
	var known entry
	return func(ctx context.Context) (err error) {
		if known.ID == "" {
			if known, err = b.newest(ctx, of); err != nil {
				return err
			}
		}
		return do(ctx, known)
	}
}
