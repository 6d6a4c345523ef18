package httpapi_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"minicloud/infra/local/dynamotest"
	"minicloud/shared/app"
	"minicloud/shared/dynamo/claimdb"
	"minicloud/shared/errs"
	"minicloud/shared/httpapi"
	"minicloud/shared/idempotency"
	"minicloud/shared/idempotency/writetoken"
	"minicloud/shared/page"
	"minicloud/shared/tenant"
)

const (
	goodToken = "good"
	clientID  = "0123456789abcdef0123"
	testEnv   = "aaaaaaaaaaaaaaaaaaaa"
)

// tokens is a fake Authenticator with one token of one application.
type tokens struct{}

func (tokens) Authenticate(_ context.Context, token string) (app.Application, error) {
	if token != goodToken {
		return app.Application{}, errs.Unauthenticated("the access token is unknown")
	}
	return app.Application{
		ID: 7, ClientID: clientID, Environments: map[tenant.EnvID]string{testEnv: "test"},
	}, nil
}

func (t tokens) AuthenticateClient(ctx context.Context, token, client string) (app.Application, error) {
	if client != clientID {
		return app.Application{}, errs.Unauthenticated("not this client's")
	}
	return t.Authenticate(ctx, token)
}

type thing struct {
	Name  string   `json:"name"`
	Count *int     `json:"count"`
	Tags  []string `json:"tags"`
}

// face returns an API with one route of every kind, and the number of handler calls.
func face(t *testing.T) (http.Handler, *int) {
	t.Helper()
	calls := 0
	create := func(w http.ResponseWriter, r *http.Request) error {
		calls++
		var in thing
		if err := httpapi.Decode(r, &in); err != nil {
			return err
		}
		if in.Name == "busy" {
			return errs.Unavailable(2, "no capacity")
		}
		httpapi.Write(
			w, http.StatusCreated, map[string]any{"name": in.Name, "call": calls, "scope": httpapi.Scope(r.Context()).String()},
		)
		return nil
	}

	list := func(ctx context.Context, in struct{ Page page.Request }) (httpapi.Envelope[int], error) {
		req := in.Page
		got := page.Page[int]{Objects: []int{1, 2}, Total: 9, Next: "k\x00ey"}
		if req.After != "" || req.Limit == page.DefaultLimit {
			got = page.Page[int]{Objects: []int{3}, Total: -1}
		}
		return httpapi.ListOf(ctx, req, got, func(n int) int { return n * 10 }), nil
	}

	api := &httpapi.API{
		Authenticator: tokens{},
		Replay: &idempotency.Service{Store: &claimdb.Store{
			Client: dynamotest.Start(t, "IdempotencyTable"), Table: "IdempotencyTable",
		}},
		Routes: []httpapi.Route{
			{Method: "POST", Path: "/v1/thing", Access: httpapi.Bearer, Handle: create},
			{Method: "GET", Path: "/v1/thing/", Access: httpapi.Bearer, Call: httpapi.Call(list)},
			{Method: "GET", Path: "/v1/thing/{name}", Access: httpapi.ServiceR1, Keys: true, Handle: func(w http.ResponseWriter, r *http.Request) error {
				httpapi.Write(w, http.StatusOK, r.PathValue("name"))
				return nil
			}},
			{Method: "DELETE", Path: "/v1/thing/{name}", Access: httpapi.Public, Handle: func(w http.ResponseWriter, r *http.Request) error {
				httpapi.NoContent(w)
				return nil
			}},
			{Method: "GET", Path: "/v1/broken", Access: httpapi.Public, Handle: func(http.ResponseWriter, *http.Request) error {
				panic("secret cause")
			}},
		},
	}
	return api.Handler(), &calls
}

// ask sends one request; header has lines of the form "Name: value".
func ask(h http.Handler, method, target, body string, header ...string) *httptest.ResponseRecorder {
	r := httptest.NewRequest(method, "/", strings.NewReader(body))
	path, query, _ := strings.Cut(target, "?")
	r.URL.Path, r.URL.RawQuery = path, query
	r.RequestURI = target
	for _, line := range header {
		name, value, _ := strings.Cut(line, ": ")
		r.Header.Add(name, value)
	}
	w := httptest.NewRecorder()
	h.ServeHTTP(w, r)
	return w
}

