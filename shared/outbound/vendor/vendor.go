// Package vendor makes calls of vendors' APIs that must not be made twice: each may send something to people.
package vendor

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"net/http/httptrace"
	"strings"
	"sync/atomic"
	"unicode"

	"minicloud/shared/clip"
	"minicloud/shared/errs"
	"minicloud/shared/safehttp"
)

// Client calls the API of one vendor.
type Client struct {
	Base string // address, without a slash at the end
	http *safehttp.Client
}

// New returns a client of the API at that address, which whoever runs the platform has chosen. Only a vendor that is
// made up for a test has an address without TLS: that may be of this machine.
func New(base string) *Client {
	options := safehttp.Options{AllowPrivate: strings.HasPrefix(base, "http://")}
	return &Client{Base: strings.TrimSuffix(base, "/"), http: safehttp.New(options)}
}

// Get is a GET request, see Call.
func (c *Client) Get(ctx context.Context, path string) ([]byte, error) {
	return c.call(ctx, http.MethodGet, path, "", nil)
}

// PostJSON is a POST request with a JSON body, see call.
func (c *Client) PostJSON(ctx context.Context, path string, body any) ([]byte, error) {
	text, err := json.Marshal(body)
	if err != nil {
		return nil, errs.Invalid("the message is no JSON")
	}
	return c.call(ctx, http.MethodPost, path, "application/json; charset=utf-8", text)
}

// PostForm is a POST request with a form, see call.
func (c *Client) PostForm(ctx context.Context, path, form string) ([]byte, error) {
	return c.call(ctx, http.MethodPost, path, "application/x-www-form-urlencoded; charset=utf-8", []byte(form))
}

// call makes a call, once, and returns the body of its answer. An errs.Error says that the vendor has done nothing: it
// cannot be reached, or says so by a 4xx. Of any other error nobody knows. Neither says what was in the address, where
// some vendors want secrets.
func (c *Client) call(ctx context.Context, method, path, kind string, body []byte) ([]byte, error) {
	if ctx.Err() != nil {
		return nil, errs.Timeout("there was no time left to send it")
	}
	var reached atomic.Bool
	traced := httptrace.WithClientTrace(ctx, &httptrace.ClientTrace{
		GotConn: func(httptrace.GotConnInfo) { reached.Store(true) },
	})
	r, err := http.NewRequestWithContext(traced, method, c.Base+path, bytes.NewReader(body))
	if err != nil {
		return nil, errs.Unavailable(0, "the vendor's address cannot be used")
	}
	r.Header.Set("Accept", "application/json")
	if kind != "" {
		r.Header.Set("Content-Type", kind)
	}

	answer, err := c.http.Do(traced, r)
	switch {
	case err != nil && reached.Load():
		return nil, Unknown(errs.Message(err))
	case errs.Is(err, errs.KindInvalid): // of our own address
		return nil, errs.Unavailable(0, "the vendor cannot be reached: %s", errs.Message(err))
	case err != nil && errs.Is(err, errs.KindInternal): // the caller gave up before there was a connection
		return nil, errs.Timeout("there was no time left to send it")
	case err != nil:
		return nil, err
	}
	return read(answer)
}

func read(answer *safehttp.Response) ([]byte, error) {
	switch {
	case answer.Status == http.StatusTooManyRequests:
		return nil, errs.TooMany(0, "the vendor takes no more for now")
	case answer.Status >= 400 && answer.Status < 500:
		return nil, errs.Unavailable(0, "the vendor answers with status %d", answer.Status)
	case answer.Status != http.StatusOK:
		return nil, Unknown(fmt.Sprintf("it answers with status %d", answer.Status))
	case answer.Truncated:
		return nil, Unknown("its answer has no end")
	}
	return answer.Body, nil
}

// Unknown is an error that leaves open whether the vendor has done what was asked. It is no errs.Error.
func Unknown(why string) error { return errors.New("nobody knows what the vendor did: " + why) }

// Decode reads an answer in JSON. After an unreadable answer, the result of the request is unknown.
func Decode(body []byte, to any) error {
	if err := json.Unmarshal(body, to); err != nil {
		return Unknown("its answer is no JSON that can be read")
	}
	return nil
}

// maxWords is how many letters of a vendor's words are kept.
const maxWords = 200

// Words are a vendor's own words for the log: on one line, and without what is secret in them.
func Words(text string, secrets ...string) string {
	for _, secret := range secrets {
		if secret != "" {
			text = strings.ReplaceAll(text, secret, "***")
		}
	}
	text = strings.Map(func(r rune) rune {
		if unicode.IsControl(r) {
			return ' '
		}
		return r
	}, strings.ToValidUTF8(text, ""))
	return clip.Text(text, maxWords)
}
