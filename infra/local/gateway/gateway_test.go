package gateway

import (
	"context"
	"encoding/json"
	"errors"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"github.com/aws/aws-lambda-go/events"
	"github.com/google/go-cmp/cmp"

	"minicloud/infra/local/lambdahost"
	"minicloud/infra/local/server"
	"minicloud/infra/local/stats"
	"minicloud/infra/local/template"
	"minicloud/infra/local/unkind"
)

// fake is an Invoker that returns a fixed result and records its calls.
type fake struct {
	result   lambdahost.Result
	err      error
	slow     bool
	function string
	alias    string
	trace    string
	payload  []byte
	event    events.APIGatewayV2HTTPRequest
}

func (f *fake) Invoke(ctx context.Context, req lambdahost.Request) (lambdahost.Result, error) {
	if f.slow {
		<-ctx.Done()
		return lambdahost.Result{}, ctx.Err()
	}
	f.function, f.alias, f.trace, f.payload = req.Function, req.Alias, req.Trace, req.Payload
	if err := json.Unmarshal(req.Payload, &f.event); err != nil {
		return lambdahost.Result{}, err
	}
	return f.result, f.err
}

func functionsWith(routes ...string) []*template.Function {
	var out []*template.Function
	for _, key := range routes {
		r := template.Route{Path: key, Method: "ANY", Timeout: 3 * time.Minute}
		if method, path, ok := strings.Cut(key, " "); ok {
			r.Method, r.Path = method, path
		}
		out = append(out, &template.Function{Name: key, Routes: []template.Route{r}})
	}
	return out
}

func serve(t *testing.T, f *fake, routes ...string) *httptest.Server {
	t.Helper()
	functions := functionsWith(routes...)
	if f.slow {
		functions[0].Routes[0].Timeout = 50 * time.Millisecond
	}
	server := httptest.NewServer(New(functions, f, stats.New()))
	t.Cleanup(server.Close)
	return server
}

func TestMostSpecificRouteWins(t *testing.T) {
	all := targets(functionsWith(
		"$default", "ANY /a/{proxy+}", "GET /a/b", "ANY /a/b", "ANY /a/{id}", "ANY /a/{id}/c", "ANY /a/b/{proxy+}",
		"ANY /x/", "ANY /s",
	))
	tests := []struct{ method, path, want string }{
		{"GET", "/a/b", "GET /a/b"},
		{"POST", "/a/b", "ANY /a/b"},
		{"GET", "/a/z", "ANY /a/{id}"},
		{"GET", "/a/z/c", "ANY /a/{id}/c"},
		{"GET", "/a/z/", "ANY /a/{proxy+}"},
		{"GET", "/a/b/", "ANY /a/{proxy+}"}, // {proxy+} below /a/b matches no empty rest
		{"GET", "/a/b/c/", "ANY /a/b/{proxy+}"},
		{"GET", "/a/", "$default"},
		{"GET", "/a", "$default"},
		{"GET", "/x/", "ANY /x/"},
		{"GET", "/s", "ANY /s"},
		{"GET", "/x", "$default"},
		{"GET", "/", "$default"},
	}
	for _, tt := range tests {
		got, _ := find(all, tt.method, tt.path)
		if got.Key() != tt.want {
			t.Errorf("%s %s → %s, want %s", tt.method, tt.path, got.Key(), tt.want)
		}
	}
	if got, _ := find(targets(functionsWith("GET /a")), "POST", "/a"); got != nil {
		t.Errorf("POST on a GET route → %s", got.Key())
	}
}

// TestSlashBelowBothRoutes: a function with both routes of a path serves the path with a slash, whichever route the
// gateway matches.
// TestInvokesByAlias: the API calls the version that the alias of its function names.
func TestInvokesByAlias(t *testing.T) {
	functions := functionsWith("GET /a")
	functions[0].Alias = "live"
	f := &fake{result: lambdahost.Result{Payload: []byte(`{"statusCode":200}`)}}
	New(functions, f, stats.New()).ServeHTTP(httptest.NewRecorder(), httptest.NewRequest("GET", "/a", nil))
	if f.function != "GET /a" || f.alias != "live" {
		t.Errorf("invoked %q by %q", f.function, f.alias)
	}
}

