package api_test

import (
	"fmt"
	"testing"

	"minicloud/shared/cloudfunction"
	"minicloud/shared/tenant"
)

// TestOperatorsAuditFunctions: an owner of all applications rejects a function of one environment, which then does not run,
// and approves it again. Owners of the application alone may not.
func TestOperatorsAuditFunctions(t *testing.T) {
	p := newPlatform(t)
	scopes := []tenant.Scope{{App: p.shop.ID, Env: p.test}, {App: p.shop.ID, Env: tenant.Production}}
	for _, scope := range scopes {
		_, err := p.functions.Create(t.Context(), scope, "", cloudfunction.New{Name: "f", Code: "exports.main = () => 1"})
		p.must(err)
	}
	path := func(env tenant.EnvID, name string) string {
		return fmt.Sprintf("%s%d/environment/%s/function/%s/audit/", applications, p.shop.ID, env, name)
	}
	status := func(scope tenant.Scope) cloudfunction.AuditStatus {
		t.Helper()
		f, err := p.functions.Read(t.Context(), scope, "f")
		p.must(err)
		return f.Audit
	}

	owner := p.signIn("owner")
	got := owner.want(200, "PUT", path(p.test, "f"), `{"audit_status":"rejected"}`)
	if got.field(t, "name") != "f" || got.field(t, "audit_status") != "rejected" {
		t.Errorf("answer %s", got.body)
	}
	if status(scopes[0]) != cloudfunction.AuditRejected || status(scopes[1]) != cloudfunction.AuditApproved {
		t.Errorf("%s in the test environment, %s in production", status(scopes[0]), status(scopes[1]))
	}
	owner.want(200, "PUT", path(p.test, "f"), `{"audit_status":"approved"}`)
	if status(scopes[0]) != cloudfunction.AuditApproved {
		t.Errorf("%s after the approval", status(scopes[0]))
	}

	owner.want(400, "PUT", path(p.test, "f"), `{"audit_status":"fine"}`)
	owner.want(404, "PUT", path(p.test, "g"), `{"audit_status":"rejected"}`)
	owner.want(404, "PUT", path("0000000000000000000a", "f"), `{"audit_status":"rejected"}`)
	for _, name := range []string{"keeper", "dev", "viewer"} {
		p.signIn(name).want(403, "PUT", path(tenant.Production, "f"), `{"audit_status":"rejected"}`)
	}
	if status(scopes[1]) != cloudfunction.AuditApproved {
		t.Errorf("%s after refused requests", status(scopes[1]))
	}
}
