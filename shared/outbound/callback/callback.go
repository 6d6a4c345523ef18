// Package callback tells receivers over HTTP how runs have ended: it is the job.Poster.
package callback

import (
	"bytes"
	"context"
	"net/http"
	"time"

	"minicloud/shared/clock"
	"minicloud/shared/errs"
	"minicloud/shared/job"
	"minicloud/shared/safehttp"
	"minicloud/shared/trace/depth"
)

// Client calls by the rules of webhooks (D37): an answer within 5 s, no redirects, public addresses only unless private
// ones are allowed. The status counts, the body is not kept.
type Client struct {
	HTTP  *safehttp.Client
	Clock clock.Clock
}

var _ job.Poster = (*Client)(nil)

// New returns a client.
func New(allowPrivate bool) *Client {
	return &Client{
		HTTP: safehttp.New(safehttp.Options{
			Timeout: 5 * time.Second, MaxResponseBytes: 64 << 10, PartialBody: true, AllowPrivate: allowPrivate,
		}),
		Clock: clock.System,
	}
}

// Post implements job.Poster.
func (c *Client) Post(
	ctx context.Context, url string, headers map[string]string, body []byte,
) (status int, after time.Duration, err error) {
	r, err := http.NewRequestWithContext(ctx, http.MethodPost, url, bytes.NewReader(body))
	if err != nil {
		return 0, 0, errs.Invalid("callback_url is none that can be called")
	}
	for name, text := range headers {
		r.Header.Set(name, text)
	}
	answer, err := c.HTTP.Do(depth.NewContext(ctx, headers[depth.Header]), r)
	if err != nil {
		return 0, 0, err
	}
	return answer.Status, safehttp.RetryAfter(answer.Header.Get("Retry-After"), c.Clock.Now()), nil
}