func TestSlashBelowBothRoutes(t *testing.T) {
	functions := append(functionsWith("ANY /a/{proxy+}"), &template.Function{Name: "both", Routes: []template.Route{
		{Method: "ANY", Path: "/a/b"}, {Method: "ANY", Path: "/a/b/{proxy+}"},
	}})
	for path, want := range map[string]string{
		"/a/b": "ANY /a/b", "/a/b/": "ANY /a/b/{proxy+}", "/a/b/c": "ANY /a/b/{proxy+}", "/a/c/": "ANY /a/{proxy+}",
	} {
		if got, params := find(targets(functions), "PUT", path); got.Key() != want || "/a/b/"+params["proxy"] != path &&
			got.Key() == "ANY /a/b/{proxy+}" {
			t.Errorf("%s → %s with %v, want %s", path, got.Key(), params, want)
		}
	}
}

func TestEvent(t *testing.T) {
	f := &fake{result: lambdahost.Result{Payload: []byte(`{"statusCode":200}`)}}
	server := serve(t, f, "ANY /v1/{proxy+}")
	req, err := http.NewRequest(
		"POST", server.URL+"/v1/f%C3%BCr%20alle/?a=1&b=x%20y&a=2&empty=&=z", strings.NewReader(`{"n":1}`),
	)
	if err != nil {
		t.Fatal(err)
	}
	req.Header.Set("Content-Type", "application/json; charset=utf-8")
	req.Header["X-Thing"] = []string{"one", "two"}
	req.Header.Add("Cookie", "a=1; b=2")
	req.Header.Set("User-Agent", "tester")
	req.Header.Set("X-Forwarded-For", "10.1.1.1")
	const root = "1-67891233-abcdef012345678912345678"
	req.Header.Set("X-Amzn-Trace-Id", "Self=1-1;Root="+root+";Sampled=1")
	resp, err := http.DefaultClient.Do(req)
	if err != nil {
		t.Fatal(err)
	}
	resp.Body.Close()
	got := f.event
	host := strings.TrimPrefix(server.URL, "http://")
	_, port, _ := strings.Cut(host, ":")
	if since := time.Since(time.UnixMilli(got.RequestContext.TimeEpoch)); since < 0 || since > time.Minute {
		t.Errorf("timeEpoch is %v ago", since)
	}
	if _, err := time.Parse("02/Jan/2006:15:04:05 -0700", got.RequestContext.Time); err != nil {
		t.Error(err)
	}
	if got.RequestContext.RequestID == "" || got.RequestContext.RequestID != resp.Header.Get("Apigw-Requestid") {
		t.Errorf("request id %q, header %q", got.RequestContext.RequestID, resp.Header.Get("Apigw-Requestid"))
	}
	got.RequestContext.TimeEpoch, got.RequestContext.Time, got.RequestContext.RequestID = 0, "", ""
	want := events.APIGatewayV2HTTPRequest{
		Version: "2.0", RouteKey: "ANY /v1/{proxy+}", RawPath: "/v1/für alle/", RawQueryString: "a=1&b=x%20y&a=2&empty=&=z",
		Cookies: []string{"a=1", "b=2"},
		Headers: map[string]string{
			"accept-encoding": "gzip", "content-length": "7", "content-type": "application/json; charset=utf-8", "host": host,
			"user-agent": "tester",
			"x-thing":    "one,two", "x-forwarded-for": "10.1.1.1, 127.0.0.1", "x-forwarded-port": port,
			"x-forwarded-proto": "http", "x-amzn-trace-id": "Root=" + root,
		},
		QueryStringParameters: map[string]string{"a": "1,2", "b": "x y", "empty": ""},
		PathParameters:        map[string]string{"proxy": "für alle/"},
		Body:                  `{"n":1}`,
		RequestContext: events.APIGatewayV2HTTPRequestContext{
			RouteKey: "ANY /v1/{proxy+}", AccountID: "000000000000", Stage: "$default", APIID: "local", DomainName: host,
			DomainPrefix: "local",
			HTTP: events.APIGatewayV2HTTPRequestContextHTTPDescription{
				Method: "POST", Path: "/v1/für alle/", Protocol: "HTTP/1.1", SourceIP: "127.0.0.1", UserAgent: "tester",
			},
		},
	}
	if f.trace != "Root="+root {
		t.Errorf("Lambda got the trace %s, want %s", f.trace, root)
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("event (-want +got):\n%s", diff)
	}
}

