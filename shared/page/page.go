// Package page holds the words of lists: what a caller asks for (Request),
// what a store returns (Page), and the opaque cursor between pages (D6).
package page

import (
	"iter"
	"slices"
	"strconv"
	"strings"

	"minicloud/shared/errs"
	"minicloud/shared/id"
)

// DefaultLimit and MaxLimit bound the size of a page.
const (
	DefaultLimit = 20
	MaxLimit     = 1000
)

// MaxOffset is how many records an offset without a cursor leads past at most (D6).
const MaxOffset = 10_000

// Cursor is the opaque place in a list where a page starts: the sort key of
// the last record before it, sealed by the edge. "" is the start.
type Cursor string

// ID reads a cursor that is the id of the last record, errs.Invalid for any other.
func (c Cursor) ID() (id.ID, error) {
	n, err := strconv.ParseInt(string(c), 10, 54)
	if err != nil || n < 0 {
		return 0, ErrCursor()
	}
	return id.ID(n), nil
}

// ErrCursor refuses a cursor that the list did not give.
func ErrCursor() error { return errs.Invalid("cursor is not one this list gave") }

// ErrOffset refuses an offset over MaxOffset into a list that goes on there.
func ErrOffset() error {
	return errs.Invalid(
		"offset must be at most %d here: follow meta.next, which leads on from page to page", MaxOffset,
	)
}

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

// Skip is how many records of the list come before the page: none behind a cursor.
func (r Request) Skip() int {
	if r.After != "" {
		return 0
	}
	return r.Offset
}

// Page is what a list method returns.
type Page[T any] struct {
	Objects []T
	Total   int    // number of matching records; -1 = not counted
	Next    Cursor // where the next page starts, "" when this is the last
}

// Collect makes a page of the records of a list, from its start or, where the request has a cursor, from behind that.
// wire is the bytes of a record in the answer, nil where no page can pass MaxBytes, and key the cursor that leads behind
// it. Nothing is counted.
func Collect[T any](
	req Request, list iter.Seq2[T, error], wire func(T) int, key func(T) Cursor,
) (got Page[T], err error) {
	got.Total = -1
	passed, size := 0, 0
	for record, err := range list {
		switch {
		case err != nil:
			return got, err
		case passed < req.Skip():
			// Only a list that goes on refuses a large offset: one that has ended has an empty page there.
			if passed++; passed > MaxOffset {
				return got, ErrOffset()
			}
			continue
		}

		if wire != nil {
			size += wire(record)
		}
		if n := len(got.Objects); n == req.Limit || n > 0 && size > MaxBytes {
			got.Next = key(got.Objects[n-1])
			return got, nil
		}
		got.Objects = append(got.Objects, record)
	}
	return got, nil
}

// Cut makes a page of the first records of what is left of a list, of one more than limit where there are. wire is nil
// where no page can pass MaxBytes. Nothing is counted.
func Cut[T any](records []T, limit int, wire func(T) int, key func(T) Cursor) Page[T] {
	records = records[:min(len(records), limit+1)]
	got := Page[T]{Objects: records, Total: -1}
	n := min(len(records), limit)
	if wire != nil {
		n = min(n, Fit(records, wire))
	}
	if n < len(records) {
		got.Objects, got.Next = records[:n], key(records[n-1])
	}
	return got
}

// Of makes a page of a whole list whose cursors descend. The record of the request's cursor may be gone: the page begins
// with the first record behind it.
func Of[T any](all []T, req Request, wire func(T) int, key func(T) Cursor) Page[T] {
	from := min(req.Skip(), len(all))
	if req.After != "" {
		if from = slices.IndexFunc(all, func(v T) bool { return key(v) < req.After }); from < 0 {
			from = len(all)
		}
	}
	got := Cut(all[from:], req.Limit, wire, key)
	got.Total = len(all)
	return got
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
