// Package delivery makes the signed requests to receivers that applications name, and judges the answers (D37, G24).
// Its users are the webhooks of triggers and the callbacks of jobs, which store the attempts.
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
	// Send posts a request and returns the answer, of any status. errs.Invalid when the target must not be called,
	// errs.Timeout and errs.Unavailable when there was no answer.
	Send(ctx context.Context, r Request) (Answer, error)
}

// Request is what a receiver gets.
type Request struct {
	URL     string
	Headers map[string]string
	Body    string
}

// Answer is the answer of a receiver.
type Answer struct {
	Status     int
	Body       string        // the first 64 KB
	RetryAfter time.Duration // 0 = not given
}

// Depths signs the trigger depth of outgoing requests, so that a loop through another server is still detected;
// *oauth.RunSigner is one.
type Depths interface {
	// DepthHeader returns the depth.Header for an outgoing request of an application.
	DepthHeader(ctx context.Context, of tenant.AppID, depth int) (string, error)
}

// Message is what an application tells a receiver; each attempt makes a Request of it.
type Message struct {
	URL         string
	ID          string // webhook-id: receivers recognise a repeated message by it
	ContentType string
	Body        string
	Trace       string            // "" = none
	Headers     map[string]string // further ones
	App         tenant.AppID
	Depth       int // trigger depth
}

// Request returns the request of an attempt at a time, with the headers of Standard Webhooks. Each key signs it;
// without keys it is unsigned.
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
		// The characters of a key are the bytes of the secret (G24), not the bytes that they encode.
		mac := hmac.New(sha256.New, []byte(key))
		mac.Write([]byte(m.ID + "." + seconds + "." + m.Body))
		signatures[i] = "v1," + base64.StdEncoding.EncodeToString(mac.Sum(nil))
	}
	if len(keys) > 0 {
		headers["webhook-signature"] = strings.Join(signatures, " ")
	}
	return Request{URL: m.URL, Headers: headers, Body: m.Body}, nil
}

// ports are the only ports of receivers (D37); "" is the scheme's default port.
var ports = []string{"", "80", "443", "8080", "8443"}

// CheckURL returns what the address of a receiver must be, "" when it is so. anyPort is for tests.
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
