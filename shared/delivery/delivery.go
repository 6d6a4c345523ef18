// Package delivery builds signed requests to receivers that applications name, and evaluates the responses (D37, G24).
// The webhooks of triggers and the callbacks of jobs use it; they store the attempts.
package delivery

import (
	"context"
	"crypto/hmac"
	"crypto/sha256"
	"encoding/base64"
	"maps"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"time"

	"minicloud/shared/tenant"
	"minicloud/shared/trace/depth"
)

// Sender sends requests to receivers.
type Sender interface {
	// Send posts a request and returns the response, whatever its status. It returns errs.Invalid if the target is
	// forbidden, errs.Timeout or errs.Unavailable if there was no response.
	Send(ctx context.Context, r Request) (Answer, error)
}

// Request is an HTTP POST request to a receiver.
type Request struct {
	URL     string
	Headers map[string]string
	Body    string
}

// Answer is the response of a receiver.
type Answer struct {
	Status     int
	Body       string        // the first 64 KB
	RetryAfter time.Duration // 0 = not given
}

// Depths signs the trigger depth of outgoing requests, so that loops through other servers are detected.
// *oauth.RunSigner implements it.
type Depths interface {
	// DepthHeader returns the value of depth.Header for an outgoing request of an application.
	DepthHeader(ctx context.Context, of tenant.AppID, depth int) (string, error)
}

// Message is a message to a receiver. Each attempt makes a Request from it.
type Message struct {
	URL         string
	ID          string // webhook-id, by which receivers detect duplicates
	ContentType string
	Body        string
	Trace       string            // "" = none
	Headers     map[string]string // additional headers
	App         tenant.AppID
	Depth       int // trigger depth
}

// Request returns the request for an attempt at the given time, with the headers of Standard Webhooks. It has one
// signature per key and is unsigned without keys.
func (m Message) Request(ctx context.Context, depths Depths, keys []string, at time.Time) (Request, error) {
	deep, err := depths.DepthHeader(ctx, m.App, m.Depth)
	if err != nil {
		return Request{}, err
	}

	seconds := strconv.FormatInt(at.Unix(), 10)
	headers := map[string]string{
		"Content-Type": m.ContentType, "User-Agent": "minicloud", depth.Header: deep,
		"webhook-id": m.ID, "webhook-timestamp": seconds,
	}
	maps.Copy(headers, m.Headers)
	if m.Trace != "" {
		headers["X-Service-Trace-Id"] = m.Trace
	}
	signatures := make([]string, len(keys))
	for i, key := range keys {
		// The HMAC secret is the characters of the key (G24), not the bytes that they encode.
		mac := hmac.New(sha256.New, []byte(key))
		mac.Write([]byte(m.ID + "." + seconds + "." + m.Body))
		signatures[i] = "v1," + base64.StdEncoding.EncodeToString(mac.Sum(nil))
	}
	if len(keys) > 0 {
		headers["webhook-signature"] = strings.Join(signatures, " ")
	}
	return Request{URL: m.URL, Headers: headers, Body: m.Body}, nil
}

// ports are the allowed ports of receivers (D37); "" is the default port of the scheme.
var ports = []string{"", "80", "443", "8080", "8443"}

// CheckURL returns an error message if text is not a valid receiver URL, otherwise "". anyPort disables the port check,
// for tests.
func CheckURL(text string, anyPort bool) (wrong string) {
	u, err := url.Parse(text)
	switch {
	case err != nil, u.Host == "", u.Scheme != "http" && u.Scheme != "https":
		return "must be an http or https address"
	case u.User != nil:
		return "must not hold a name or a password"
	case !anyPort && !slices.Contains(ports, u.Port()):
		return "must have no port or one of 80, 443, 8080, 8443"
	}
	return ""
}
