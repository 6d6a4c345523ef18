package counted

import (
	"context"
	"sync"

	"minicloud/shared/id"
	"minicloud/shared/page"
)

// Pages makes pages with totals of the items with From ≤ id < Top. The items may come from several lists.
type Pages[T any] struct {
	From, Top id.ID
	// Read returns the wanted items below an id, newest first, and whether there are no more.
	Read func(ctx context.Context, below id.ID, w Want) (items []T, all bool, err error)
	// Count returns the total from the counters, up to 2 s late.
	Count func(ctx context.Context) (int, error)
	// Long holds the names of lists that were found to be long: their totals are read from the counters first.
	Long *sync.Map
	Name any
	ID   func(T) id.ID
	Wire func(T) int // bytes in the response
}

// Page makes one Read. It makes further calls for
//
//	an offset                              the ids of the skipped items
//	a total on a page after the first      the ids of 256 items, unless the list is long
//	a total from 256 on                    Count
func (p Pages[T]) Page(ctx context.Context, req page.Request) (got page.Page[T], err error) {
	below, err := p.begin(ctx, req)
	if err != nil {
		return got, err
	}

	// Read the first page of a short list together with the items that its total needs.
	_, long := p.Long.Load(p.Name)
	first := below == p.Top
	items, all, err := p.Read(ctx, below, Want{Items: req.Limit + 1, Total: first && !long})
	if err != nil {
		return got, err
	}
	got = page.Cut(items, req.Limit, p.Wire, func(v T) page.Cursor { return page.Cursor(p.ID(v).Key()) })

	// A page that shows the whole list needs no other total.
	if got.Total = len(items); !first || !all {
		got.Total, err = p.total(ctx, len(items), first, long)
	}
	return got, err
}

// Below returns the exclusive upper bound of the ids of a page: the id in its cursor, top without a cursor.
func Below(after page.Cursor, top id.ID) (id.ID, error) {
	if after == "" {
		return top, nil
	}
	below, err := after.ID()
	return min(below, top), err
}

// begin returns the exclusive upper bound of the ids of a page: the id of its cursor, or of the last item that its
// offset skips, for which it reads the ids of the skipped items. If the offset is past the end of the list, it returns
// From.
func (p Pages[T]) begin(ctx context.Context, req page.Request) (id.ID, error) {
	if req.Skip() == 0 {
		return Below(req.After, p.Top)
	}

	// Read one more to know whether the list continues after the largest offset.
	skipped, _, err := p.Read(ctx, p.Top, Want{Items: min(req.Offset, page.MaxOffset+1), Keys: true})
	switch n := len(skipped); {
	case err != nil:
		return 0, err
	case n > page.MaxOffset:
		return 0, page.ErrOffset()
	case n < req.Offset:
		return p.From, nil
	}
	return p.ID(skipped[req.Offset-1]), nil
}

// total returns the total of the list; read is the number of items read with the page. A total below 256 is counted
// item by item, unless matches are too rare; otherwise it comes from the counters (D6).
func (p Pages[T]) total(ctx context.Context, read int, first, long bool) (int, error) {
	if long {
		if n, err := p.Count(ctx); err != nil || n >= Exact {
			return n, err
		}
	}
	if long || !first {
		items, all, err := p.Read(ctx, p.Top, Want{Keys: true, Total: true})
		if read = len(items); err != nil || all {
			return read, err
		}
	}

	n, err := p.Count(ctx)
	// Remember a long list: its next total asks the counters first and does not count items.
	if n = max(n, read); n >= Exact {
		p.Long.Store(p.Name, true)
	}
	return n, err
}
