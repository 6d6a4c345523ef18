package httpapi

import (
	"context"
	"encoding/base64"
	"net/http"
	"net/url"
	"strconv"
	"strings"

	"minicloud/shared/clip"
	"minicloud/shared/errs"
	"minicloud/shared/page"
)

// Meta is the paging part of the list envelope (contract, List envelope).
type Meta struct {
	Limit    int     `json:"limit"`
	Offset   int     `json:"offset"`
	Next     *string `json:"next"`
	Previous *string `json:"previous"`
	Total    *int    `json:"total_count,omitempty"`
}

// Envelope is the answer of every list endpoint.
type Envelope[V any] struct {
	Meta    Meta `json:"meta"`
	Objects []V  `json:"objects"`
}

// Page reads limit, offset and cursor from the query (D6); an empty value is
// "not given" (D43), a bad one errs.Invalid naming the parameter. A cursor knows
// its offset: another beside it would be a question with two answers.
func Page(r *http.Request) (page.Request, error) {
	query := r.URL.Query()
	limit, err := Int(query, "limit", page.DefaultLimit)
	if err != nil {
		return page.Request{}, err
	}

	offset, err := Int(query, "offset", 0)
	if err != nil {
		return page.Request{}, err
	}

	req := page.Request{Limit: int(limit), Offset: int(offset)}
	if text := query.Get("cursor"); text != "" {
		// The cursor contains its offset, so that links to previous pages can be computed.
		own, after, ok := openCursor(text)
		if !ok {
			return req, page.ErrCursor()
		}
		if query.Get("offset") != "" && req.Offset != own {
			return req, errs.Invalid("offset %d is not that of the cursor, which is %d; leave one of them out", req.Offset, own)
		}

		req.Offset, req.After = own, after
	}

	return req, req.Validate()
}

// sealCursor writes the place of a page and its offset as one text.
func sealCursor(offset int, after page.Cursor) string {
	return base64.RawURLEncoding.EncodeToString([]byte(strconv.Itoa(offset) + ":" + string(after)))
}

// openCursor reads what sealCursor wrote; ok is false for any other text.
func openCursor(text string) (offset int, after page.Cursor, ok bool) {
	sealed, err := base64.RawURLEncoding.DecodeString(text)
	if err != nil || len(sealed) > 1024 {
		return 0, "", false
	}
	number, rest, _ := strings.Cut(string(sealed), ":")
	offset, err = strconv.Atoi(number)
	return offset, page.Cursor(rest), err == nil && offset >= 0 && rest != ""
}

// Int reads an integer query parameter; value when absent or empty.
func Int(query url.Values, name string, value int64) (int64, error) {
	text := query.Get(name)
	if text == "" {
		return value, nil
	}
	n, err := strconv.ParseInt(text, 10, 53)
	if err != nil {
		return 0, errs.Invalid("%s must be an integer, not %q", name, clip.Text(text, clip.Name))
	}
	return n, nil
}

// Flag reads a query parameter that is 0 or 1, false or true; given is false where it is absent or empty (D43).
func Flag(query url.Values, name string) (on, given bool, err error) {
	switch query.Get(name) {
	case "":
		return false, false, nil
	case "1", "true":
		return true, true, nil
	case "0", "false":
		return false, true, nil
	}
	return false, false, errs.Invalid("%s must be 0 or 1", name)
}

// ListOf returns the answer of a list: the page with its envelope, each record as view shows it. The limit of a page that
// large records made shorter (page.MaxBytes) is their number, so that the next page begins behind them, by offset, too.
func ListOf[T, V any](ctx context.Context, req page.Request, got page.Page[T], view func(T) V) Envelope[V] {
	objects := make([]V, 0, len(got.Objects))
	for _, record := range got.Objects {
		objects = append(objects, view(record))
	}
	return Envelope[V]{Meta: NewMeta(stateIn(ctx).request, got.Shown(req), got.Next, got.Total), Objects: objects}
}

// NewMeta returns the paging part for a page that was asked for with req, whose
// limit may be what the page really holds. The URLs ask for as much as r did and
// keep every other query parameter.
func NewMeta(r *http.Request, req page.Request, next page.Cursor, total int) Meta {
	asked := req.Limit
	if given, err := Page(r); err == nil {
		asked = given.Limit
	}
	meta := Meta{Limit: req.Limit, Offset: req.Offset}
	if total >= 0 {
		meta.Total = &total
	}
	if next != "" {
		meta.Next = pageURL(r, asked, req.Offset+req.Limit, next)
	}
	// A page behind MaxOffset is reached by cursors only, and no cursor leads back.
	if before := max(req.Offset-asked, 0); req.Offset > 0 && before <= page.MaxOffset {
		meta.Previous = pageURL(r, asked, before, "")
	}
	return meta
}

// pageURL returns the relative URL of another page of the same list. The
// cursor makes following it cost O(limit) at any depth.
func pageURL(r *http.Request, limit, offset int, cursor page.Cursor) *string {
	query := r.URL.Query()
	if stateOf(r).bodyQuery { // the others stay in the body
		query = url.Values{}
	}
	query.Set("limit", strconv.Itoa(limit))
	query.Set("offset", strconv.Itoa(offset))
	query.Del("cursor")
	if cursor != "" {
		query.Set("cursor", sealCursor(offset, cursor))
	}
	link := (&url.URL{Path: requestPath(r), RawQuery: query.Encode()}).String()
	return &link
}