// TestEventsKeepHTMLCharacters: an escaped character takes six bytes, and events count against Lambda's 6 MB.
func TestEventsKeepHTMLCharacters(t *testing.T) {
	f := answering(`{"statusCode":200}`)
	server := serve(t, &f, "$default")
	resp, err := http.Post(server.URL+"/", "application/json", strings.NewReader(`"<p>&</p>"`))
	if err != nil {
		t.Fatal(err)
	}
	resp.Body.Close()
	if want := `"body":"\"<p>&</p>\""`; !strings.Contains(string(f.payload), want) {
		t.Errorf("no %s in %s", want, f.payload)
	}
}

func TestEncodesBinaryBodies(t *testing.T) {
	f := &fake{result: lambdahost.Result{Payload: []byte(`{"statusCode":200}`)}}
	server := serve(t, f, "$default")
	tests := []struct {
		contentType, body string
		base64            bool
	}{
		{"text/plain", "hello", false},
		{"application/json", `{}`, false},
		{"", "", false},
		{"application/x-www-form-urlencoded", "a=1", true},
		{"multipart/form-data; boundary=x", "--x--", true},
		{"application/octet-stream", "abc", true},
		{"text/plain", "\xff\xfe", true},
		{"image/png;;;", "abc", true},
	}
	for _, tt := range tests {
		req, _ := http.NewRequest("POST", server.URL+"/", strings.NewReader(tt.body))
		req.Header.Set("Content-Type", tt.contentType)
		resp, err := http.DefaultClient.Do(req)
		if err != nil {
			t.Fatal(err)
		}
		resp.Body.Close()
		if f.event.IsBase64Encoded != tt.base64 {
			t.Errorf("%q: base64 %v", tt.contentType, f.event.IsBase64Encoded)
		}
	}
}

func TestResponses(t *testing.T) {
	tests := []struct {
		name    string
		fake    fake
		path    string
		body    int // bytes of the request body
		status  int
		want    string
		headers map[string]string
	}{
		{name: "whole", fake: answering(
			`{"statusCode":201,"headers":{"x-a":"b","Content-Type":"application/json"},"body":"{}","cookies":["a=1; Path=/","b=2"]}`,
		),
			status: 201, want: "{}", headers: map[string]string{
				"X-A": "b", "Content-Type": "application/json", "Set-Cookie": "a=1; Path=/|b=2",
			}},
		{
			name: "no content type", fake: answering(`{"statusCode":200,"body":"x"}`), status: 200, want: "x",
			headers: map[string]string{"Content-Type": "text/plain;charset=UTF-8"},
		},
		{
			name: "base64", fake: answering(`{"statusCode":200,"body":"aGk=","isBase64Encoded":true}`), status: 200, want: "hi",
		},
		{name: "no body", fake: answering(`{"statusCode":204}`), status: 204},
		{
			name: "bare object", fake: answering(`{"a":1}`), status: 200, want: `{"a":1}`,
			headers: map[string]string{"Content-Type": "application/json"},
		},
		{name: "bare text", fake: answering(`"hello"`), status: 200, want: "hello"},
		{name: "bare object with a body of another kind", fake: answering(`{"body":1}`), status: 200, want: `{"body":1}`},
		{
			name: "malformed status", fake: answering(`{"statusCode":"ok"}`), status: 500,
			want: `{"message":"Internal Server Error","status":"error","error_msg":"internal server error"}`,
		},
		{
			name: "impossible status", fake: answering(`{"statusCode":99}`), status: 500,
			want: `{"message":"Internal Server Error","status":"error","error_msg":"internal server error"}`,
		},
		{
			name: "malformed base64", fake: answering(`{"statusCode":200,"body":"?","isBase64Encoded":true}`), status: 500,
			want: `{"message":"Internal Server Error","status":"error","error_msg":"internal server error"}`,
		},
		{
			name:   "function error",
			fake:   fake{result: lambdahost.Result{FunctionError: "Unhandled", Payload: []byte(`{"errorMessage":"secret"}`)}},
			status: 500, want: `{"message":"Internal Server Error","status":"error","error_msg":"internal server error"}`,
		},
		{
			name: "throttled", fake: fake{err: &lambdahost.Error{Status: 429, Type: "TooManyRequestsException"}}, status: 503,
			want:    `{"message":"Service Unavailable","status":"error","error_msg":"service unavailable"}`,
			headers: map[string]string{"Retry-After": "1"},
		},
		{
			name: "too slow", fake: fake{slow: true}, status: 504,
			want: `{"message":"Gateway Timeout","status":"error","error_msg":"the answer took too long, the request may ` +
				`have taken effect: look before you repeat a write that has no Idempotency-Key"}`,
			headers: map[string]string{"Retry-After": ""},
		},
		{
			name: "the host is closing", fake: fake{err: errors.New("closing")}, status: 503,
			want:    `{"message":"Service Unavailable","status":"error","error_msg":"service unavailable"}`,
			headers: map[string]string{"Retry-After": ""},
		},
		{
			name: "no route", fake: answering(`{}`), path: "/other", status: 404,
			want: `{"message":"Not Found","status":"error","error_msg":"not found"}`,
		},
		{
			name: "over 10 MB", fake: answering(`{}`), body: maxBody + 1, status: 413,
			want: `{"message":"Request Entity Too Large","status":"error","error_msg":"the request body is over 10 MB"}`,
		},
		{
			name: "over Lambda's limit", fake: fake{err: &lambdahost.Error{Status: 413, Type: "RequestTooLargeException"}},
			status: 413, want: `{"message":"Request Entity Too Large","status":"error","error_msg":"the request is over 6 MB"}`,
		},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			server := serve(t, &tt.fake, "ANY /a")
			if tt.path == "" {
				tt.path = "/a"
			}
			resp, err := http.Post(server.URL+tt.path, "text/plain", strings.NewReader(strings.Repeat("x", tt.body)))
			if err != nil {
				t.Fatal(err)
			}
			defer resp.Body.Close()
			body, err := io.ReadAll(resp.Body)
			if err != nil {
				t.Fatal(err)
			}
			if resp.StatusCode != tt.status || string(body) != tt.want {
				t.Errorf("%d %s, want %d %s", resp.StatusCode, body, tt.status, tt.want)
			}
			for name, want := range tt.headers {
				if got := strings.Join(resp.Header[name], "|"); got != want {
					t.Errorf("%s: %q, want %q", name, got, want)
				}
			}
			// Pages may read the gateway's own errors; responses of functions have the headers of the function only.
			own := strings.Contains(tt.want, `"message"`)
			if got := resp.Header.Get("Access-Control-Allow-Origin"); (got == "*") != own {
				t.Errorf("readable by pages of the origins %q, an error of the gateway: %v", got, own)
			}
		})
	}
}

