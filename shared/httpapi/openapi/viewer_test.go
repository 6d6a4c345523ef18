package openapi_test

import (
	"compress/gzip"
	"encoding/json"
	"errors"
	"io"
	"net/http"
	"net/http/httptest"
	"regexp"
	"strings"
	"testing"

	"minicloud/shared/httpapi"
	"minicloud/shared/httpapi/openapi"
)

// serve starts a server with the document and the viewer.
func serve(t *testing.T) *httptest.Server {
	t.Helper()
	api := httpapi.API{Routes: []httpapi.Route{
		{Method: http.MethodGet, Path: "/openapi.json", Access: httpapi.Public, Handle: openapi.ServeDocument},
		{Method: http.MethodGet, Path: "/docs", Access: httpapi.Public, Handle: openapi.ServeViewer},
		{Method: http.MethodGet, Path: "/docs/{file}", Access: httpapi.Public, Handle: openapi.ServeFile},
	}}
	server := httptest.NewServer(api.Handler())
	t.Cleanup(server.Close)
	return server
}

func get(t *testing.T, address string, header http.Header) (answer *http.Response, body []byte) {
	t.Helper()
	r, err := http.NewRequestWithContext(t.Context(), http.MethodGet, address, nil)
	if err != nil {
		t.Fatal(err)
	}
	r.Header = header
	client := http.Client{Transport: &http.Transport{DisableCompression: true}}
	answer, err = client.Do(r)
	if err != nil {
		t.Fatal(err)
	}
	defer answer.Body.Close()
	reader := io.Reader(answer.Body)
	if answer.Header.Get("Content-Encoding") == "gzip" {
		if reader, err = gzip.NewReader(answer.Body); err != nil {
			t.Fatal(err)
		}
	}
	if body, err = io.ReadAll(reader); err != nil && !errors.Is(err, io.EOF) {
		t.Fatal(err)
	}
	return answer, body
}

func TestDocumentIsServed(t *testing.T) {
	server := serve(t)
	for _, encoding := range []string{"", "gzip", "br, gzip"} {
		answer, body := get(t, server.URL+"/openapi.json", http.Header{"Accept-Encoding": {encoding}})
		var read struct{ OpenAPI string }
		if err := json.Unmarshal(body, &read); err != nil || !strings.HasPrefix(read.OpenAPI, "3.1.") {
			t.Errorf("accepting %q: %v %q", encoding, err, read.OpenAPI)
		}
		if compressed := answer.Header.Get("Content-Encoding") == "gzip"; compressed != strings.Contains(encoding, "gzip") {
			t.Errorf("accepting %q: compressed is %v", encoding, compressed)
		}
		if answer.Header.Get("Content-Type") != "application/json" {
			t.Errorf("%v", answer.Header)
		}
	}

	first, _ := get(t, server.URL+"/openapi.json", nil)
	again, body := get(t, server.URL+"/openapi.json", http.Header{"If-None-Match": {first.Header.Get("ETag")}})
	if again.StatusCode != http.StatusNotModified || len(body) != 0 {
		t.Errorf("asked again: %d, %d bytes", again.StatusCode, len(body))
	}
}

// TestViewerServesItsAssets at every URL in the page, with and without a trailing slash.
func TestViewerServesItsAssets(t *testing.T) {
	server := serve(t)
	reference := regexp.MustCompile(`(?:href|src|data-document)="([^"]+)"`)
	for _, path := range []string{"/docs", "/docs/"} {
		answer, page := get(t, server.URL+path, nil)
		policy := answer.Header.Get("Content-Security-Policy")
		if !strings.Contains(policy, "default-src 'none'") || strings.Contains(policy, "unsafe") ||
			strings.Contains(policy, "http") {
			t.Errorf("%s: policy %q", path, policy)
		}
		found := reference.FindAllStringSubmatch(string(page), -1)
		if len(found) < 5 {
			t.Errorf("%s: only %d references in %s", path, len(found), page)
		}
		for _, match := range found {
			if strings.HasPrefix(match[1], "data:") {
				continue
			}
			to, err := answer.Request.URL.Parse(match[1])
			if err != nil || to.Host != answer.Request.URL.Host {
				t.Fatalf("%s leads to %s", path, match[1])
			}
			if file, text := get(t, to.String(), nil); file.StatusCode != http.StatusOK || len(text) < 100 {
				t.Errorf("%s: %s is %d, %d bytes", path, match[1], file.StatusCode, len(text))
			}
		}
	}
	for _, name := range []string{"x.js", "docs.html", "swagger-ui.LICENSE", "..%2fviewer.go", "swagger-ui.css.gz"} {
		if answer, _ := get(t, server.URL+"/docs/"+name, nil); answer.StatusCode != http.StatusNotFound {
			t.Errorf("%s: %d", name, answer.StatusCode)
		}
	}
}
