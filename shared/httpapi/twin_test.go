package httpapi_test

import (
	"net/http"
	"strings"
	"testing"

	"minicloud/shared/httpapi"
)

// TestServesTwins calls routes with a twin under both prefixes (C35), whichever of them is listed.
func TestServesTwins(t *testing.T) {
	echo := func(w http.ResponseWriter, r *http.Request) error {
		httpapi.Write(w, http.StatusOK, r.URL.Path+" "+r.PathValue("id"))
		return nil
	}
	h := (&httpapi.API{Authenticator: tokens{}, Routes: []httpapi.Route{
		{Method: "GET", Path: "/oserve/v1/thing/{id}", Access: httpapi.Bearer, Twin: true, Handle: echo},
		{Method: "GET", Path: "/userve/v2/thing/{id}", Access: httpapi.Bearer, Twin: true, Handle: echo},
		{Method: "GET", Path: "/oserve/v3/thing", Access: httpapi.Bearer, Handle: echo},
	}}).Handler()

	for _, path := range []string{"/oserve/v1/thing/5/", "/userve/v1/thing/5", "/userve/v2/thing/5/", "/oserve/v2/thing/5/"} {
		w := ask(h, "GET", path, "", auth)
		if w.Code != http.StatusOK || !strings.Contains(w.Body.String(), path+" 5") {
			t.Errorf("%s: %d %s", path, w.Code, w.Body)
		}
		if w := ask(h, "GET", path, ""); w.Code != http.StatusUnauthorized {
			t.Errorf("%s without a token: %d", path, w.Code)
		}
	}
	if w := ask(h, "GET", "/userve/v3/thing/", "", auth); w.Code != http.StatusNotFound {
		t.Errorf("a route without a twin: %d %s", w.Code, w.Body)
	}

	defer func() {
		if recover() == nil {
			t.Error("a twin outside both prefixes was accepted")
		}
	}()
	httpapi.Route{Path: "/hserve/v1/thing", Twin: true}.Served()
}
