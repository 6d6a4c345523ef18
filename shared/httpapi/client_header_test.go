package httpapi_test

import (
	"net/http"
	"testing"

	"minicloud/shared/httpapi"
)

// TestClientHeaders: under /hserve nothing is cached, and only administrators get the headers about the plan of a list
// (C38).
func TestClientHeaders(t *testing.T) {
	list := func(w http.ResponseWriter, _ *http.Request) error {
		w.Header().Set("X-Service-Plan", "scan")
		w.Header().Set("X-Service-Scanned", "9")
		httpapi.Write(w, http.StatusOK, []int{})
		return nil
	}
	h := (&httpapi.API{
		Authenticator: tokens{}, Consoles: administrators{}, Audit: &notebook{}, Routes: []httpapi.Route{
			{Method: "GET", Path: "/hserve/v2.4/list", Access: httpapi.Bearer, Handle: list},
			{Method: "GET", Path: "/oserve/v2.4/list", Access: httpapi.Bearer, Handle: list},
		},
	}).Handler()

	for _, c := range []struct {
		method, path, authorization string
		status                      int
		plan, cache                 string
	}{
		{"GET", "/hserve/v2.4/list/", auth, 200, "", "no-store"},
		{"GET", "/hserve/v2.4/list/", "Authorization: Console viewer", 200, "scan", "no-store"},
		{"GET", "/hserve/v2.4/list/", "Authorization: Bearer x", 401, "", "no-store"},
		{"GET", "/hserve/v2.4/nothing/", auth, 404, "", "no-store"},
		{"PUT", "/hserve/v2.4/list/", auth, 405, "", "no-store"},
		{"OPTIONS", "/hserve/v2.4/list/", auth, 204, "", "no-store"},
		{"GET", "/oserve/v2.4/list/", auth, 200, "scan", ""},
	} {
		w := ask(h, c.method, c.path, "", c.authorization)
		scanned := ""
		if c.plan != "" {
			scanned = "9"
		}
		if got := w.Header(); w.Code != c.status || got.Get("X-Service-Plan") != c.plan ||
			got.Get("X-Service-Scanned") != scanned || got.Get("Cache-Control") != c.cache {
			t.Errorf("%s %s as %s: %d %v", c.method, c.path, c.authorization, w.Code, got)
		}
	}
}
