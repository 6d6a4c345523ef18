package finder

import (
	"cmp"
	"context"
	"slices"

	"golang.org/x/sync/errgroup"

	"minicloud/shared/table"
	"minicloud/shared/table/plan"
)

// maxMerged is the maximum number of entries that one read returns.
const maxMerged = 10_000

// unitPlaces is how many entries one read unit holds: an entry has about 100 bytes with its keys.
const unitPlaces = 32

// mergeReaders is the number of ranges that a merge reads at once.
const mergeReaders = 12

// merge walks several ranges of the index of readers, each in id order, as one list in id order. A row that several
// entries of the caller lead to appears once.
type merge struct {
	find       *search
	ranges     []*mergeRange
	descending bool
	last       table.RowID // of the last place taken
}

// mergeRange is one range with the places read ahead.
type mergeRange struct {
	w     *scanner
	ahead []place
	read  int // places of the last read
}

// merge returns a merge at the start of the spans.
func (f *search) merge(spans []plan.Span, descending bool) *merge {
	m := &merge{find: f, descending: descending}
	for _, s := range spans {
		m.ranges = append(m.ranges, &mergeRange{w: f.scanner(&plan.ReadersIndex, []plan.Span{s}, descending)})
	}
	return m
}

// next returns up to n places, fewer only at the end. It reads each range as far as its share of the places needs, and
// the ranges that turn out to hold more further: the ranges together give little more than n places.
func (m *merge) next(ctx context.Context, n int) (places []place, err error) {
	for len(places) < n {
		if err := m.fill(ctx, n-len(places)); err != nil {
			return nil, err
		}
		taken := false
		for len(places) < n && m.full() {
			p, ok := m.pop()
			if !ok {
				return places, nil
			}
			taken = true
			if p.id != m.last {
				m.last, places = p.id, append(places, p)
			}
		}
		if !taken {
			return places, nil
		}
	}
	return places, nil
}

// fill reads the ranges that have no place ahead, together about n places.
func (m *merge) fill(ctx context.Context, n int) error {
	var empty []*mergeRange
	for _, r := range m.ranges {
		if len(r.ahead) == 0 && len(r.w.rest) > 0 {
			empty = append(empty, r)
		}
	}
	if len(empty) == 0 {
		return nil
	}

	// A read costs a unit for 4 KB, whatever it finds, so it takes what a unit gives. If several entries lead to the same
	// rows, each range has the whole page: shares would be read again and again. Beyond a unit, read one place more than a
	// fair share. A range that has given its share probably has more of the next places than the others.
	share := n
	switch k := len(m.ranges); {
	case k == 2: // own rows and those for everybody: few rows are in both
		share = n/k + 2
	case k > 2:
		share = max(n/k+2, unitPlaces)
	}
	g, ctx := errgroup.WithContext(ctx)
	g.SetLimit(mergeReaders)
	for _, r := range empty {
		g.Go(func() (err error) {
			r.read = min(max(share, 2*r.read), n, maxMerged)
			for len(r.ahead) == 0 && len(r.w.rest) > 0 && err == nil {
				r.ahead, _, err = r.w.step(ctx, r.read)
			}
			return err
		})
	}
	err := g.Wait()
	m.ranges = slices.DeleteFunc(m.ranges, func(r *mergeRange) bool { return len(r.ahead) == 0 && len(r.w.rest) == 0 })
	return err
}

// full reports whether every range has a place ahead, so that the first of them is the next of the list.
func (m *merge) full() bool {
	return !slices.ContainsFunc(m.ranges, func(r *mergeRange) bool { return len(r.ahead) == 0 && len(r.w.rest) > 0 })
}

// pop takes the next place; ok is false at the end.
func (m *merge) pop() (p place, ok bool) {
	var first *mergeRange
	for _, r := range m.ranges {
		if len(r.ahead) == 0 {
			continue
		}
		if first == nil || m.compare(r.ahead[0], first.ahead[0]) < 0 {
			first = r
		}
	}
	if first == nil {
		return place{}, false
	}
	p, first.ahead = first.ahead[0], first.ahead[1:]
	return p, true
}

func (m *merge) compare(a, b place) int {
	if m.descending {
		a, b = b, a
	}
	return cmp.Compare(a.id, b.id)
}

// all implements walker.
func (m *merge) all(ctx context.Context, most int) (places []place, complete bool, err error) {
	for {
		limit := maxMerged
		if most > 0 {
			limit = min(limit, most+1-len(places))
		}
		some, err := m.next(ctx, limit)
		places = append(places, some...)
		if err != nil || len(some) < limit || most > 0 && len(places) > most {
			return places, len(some) < limit, err
		}
	}
}

// count implements walker.
func (m *merge) count(ctx context.Context, most int) (n int, err error) {
	if len(m.ranges) == 1 {
		return m.ranges[0].w.count(ctx, most)
	}
	for {
		limit := maxMerged
		if most > 0 {
			limit = min(limit, most-n)
		}
		places, err := m.next(ctx, limit)
		if n += len(places); err != nil || len(places) < limit || n == most {
			return n, err
		}
	}
}

// walk implements walker.
func (m *merge) walk(ctx context.Context, t plan.Ties, first int, take yield) (ended bool, err error) {
	var group []place // of one second, if the order within a second is not that of ids
	for limit := max(first, 1); ; limit = min(2*limit, maxStep) {
		places, err := m.next(ctx, limit)
		if err != nil {
			return false, err
		}
		ended = len(places) < limit
		if t == plan.AsStored {
			more, err := take(places, false)
			if err != nil || !more || ended {
				return ended && more, err
			}
			continue
		}

		for _, p := range places {
			if len(group) > 0 && group[0].id.CreatedAt() != p.id.CreatedAt() {
				if more, err := take(ordered(group, t), t == plan.Sorted); err != nil || !more {
					return false, err
				}
				group = nil
			}
			group = append(group, p)
		}
		if ended {
			more, err := take(ordered(group, t), t == plan.Sorted)
			return more, err
		}
	}
}

// ordered returns the group in list order, unless further fields decide.
func ordered(group []place, t plan.Ties) []place {
	if t == plan.Reversed {
		slices.Reverse(group)
	}
	return group
}