// TestBareErrors: with unkind.GatewayErrors, errors are those of API Gateway. Answers of functions stay.
func TestBareErrors(t *testing.T) {
	for _, tt := range []struct {
		name   string
		fake   fake
		path   string
		status int
		want   string
	}{
		{"no route", answering(`{}`), "/other", 404, `{"message":"Not Found"}`},
		{"throttled", fake{err: &lambdahost.Error{Status: 429}}, "/a", 503, `{"message":"Service Unavailable"}`},
		{"too large", fake{err: &lambdahost.Error{Status: 413}}, "/a", 413, `{"message":"Request Entity Too Large"}`},
		{"too slow", fake{slow: true}, "/a", 503, `{"message":"Service Unavailable"}`},
		{"failed", fake{result: lambdahost.Result{FunctionError: "Unhandled"}}, "/a", 500, `{"message":"Internal Server Error"}`},
		{"served", answering(`{"statusCode":404,"headers":{"Access-Control-Allow-Origin":"*"},"body":"{}"}`), "/a", 404, `{}`},
	} {
		t.Run(tt.name, func(t *testing.T) {
			functions := functionsWith("ANY /a")
			functions[0].Routes[0].Timeout = 50 * time.Millisecond
			g := New(functions, &tt.fake, stats.New())
			g.Unkind = unkind.New(unkind.Numbers{unkind.GatewayErrors: 1}, nil, nil)
			w := httptest.NewRecorder()
			g.ServeHTTP(w, httptest.NewRequest("GET", tt.path, nil))

			own := tt.name != "served"
			if w.Code != tt.status || w.Body.String() != tt.want || w.Header().Get("Retry-After") != "" ||
				(w.Header().Get("Access-Control-Allow-Origin") == "") != own {
				t.Errorf("%d %s %v", w.Code, w.Body, w.Header())
			}
			if hits := g.Unkind.Hits()[unkind.GatewayErrors]; (hits == 1) != own {
				t.Errorf("struck %d times", hits)
			}
		})
	}
}