const auth = "Authorization: Bearer " + goodToken

func TestStatusAndBody(t *testing.T) {
	h, _ := face(t)
	over := `{"name":"` + strings.Repeat("x", httpapi.MaxBody) + `"}`
	for _, c := range []struct {
		name, method, target, body string
		header                     []string
		status                     int
		want                       string // fragment of the body
	}{
		{"with slash", "POST", "/v1/thing/", `{"name":"a"}`, []string{auth}, 201, `"scope":"7.production"`},
		{"without slash", "POST", "/v1/thing", `{"name":"a"}`, []string{auth}, 201, `"name":"a"`},
		{"scheme in any case", "POST", "/v1/thing", `{"name":"a"}`, []string{"Authorization: bearer " + goodToken}, 201, ``},
		{
			"test environment", "POST", "/v1/thing/", `{}`, []string{auth, "X-Service-Env-ID: " + testEnv}, 201,
			`"scope":"7.` + testEnv + `"`,
		},
		{
			"unknown environment", "POST", "/v1/thing/", `{}`, []string{auth, "X-Service-Env-ID: bbbbbbbbbbbbbbbbbbbb"}, 400,
			`X-Service-Env-ID`,
		},
		{
			"production by name", "POST", "/v1/thing/", `{}`, []string{auth, "X-Service-Env-ID: production"}, 201,
			`7.production`,
		},

		{"no token", "POST", "/v1/thing/", `{}`, nil, 401, `Authorization header is missing`},
		{"wrong token", "POST", "/v1/thing/", `{}`, []string{"Authorization: Bearer bad"}, 401, `unknown`},
		{"wrong scheme", "POST", "/v1/thing/", `{}`, []string{"Authorization: Basic good"}, 401, `Bearer`},
		{
			"run tokens are refused where nobody verifies them", "POST", "/v1/thing/", `{}`,
			[]string{"Authorization: Run good"}, 401, `Bearer`,
		},
		{
			"service scheme on a bearer route", "POST", "/v1/thing/", `{}`, []string{"Authorization: Service-r1 good"}, 401,
			`Bearer`,
		},
		{
			"service scheme", "GET", "/v1/thing/ü.x/", ``,
			[]string{"Authorization: Service-r1 good", "X-Service-Client-ID: " + clientID}, 200, `"ü.x"`,
		},
		{
			"service scheme without client", "GET", "/v1/thing/x/", ``, []string{"Authorization: Service-r1 good"}, 401,
			`X-Service-Client-ID`,
		},
		{
			"service scheme of another client", "GET", "/v1/thing/x/", ``,
			[]string{"Authorization: Service-r1 good", "X-Service-Client-ID: x"}, 401, ``,
		},
		{"bearer on a service route", "GET", "/v1/thing/x/", ``, []string{auth}, 401, `Service-r1`},

		{"unknown path", "GET", "/v1/nothing/", ``, nil, 404, `there is no GET`},
		{"a slash in a value, encoded twice", "GET", "/v1/thing/a%2Fb/", ``, []string{"Authorization: Service-r1 good", "X-Service-Client-ID: " + clientID}, 200, `a/b`},
		{"double slash", "POST", "/v1//thing/", ``, []string{auth}, 404, ``},
		{"dot segment", "GET", "/v1/../v1/thing/", ``, []string{auth}, 404, ``},
		{"wrong method", "PUT", "/v1/thing/", `{}`, []string{auth}, 405, `use GET, HEAD, OPTIONS, POST`},
		{"public, no body", "DELETE", "/v1/thing/x/", `{}`, nil, 204, ``},

		{"malformed JSON", "POST", "/v1/thing/", `{"name":`, []string{auth}, 400, `not valid JSON`},
		{"trailing data", "POST", "/v1/thing/", `{} {}`, []string{auth}, 400, `not valid JSON`},
		{"bytes that are not UTF-8", "POST", "/v1/thing/", "{\"name\":\"a\xff\"}", []string{auth}, 400, `not UTF-8`},
		{"empty body", "POST", "/v1/thing/", ``, []string{auth}, 400, `empty`},
		{"null", "POST", "/v1/thing/", `null`, []string{auth}, 400, `object`},
		{"array", "POST", "/v1/thing/", `[]`, []string{auth}, 400, `must be an object, not an array`},
		{"wrong type", "POST", "/v1/thing/", `{"name":1}`, []string{auth}, 400, `name must be a string, not a number`},
		{"fraction for integer", "POST", "/v1/thing/", `{"count":1.5}`, []string{auth}, 400, `count must be an integer`},
		{
			"object for array", "POST", "/v1/thing/", `{"tags":{}}`, []string{auth}, 400,
			`tags must be an array, not an object`,
		},
		{"unknown fields are ignored", "POST", "/v1/thing/", `{"name":"a","zzz":1}`, []string{auth}, 201, ``},

		{
			"not JSON by declaration", "POST", "/v1/thing/", `a=b`,
			[]string{auth, "Content-Type: application/x-www-form-urlencoded"}, 415, `application/json`,
		},
		{
			"JSON with charset", "POST", "/v1/thing/", `{}`, []string{auth, "Content-Type: application/json; charset=utf-8"},
			201, ``,
		},
		{
			"gzip", "POST", "/v1/thing/", "\x1f\x8b\x08", []string{auth, "Content-Encoding: gzip"}, 415,
			`Content-Encoding \"gzip\" is not accepted`,
		},
		{
			"gzip of a request with a key", "POST", "/v1/thing/", "\x1f\x8b\x08",
			[]string{auth, "Content-Encoding: gzip", "Idempotency-Key: z"}, 415, `Content-Encoding`,
		},
		{"gzip among others", "POST", "/v1/thing/", `{}`, []string{auth, "Content-Encoding: identity, br"}, 415, `\"br\"`},
		{"identity", "POST", "/v1/thing/", `{"name":"a"}`, []string{auth, "Content-Encoding: Identity"}, 201, `"name":"a"`},
		{"over 5 MB", "POST", "/v1/thing/", over, []string{auth}, 413, `over 5 MB`},
		{"busy", "POST", "/v1/thing/", `{"name":"busy"}`, []string{auth}, 503, `no capacity`},
		{"panic", "GET", "/v1/broken/", ``, nil, 500, `internal error`},

		{"limit not a number", "GET", "/v1/thing/?limit=ten", ``, []string{auth}, 400, `limit must be an integer`},
		{"limit 0", "GET", "/v1/thing/?limit=0", ``, []string{auth}, 400, `limit`},
		{"limit 1001", "GET", "/v1/thing/?limit=1001", ``, []string{auth}, 400, `limit`},
		{"negative offset", "GET", "/v1/thing/?offset=-1", ``, []string{auth}, 400, `offset`},
		{"malformed cursor", "GET", "/v1/thing/?cursor=%25", ``, []string{auth}, 400, `cursor`},
		{
			"bad escape in a value", "GET", "/v1/thing/?where={%22a%22:%22100%%22}", ``, []string{auth}, 400,
			`"where\" is not well-formed`,
		},
		{"bad escape on a write", "POST", "/v1/thing/?where=%zz", `{"name":"a"}`, []string{auth}, 400, `where`},
		{"no token comes before a bad query", "GET", "/v1/thing/?limit=%zz", ``, nil, 401, `Authorization`},
		{
			"a semicolon is part of the value", "GET", "/v1/thing/?limit=1;offset=2", ``, []string{auth}, 400,
			`limit must be an integer`,
		},
		{"limit twice", "GET", "/v1/thing/?limit=1&limit=1", ``, []string{auth}, 400, `limit is given twice`},
		{"a filter twice", "GET", "/v1/thing/?status=a&status=b", ``, []string{auth}, 400, `status is given twice`},
		{"twice, once empty", "GET", "/v1/thing/?limit=&limit=5", ``, []string{auth}, 400, `limit is given twice`},
		{"twice, spelled otherwise", "GET", "/v1/thing/?limit=1&li%6dit=2", ``, []string{auth}, 400, `limit is given twice`},
		{"a list of values is one value", "GET", "/v1/thing/?a__in=1,2&b__in=1,2", ``, []string{auth}, 200, ``},
		{
			"twice on a write", "POST", "/v1/thing/?enable_trigger=0&enable_trigger=1", `{}`, []string{auth}, 400,
			`enable_trigger is given twice`,
		},

		{"expand", "GET", "/v1/thing/?expand=author", ``, []string{auth}, 400, `expand=author cannot be served`},
		{
			"keys where all fields are shown", "GET", "/v1/thing/?keys=name", ``, []string{auth}, 400,
			`keys=name cannot be served`,
		},
		{
			"keys where they are served", "GET", "/v1/thing/x/?keys=name&expand=", ``,
			[]string{"Authorization: Service-r1 good", "X-Service-Client-ID: " + clientID}, 200, `"x"`,
		},

		{
			"cursor with its offset", "GET", "/v1/thing/?cursor=NTprAGV5&offset=5&limit=5", ``, []string{auth}, 200,
			`"offset":5`,
		},
		{"cursor without offset", "GET", "/v1/thing/?cursor=NTprAGV5&offset=", ``, []string{auth}, 200, `"offset":5`},
		{
			"cursor with another offset", "GET", "/v1/thing/?cursor=NTprAGV5&offset=4", ``, []string{auth}, 400,
			`offset 4 is not that of the cursor, which is 5`,
		},
		{"cursor with offset 0", "GET", "/v1/thing/?cursor=NTprAGV5&offset=0", ``, []string{auth}, 400, `offset 0`},
		{
			"cursor without its offset", "GET", "/v1/thing/?cursor=awBleQ", ``, []string{auth}, 400,
			`cursor is not one this list gave`,
		},
		{
			"cursor with a negative offset", "GET", "/v1/thing/?cursor=LTU6aw", ``, []string{auth}, 400,
			`cursor is not one this list gave`,
		},
		{"empty values are not given", "GET", "/v1/thing/?&limit=&offset=&where={}", ``, []string{auth}, 200, `"limit":20`},
		{
			"a page that ended early says how long it is", "GET", "/v1/thing/?limit=5&offset=3", ``, []string{auth}, 200,
			`{"limit":2,"offset":3,"next":"/v1/thing/?cursor=NTprAGV5&limit=5&offset=5","previous":"/v1/thing/?limit=5&offset=0"`,
		},
	} {
		t.Run(c.name, func(t *testing.T) {
			w := ask(h, c.method, c.target, c.body, c.header...)
			if w.Code != c.status || !strings.Contains(w.Body.String(), c.want) {
				t.Errorf("%d %s, want %d with %q", w.Code, w.Body, c.status, c.want)
			}

			if w.Code >= 400 {
				var body map[string]string
				if err := json.Unmarshal(w.Body.Bytes(), &body); err != nil || body["status"] != "error" ||
					body["error_msg"] == "" || len(body) != 2 {
					t.Errorf("not an error body (D1): %s", w.Body)
				}
			}
			if strings.Contains(w.Body.String(), "secret cause") {
				t.Error("the cause leaks")
			}
		})
	}
}

