// Package page holds the words of lists: what a caller asks for (Request),
// what a store returns (Page), and the opaque cursor between pages (D6).
package page

import (
	"strings"

	"minicloud/shared/errs"
)

// DefaultLimit and MaxLimit bound the size of a page.
const (
	DefaultLimit = 20
	MaxLimit     = 1000
)

// Cursor is the opaque place in a list where a page starts: the sort key of
// the last record before it, sealed by the edge. "" is the start.
type Cursor string

// Request is one page of a list: 0 < Limit ≤ MaxLimit, Offset ≥ 0.
//
// Where After is set the store starts behind it and pays O(Limit); Offset is
// then only what the envelope shows. Without it the store skips Offset
// records.
type Request struct {
	Limit  int
	Offset int
	After  Cursor
}

// Validate returns an errs.Invalid naming the parameter that is out of range.
func (r Request) Validate() error {
	if r.Limit <= 0 || r.Limit > MaxLimit {
		return errs.Invalid("limit must be between 1 and %d", MaxLimit)
	}
	if r.Offset < 0 {
		return errs.Invalid("offset must not be negative")
	}
	return nil
}

// Page is what a list method returns.
type Page[T any] struct {
	Objects []T
	Total   int    // number of matching records; -1 = not counted
	Next    Cursor // where the next page starts, "" when this is the last
}

// Shown is the request as an answer shows it: the limit of a page that large
// records made shorter is their number, so that what follows begins behind them.
func (p Page[T]) Shown(asked Request) Request {
	if p.Next != "" {
		asked.Limit = len(p.Objects)
	}
	return asked
}

// Named reports whether a name has a text in it, as lists are searched by name__contains: in whatever case, "" in all.
func Named(name, part string) bool {
	return strings.Contains(strings.ToLower(name), strings.ToLower(part))
}
