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

// Envelope is the response of every list endpoint.
type Envelope[V any] struct {
	Meta    Meta `json:"meta"`
	Objects []V  `json:"objects"`
}

// Page reads limit, offset and cursor from the query (D6). An empty value counts as not given (D43). It returns
// errs.Invalid, which names the parameter, for an invalid value, and for an offset that differs from the one in the
// cursor.
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

// sealCursor encodes the position of a page and its offset as one text.
func sealCursor(offset int, after page.Cursor) string {
	return base64.RawURLEncoding.EncodeToString([]byte(strconv.Itoa(offset) + ":" + string(after)))
}

// openCursor decodes the result of sealCursor; ok is false for any other text.
func openCursor(text string) (offset int, after page.Cursor, ok bool) {
	sealed, err := base64.RawURLEncoding.DecodeString(text)
	if err != nil || len(sealed) > 1024 {
		return 0, "", false
	}
	number, rest, _ := strings.Cut(string(sealed), ":")
	offset, err = strconv.Atoi(number)
	return offset, page.Cursor(rest), err == nil && offset >= 0 && rest != ""
}

// Int returns an integer query parameter, or value if it is absent or empty.
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

// Flag parses a query parameter that is 0 or 1, false or true; given is false if it is absent or empty (D43).
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

// Explain sets the headers with the plan of a query and the number of records and index entries that it read. Responses
// to end users do not keep them (planHeaders).
func Explain(ctx context.Context, plan string, scanned int) {
	w, _ := Exchange(ctx)
	w.Header().Set("X-Service-Plan", plan)
	w.Header().Set("X-Service-Scanned", strconv.Itoa(scanned))
}

// ListOf returns the response of a list: the page in its envelope, each record converted by view. If large records made
// the page shorter (page.MaxBytes), its limit is their number, so that an offset for the next page is correct as well.
func ListOf[T, V any](ctx context.Context, req page.Request, got page.Page[T], view func(T) V) Envelope[V] {
	objects := make([]V, 0, len(got.Objects))
	for _, record := range got.Objects {
		objects = append(objects, view(record))
	}
	return Envelope[V]{Meta: NewMeta(stateIn(ctx).request, got.Shown(req), got.Next, got.Total), Objects: objects}
}

// NewMeta returns the paging part for a page requested with req, whose limit may be the actual number of records. The
// URLs have the limit of r and keep every other query parameter.
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
	// Pages after MaxOffset are reachable by cursor only, and there are no backward cursors.
	if before := max(req.Offset-asked, 0); req.Offset > 0 && before <= page.MaxOffset {
		meta.Previous = pageURL(r, asked, before, "")
	}
	return meta
}

// pageURL returns the relative URL of another page of the same list. With the cursor it costs O(limit) at any depth.
func pageURL(r *http.Request, limit, offset int, cursor page.Cursor) *string {
	query := r.URL.Query()
	if stateOf(r).bodyQuery { // the other parameters stay in the body
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
