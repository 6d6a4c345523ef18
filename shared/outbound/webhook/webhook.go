// Package webhook sends the requests of webhooks and callbacks over HTTP.
package webhook

import (
	"context"
	"net/http"
	"strings"
	"time"

	"minicloud/shared/clock"
	"minicloud/shared/delivery"
	"minicloud/shared/delivery/safehttp"
	"minicloud/shared/errs"
	"minicloud/shared/trace/depth"
)

// Client implements delivery.Sender.
type Client struct {
	HTTP  *safehttp.Client
	Clock clock.Clock
}

// New returns a client with the rules of D37: a timeout of 5 s, no redirects, at most 64 KB of the body, and only
// public addresses unless private ones are allowed. Only the status counts: a 2xx with a broken or longer body is a
// 2xx.
func New(allowPrivate bool) *Client {
	return &Client{
		HTTP: safehttp.New(safehttp.Options{
			Timeout: 5 * time.Second, MaxResponseBytes: 64 << 10, PartialBody: true, AllowPrivate: allowPrivate,
		}),
		Clock: clock.System,
	}
}

// Send implements delivery.Sender.
func (c *Client) Send(ctx context.Context, r delivery.Request) (delivery.Answer, error) {
	request, err := http.NewRequestWithContext(ctx, http.MethodPost, r.URL, strings.NewReader(r.Body))
	if err != nil {
		return delivery.Answer{}, errs.Invalid("url is none that can be called")
	}
	for name, text := range r.Headers {
		request.Header.Set(name, text)
	}

	// The depth is passed in the context, because users must not set its header.
	answer, err := c.HTTP.Do(depth.NewContext(ctx, r.Headers[depth.Header]), request)
	if err != nil {
		return delivery.Answer{}, err
	}
	return delivery.Answer{
		Status: answer.Status, Body: string(answer.Body),
		RetryAfter: safehttp.RetryAfter(answer.Header.Get("Retry-After"), c.Clock.Now()),
	}, nil
}
