package httpapi_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"minicloud/shared/app"
	"minicloud/shared/clock"
	"minicloud/shared/errs"
	"minicloud/shared/httpapi"
	"minicloud/shared/oauth"
	"minicloud/shared/tenant"
	"minicloud/shared/trace/depth"
	"minicloud/shared/trace/logging"
)

// TestAnswersPreflightOfUnknownPaths, so that a page can read the 404 (D5).
func TestAnswersPreflightOfUnknownPaths(t *testing.T) {
	h, _ := face(t)
	for _, path := range []string{
		"/", "/v1", "/v1/", "/v1/nothing/", "/v1/thing/x/y/z/", "/v1//thing/", "/v1/../thing/", "/v1/thing/?limit=%zz",
	} {
		w := ask(
			h, "OPTIONS", path, "", "Origin: https://a.example", "Access-Control-Request-Method: PUT",
			"Access-Control-Request-Headers: authorization,x-service-env-id",
		)
		header := w.Header()
		if w.Code != http.StatusNoContent || header.Get("Access-Control-Allow-Origin") != "*" ||
			header.Get("Access-Control-Allow-Methods") == "" ||
			!strings.Contains(header.Get("Access-Control-Allow-Headers"), "X-Service-Env-Id") {
			t.Errorf("preflight of %s: %d %v", path, w.Code, header)
		}
		if path == "/v1/nothing/" && !strings.Contains(header.Get("Access-Control-Allow-Methods"), "PUT") {
			t.Errorf("the page may not see the 404 of PUT %s: %v", path, header)
		}
	}
}

// TestServesHead: HEAD is served on every GET route, with the same headers and no body.
func TestServesHead(t *testing.T) {
	h, _ := face(t)
	server := httptest.NewServer(h)
	defer server.Close()
	for path, want := range map[string]int{
		"/v1/thing/": 200, "/v1/nothing/": 404, "/v1/broken/": 500, "/v1/thing/?limit=0": 400,
	} {
		answers := make(map[string]*http.Response)
		for _, method := range []string{"GET", "HEAD"} {
			r, err := http.NewRequest(method, server.URL+path, nil)
			if err != nil {
				t.Fatal(err)
			}
			r.Header.Set("Authorization", "Bearer "+goodToken)
			if answers[method], err = server.Client().Do(r); err != nil {
				t.Fatal(err)
			}
			defer answers[method].Body.Close()
		}
		get, head := answers["GET"], answers["HEAD"]
		var body bytes.Buffer
		if _, err := body.ReadFrom(head.Body); err != nil || body.Len() != 0 || head.StatusCode != want ||
			get.StatusCode != want {
			t.Errorf("HEAD %s: %d %q, %v; GET: %d", path, head.StatusCode, body.String(), err, get.StatusCode)
		}
		if head.ContentLength <= 0 || head.Header.Get("Content-Type") != get.Header.Get("Content-Type") {
			t.Errorf("HEAD %s: %d bytes, %v", path, head.ContentLength, head.Header)
		}
	}
}

// TestLogsInternalErrors with their cause, which callers do not see; client errors are not logged.
func TestLogsInternalErrors(t *testing.T) {
	for status, failure := range map[int]error{
		500: errors.New("the cause"),
		503: fmt.Errorf("read row: %w: the cause", errs.Unavailable(1, "the platform is busy")),
		504: fmt.Errorf("read row: %w: the cause", errs.Timeout("the request did not end in time")),
		400: fmt.Errorf("read row: %w: the cause", errs.Invalid("name is wrong")),
		429: fmt.Errorf("read row: %w: the cause", errs.TooMany(1, "too many")),
	} {
		var log bytes.Buffer
		h := (&httpapi.API{Log: logging.New(&log, "warn"), Routes: []httpapi.Route{
			{Method: "GET", Path: "/x", Handle: func(http.ResponseWriter, *http.Request) error { return failure }},
		}}).Handler()
		w := ask(h, "GET", "/x/", "", "Authorization: Bearer a-secret")
		if w.Code != status || strings.Contains(w.Body.String(), "the cause") {
			t.Errorf("%d: answered %d %s", status, w.Code, w.Body)
		}
		if logged := strings.Contains(log.String(), `"msg":"request failed"`) &&
			strings.Contains(log.String(), "the cause"); logged != (status >= 500) {
			t.Errorf("%d: logged %s", status, log.String())
		}
		if strings.Contains(log.String(), "a-secret") {
			t.Errorf("%d: a secret is logged: %s", status, log.String())
		}
	}
}