func TestHeadersOfErrors(t *testing.T) {
	h, _ := face(t)
	if got := ask(h, "PUT", "/v1/thing/", "{}", auth).Header().Get("Allow"); got != "GET, HEAD, OPTIONS, POST" {
		t.Errorf("Allow = %q", got)
	}
	if got := ask(h, "POST", "/v1/thing/", `{"name":"busy"}`, auth).Header().Get("Retry-After"); got != "2" {
		t.Errorf("Retry-After = %q", got)
	}
}

func TestListLinks(t *testing.T) {
	h, _ := face(t)
	var first, second struct {
		Meta    map[string]any
		Objects []int
	}
	w := ask(h, "GET", "/v1/thing/?status=a%20b&limit=2&offset=3", "", auth)
	if err := json.Unmarshal(w.Body.Bytes(), &first); err != nil {
		t.Fatal(err)
	}
	next, _ := first.Meta["next"].(string)
	if !strings.HasPrefix(next, "/v1/thing/?") || !strings.Contains(next, "status=a+b") ||
		!strings.Contains(next, "offset=5") || !strings.Contains(next, "cursor=") {
		t.Errorf("next = %q", next)
	}
	if got := first.Meta["previous"]; got != "/v1/thing/?limit=2&offset=1&status=a+b" {
		t.Errorf("previous = %q", got)
	}
	if first.Meta["total_count"] != 9.0 || first.Objects[1] != 20 {
		t.Errorf("envelope %s", w.Body)
	}
	w = ask(h, "GET", next, "", auth)
	if err := json.Unmarshal(w.Body.Bytes(), &second); err != nil {
		t.Fatal(err)
	}
	if _, counted := second.Meta["total_count"]; counted || second.Meta["next"] != nil || second.Objects[0] != 30 {
		t.Errorf("following next: %s", w.Body)
	}
}

