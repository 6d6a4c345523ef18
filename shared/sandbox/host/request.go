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
	"unicode/utf8"

	"minicloud/shared/sandbox"
)

// outgoing is a BaaS.request as the prelude sends it.
type outgoing struct {
	URL     string            `json:"url"`
	Method  string            `json:"method"`
	Headers map[string]string `json:"headers"`
	Body    *string           `json:"body"`
	Base64  bool              `json:"base64"` // body is base64, not text
}

// incoming is its answer.
type incoming struct {
	StatusCode int               `json:"status_code"`
	Headers    map[string]string `json:"headers"` // names in lower case
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

	response, err := c.web.Do(ctx, request)
	if err != nil {
		return nil, errors.New(message(err))
	}
	if response.Truncated {
		return nil, fmt.Errorf("the answer of %s is over %d bytes", request.URL.Host, maxAnswer)
	}

	in := incoming{StatusCode: response.Status, Headers: map[string]string{}}
	for name, values := range response.Header {
		in.Headers[strings.ToLower(name)] = strings.Join(values, ", ")
	}

	if utf8.Valid(response.Body) {
		in.Body = string(response.Body)
	} else {
		in.Body, in.Base64 = base64.StdEncoding.EncodeToString(response.Body), true
	}

	return sandbox.Encode(in)
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

	for name, value := range o.Headers {
		request.Header.Set(name, value)
	}

	return request, nil
}
