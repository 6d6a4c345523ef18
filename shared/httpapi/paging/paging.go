// Package paging reads which page of a list a request asks for, and links to the others (D6).
package paging

import (
	"cmp"
	"encoding/base64"
	"maps"
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

// Read reads limit, offset and cursor from a query (D6). An empty value counts as not given (D43). It returns
// errs.Invalid, which names the parameter, for an invalid value, and for an offset that differs from the one in the
// cursor.
func Read(query url.Values) (page.Request, error) {
	limit, err := Int("limit", cmp.Or(query.Get("limit"), strconv.Itoa(page.DefaultLimit)))
	if err != nil {
		return page.Request{}, err
	}

	offset, err := Int("offset", cmp.Or(query.Get("offset"), "0"))
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

// Int parses the text of an integer parameter.
func Int(name, text string) (int64, error) {
	n, err := strconv.ParseInt(text, 10, 53)
	if err != nil {
		return 0, errs.Invalid("%s must be an integer, not %q", name, clip.Text(text, clip.Name))
	}
	return n, nil
}

// Flag parses the text of a parameter that is 0 or 1, false or true. An empty one counts as false (D43).
func Flag(name, text string) (bool, error) {
	switch text {
	case "1", "true":
		return true, nil
	case "", "0", "false":
		return false, nil
	}
	return false, errs.Invalid("%s must be 0 or 1", name)
}

// NewMeta returns the paging part for a page requested with req, whose limit may be the actual number of records. The
// URLs have this path, the limit of the query, and every other parameter of kept.
func NewMeta(path string, query, kept url.Values, req page.Request, next page.Cursor, total int) Meta {
	asked := req.Limit
	if given, err := Read(query); err == nil {
		asked = given.Limit
	}
	meta := Meta{Limit: req.Limit, Offset: req.Offset}
	if total >= 0 {
		meta.Total = &total
	}
	if next != "" {
		meta.Next = pageURL(path, kept, asked, req.Offset+req.Limit, next)
	}
	// Pages after MaxOffset are reachable by cursor only, and there are no backward cursors.
	if before := max(req.Offset-asked, 0); req.Offset > 0 && before <= page.MaxOffset {
		meta.Previous = pageURL(path, kept, asked, before, "")
	}
	return meta
}

// pageURL returns the relative URL of another page of the same list. With the cursor it costs O(limit) at any depth.
func pageURL(path string, kept url.Values, limit, offset int, cursor page.Cursor) *string {
	query := maps.Clone(kept)
	query.Set("limit", strconv.Itoa(limit))
	query.Set("offset", strconv.Itoa(offset))
	query.Del("cursor")
	if cursor != "" {
		query.Set("cursor", sealCursor(offset, cursor))
	}
	link := (&url.URL{Path: path, RawQuery: query.Encode()}).String()
	return &link
}