func TestIdempotencyKey(t *testing.T) {
	h, calls := face(t)
	post := func(key, body string, header ...string) *httptest.ResponseRecorder {
		return ask(h, "POST", "/v1/thing/", body, append(header, auth, "Idempotency-Key: "+key)...)
	}
	first := post("k1", `{"name":"a"}`)
	again := post("k1", `{"name":"a"}`)
	if again.Code != 201 || again.Body.String() != first.Body.String() ||
		again.Header().Get("Idempotency-Replayed") != "true" || *calls != 1 {
		t.Errorf("repeated: %d %s after %d calls", again.Code, again.Body, *calls)
	}
	if w := post("k1", `{"name":"b"}`); w.Code != 422 {
		t.Errorf("another body: %d", w.Code)
	}
	if w := post("k1", `{"name":"a"}`, "X-Service-Env-ID: "+testEnv); w.Code != 201 || *calls != 2 {
		t.Errorf("the same key in another environment: %d after %d calls", w.Code, *calls)
	}
	if w := post(strings.Repeat("k", 256), `{}`); w.Code != 400 {
		t.Errorf("a key of 256: %d", w.Code)
	}
	post("k2", `{"name":1}`)
	if w := post("k2", `{"name":1}`); w.Code != 400 || w.Header().Get("Idempotency-Replayed") != "true" {
		t.Errorf("a refusal is an answer too: %d", w.Code)
	}
	before := *calls
	post("k3", `{"name":"busy"}`)
	if w := post("k3", `{"name":"busy"}`); w.Code != 503 || *calls != before+2 {
		t.Errorf("\"not now\" was remembered: %d after %d more calls", w.Code, *calls-before)
	}
}

