// Package host executes the calls that user code makes with BaaS (D24). It runs in the supervisor, so user code
// sees neither the run token nor an address of the platform.
//
//	invoke   {name, data, sync}                   POST …/cloud-function/:name/job/
//	api      {method, path, query, body | form}   any path of the platform; form {type, base64} has files
//	request  {url, method, headers, body, base64} the internet, through safehttp
//
// User code catches the text of an error: JSON {"message","status","code"} if the error has a status or a code,
// plain text otherwise.
package host

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	paths "path"
	"strings"
	"time"

	"minicloud/shared/delivery/safehttp"
	"minicloud/shared/id"
	"minicloud/shared/language/value"
	"minicloud/shared/sandbox"
	"minicloud/shared/trace/depth"
)

// maxAnswer is the largest response of the platform and of BaaS.request, in bytes.
const maxAnswer = 5 << 20

// requestTime is the time limit of one BaaS.request; the end of the run may end it earlier.
const requestTime = 60 * time.Second

// Caller executes host calls. It is safe for concurrent use.
type Caller struct {
	platform *http.Client
	web      *safehttp.Client
	private  bool
}

// New returns a Caller. allowPrivate lets BaaS.request reach private addresses; it is for tests on one machine
// only.
func New(allowPrivate bool) *Caller {
	return &Caller{
		platform: &http.Client{CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }},
		web:      client(maxRedirects, allowPrivate),
		private:  allowPrivate,
	}
}

// maxRedirects is the default number of redirects that a request follows.
const maxRedirects = 5

func client(redirects int, allowPrivate bool) *safehttp.Client {
	return safehttp.New(safehttp.Options{
		Timeout: requestTime, MaxResponseBytes: maxAnswer, FollowRedirects: redirects, AllowPrivate: allowPrivate,
	})
}

// Call implements process.HostCaller.
func (c *Caller) Call(
	ctx context.Context, at sandbox.Host, op string, payload json.RawMessage,
) (json.RawMessage, error) {
	switch op {
	case "invoke":
		return c.invoke(ctx, at, payload)
	case "api":
		return c.api(ctx, at, payload)
	case "request":
		return c.request(depth.NewContext(ctx, at.Depth), payload)
	}
	return nil, fmt.Errorf("BaaS has no operation %q", op)
}

func (c *Caller) invoke(ctx context.Context, at sandbox.Host, payload json.RawMessage) (json.RawMessage, error) {
	var in struct {
		Name string          `json:"name"`
		Data json.RawMessage `json:"data,omitempty"`
		Sync bool            `json:"sync"`
	}
	if err := json.Unmarshal(payload, &in); err != nil || in.Name == "" {
		return nil, errors.New("BaaS.invoke needs the name of a function")
	}

	// Decode the payload and encode it again, so that user code cannot add other members to the body.
	body, err := value.Encode(struct {
		Data json.RawMessage `json:"data,omitempty"`
		Sync bool            `json:"sync"`
	}{in.Data, in.Sync})
	if err != nil {
		return nil, errors.New("BaaS.invoke: data is not JSON")
	}

	said, err := c.send(
		ctx, at, http.MethodPost, "/oserve/v1.3/cloud-function/"+url.PathEscape(in.Name)+"/job/", nil, "application/json", body,
	)
	return said.Body, err
}

// maxQuery is the maximum length of a query string in bytes: with path and headers it stays below API Gateway's
// limit of 10,240.
const maxQuery = 8 << 10

func (c *Caller) api(ctx context.Context, at sandbox.Host, payload json.RawMessage) (json.RawMessage, error) {
	var in struct {
		Method string          `json:"method"`
		Path   string          `json:"path"`
		Query  map[string]any  `json:"query"`
		Body   json.RawMessage `json:"body"`
		Form   *form           `json:"form"`
	}
	if err := json.Unmarshal(payload, &in); err != nil || in.Form.check() != nil {
		return nil, errors.New("the BaaS call is not complete")
	}

	query := url.Values{}
	for name, v := range in.Query {
		if v != nil {
			query.Set(name, plain(v))
		}
	}

	body := []byte(in.Body)
	if string(body) == "null" {
		body = nil
	}

	// A where condition may be longer than a URL: send a long list query as the body of a POST.
	if in.Method == http.MethodGet && in.Query["where"] != nil && len(query.Encode()) > maxQuery {
		var err error
		if body, err = json.Marshal(in.Query); err != nil {
			return nil, errors.New("the BaaS call is not JSON")
		}
		in.Method, in.Path, query = http.MethodPost, strings.TrimSuffix(in.Path, "/")+"/query/", nil
	}

	kind := "application/json"
	if in.Form != nil {
		kind, body = in.Form.Type, in.Form.Content
	}

	said, err := c.send(ctx, at, in.Method, in.Path, query, kind, body)
	if err != nil {
		return nil, err
	}

	return value.Encode(said)
}

// form is a body with files.
type form struct {
	Type    string `json:"type"` // with the boundary
	Content []byte `json:"base64"`
}

