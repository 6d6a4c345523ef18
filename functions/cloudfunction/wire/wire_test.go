package wire

import (
	"net/http"
	"net/http/httptest"
	"testing"
)

// TestRedirectsPagesWithTrailingSlash: only GET and HEAD are redirected; all other requests reach the endpoints.
func TestRedirectsPagesWithTrailingSlash(t *testing.T) {
	endpoints := http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(http.StatusTeapot) })
	for _, tt := range []struct {
		method, path string
		status       int
		to           string
	}{
		{"GET", "/docs/", http.StatusFound, "/docs"},
		{"HEAD", "/docs/", http.StatusFound, "/docs"},
		{"GET", "/console/", http.StatusFound, "/console"},
		{"POST", "/docs/", http.StatusTeapot, ""},
		{"GET", "/docs", http.StatusTeapot, ""},
		{"GET", "/docs//", http.StatusTeapot, ""},
	} {
		got := httptest.NewRecorder()
		toPages(endpoints).ServeHTTP(got, httptest.NewRequest(tt.method, tt.path, nil))
		if got.Code != tt.status || got.Header().Get("Location") != tt.to {
			t.Errorf("%s %s: %d to %q, want %d to %q", tt.method, tt.path, got.Code, got.Header().Get("Location"), tt.status, tt.to)
		}
	}
}
