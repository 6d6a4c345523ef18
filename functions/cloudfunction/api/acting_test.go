package api_test

import (
	"context"
	"strings"
	"testing"

	"minicloud/shared/app"
	"minicloud/shared/console"
	"minicloud/shared/job"
	"minicloud/shared/page"
	"minicloud/shared/tenant"
)

// administrators is a fake that knows Dora, and Dora acting as Bob; shared/console tests the real one.
type administrators struct{}

func (administrators) VerifyToken(_ context.Context, token string) (console.Administrator, app.Application, error) {
	dora := console.Administrator{ID: 1, Email: "dora@example.com", Role: console.Developer}
	if token == "as bob" {
		dora.As = &console.EndUser{ID: 55, Env: tenant.Production, Nickname: "Bob", OpenID: "o1"}
	}
	return dora, shop, nil
}

// unread is an audit log that stores nothing.
type unread struct{}

func (unread) Begin(context.Context, console.Entry) error            { return nil }
func (unread) SignedIn(context.Context, console.Administrator) error { return nil }
func (unread) End(context.Context, console.Entry, int) error         { return nil }
func (unread) Entries(
	context.Context, tenant.AppID, console.AuditFilter, page.Request,
) (p page.Page[console.Entry], err error) {
	return p, nil
}

// TestRunsShowTheActingAdministrator: a function sees the user in every kind of run, and the job shows who acted as
// the user.
func TestRunsShowTheActingAdministrator(t *testing.T) {
	p := withFunction(t)
	const header, acted = "Authorization: Console as bob", `"acted":{"by":"dora@example.com","user_id":55}`
	const user = `"user":{"id":55,"nickname":"Bob","avatar_url":"","openid":"o1","unionid":""}`
	for _, s := range []step{
		{method: "POST", path: functions + "pay/debug/", body: `{"data":{}}`},
		{method: "POST", path: functions + "pay/job/", body: `{"data":{}}`},
		{method: "POST", path: functions + "pay/job/", body: `{"data":{},"sync":false}`},
		{method: "POST", path: "/oserve/v1/cloud-function/job/", body: `{"function_name":"pay"}`},
		{method: "POST", path: "/hserve/v1/cloud-function/job/", body: `{"function_name":"pay"}`},
	} {
		s.header, s.status = header, 200
		p.pass(1e9)
		p.play(t, s)
		p.deliver(t)
		run := p.runner.last(t)
		if event := string(run.Event); !strings.Contains(event, user) {
			t.Errorf("%s %s: %s", s.path, s.body, event)
		}
		one := p.play(t, step{method: "GET", path: functions + "pay/job/" + run.JobID + "/", status: 200, want: "~" + acted})
		if !strings.Contains(one, `"status":"fulfilled"`) {
			t.Errorf("%s %s: %s", s.path, s.body, one)
		}
	}
	p.play(t, step{method: "GET", path: functions + "pay/job/", status: 200, want: "~" + acted})

	for _, s := range []step{
		{method: "GET", path: functions}, {method: "GET", path: functions + "pay/"}, {method: "GET", path: functions + "pay/job/"},
		{method: "PATCH", path: functions + "pay/", body: `{"remark":"x"}`}, {method: "DELETE", path: functions + "pay/"},
		{method: "POST", path: "/oserve/v1.3/cloud-function-check/", body: `{"function_code":"1"}`},
	} {
		s.header, s.status = header, 403
		s.want = "~you act as user 55 and can only run functions and use their rows, files and orders: stop acting to do anything else"
		p.play(t, s)
	}

	// Jobs of other callers do not show it, nor does a function that the first one calls.
	p.play(t, step{method: "POST", path: functions + "pay/debug/", body: `{"data":{}}`, header: "Authorization: Console dora",
		status: 200})
	run := p.runner.last(t)
	if one := p.play(t, step{method: "GET", path: functions + "pay/job/" + run.JobID + "/", status: 200}); strings.Contains(one, "acted") {
		t.Error(one)
	}
}

// TestDebugHasASampleOfEverySource: administrators get a sample event for every source; tokens may name only the
// seven sources of the contract.
func TestDebugHasASampleOfEverySource(t *testing.T) {
	p := withFunction(t)
	for subject, part := range map[job.Source]string{
		job.SourceAltPay: `"gateway_type":"altpay"`, job.SourceTPay: `"gateway_type":"tpay"`,
		job.SourceIncomingWebhook: `"CONTENT_TYPE":"application/json"`, job.SourceChatMessage: `"_AppId"`,
	} {
		body := `{"data":{},"subject":"` + string(subject) + `"}`
		p.play(t, step{method: "POST", path: functions + "pay/debug/", body: body, header: "Authorization: Console dora",
			status: 200})
		event := string(p.runner.last(t).Event)
		if !strings.Contains(event, `"eventType":"`+string(subject)+`"`) || !strings.Contains(event, part) {
			t.Errorf("%s: %s", subject, event)
		}
		p.play(t, step{method: "POST", path: functions + "pay/debug/", body: body, status: 400,
			want: "~subject must be one of sdk, open_api, cloud_function, flex_schema, chat_pay_success, timer, file_operation"})
	}
}
