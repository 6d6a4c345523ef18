// Package safehttp is the only way out for HTTP requests whose target a user
// chose: webhooks (D37) and BaaS.request (D24).
//
// A request passes four gates, each on its own sufficient against one family
// of tricks:
//
//	URL      http or https, an allowed port, no user information, no zone (request.go)
//	headers  legal, and none that steers the connection (request.go)
//	host     a plain address or a name; numbers in disguise are refused (dial.go)
//	socket   the address that is really dialled is public (address.go)
//
// The last one runs when the socket connects, on the resolved address, so a
// name that changes its mind between look-up and connect gains nothing. Every
// redirect hop passes all four again. Nothing is read from the environment:
// no proxy, no switch.
package safehttp

import (
	"context"
	"crypto/tls"
	"io"
	"net"
	"net/http"
	"net/netip"
	"net/url"
	"slices"
	"time"

	"minicloud/shared/errs"
	"minicloud/shared/trace/depth"
)

// Resolver looks up the addresses of a name; *net.Resolver is one.
type Resolver interface {
	LookupNetIP(ctx context.Context, network, host string) ([]netip.Addr, error)
}

// Options shape a Client. The zero value is the strictest useful one: 5 s,
// 64 KB, no redirects, public addresses, ports 80, 443, 8080 and 8443.
type Options struct {
	Timeout          time.Duration // of the whole exchange: look-up, redirects and body; 0 = 5 s
	MaxResponseBytes int64         // of the body after decoding; 0 = 64 KB
	FollowRedirects  int           // hops followed; 0 = a 3xx is the answer
	PartialBody      bool          // a body that breaks off, or does not end in time, is what was read of it
	Ports            []int         // allowed ports; nil = 80, 443, 8080, 8443
	AllowPrivate     bool          // any address and, where Ports is nil, any port: tests on one machine only
	Resolver         Resolver      // nil = the system's
	// Certificate is shown to hosts that ask for one; nil = none. Certificates of hosts are always checked.
	Certificate *tls.Certificate
}

// Response is an answer read to its end or to the cap.
type Response struct {
	Status    int
	Header    http.Header
	Body      []byte   // decoded; at most MaxResponseBytes
	Truncated bool     // there was more
	URL       *url.URL // that answered, after redirects
}

// Client sends requests under the rules of the package. It keeps no connections or cookies between requests, and is safe
// for concurrent use.
type Client struct {
	options Options
	http    *http.Client
	connect func(ctx context.Context, network, address string) (net.Conn, error)
}

var defaultPorts = []int{80, 443, 8080, 8443}

// maxResponseHeaderBytes is the maximal size of response headers.
const maxResponseHeaderBytes = 64 << 10

// New returns a client with the given options.
func New(options Options) *Client {
	if options.Timeout == 0 {
		options.Timeout = 5 * time.Second
	}
	if options.MaxResponseBytes == 0 {
		options.MaxResponseBytes = 64 << 10
	}
	if options.Ports == nil && !options.AllowPrivate {
		options.Ports = defaultPorts
	}
	if options.Resolver == nil {
		options.Resolver = net.DefaultResolver
	}

	c := &Client{options: options}
	// ControlContext checks the address of every connection, also after a redirect.
	c.connect = (&net.Dialer{ControlContext: c.control}).DialContext
	c.http = &http.Client{Transport: c.transport(), CheckRedirect: c.redirect}

	return c
}

// WithCertificate returns a client with the same options that shows a certificate.
func (c *Client) WithCertificate(pair tls.Certificate) *Client {
	options := c.options
	options.Certificate = &pair
	return New(options)
}

func (c *Client) transport() *http.Transport {
	var protocols http.Protocols
	protocols.SetHTTP1(true)
	var config *tls.Config // nil = the default
	if c.options.Certificate != nil {
		config = &tls.Config{Certificates: []tls.Certificate{*c.options.Certificate}, MinVersion: tls.VersionTLS12}
	}
	return &http.Transport{
		TLSClientConfig:        config,
		Proxy:                  nil, // a proxy would connect where we cannot check
		DialContext:            c.dial,
		Protocols:              &protocols,
		DisableKeepAlives:      true, // every request has its own checked connection
		MaxResponseHeaderBytes: maxResponseHeaderBytes,
	}
}

// Do sends a request and reads the answer; any status is an answer. The
// request is not changed; of its headers those that steer the connection
// (Host, Connection, Transfer-Encoding …) are left out, and the depth is the
// context's (package depth), through redirects too.
//
// Errors: Invalid where a rule refuses the request (it will never pass),
// Timeout, Unavailable where the target cannot be reached or breaks off, and
// the context's own error when the caller gave up. Their messages name the
// host and the rule, never a resolved address.
func (c *Client) Do(ctx context.Context, request *http.Request) (*Response, error) {
	clean, err := c.clean(request)
	if err != nil {
		return nil, err
	}

	if value := depth.FromContext(ctx); value != "" {
		clean.Header.Set(depth.Header, value)
	}

	limited, cancel := context.WithTimeout(ctx, c.options.Timeout)
	defer cancel()
	answer, err := c.http.Do(clean.WithContext(limited))
	if err != nil {
		return nil, c.failure(ctx, limited, clean.URL, err)
	}
	defer answer.Body.Close()
	// The transport decodes gzip while it is read, so the cap holds for what
	// comes out and a bomb is never unpacked further than this.
	body, err := io.ReadAll(io.LimitReader(answer.Body, c.options.MaxResponseBytes+1))
	truncated := int64(len(body)) > c.options.MaxResponseBytes
	if err != nil && !truncated {
		if !c.options.PartialBody || ctx.Err() != nil {
			return nil, c.failure(ctx, limited, clean.URL, err)
		}
		truncated = true
	}
	if int64(len(body)) > c.options.MaxResponseBytes {
		body = slices.Clip(body[:c.options.MaxResponseBytes])
	}

	return &Response{
		Status: answer.StatusCode, Header: answer.Header,
		Body: body, Truncated: truncated, URL: answer.Request.URL,
	}, nil
}

// redirect checks the next hop like a first request, and removes credentials before another origin.
func (c *Client) redirect(next *http.Request, via []*http.Request) error {
	if c.options.FollowRedirects == 0 {
		return http.ErrUseLastResponse
	}
	if len(via) > c.options.FollowRedirects {
		return because(ReasonRedirects, errs.Invalid("more than %d redirects", c.options.FollowRedirects))
	}
	if err := c.Check(next.URL); err != nil {
		return err
	}

	next.Header.Del("Referer")
	// The first request has the credentials; later hops may already lack them.
	first := via[0].URL
	if next.URL.Scheme != first.Scheme || next.URL.Host != first.Host {
		for _, name := range []string{"Authorization", "Cookie", "Proxy-Authorization"} {
			next.Header.Del(name)
		}
	}

	return nil
}
