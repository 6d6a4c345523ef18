package host

import (
	"bytes"
	"context"
	"encoding/base64"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"strings"
	"time"
	"unicode/utf8"

	"minicloud/shared/delivery/safehttp"
	"minicloud/shared/errs"
	"minicloud/shared/language/value"
)

// outgoing is a BaaS.request in the form that the prelude sends.
type outgoing struct {
	URL     string            `json:"url"`
	Method  string            `json:"method"`
	Headers map[string]values `json:"headers"`
	Body    *string           `json:"body"`
	Base64  bool              `json:"base64"` // body is base64, not text
	// Timeout is in milliseconds; 0 = requestTime. MaxRedirects nil = maxRedirects.
	Timeout      float64 `json:"timeout"`
	MaxRedirects *int    `json:"max_redirects"`
}

// values are the values of one header; in JSON a string or a list of strings.
type values []string

// UnmarshalJSON implements json.Unmarshaler.
func (v *values) UnmarshalJSON(text []byte) error {
	var one string
	if err := json.Unmarshal(text, &one); err == nil {
		*v = values{one}
		return nil
	}
	return json.Unmarshal(text, (*[]string)(v))
}

// incoming is the response to a BaaS.request.
type incoming struct {
	StatusCode int               `json:"status_code"`
	StatusText string            `json:"status_text"`
	Headers    map[string]string `json:"headers"` // names in lower case
	Cookies    []string          `json:"cookies,omitempty"`
	URL        string            `json:"url"` // the URL that answered, after redirects
	Body       string            `json:"body"`
	Base64     bool              `json:"base64"`
}

func (c *Caller) request(ctx context.Context, payload json.RawMessage) (json.RawMessage, error) {
	var out outgoing
	if err := json.Unmarshal(payload, &out); err != nil || out.URL == "" {
		return nil, errors.New("BaaS.request needs a url")
	}

	request, err := out.build(ctx)
	if err != nil {
		return nil, err
	}

	web := c.web
	// Clients are shared; only a request with another redirect limit gets its own.
	if out.MaxRedirects != nil && *out.MaxRedirects != maxRedirects {
		web = client(min(max(*out.MaxRedirects, 0), mostRedirects), c.private)
	}
	limited, cancel := ctx, context.CancelFunc(func() {})
	if out.Timeout > 0 && out.Timeout < float64(requestTime.Milliseconds()) {
		limited, cancel = context.WithTimeout(ctx, time.Duration(out.Timeout*float64(time.Millisecond)))
	}
	defer cancel()
	response, err := web.Do(limited, request)
	if err != nil {
		return nil, unanswered(limited, err)
	}
	if response.Truncated {
		return nil, fmt.Errorf("the answer of %s is over %d bytes", request.URL.Host, maxAnswer)
	}

	in := incoming{
		StatusCode: response.Status, StatusText: http.StatusText(response.Status), Headers: map[string]string{},
		Cookies: response.Header.Values("Set-Cookie"), URL: response.URL.String(),
	}
	for name, values := range response.Header {
		in.Headers[strings.ToLower(name)] = strings.Join(values, ", ")
	}

	if utf8.Valid(response.Body) {
		in.Body = string(response.Body)
	} else {
		in.Body, in.Base64 = base64.StdEncoding.EncodeToString(response.Body), true
	}

	return value.Encode(in)
}

// mostRedirects is the largest redirect limit that a request may set.
const mostRedirects = 20

// codes are axios's error codes for the reasons why a request fails.
var codes = map[safehttp.Reason]string{
	safehttp.ReasonBlocked: "ERR_BLOCKED_ADDRESS", safehttp.ReasonRedirects: "ERR_FR_TOO_MANY_REDIRECTS",
	safehttp.ReasonNotFound: "ENOTFOUND", safehttp.ReasonRefused: "ECONNREFUSED",
}

// unanswered returns the error for a request without a response.
func unanswered(limited context.Context, err error) error {
	f := failure{Message: errs.Message(err), Code: codes[safehttp.ReasonOf(err)]}
	switch {
	case f.Code != "":
	case errs.Is(err, errs.KindTimeout), errors.Is(limited.Err(), context.DeadlineExceeded):
		f.Code = "ECONNABORTED"
	case errs.Is(err, errs.KindInvalid):
		f.Code = "ERR_BAD_REQUEST"
	default:
		f.Code = "ERR_NETWORK"
	}
	// An internal error may describe the platform, which the function must not see.
	if errs.KindOf(err) == errs.KindInternal {
		f.Message = "the request failed"
	}
	return f
}

func (o outgoing) build(ctx context.Context) (*http.Request, error) {
	var body []byte
	if o.Body != nil {
		body = []byte(*o.Body)
	}

	if o.Base64 {
		decoded, err := base64.StdEncoding.DecodeString(string(body))
		if err != nil {
			return nil, errors.New("BaaS.request: the body is not base64")
		}
		body = decoded
	}

	method := strings.ToUpper(o.Method)
	if method == "" {
		method = http.MethodGet
	}

	request, err := http.NewRequestWithContext(ctx, method, o.URL, bytes.NewReader(body))
	if err != nil {
		return nil, fmt.Errorf("BaaS.request: %q with method %q is not a request", o.URL, o.Method)
	}
	if len(body) == 0 {
		request.Body, request.GetBody = http.NoBody, nil
	}

	// An empty value stops net/http from adding its own User-Agent.
	request.Header["User-Agent"] = []string{""}
	for name, list := range o.Headers {
		request.Header.Del(name)
		for _, value := range list {
			request.Header.Add(name, value)
		}
	}

	return request, nil
}
