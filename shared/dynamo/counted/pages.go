package counted

import (
	"context"
	"sync"

	"minicloud/shared/id"
	"minicloud/shared/page"
)

// Pages makes pages with totals of the items with From ≤ id < Top, which may be read from several lists.
type Pages[T any] struct {
	From, Top id.ID
	// Read returns the wanted items below an id, newest first, and whether they are all.
	Read func(ctx context.Context, below id.ID, w Want) (items []T, all bool, err error)
	// Count returns the total by counters, up to 2 s late.
	Count func(ctx context.Context) (int, error)
	// Long has the names of the lists whose total counters are asked for first: they were found to be long.
	Long *sync.Map
	Name any
	ID   func(T) id.ID
	Wire func(T) int // bytes in the answer
}

// Page is one Read. There are more for
//
//	an offset                              the ids of as many items
//	a total on a page behind the first     the ids of 256 items, unless the list is long
//	a total from 256 on                    Count
func (p Pages[T]) Page(ctx context.Context, req page.Request) (got page.Page[T], err error) {
	below, err := p.begin(ctx, req)
	if err != nil {
		return got, err
	}

	// The first page of a short list is read together with what its total takes.
	_, long := p.Long.Load(p.Name)
	first := below == p.Top
	items, all, err := p.Read(ctx, below, Want{Items: req.Limit + 1, Total: first && !long})
	if err != nil {
		return got, err
	}
	got = page.Cut(items, req.Limit, p.Wire, func(v T) page.Cursor { return page.Cursor(p.ID(v).Key()) })

	// A page that shows the whole list knows the total.
	if got.Total = len(items); !first || !all {
		got.Total, err = p.total(ctx, len(items), first, long)
	}
	return got, err
}

// Below returns the id below which the page behind a cursor begins, top without one.
func Below(after page.Cursor, top id.ID) (id.ID, error) {
	if after == "" {
		return top, nil
	}
	below, err := after.ID()
	return min(below, top), err
}

// begin returns below what id a page begins: behind its cursor, or behind as many items as its offset says, whose ids
// are read. It is From behind the end of the list.
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

// total returns how many items there are, where so many were read with the page. Below 256 they are counted, unless
// those that pass the filter are too rare; else the counters tell (D6).
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
	// The next total of a long list begins with the counters and saves the count of single items.
	if n = max(n, read); n >= Exact {
		p.Long.Store(p.Name, true)
	}
	return n, err
}