// check refuses a type that is no form, with which user code could send another body than JSON to an endpoint.
func (f *form) check() error {
	if f == nil || strings.HasPrefix(f.Type, "multipart/form-data; boundary=") {
		return nil
	}
	return errors.New("no form")
}

// said is a response of the platform in the form that user code receives (F11).
type said struct {
	Status  int               `json:"status"`
	Headers map[string]string `json:"headers"` // content-type and x-service-*, in lower case
	Body    json.RawMessage   `json:"body"`
}

// shownHeaders returns the response headers that user code may see.
func shownHeaders(header http.Header) map[string]string {
	shown := map[string]string{}
	for name, values := range header {
		name = strings.ToLower(name)
		if name == "content-type" || strings.HasPrefix(name, "x-service-") {
			shown[name] = strings.Join(values, ", ")
		}
	}
	return shown
}

// plainPath reports whether every server on the way reads the path in the same way. Names and ids in the path come
// from user code. The gateway decodes an escaped slash or question mark and splits the path there, so a request for
// one row would reach the whole table.
func plainPath(p string) bool {
	unescaped, err := url.PathUnescape(p)
	return err == nil && strings.HasPrefix(p, "/") && !strings.Contains(unescaped, "?") &&
		strings.Count(unescaped, "/") == strings.Count(p, "/") &&
		strings.TrimSuffix(paths.Clean(unescaped), "/") == strings.TrimSuffix(unescaped, "/")
}

// plain formats a query value: strings unchanged, everything else as JSON.
func plain(v any) string {
	if s, ok := v.(string); ok {
		return s
	}
	b, err := json.Marshal(v)
	if err != nil {
		return ""
	}
	return string(b)
}

// inner is the prefix of paths that only functions may call (F10).
const inner = "/dserve/"

// send makes one request to the platform with the run token.
func (c *Caller) send(
	ctx context.Context, at sandbox.Host, method, path string, query url.Values, kind string, body []byte,
) (s said, err error) {
	if !plainPath(path) {
		return s, fmt.Errorf("the BaaS path %q is not a path of the platform", path)
	}

	target := strings.TrimSuffix(at.BaseURL, "/") + path
	if len(query) > 0 {
		target += "?" + query.Encode()
	}

	limited, cancel := context.WithTimeout(ctx, platformTime)
	defer cancel()
	request, err := http.NewRequestWithContext(limited, method, target, bytes.NewReader(body))
	if err != nil {
		return s, errors.New("the BaaS call has a method or path that HTTP does not know")
	}

	request.Header.Set("Authorization", "Run "+at.Token)
	// Inner endpoints send messages or make payments. net/http repeats a request with an idempotency key if its
	// connection breaks, and the platform executes each key once (D8).
	if method == http.MethodPost && strings.HasPrefix(path, inner) {
		request.Header.Set("Idempotency-Key", id.Hex(16))
	}
	if len(body) > 0 {
		request.Header.Set("Content-Type", kind)
	}

	response, err := c.platform.Do(request)
	if err != nil {
		// The cause contains the platform's address, which user code must not see.
		return s, unreached(limited)
	}
	defer response.Body.Close()
	answer, err := io.ReadAll(io.LimitReader(response.Body, maxAnswer+1))
	switch {
	case err != nil:
		return s, unreached(limited)
	case len(answer) > maxAnswer:
		return s, fmt.Errorf("the platform's answer is over %d bytes", maxAnswer)
	case response.StatusCode >= 300:
		return s, refusal(response.StatusCode, answer)
	case len(answer) == 0:
		answer = []byte("null")
	case !json.Valid(answer):
		return s, errors.New("the platform's answer is not JSON")
	}

	return said{Status: response.StatusCode, Headers: shownHeaders(response.Header), Body: answer}, nil
}

// platformTime is the time limit of one request to the platform; the end of the run may end it earlier.
const platformTime = 60 * time.Second

// Status codes for user code if a call got no response (F20).
const (
	codeDisconnected = 600
	codeTimeout      = 601
)

// unreached returns the error for a platform that did not respond.
func unreached(limited context.Context) error {
	if errors.Is(limited.Err(), context.DeadlineExceeded) {
		return failure{Message: "request timeout", Status: codeTimeout}
	}
	return failure{Message: "network disconnected", Status: codeDisconnected}
}

// failure is an error in the form that the prelude parses.
type failure struct {
	Message string `json:"message"`
	Status  int    `json:"status,omitempty"`
	Code    string `json:"code,omitempty"` // error code of axios, for requests to the internet
}

// Error returns the failure as JSON.
func (f failure) Error() string {
	text, err := json.Marshal(f)
	if err != nil {
		return f.Message
	}
	return string(text)
}

// refusal converts the platform's error body (D1, C31) into an error for user code.
func refusal(status int, body []byte) error {
	var said struct {
		Message string `json:"error_msg"`
		Upload  string `json:"message"` // of the receiver of files
	}
	_ = json.Unmarshal(body, &said) // without JSON, the status has to do
	return failure{Message: cmp.Or(said.Message, said.Upload, http.StatusText(status)), Status: status}
}
