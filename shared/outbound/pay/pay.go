// Package pay asks payment vendors over HTTP: it is the payment.Poster.
package pay

import (
	"bytes"
	"context"
	"net/http"

	"minicloud/shared/errs"
	"minicloud/shared/outbound/safehttp"
	"minicloud/shared/payment"
)

// Client posts to the addresses that applications have set.
type Client struct {
	HTTP *safehttp.Client
}

var _ payment.Poster = (*Client)(nil)

// Post implements payment.Poster.
func (c *Client) Post(ctx context.Context, q payment.Query) ([]byte, error) {
	r, err := http.NewRequestWithContext(ctx, http.MethodPost, q.URL, bytes.NewReader(q.Body))
	if err != nil {
		return nil, errs.Invalid("base_url is no address")
	}
	r.Header.Set("Content-Type", q.ContentType)
	answer, err := c.HTTP.Do(ctx, r)
	if err != nil {
		return nil, err
	}
	if answer.Status != http.StatusOK || answer.Truncated {
		return nil, errs.Unavailable(0, "the vendor answered with status %d", answer.Status)
	}
	return answer.Body, nil
}
