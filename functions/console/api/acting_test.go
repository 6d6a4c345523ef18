package api_test

import (
	"fmt"
	"strings"
	"testing"

	"minicloud/shared/console"
	"minicloud/shared/table"
	"minicloud/shared/tenant"
)

// user creates a user in an environment and returns the id.
func (p *platform) user(scope tenant.Scope, profile map[string]any) int64 {
	p.Helper()
	profiles, err := p.tables.Table(p.Context(), scope, table.UserProfiles)
	p.must(err)
	made := p.tables.Insert(p.Context(), scope, profiles, []map[string]any{profile}, table.Author{})
	p.must(made[0].Err)
	return int64(made[0].Row.ID.Number())
}

// TestActingAsUser: roles with write access may act as a user of that environment, and the audit log records it.
func TestActingAsUser(t *testing.T) {
	p := newPlatform(t)
	bob := p.user(tenant.Scope{App: p.shop.ID, Env: tenant.Production}, map[string]any{
		"nickname": "Bob", "openid": "o1", "avatar": "https://example.com/bob.png",
	})
	tester := p.user(tenant.Scope{App: p.shop.ID, Env: p.test}, map[string]any{"nickname": "Tester"})
	stranger := p.user(tenant.Scope{App: p.bar.ID, Env: tenant.Production}, map[string]any{"nickname": "Eve"})
	path := func(a tenant.AppID, env tenant.EnvID, user any) string {
		return fmt.Sprintf("/console/api/application/%d/environment/%s/user/%v/token/", a, env, user)
	}

	b, production := p.signIn("dev"), tenant.Production
	got := b.want(200, "POST", path(p.shop.ID, production, bob), "")
	who, a, err := (&console.Verifier{Store: p.apps.Store, Clock: p.time}).VerifyToken(
		t.Context(), got.field(t, "token").(string),
	)
	want := console.EndUser{ID: bob, Env: production, Nickname: "Bob", OpenID: "o1", Avatar: "https://example.com/bob.png"}
	if err != nil || a.ID != p.shop.ID || who.Email != "dev@example.com" || who.As == nil || *who.As != want {
		t.Errorf("%+v %+v, %v", who, who.As, err)
	}
	if nickname := got.field(t, "user").(map[string]any)["nickname"]; nickname != "Bob" {
		t.Errorf("the answer says %v", nickname)
	}
	b.want(200, "POST", path(p.shop.ID, p.test, tester), "")

	for name, target := range map[string]string{
		"another application's": path(p.shop.ID, production, stranger), "the test environment's": path(p.shop.ID, production, tester),
		"production's": path(p.shop.ID, p.test, bob), "nobody": path(p.shop.ID, production, 5), "no id": path(p.shop.ID, production, "x"),
		"another application": path(p.bar.ID, production, stranger), "no environment": path(p.shop.ID, "0123456789abcdef0123", bob),
	} {
		if w := b.ask("POST", target, ""); w.status != 404 {
			t.Errorf("%s: %d %s", name, w.status, w.body)
		}
	}
	p.signIn("viewer").want(403, "POST", path(p.shop.ID, production, bob), "")

	log := p.signIn("keeper").want(200, "GET", fmt.Sprintf("/console/api/application/%d/audit/?limit=100", p.shop.ID), "")
	if last := path(p.shop.ID, production, bob); !strings.Contains(log.body, last) {
		t.Errorf("the audit log does not say %s: %s", last, log.body)
	}
}
