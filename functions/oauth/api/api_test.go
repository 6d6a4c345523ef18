package api_test

import (
	"bytes"
	"encoding/json"
	"log/slog"
	"mime/multipart"
	"net/http"
	"net/http/httptest"
	"net/url"
	"strings"
	"sync"
	"testing"
	"time"

	"minicloud/functions/oauth/api"
	"minicloud/infra/local/dynamotest"
	"minicloud/shared/app"
	"minicloud/shared/dynamo/appdb"
	"minicloud/shared/httpapi"
	"minicloud/shared/id"
	"minicloud/shared/oauth"
)

const (
	authorizePath = "/api/oauth2/service/openapi/authorize/"
	tokenPath     = "/api/oauth2/access_token/"
	jsonType      = "application/json"
	formType      = "application/x-www-form-urlencoded"
)

// platform is the program's handler on a real database, with one application.
type platform struct {
	handler http.Handler
	apps    *app.Service
	app     app.Application
	secret  string
	log     *bytes.Buffer

	mu  sync.Mutex
	now time.Time
}

func newPlatform(t *testing.T) *platform {
	client := dynamotest.Start(t, "ApplicationsTable")
	p := &platform{now: time.Date(2026, 11, 21, 12, 0, 0, 0, time.UTC), log: &bytes.Buffer{}}
	tokens := &appdb.Tokens{Client: client, Table: "ApplicationsTable"}
	log := slog.New(slog.NewJSONHandler(p.log, nil))
	group := &api.Group{Log: log, OAuth: &oauth.Service{Store: tokens, Clock: p.time, Log: log}}
	p.handler = (&httpapi.API{Routes: group.Routes(), Log: log, Clock: p.time}).Handler()
	p.apps = &app.Service{
		Store: &appdb.Applications{Client: client, Table: "ApplicationsTable"}, IDs: &id.Source{}, Clock: p.time,
	}
	p.app, p.secret = p.newApp(t)
	return p
}

func (p *platform) time() time.Time {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.now
}

func (p *platform) pass(d time.Duration) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.now = p.now.Add(d)
}

func (p *platform) newApp(t *testing.T) (app.Application, string) {
	t.Helper()
	a, secret, err := p.apps.Create(t.Context(), "demo", app.Owner{})
	if err != nil {
		t.Fatal(err)
	}
	return a, secret
}

// request is an HTTP request of a client.
type request struct {
	method, path, contentType, body string
	header                          map[string]string
}

func (p *platform) send(t *testing.T, r request) *http.Response {
	t.Helper()
	hr := httptest.NewRequestWithContext(t.Context(), r.method, r.path, strings.NewReader(r.body))
	if r.contentType != "" {
		hr.Header.Set("Content-Type", r.contentType)
	}
	for name, value := range r.header {
		hr.Header.Set(name, value)
	}
	w := httptest.NewRecorder()
	p.handler.ServeHTTP(w, hr)
	return w.Result()
}

func bodyOf(t *testing.T, r *http.Response) string {
	t.Helper()
	var buf bytes.Buffer
	if _, err := buf.ReadFrom(r.Body); err != nil {
		t.Fatal(err)
	}
	return buf.String()
}

// post sends fields as JSON and fails the test if the status differs.
func (p *platform) post(t *testing.T, path string, fields map[string]string, want int) map[string]any {
	t.Helper()
	r := p.send(t, request{method: "POST", path: path, contentType: jsonType, body: toJSON(fields)})
	body := bodyOf(t, r)
	if r.StatusCode != want {
		t.Fatalf("POST %s: %d %s, want %d", path, r.StatusCode, body, want)
	}
	var view map[string]any
	if body != "" {
		if err := json.Unmarshal([]byte(body), &view); err != nil {
			t.Fatal(err)
		}
	}
	return view
}

func toJSON(v any) string {
	b, err := json.Marshal(v)
	if err != nil {
		panic(err)
	}
	return string(b)
}

func (p *platform) credentials(more ...string) map[string]string {
	fields := map[string]string{"client_id": string(p.app.ClientID), "client_secret": p.secret}
	for i := 0; i < len(more); i += 2 {
		fields[more[i]] = more[i+1]
	}
	return fields
}

func (p *platform) code(t *testing.T) string {
	t.Helper()
	r := p.send(t, request{method: "POST", path: authorizePath, contentType: jsonType, body: toJSON(p.credentials())})
	for range 2 {
		if r.StatusCode != http.StatusFound {
			t.Fatalf("%d %s, want 302", r.StatusCode, bodyOf(t, r))
		}
		r = p.send(t, request{method: "GET", path: authorizePath + r.Header.Get("Location")})
	}
	var view struct {
		Code      string `json:"code"`
		ExpiresIn int    `json:"expires_in"`
	}
	if err := json.Unmarshal([]byte(bodyOf(t, r)), &view); err != nil || len(view.Code) != 40 || view.ExpiresIn != 600 {
		t.Fatalf("%d %+v %v", r.StatusCode, view, err)
	}
	return view.Code
}

func (p *platform) tokens(t *testing.T) (access, refresh string) {
	t.Helper()
	view := p.post(t, tokenPath, p.credentials("grant_type", "authorization_code", "code", p.code(t)), http.StatusOK)
	return view["access_token"].(string), view["refresh_token"].(string)
}

// multi encodes fields as multipart/form-data.
func multi(fields map[string]string) (contentType, body string) {
	var buf bytes.Buffer
	w := multipart.NewWriter(&buf)
	for name, value := range fields {
		w.WriteField(name, value)
	}
	w.Close()
	return w.FormDataContentType(), buf.String()
}

func form(fields map[string]string) string {
	values := url.Values{}
	for name, value := range fields {
		values.Set(name, value)
	}
	return values.Encode()
}

// scenario is one request and its expected response.
type scenario struct {
	name string
	request
	status int
	want   string // the whole body; {…} matches any text
}

// run plays the scenarios and checks that no response and no log line contains a secret.
func (p *platform) run(t *testing.T, scenarios []scenario, secrets ...string) {
	t.Helper()
	secrets = append(secrets, p.secret, string(p.app.SecretDigest))
	for _, s := range scenarios {
		t.Run(s.name, func(t *testing.T) {
			r := p.send(t, s.request)
			body := bodyOf(t, r)
			if r.StatusCode != s.status || !matches(body, s.want) {
				t.Errorf("got %d %s\nwant %d %s", r.StatusCode, body, s.status, s.want)
			}
			if r.Header.Get("Content-Type") != jsonType {
				t.Errorf("Content-Type %q", r.Header.Get("Content-Type"))
			}
			for _, secret := range secrets {
				if strings.Contains(body, secret) || strings.Contains(toJSON(r.Header), secret) {
					t.Error("the answer has a secret in it")
				}
				if strings.Contains(p.log.String(), secret) {
					t.Error("the log has a secret in it")
				}
			}
		})
	}
}

func matches(body, want string) bool {
	before, after, some := strings.Cut(want, "{…}")
	if !some {
		return body == want
	}
	return strings.HasPrefix(body, before) && strings.HasSuffix(body, after)
}
