// Package page defines the types of lists: the Request of a caller, the Page that a store returns, and the opaque
// cursor between pages (D6).
package page

import (
	"iter"
	"slices"
	"strconv"
	"strings"

	"minicloud/shared/errs"
	"minicloud/shared/id"
)

// DefaultLimit and MaxLimit are the default and the maximum size of a page.
const (
	DefaultLimit = 20
	MaxLimit     = 1000
)

// MaxOffset is the largest number of records that an offset without a cursor may skip (D6).
const MaxOffset = 10_000

// Cursor is the opaque position in a list where a page starts: the sort key of the last record before the page. The API
// layer seals it. "" is the start of the list.
type Cursor string

// ID parses a cursor that is the id of the last record. It returns errs.Invalid for any other cursor.
func (c Cursor) ID() (id.ID, error) {
	n, err := strconv.ParseInt(string(c), 10, 54)
	if err != nil || n < 0 {
		return 0, ErrCursor()
	}
	return id.ID(n), nil
}

// ErrCursor returns the errs.Invalid for a cursor that this list did not return.
func ErrCursor() error { return errs.Invalid("cursor is not one this list gave") }

// ErrOffset returns the errs.Invalid for an offset over MaxOffset into a list that has more records there.
func ErrOffset() error {
	return errs.Invalid(
		"offset must be at most %d here: follow meta.next, which leads on from page to page", MaxOffset,
	)
}

// Request is one page of a list: 0 < Limit ≤ MaxLimit, Offset ≥ 0.
//
// If After is set, the store starts after it at a cost of O(Limit), and Offset is only shown in the envelope. Otherwise
// the store skips Offset records.
type Request struct {
	Limit  int
	Offset int
	After  Cursor
}

// Validate returns an errs.Invalid that names the parameter out of range.
func (r Request) Validate() error {
	if r.Limit <= 0 || r.Limit > MaxLimit {
		return errs.Invalid("limit must be between 1 and %d", MaxLimit)
	}
	if r.Offset < 0 {
		return errs.Invalid("offset must not be negative")
	}
	return nil
}

// Skip returns the number of records to skip before the page: 0 if there is a cursor.
func (r Request) Skip() int {
	if r.After != "" {
		return 0
	}
	return r.Offset
}

// Page is the result of a list method.
type Page[T any] struct {
	Objects []T
	Total   int    // number of matching records; -1 = not counted
	Next    Cursor // where the next page starts, "" on the last page
}

// View returns a page with each record in the form of view.
func View[T, V any](p Page[T], view func(T) V) Page[V] {
	shown := Page[V]{Total: p.Total, Next: p.Next}
	for _, record := range p.Objects {
		shown.Objects = append(shown.Objects, view(record))
	}
	return shown
}

// Collect makes a page from list, which starts at the start of the whole list or, if the request has a cursor, after
// it. wire returns the size of a record in the response, in bytes; nil if a page cannot exceed MaxBytes. key returns
// the cursor of a record. Collect does not count: Total is -1.
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
			// Refuse a large offset only if the list has more records; after its end the page is empty.
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

// Cut makes a page of the first records, as Collect does; pass limit+1 records if there are more than limit.
func Cut[T any](records []T, limit int, wire func(T) int, key func(T) Cursor) Page[T] {
	got, _ := Collect(Request{Limit: limit}, func(yield func(T, error) bool) {
		for _, record := range records {
			if !yield(record, nil) {
				return
			}
		}
	}, wire, key)
	return got
}

// Of makes a page of a whole list that is sorted by descending cursor. The record of the request's cursor may have been
// deleted: the page starts at the first record after it.
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

// Shown returns the request as the response shows it. If large records made the page shorter, its limit is the number
// of its records, so that an offset computed from it continues after them.
func (p Page[T]) Shown(asked Request) Request {
	if p.Next != "" {
		asked.Limit = len(p.Objects)
	}
	return asked
}

// Named reports whether name contains part, ignoring case. It implements the filter name__contains.
func Named(name, part string) bool {
	return strings.Contains(strings.ToLower(name), strings.ToLower(part))
}
