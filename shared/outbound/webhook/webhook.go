// Package webhook sends the requests of webhooks and callbacks over HTTP.
package webhook

import (
	"context"
	"net/http"
	"strings"
	"time"

	"minicloud/shared/clock"
	"minicloud/shared/delivery"
	"minicloud/shared/errs"
	"minicloud/shared/safehttp"
	"minicloud/shared/trace/depth"
)

// Client is the delivery.Sender.
type Client struct {
	HTTP  *safehttp.Client
	Clock clock.Clock
}

var _ delivery.Sender = (*Client)(nil)

// New returns a client by the rules of D37: an answer within 5 s, no redirects, read to 64 KB, public addresses only
// unless private ones are allowed. The status counts: a 2xx whose body breaks off, or goes on for longer, is a 2xx.
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

	// The depth goes by the context, since users may not set its header themselves.
	answer, err := c.HTTP.Do(depth.NewContext(ctx, r.Headers[depth.Header]), request)
	if err != nil {
		return delivery.Answer{}, err
	}
	return delivery.Answer{
		Status: answer.Status, Body: string(answer.Body),
		RetryAfter: safehttp.RetryAfter(answer.Header.Get("Retry-After"), c.Clock.Now()),
	}, nil
}