func answering(payload string) fake {
	return fake{result: lambdahost.Result{Payload: []byte(payload)}}
}

func TestLimitsHeaders(t *testing.T) {
	f := answering(`{}`)
	server := serve(t, &f, "$default")
	req, _ := http.NewRequest("GET", server.URL+"/", nil)
	req.Header.Set("X-Large", strings.Repeat("x", maxHeader))
	resp, err := http.DefaultClient.Do(req)
	if err != nil {
		t.Fatal(err)
	}
	resp.Body.Close()
	if resp.StatusCode != 431 {
		t.Errorf("status %d", resp.StatusCode)
	}
}

// TestRefusesLongQueryString: the error suggests POST. API Gateway counts the request line and the header values.
func TestRefusesLongQueryString(t *testing.T) {
	f := answering(`{"statusCode":200}`)
	server := serve(t, &f, "$default")
	get := func(length int) (int, string) {
		resp, err := http.Get(server.URL + "/list/?where=" + strings.Repeat("x", length))
		if err != nil {
			t.Fatal(err)
		}
		defer resp.Body.Close()
		body, _ := io.ReadAll(resp.Body)
		return resp.StatusCode, string(body)
	}
	if status, body := get(10_000); status != 200 {
		t.Errorf("10,000 bytes: %d %s", status, body)
	}
	status, body := get(maxHeader)
	if status != 431 || !strings.Contains(body, "the query string alone has 10246") ||
		!strings.Contains(body, "POST …/query/") {
		t.Errorf("%d %s", status, body)
	}
}

func TestEscapedQuestionMarkEndsPath(t *testing.T) {
	f := answering(`{"statusCode":200}`)
	server := serve(t, &f, "$default")
	resp, err := http.Get(server.URL + "/a%3Fb/c")
	if err != nil {
		t.Fatal(err)
	}
	resp.Body.Close()
	if f.event.RawPath != "/a" {
		t.Errorf("rawPath %q", f.event.RawPath)
	}
}

// TestRefusesIncompleteBodies: an incomplete body invokes no function.
func TestRefusesIncompleteBodies(t *testing.T) {
	tests := []struct{ name, sent, status, sentence string }{
		{"short", "Content-Length: 9\r\n\r\n{}", "400", "the body ends before its Content-Length or its last chunk"},
		{
			"no size of a chunk", "Transfer-Encoding: chunked\r\n\r\n2\r\n{}\r\nxyz\r\n", "400",
			"the body cannot be read: invalid byte in chunk length",
		},
		{
			"half a chunk", "Transfer-Encoding: chunked\r\n\r\n9\r\n{}", "400",
			"the body ends before its Content-Length or its last chunk",
		},
		{
			"no last chunk", "Transfer-Encoding: chunked\r\n\r\n2\r\n{}\r\n", "400",
			"the body ends before its Content-Length or its last chunk",
		},
		{"slow", "Content-Length: 9\r\n\r\n{}", "408", "the body arrives too slowly"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			f := &fake{result: lambdahost.Result{Payload: []byte(`{"statusCode":200}`)}}
			s := httptest.NewUnstartedServer(nil)
			limits := server.Limits{Body: 3 * time.Minute}
			if tt.status == "408" {
				limits.Body = 200 * time.Millisecond
			}
			s.Config = server.New(New(functionsWith("ANY /a"), f, stats.New()), limits)
			s.Start()
			defer s.Close()
			c, err := net.Dial("tcp", s.Listener.Addr().String())
			if err != nil {
				t.Fatal(err)
			}
			defer c.Close()
			if _, err := io.WriteString(c, "POST /a HTTP/1.1\r\nHost: x\r\n"+tt.sent); err != nil {
				t.Fatal(err)
			}
			if tt.status == "400" {
				_ = c.(*net.TCPConn).CloseWrite() // no more data follows
			}
			answer, err := io.ReadAll(c)
			want := `"status":"error","error_msg":"` + tt.sentence + `"`
			if err != nil || !strings.HasPrefix(string(answer), "HTTP/1.1 "+tt.status) ||
				!strings.Contains(string(answer), want) {
				t.Errorf("%s, %v; want %s with %s", answer, err, tt.status, want)
			}
			if f.function != "" {
				t.Errorf("%s was invoked", f.function)
			}
		})
	}
}