// TestKeepsAnswersOfSlowHandlers: a run may take more than 5 s; its response is stored even so.
func TestKeepsAnswersOfSlowHandlers(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		store := &keys{answers: map[string]idempotency.Answer{}}
		h := (&httpapi.API{Authenticator: tokens{}, Replay: &idempotency.Service{Store: store}, Routes: []httpapi.Route{
			{Method: "POST", Path: "/v1/slow", Access: httpapi.Bearer, Handle: func(w http.ResponseWriter, r *http.Request) error {
				time.Sleep(20 * time.Second)
				if r.Header.Get("Fail") != "" {
					return errs.Unavailable(1, "no capacity")
				}
				httpapi.Write(w, http.StatusOK, "done")
				return nil
			}},
		}}).Handler()
		ask(h, "POST", "/v1/slow/", "{}", auth, "Idempotency-Key: a")
		if len(store.answers) != 1 {
			t.Error("the answer of a slow handler is not kept")
		}
		ask(h, "POST", "/v1/slow/", "{}", auth, "Idempotency-Key: b", "Fail: yes")
		if len(store.answers) != 1 {
			t.Error("the answer of a handler that failed is kept")
		}
		store.busy = 2
		if w := ask(h, "POST", "/v1/slow/", "{}", auth, "Idempotency-Key: c"); w.Code != http.StatusOK ||
			len(store.answers) != 2 {
			t.Errorf("%d, and an answer is not kept by a store that is busy: %d", w.Code, len(store.answers))
		}
		store.busy = 3
		if w := ask(h, "POST", "/v1/slow/", "{}", auth, "Idempotency-Key: d"); w.Code != http.StatusServiceUnavailable {
			t.Errorf("%d with an answer that a repetition may not get", w.Code)
		}
	})
}

