// Package vendor makes calls to vendors' APIs that may send something to people and must not be repeated.
package vendor

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"mime/multipart"
	"net/http"
	"net/http/httptrace"
	"net/textproto"
	"slices"
	"strings"
	"sync/atomic"
	"unicode"

	"minicloud/shared/clip"
	"minicloud/shared/delivery/safehttp"
	"minicloud/shared/errs"
)

// Client calls the API of one vendor.
type Client struct {
	Base string // URL without a trailing slash
	http *safehttp.Client
	own  *safehttp.Client // for base URLs of applications
}

// New returns a client of the API at base, which the operator of the platform configures. Only the fake vendors of
// tests have a URL without TLS; it may be a private address. private allows private addresses in base URLs of
// applications too.
func New(base string, private bool) *Client {
	options := safehttp.Options{AllowPrivate: strings.HasPrefix(base, "http://")}
	return &Client{
		Base: strings.TrimSuffix(base, "/"), http: safehttp.New(options),
		own: safehttp.New(safehttp.Options{AllowPrivate: private}),
	}
}

// At returns a client of the same API at the base URL of an application's setting, c itself if it is "" (C37).
func (c *Client) At(base string) *Client {
	if base == "" {
		return c
	}
	return &Client{Base: strings.TrimSuffix(base, "/"), http: c.own, own: c.own}
}

// Get makes a GET request, see call.
func (c *Client) Get(ctx context.Context, path string) ([]byte, error) {
	return c.call(ctx, http.MethodGet, path, "", nil)
}

// PostJSON makes a POST request with a JSON body, see call.
func (c *Client) PostJSON(ctx context.Context, path string, body any) ([]byte, error) {
	text, err := json.Marshal(body)
	if err != nil {
		return nil, errs.Invalid("the message is no JSON")
	}
	return c.call(ctx, http.MethodPost, path, "application/json; charset=utf-8", text)
}

// PostForm makes a POST request with a form, see call.
func (c *Client) PostForm(ctx context.Context, path, form string) ([]byte, error) {
	return c.call(ctx, http.MethodPost, path, "application/x-www-form-urlencoded; charset=utf-8", []byte(form))
}

// File is a file in a multipart form.
type File struct {
	Field, Name, MIMEType string
	Content               []byte
}

// PostFile makes a POST request with a multipart form, see call.
func (c *Client) PostFile(ctx context.Context, path string, fields map[string]string, f File) ([]byte, error) {
	var body bytes.Buffer
	form := multipart.NewWriter(&body)
	for _, name := range slices.Sorted(maps.Keys(fields)) {
		_ = form.WriteField(name, fields[name]) // a bytes.Buffer takes everything
	}
	part, _ := form.CreatePart(textproto.MIMEHeader{
		"Content-Disposition": {multipart.FileContentDisposition(f.Field, f.Name)},
		"Content-Type":        {cmp.Or(f.MIMEType, "application/octet-stream")},
	})
	_, _ = part.Write(f.Content)
	_ = form.Close()
	return c.call(ctx, http.MethodPost, path, form.FormDataContentType(), body.Bytes())
}

// call makes one call, without retries, and returns the body of the response. An errs.Error means that the vendor did
// nothing: it was unreachable or answered with a 4xx. After any other error the result is unknown. Errors do not
// contain the URL, because some vendors have secrets in it.
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
	case errs.Is(err, errs.KindInvalid): // an invalid base URL
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

// Unknown is the error of a request whose result is unknown. It is not an errs.Error.
func Unknown(why string) error { return errors.New("nobody knows what the vendor did: " + why) }

// Decode reads a JSON response. After an unreadable response the result of the request is unknown.
func Decode(body []byte, to any) error {
	if err := json.Unmarshal(body, to); err != nil {
		return Unknown("its answer is no JSON that can be read")
	}
	return nil
}

// maxWords is the largest length of a vendor's error text in the log, in characters.
const maxWords = 200

// Words cleans up a vendor's error text for the log: one line, with the secrets masked.
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
