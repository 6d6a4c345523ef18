package api_test

import (
	"context"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"minicloud/functions/table/api"
	"minicloud/shared/httpapi"
	"minicloud/shared/tenant"
)

// TestPrefetchesRows: requests that always read the row of their path announce it, the others only the table.
func TestPrefetchesRows(t *testing.T) {
	var announced string
	group := &api.Group{Prefetch: func(ctx context.Context, _ tenant.Scope, table, row string) context.Context {
		announced = table + " " + row
		return ctx
	}}
	for _, route := range group.Routes() {
		if !strings.Contains(route.Path, "{table}") {
			continue
		}
		r := httptest.NewRequest(route.Method, "/", nil)
		r.SetPathValue("table", "notes")
		r.SetPathValue("id", "5")
		want := "notes "
		if strings.HasSuffix(route.Path, "/record/{id}") &&
			(route.Access == httpapi.Client || route.Method == http.MethodGet || route.Method == http.MethodDelete) {
			want = "notes 5"
		}
		if announced = ""; route.Prefetch != nil {
			route.Prefetch(r, tenant.Scope{})
		}
		if announced != want {
			t.Errorf("%s %s announces %q, want %q", route.Method, route.Path, announced, want)
		}
	}
}
