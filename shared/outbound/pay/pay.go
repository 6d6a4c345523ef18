// Package pay implements payment.Client: it sends queries to payment vendors over HTTP.
package pay

import (
	"bytes"
	"context"
	"crypto/tls"
	"maps"
	"net/http"
	"strings"

	"minicloud/shared/delivery/safehttp"
	"minicloud/shared/errs"
	"minicloud/shared/order/payment"
)

// Client sends queries to the base URLs that applications have set.
type Client struct {
	HTTP *safehttp.Client
	// Deployed is the client for the deployment's addresses, nil if the program uses none of them.
	Deployed *safehttp.Client
}

// New returns a client for the deployment's addresses and those that applications have set. Only the fake vendors of the
// local cloud have a deployment's address without TLS, which may be private. private allows private addresses in settings
// of applications too.
func New(addresses map[payment.Vendor]string, private bool) *Client {
	local := false
	for _, address := range addresses {
		local = local || strings.HasPrefix(address, "http://")
	}
	return &Client{
		HTTP:     safehttp.New(safehttp.Options{AllowPrivate: private}),
		Deployed: safehttp.New(safehttp.Options{AllowPrivate: private || local}),
	}
}

// Do implements payment.Client.
func (c *Client) Do(ctx context.Context, q payment.Query) (payment.Answer, error) {
	r, err := http.NewRequestWithContext(ctx, q.Method, q.URL, bytes.NewReader(q.Body))
	if err != nil {
		return payment.Answer{}, errs.Invalid("base_url is no address")
	}
	for name, text := range map[string]string{"Content-Type": q.ContentType, "Authorization": q.Authorization} {
		if text != "" {
			r.Header.Set(name, text)
		}
	}
	r.Header.Set("Accept", "*/*")

	client := c.HTTP
	if q.Deployed && c.Deployed != nil {
		client = c.Deployed
	}
	if q.Certificate != "" {
		pair, err := tls.X509KeyPair([]byte(q.Certificate), []byte(q.Key))
		if err != nil {
			return payment.Answer{}, errs.Invalid("merchant_certificate and private_key do not belong together")
		}
		client = client.WithCertificate(pair)
	}
	answer, err := client.Do(ctx, r)
	if err != nil {
		return payment.Answer{}, err
	}
	// A 4xx response has the vendor's reason in its body, which the caller reads.
	refused := answer.Status >= 400 && answer.Status < 500 && answer.Status != http.StatusTooManyRequests
	if answer.Status != http.StatusOK && !refused || answer.Truncated {
		return payment.Answer{}, errs.Unavailable(0, "the vendor answered with status %d", answer.Status)
	}
	signature := payment.SignatureOf(maps.Keys(answer.Header), answer.Header.Get)
	return payment.Answer{Status: answer.Status, Body: answer.Body, Signature: signature}, nil
}
