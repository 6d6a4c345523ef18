package api_test

import (
	"context"
	"fmt"
	"strings"
	"testing"

	"minicloud/shared/app"
	"minicloud/shared/errs"
	"minicloud/shared/oauth"
	"minicloud/shared/permission"
	"minicloud/shared/tenant"
	"minicloud/shared/user/session"
)

// shopClient finds the shop by its client id, with the settings of the test.
type shopClient struct{ p *platform }

func (c *shopClient) ByClient(_ context.Context, id app.ClientID) (app.Application, error) {
	if id != shop.ClientID {
		return app.Application{}, errs.NotFound("client not found")
	}
	a := shop
	a.Settings = c.p.settings
	return a, nil
}

// The session tokens of the shop's users, in production.
var (
	bobToken       = string(session.NewToken(55))
	temporaryToken = string(session.NewToken(56))
)

// endUsers is a fake that knows Bob and a temporary user; shared/user/session tests the real one.
type endUsers struct{}

func (endUsers) VerifySession(_ context.Context, scope tenant.Scope, token string) (session.Identity, error) {
	switch {
	case scope.Env != tenant.Production:
	case token == bobToken:
		return session.Identity{Subject: permission.Subject{User: 55}, Nickname: "Bob", OpenID: "o1"}, nil
	case token == temporaryToken:
		return session.Identity{Subject: permission.Subject{User: 56, Temporary: true}}, nil
	}
	return session.Identity{}, errs.Unauthenticated("the session token is unknown, expired or revoked: log in again")
}

func (endUsers) EndUser(_ context.Context, _ tenant.Scope, id int64) (session.Identity, error) {
	switch id {
	case 55:
		return session.Identity{Subject: permission.Subject{User: 55}, Nickname: "Bob", OpenID: "o1"}, nil
	case 56:
		return session.Identity{Subject: permission.Subject{User: 56, Temporary: true}}, nil
	}
	return session.Identity{}, errs.NotFound("user %d not found", id)
}

const (
	sdkPath  = "/hserve/v1/cloud-function/job/"
	clientID = "\nX-Service-Client-ID: 00000000000000000007"
)

// TestClientsRunFunctions: who may, by the setting anonymous_invoke (C2), and what main sees of the caller (C6).
func TestClientsRunFunctions(t *testing.T) {
	p := withFunction(t)
	p.jobs.Hosts = &oauth.RunSigner{Applications: shops{}, Clock: p.time}
	p.play(t, step{method: "POST", path: functions + "pay/job/", body: `{"data":{}}`, status: 200})
	runToken := "Authorization: Run " + p.runner.last(t).Host.Token
	for _, c := range []struct {
		who, authorization string
		status, open       int // without and with anonymous_invoke
		source, user       string
	}{
		{"nobody", "Authorization: ", 401, 200, "sdk", `"user":null`},
		{"a temporary user", "Authorization: Service-r1 " + temporaryToken, 403, 200, "sdk",
			`"user":{"id":56,"nickname":"","avatar_url":"","openid":"","unionid":""}`},
		{"a user", "Authorization: Service-r1 " + bobToken, 200, 200, "sdk",
			`"user":{"id":55,"nickname":"Bob","avatar_url":"","openid":"o1","unionid":""}`},
		{"a stale token", "Authorization: Service-r1 " + string(session.NewToken(57)), 401, 401, "", ""},
		{"an administrator", "Authorization: Service-r1 shop", 200, 200, "sdk", ""},
		{"another's administrator", "Authorization: Service-r1 bank", 401, 401, "", ""},
		{"a function", runToken, 200, 200, "cloud_function", ""},
	} {
		for setting, status := range map[bool]int{false: c.status, true: c.open} {
			p.settings.AnonymousInvoke = setting
			before := len(p.runner.seen)
			p.play(t, step{
				what: fmt.Sprintf("%s, anonymous_invoke %v", c.who, setting), method: "POST", path: sdkPath,
				body: `{"function_name":"pay","data":{"a":1}}`, header: c.authorization + clientID, status: status,
			})
			if ran := len(p.runner.seen) > before; ran != (status == 200) {
				t.Errorf("%s, status %d: the function ran: %v", c.who, status, ran)
			}
			if status != 200 {
				continue
			}
			event := string(p.runner.last(t).Event)
			if !strings.Contains(event, `"eventType":"`+c.source+`"`) || !strings.Contains(event, c.user) ||
				c.user == "" && strings.Contains(event, `"user"`) {
				t.Errorf("%s: event %s, want the user %q", c.who, event, c.user)
			}
		}
	}
}

// TestClientsNameTheFunction: an unknown name is 404 to those who may run functions only.
func TestClientsNameTheFunction(t *testing.T) {
	p := withFunction(t)
	for authorization, status := range map[string]int{
		"Authorization: ": 401, "Authorization: Service-r1 " + temporaryToken: 403, "Authorization: Service-r1 " + bobToken: 404,
	} {
		p.play(t, step{method: "POST", path: sdkPath, body: `{"function_name":"none"}`, header: authorization + clientID, status: status})
	}
	p.play(t, step{method: "POST", path: sdkPath, body: `{"function_name":"pay"}`, header: "Authorization: Service-r1 " + bobToken,
		status: 401, want: "~X-Service-Client-ID"})
	p.play(t, step{method: "POST", path: sdkPath, body: `{"function_name":"pay"}`, status: 401,
		header: "Authorization: Service-r1 " + bobToken + "\nX-Service-Client-ID: 00000000000000000008"})
	inTest := "\nX-Service-Env-ID: " + string(testEnv)
	p.play(t, step{method: "POST", path: sdkPath, body: `{"function_name":"pay"}`, status: 401,
		header: "Authorization: Service-r1 " + bobToken + clientID + inTest})
}

// TestClientsChooseNoReceiver: callback_url and run_at are members of the open API.
func TestClientsChooseNoReceiver(t *testing.T) {
	p := withFunction(t)
	body := `{"function_name":"pay","sync":false,"callback_url":"https://evil.example.com/","run_at":1795348800}`
	p.play(t, step{method: "POST", path: sdkPath, body: body, header: "Authorization: Service-r1 " + bobToken + clientID,
		status: 200, want: `~"job_id"`})
	p.deliver(t)
	run := p.runner.last(t) // at once
	p.play(t, step{method: "GET", path: functions + "pay/job/" + run.JobID + "/", status: 200})
	if len(p.receiver.got) != 0 {
		t.Error("the result was sent to the client's address")
	}
}

// TestClientsReadTheTime without a session, but never without their application.
func TestClientsReadTheTime(t *testing.T) {
	p := newPlatform(t)
	const path = "/hserve/v2.2/server/time/"
	p.play(t, step{method: "GET", path: path, header: "Authorization: " + clientID, status: 200,
		want: `{"time":"2026-11-21T12:00:00.000000+00:00"}`})
	p.play(t, step{method: "GET", path: path, header: "Authorization: ", status: 401})
}