// TestSlowStoreLeavesTimeToAnswer: after the deadline of the request, storing the key must not use up the program's
// remaining time.
func TestSlowStoreLeavesTimeToAnswer(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		const limit = 28 * time.Second
		store := &keys{answers: map[string]idempotency.Answer{}, takes: time.Minute}
		for _, took := range []time.Duration{0, limit - time.Millisecond, limit + time.Minute} {
			h := (&httpapi.API{Authenticator: tokens{}, Replay: &idempotency.Service{Store: store}, Routes: []httpapi.Route{
				{Method: "POST", Path: "/v1/slow", Access: httpapi.Bearer, Handle: func(w http.ResponseWriter, r *http.Request) error {
					select {
					case <-time.After(took):
						httpapi.Write(w, http.StatusOK, "done")
						return nil
					case <-r.Context().Done():
						return errs.Timeout("the request did not end in time")
					}
				}},
			}}).Handler()
			begun := time.Now()
			ctx, cancel := context.WithTimeout(t.Context(), limit)
			r := httptest.NewRequestWithContext(ctx, "POST", "/v1/slow/", strings.NewReader("{}"))
			r.Header.Set("Authorization", strings.TrimPrefix(auth, "Authorization: "))
			r.Header.Set("Idempotency-Key", "a")
			w := httptest.NewRecorder()
			h.ServeHTTP(w, r)
			cancel()
			if spent := time.Since(begun); w.Code != http.StatusGatewayTimeout || spent >= limit+httpapi.Margin {
				t.Errorf("a handler of %v: %d after %v", took, w.Code, spent)
			}
		}
	})
}

// keys is an idempotency.Store whose writes fail once their context has ended.
type keys struct {
	answers map[string]idempotency.Answer
	busy    int           // number of responses to refuse
	takes   time.Duration // duration of every write, unless its context ends first
}

func (k *keys) wait(ctx context.Context) {
	select {
	case <-time.After(k.takes):
	case <-ctx.Done():
	}
}

func (*keys) Claim(context.Context, idempotency.Claim, time.Time) (*idempotency.Held, error) {
	return nil, nil
}

func (k *keys) Answer(ctx context.Context, c idempotency.Claim, a idempotency.Answer) (*idempotency.Answer, error) {
	if k.busy > 0 {
		k.busy--
		return nil, errs.Unavailable(1, "busy")
	}
	if k.wait(ctx); ctx.Err() != nil {
		return nil, errs.Timeout("the request did not end in time")
	}
	k.answers[c.KeyHash] = a
	return nil, nil
}

func (*keys) Note(_ context.Context, _ idempotency.Claim, _, text string) (string, error) {
	return text, nil
}

// TestFirstAnswerWinsUnderOneClaim: all tries of a request use the seed of the first if that ended without a response,
// with a retryable error, or by a crash. Tries that end at the same time all get the first response.
func TestFirstAnswerWinsUnderOneClaim(t *testing.T) {
	store := &claimdb.Store{Client: dynamotest.Start(t, "IdempotencyTable"), Table: "IdempotencyTable"}
	var seeds, ids []string
	act := func(n int, _ http.ResponseWriter) error { return nil }
	h := (&httpapi.API{Authenticator: tokens{}, Replay: &idempotency.Service{Store: store}, Routes: []httpapi.Route{
		{Method: "POST", Path: "/v1/try", Access: httpapi.Bearer, Handle: func(w http.ResponseWriter, r *http.Request) error {
			request := writetoken.FromContext(r.Context())
			source, now := writetoken.IDs(r.Context(), nil, time.Time{})
			seeds, ids = append(seeds, request.Seed), append(ids, source.New(now).Key()+source.Hex(5))
			if err := act(len(seeds), w); err != nil {
				return err
			}
			w.Header().Set("X-Try", fmt.Sprint(len(seeds)))
			httpapi.Write(w, http.StatusCreated, len(seeds))
			return nil
		}},
	}}).Handler()

	post := func(key string) *httptest.ResponseRecorder {
		return ask(h, "POST", "/v1/try/", "{}", auth, "Idempotency-Key: "+key)
	}

	for name, tt := range map[string]struct {
		first  error
		panics bool
		status int
	}{
		"not now":          {first: errs.Unavailable(1, "busy"), status: 503},
		"in the way":       {first: errs.Conflict("try again"), status: 409},
		"too slow":         {first: errs.Timeout("too slow"), status: 504},
		"our fault":        {first: errors.New("broken"), status: 500},
		"the program died": {panics: true, status: 500},
	} {
		t.Run(name, func(t *testing.T) {
			seeds, ids = nil, nil
			act = func(n int, _ http.ResponseWriter) error {
				if n == 1 && tt.panics {
					panic("killed")
				}
				return map[bool]error{true: tt.first}[n == 1]
			}

			if w := post(name); w.Code != tt.status {
				t.Errorf("first: %d, want %d", w.Code, tt.status)
			}
			if w := post(name); w.Code != 201 || w.Header().Get("X-Try") != "2" {
				t.Errorf("repetition: %d %v", w.Code, w.Header())
			}
			if w := post(name); w.Code != 201 || w.Body.String() != "2" || w.Header().Get("Idempotency-Replayed") != "true" {
				t.Errorf("third: %d %s %v", w.Code, w.Body, w.Header())
			}
			if len(seeds) != 2 || seeds[0] != seeds[1] || ids[0] != ids[1] {
				t.Errorf("seeds %v, ids %v", seeds, ids)
			}
		})
	}

	for name, tt := range map[string]struct {
		part  error
		tries int
	}{
		"a part is not done yet": {errs.Unavailable(1, "busy"), 2},
		"a part is refused":      {errs.Invalid("no"), 1},
	} {
		t.Run(name, func(t *testing.T) {
			seeds, ids = nil, nil
			act = func(n int, w http.ResponseWriter) error {
				if n == 1 {
					httpapi.Unsettled(w, tt.part)
				}
				return nil
			}

			for range 3 {
				if w := post(name); w.Code != 201 {
					t.Errorf("answer %d", w.Code)
				}
			}
			if len(seeds) != tt.tries {
				t.Errorf("tried %d times, want %d", len(seeds), tt.tries)
			}
		})
	}

	t.Run("a faster try", func(t *testing.T) {
		seeds, ids = nil, nil
		act = func(n int, _ http.ResponseWriter) error {
			if n == 1 {
				if w := post("race"); w.Code != 201 || w.Body.String() != "2" {
					t.Errorf("the faster one: %d %s", w.Code, w.Body)
				}
			}
			return nil
		}

		if w := post("race"); w.Code != 201 || w.Body.String() != "2" {
			t.Errorf("the slower one: %d %s, want what the faster one was told", w.Code, w.Body)
		}
	})
}

