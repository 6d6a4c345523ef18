// Package safehttp sends HTTP requests to URLs that users choose: webhooks (D37) and BaaS.request (D24). All such
// requests must use it.
//
// A request passes four checks; each alone stops one family of attacks:
//
//	URL      http or https, an allowed port, no user information, no zone (request.go)
//	headers  valid, and none that controls the connection (request.go)
//	host     a plain address or a name; numeric notations of addresses are refused (dial.go)
//	socket   the address that is dialled is public (address.go)
//
// The last check runs when the socket connects, on the resolved address, so changing the DNS answer after the
// lookup (DNS rebinding) has no effect. Every redirect hop passes all four checks again. The package reads nothing
// from the environment: it uses no proxy, and no variable turns a check off.
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

// Resolver resolves host names; *net.Resolver implements it.
type Resolver interface {
	LookupNetIP(ctx context.Context, network, host string) ([]netip.Addr, error)
}

// Options configures a Client. The zero value has the strictest useful settings: 5 s, 64 KB, no redirects, public
// addresses, ports 80, 443, 8080 and 8443.
type Options struct {
	Timeout          time.Duration // limit of the whole exchange: lookup, redirects and body; 0 = 5 s
	MaxResponseBytes int64         // limit of the decoded body; 0 = 64 KB
	FollowRedirects  int           // maximum hops; 0 = return the 3xx response
	PartialBody      bool          // return the part of the body that was read if the body breaks off or times out
	Ports            []int         // allowed ports; nil = 80, 443, 8080, 8443
	AllowPrivate     bool          // allow any address and, if Ports is nil, any port; for tests on one machine only
	Resolver         Resolver      // nil = the system's resolver
	// Certificate is the client certificate for hosts that request one; nil = none. Certificates of hosts are
	// always verified.
	Certificate *tls.Certificate
}

// Response is a response whose body was read to its end or to MaxResponseBytes.
type Response struct {
	Status    int
	Header    http.Header
	Body      []byte   // decoded, at most MaxResponseBytes
	Truncated bool     // the body is incomplete
	URL       *url.URL // the URL that answered, after redirects
}

// Client sends requests under the rules of this package. It keeps no connections or cookies between requests and is
// safe for concurrent use.
type Client struct {
	options Options
	http    *http.Client
	connect func(ctx context.Context, network, address string) (net.Conn, error)
}

var defaultPorts = []int{80, 443, 8080, 8443}

// maxResponseHeaderBytes is the maximum size of the response headers.
const maxResponseHeaderBytes = 64 << 10

// New returns a client with options; zero values get their defaults.
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
	// ControlContext checks the address of every connection, also those after a redirect.
	c.connect = (&net.Dialer{ControlContext: c.control}).DialContext
	c.http = &http.Client{Transport: c.transport(), CheckRedirect: c.redirect}

	return c
}

// WithCertificate returns a client with the same options that uses pair as its client certificate.
func (c *Client) WithCertificate(pair tls.Certificate) *Client {
	options := c.options
	options.Certificate = &pair
	return New(options)
}

func (c *Client) transport() *http.Transport {
	var protocols http.Protocols
	protocols.SetHTTP1(true)
	var config *tls.Config // nil = default configuration
	if c.options.Certificate != nil {
		config = &tls.Config{Certificates: []tls.Certificate{*c.options.Certificate}, MinVersion: tls.VersionTLS12}
	}
	return &http.Transport{
		TLSClientConfig:        config,
		Proxy:                  nil, // a proxy would open connections that this package cannot check
		DialContext:            c.dial,
		Protocols:              &protocols,
		DisableKeepAlives:      true, // every request opens a connection of its own, which is checked
		MaxResponseHeaderBytes: maxResponseHeaderBytes,
	}
}

// Do sends a request and reads the response; any status is a success. It does not change request. It drops headers
// that control the connection (Host, Connection, Transfer-Encoding …), and takes the depth header from the context
// (package depth), also for redirects.
//
// Errors: Invalid if a rule refuses the request (a retry cannot succeed), Timeout, Unavailable if the target cannot
// be reached or breaks off, and the context's own error if the caller cancelled. Messages name the host and the
// rule, never a resolved address.
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
	// The transport decompresses gzip while the body is read, so the limit applies to the decoded size and stops a
	// compression bomb.
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

// redirect checks the next hop like a first request, and removes credentials if the origin changes.
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
	// Compare with the first request, which has the credentials; later hops may already lack them.
	first := via[0].URL
	if next.URL.Scheme != first.Scheme || next.URL.Host != first.Host {
		for _, name := range []string{"Authorization", "Cookie", "Proxy-Authorization"} {
			next.Header.Del(name)
		}
	}

	return nil
}
