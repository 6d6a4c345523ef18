package tenant_test

import (
	"fmt"
	"testing"

	"minicloud/shared/tenant"
)

func TestScopeRoundTrip(t *testing.T) {
	for _, s := range []tenant.Scope{
		{App: 7, Env: tenant.Production},
		{App: 1<<53 - 1, Env: "0123456789abcdef0123"},
	} {
		got, err := tenant.Parse(s.String())
		if err != nil || got != s {
			t.Errorf("Parse(%q) = %v, %v", s.String(), got, err)
		}
	}
}

func TestParseRefuses(t *testing.T) {
	for _, text := range []string{
		"", "7", "7.", ".production", "0.production", "-1.production", "7.staging", "7.0123456789ABCDEF0123",
		"7.production.x",
	} {
		if s, err := tenant.Parse(text); err == nil || err.Error() != fmt.Sprintf("tenant: %q is not a scope", text) {
			t.Errorf("Parse(%q) = %v, %v", text, s, err)
		}
	}
}