// TestLogLinesPerRequest counts the lines of each kind of request at level info: each line costs, and two are enough.
// The second has the bucket of the application if the caller has proved which that is.
func TestLogLinesPerRequest(t *testing.T) {
	var log bytes.Buffer
	h := (&httpapi.API{Log: logging.New(&log, "info"), Authenticator: tokens{}, Routes: []httpapi.Route{
		{Method: "GET", Path: "/v1/thing/{name}", Access: httpapi.Bearer, Handle: func(
			w http.ResponseWriter, r *http.Request,
		) error {
			switch r.PathValue("name") {
			case "broken":
				return errors.New("the cause")
			case "busy":
				return errs.Unavailable(1, "busy")
			case "panics":
				panic("the cause")
			case "wrong":
				return errs.Invalid("name is wrong")
			}
			httpapi.Write(w, http.StatusOK, "fine")
			return nil
		}},
		{Method: "GET", Path: "/v1/open", Access: httpapi.Public, Handle: func(http.ResponseWriter, *http.Request) error {
			return errors.New("the cause")
		}},
	}}).Handler()
	for path, want := range map[string]struct {
		status, lines int
		bucket        bool
	}{
		"/v1/thing/fine/": {200, 1, false}, "/v1/thing/wrong/": {400, 1, false}, "/v1/gone/": {404, 1, false},
		"/v1/thing/broken/": {500, 2, true}, "/v1/thing/busy/": {503, 2, true}, "/v1/thing/panics/": {500, 2, true},
		"/v1/open/": {500, 2, false},
	} {
		log.Reset()
		w := ask(h, "GET", path, "", auth)
		bucket := fmt.Sprintf(`"bucket":%d`, logging.Bucket(7))
		lines := strings.Count(log.String(), "\n")
		if w.Code != want.status || lines != want.lines || strings.Contains(log.String(), bucket) != want.bucket {
			t.Errorf("%s: status %d, %d lines, want %+v:\n%s", path, w.Code, lines, want, log.String())
		}
	}
}

// runs is a fake RunVerifier with a few run tokens.
type runs struct{}

func (runs) VerifyRun(_ context.Context, token string) (oauth.Run, app.Application, error) {
	run := oauth.Run{Scope: tenant.Scope{App: 7, Env: tenant.Production}, JobID: "5"}
	switch token {
	case "deep":
		run.Depth = 3
	case "good":
	default:
		return oauth.Run{}, app.Application{}, errs.Unauthenticated("the run token is changed or expired")
	}
	return run, app.Application{ID: 7, ClientID: "00000000000000000007", SigningKey: make([]byte, 32)}, nil
}

// depths is a fake DepthVerifier with a few headers.
type depths struct{}

func (depths) VerifyDepth(_ context.Context, header string) (int, error) {
	switch header {
	case "5.signed":
		return 5, nil
	case "busy":
		return 0, errs.Unavailable(1, "busy")
	}
	return 0, nil
}

// TestDepthOfRequests: the depth is that of the run, else of the header; outgoing requests carry it.
func TestDepthOfRequests(t *testing.T) {
	h := (&httpapi.API{
		Authenticator: tokens{}, Runs: runs{}, Depths: depths{}, Clock: clock.System,
		Routes: []httpapi.Route{{
			Method: "GET", Path: "/thing", Access: httpapi.Bearer, Handle: func(w http.ResponseWriter, r *http.Request) error {
				carried, _, _ := strings.Cut(depth.FromContext(r.Context()), ".")
				httpapi.Write(w, http.StatusOK, fmt.Sprint(httpapi.From(r.Context()).Depth, " ", carried))
				return nil
			},
		}},
	}).Handler()
	for _, c := range []struct {
		caller, header, want string
		status               int
	}{
		{auth, "", `"0 "`, 200}, {auth, "5.signed", `"5 5"`, 200}, {auth, "5.forged", `"0 "`, 200}, {auth, "busy", "", 503},
		{"Authorization: Run good", "5.signed", `"0 "`, 200}, {"Authorization: Run deep", "5.signed", `"3 3"`, 200},
	} {
		w := ask(h, "GET", "/thing/", "", c.caller, depth.Header+": "+c.header)
		if w.Code != c.status || c.status == 200 && w.Body.String() != c.want {
			t.Errorf("%s with %q: %d %s, want %s", c.caller, c.header, w.Code, w.Body, c.want)
		}
	}
}

// TestPathsForFunctionsOnly: for all other callers these paths behave as paths that do not exist (F10).
func TestPathsForFunctionsOnly(t *testing.T) {
	api := &httpapi.API{
		Authenticator: tokens{}, Runs: runs{},
		Routes: []httpapi.Route{{
			Method: "POST", Path: "/dserve/v1/thing", Access: httpapi.RunToken,
			Handle: func(w http.ResponseWriter, r *http.Request) error {
				httpapi.Write(w, http.StatusOK, httpapi.From(r.Context()).Run.JobID)
				return nil
			},
		}},
	}
	h := api.Handler()
	const run = "Authorization: Run good"
	if w := ask(h, "POST", "/dserve/v1/thing/", "{}", run); w.Code != http.StatusOK || w.Body.String() != `"5"` {
		t.Fatalf("a function: %d %s", w.Code, w.Body)
	}

	for _, c := range []struct{ method, header string }{
		{"POST", auth}, {"POST", "X-Nothing: 1"}, {"POST", "Authorization: Run bad"}, {"POST", "Authorization: Run"},
		{"POST", "Authorization: Service-r1 " + goodToken}, {"GET", auth}, {"GET", run}, {"BREW", run}, {"HEAD", run},
		{"OPTIONS", auth}, {"OPTIONS", run},
	} {
		there := ask(h, c.method, "/dserve/v1/thing/", "{}", c.header, "Origin: https://a.example")
		nowhere := ask(h, c.method, "/dserve/v1/thong/", "{}", c.header, "Origin: https://a.example")
		if there.Code != nowhere.Code || fmt.Sprint(there.Header()) != fmt.Sprint(nowhere.Header()) ||
			there.Body.String() != strings.Replace(nowhere.Body.String(), "thong", "thing", 1) {
			t.Errorf("%s with %s: %d %s %v\nbut      %d %s %v", c.method, c.header, there.Code, there.Body, there.Header(),
				nowhere.Code, nowhere.Body, nowhere.Header())
		}
	}
}
