// Package host does what user code asks of the platform through BaaS (D24). It
// runs in the supervisor: user code sees neither the run token nor an address.
//
//	invoke   {name, data, sync}                   POST …/cloud-function/:name/job/
//	api      {method, path, query, body}          any path of the platform
//	request  {url, method, headers, body, base64} the internet, through safehttp
//
// An error's text is what user code catches: JSON {"message","status","code"}
// where it has one of these, plain text otherwise.
package host

import (
	"bytes"
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

	"minicloud/shared/id"
	"minicloud/shared/safehttp"
	"minicloud/shared/sandbox"
	"minicloud/shared/trace/depth"
)

// maxAnswer is the largest answer of the platform and of BaaS.request, bytes.
const maxAnswer = 5 << 20

// requestTime bounds one BaaS.request; the end of the run ends it earlier.
const requestTime = 60 * time.Second

// Caller answers host calls. It is safe for concurrent use.
type Caller struct {
	platform *http.Client
	web      *safehttp.Client
	private  bool
}

// New returns a caller. allowPrivate lets BaaS.request reach private addresses,
// for tests on one machine only.
func New(allowPrivate bool) *Caller {
	return &Caller{
		platform: &http.Client{CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }},
		web:      client(maxRedirects, allowPrivate),
		private:  allowPrivate,
	}
}

// maxRedirects is how many a request follows that does not say how many.
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

	// The payload is taken apart and written again: user code chooses no other member of the body.
	body, err := sandbox.Encode(struct {
		Data json.RawMessage `json:"data,omitempty"`
		Sync bool            `json:"sync"`
	}{in.Data, in.Sync})
	if err != nil {
		return nil, errors.New("BaaS.invoke: data is not JSON")
	}

	said, err := c.send(
		ctx, at, http.MethodPost, "/oserve/v1.3/cloud-function/"+url.PathEscape(in.Name)+"/job/", nil, body,
	)
	return said.Body, err
}

// maxQuery is how long a query string may be, in bytes: with the path and the
// headers it stays below the 10,240 of API Gateway.
const maxQuery = 8 << 10

func (c *Caller) api(ctx context.Context, at sandbox.Host, payload json.RawMessage) (json.RawMessage, error) {
	var in struct {
		Method string          `json:"method"`
		Path   string          `json:"path"`
		Query  map[string]any  `json:"query"`
		Body   json.RawMessage `json:"body"`
	}
	if err := json.Unmarshal(payload, &in); err != nil {
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

	// A URL holds less than a where may have: such a list is asked for by a body.
	if in.Method == http.MethodGet && in.Query["where"] != nil && len(query.Encode()) > maxQuery {
		var err error
		if body, err = json.Marshal(in.Query); err != nil {
			return nil, errors.New("the BaaS call is not JSON")
		}
		in.Method, in.Path, query = http.MethodPost, strings.TrimSuffix(in.Path, "/")+"/query/", nil
	}

	said, err := c.send(ctx, at, in.Method, in.Path, query, body)
	if err != nil {
		return nil, err
	}

	return sandbox.Encode(said)
}

// said is an answer of the platform as user code sees it (F11).
type said struct {
	Status  int               `json:"status"`
	Headers map[string]string `json:"headers"` // content-type and x-service-*, in lower case
	Body    json.RawMessage   `json:"body"`
}

// shownHeaders are the headers of an answer that user code may see.
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

// plainPath reports whether a path is the same to everyone on its way. Names
// and ids in it are the function's words: one with an escaped slash or question
// mark would be decoded by the gateway, which cuts paths there, and what should
// reach one row would reach the whole table.
func plainPath(p string) bool {
	unescaped, err := url.PathUnescape(p)
	return err == nil && strings.HasPrefix(p, "/") && !strings.Contains(unescaped, "?") &&
		strings.Count(unescaped, "/") == strings.Count(p, "/") &&
		strings.TrimSuffix(paths.Clean(unescaped), "/") == strings.TrimSuffix(unescaped, "/")
}

// plain writes a query value: texts as they are, everything else as JSON.
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

// send makes one call of the platform with the run token.
func (c *Caller) send(
	ctx context.Context, at sandbox.Host, method, path string, query url.Values, body []byte,
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
	// An inner endpoint sends something, or pays: net/http sends a request with a key again when its
	// connection breaks, and the platform knows it again (D8: a key works once).
	if method == http.MethodPost && strings.HasPrefix(path, inner) {
		request.Header.Set("Idempotency-Key", id.Hex(16))
	}
	if len(body) > 0 {
		request.Header.Set("Content-Type", "application/json")
	}

	response, err := c.platform.Do(request)
	if err != nil {
		// The cause names the platform's address, which is none of user code's business.
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

// platformTime bounds one call of the platform; the end of the run ends it earlier.
const platformTime = 60 * time.Second

// The codes that user code knows for calls that got no answer (F20).
const (
	codeDisconnected = 600
	codeTimeout      = 601
)

// unreached is the error for a platform that gave no answer.
func unreached(limited context.Context) error {
	if errors.Is(limited.Err(), context.DeadlineExceeded) {
		return failure{Message: "request timeout", Status: codeTimeout}
	}
	return failure{Message: "network disconnected", Status: codeDisconnected}
}

// failure is an error as the prelude reads it.
type failure struct {
	Message string `json:"message"`
	Status  int    `json:"status,omitempty"`
	Code    string `json:"code,omitempty"` // of a request to the internet, as axios has it
}

// Error is JSON.
func (f failure) Error() string {
	text, err := json.Marshal(f)
	if err != nil {
		return f.Message
	}
	return string(text)
}

// refusal carries the platform's error body (D1) to user code.
func refusal(status int, body []byte) error {
	var said struct {
		Message string `json:"error_msg"`
	}
	if json.Unmarshal(body, &said) != nil || said.Message == "" {
		said.Message = http.StatusText(status)
	}
	return failure{Message: said.Message, Status: status}
}