func TestCORS(t *testing.T) {
	h, _ := face(t)
	w := ask(h, "OPTIONS", "/v1/thing/", "", "Origin: https://a.example", "Access-Control-Request-Method: POST",
		"Access-Control-Request-Headers: content-type, x-service-env-id, x-evil")
	if w.Code != 204 || w.Header().Get("Access-Control-Allow-Origin") != "*" ||
		w.Header().Get("Access-Control-Allow-Methods") != "GET, HEAD, OPTIONS, POST" {
		t.Errorf("preflight: %d %v", w.Code, w.Header())
	}
	if got := w.Header().Get("Access-Control-Allow-Headers"); !strings.Contains(got, "X-Service-Env-Id") ||
		strings.Contains(got, "Evil") || !strings.Contains(got, "Authorization") {
		t.Errorf("Allow-Headers = %q", got)
	}
	// The Origin header may be lost on the way.
	for _, origin := range []string{"Origin: https://a.example", "Origin: "} {
		if w := ask(h, "GET", "/v1/thing/", "", origin); w.Code != 401 || w.Header().Get("Access-Control-Allow-Origin") != "*" {
			t.Errorf("an error hides its body from the page: %d %v", w.Code, w.Header())
		}
	}
	exposed := w.Header().Get("Access-Control-Expose-Headers")
	for _, name := range []string{"Retry-After", "X-Service-Skipped-Fields", "X-Service-Multi-UUID", "X-Service-Next-Part-ID"} {
		if !slices.Contains(strings.Split(exposed, ", "), name) {
			t.Errorf("pages may read %s, not %s", exposed, name)
		}
	}
	narrow := (&httpapi.API{Origins: "https://a.example, https://b.example", Routes: []httpapi.Route{{Method: "GET", Path: "/x", Handle: func(w http.ResponseWriter, r *http.Request) error {
		httpapi.NoContent(w)
		return nil
	}}}}).Handler()
	if w := ask(
		narrow, "GET", "/x/", "", "Origin: https://b.example",
	); w.Header().Get("Access-Control-Allow-Origin") != "https://b.example" || w.Header().Get("Vary") != "Origin" {
		t.Errorf("listed origin: %v", w.Header())
	}
	if w := ask(
		narrow, "GET", "/x/", "", "Origin: https://c.example",
	); w.Header().Get("Access-Control-Allow-Origin") != "" {
		t.Errorf("unlisted origin: %v", w.Header())
	}
}
