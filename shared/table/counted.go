package table

import "context"

// byCounters serves a list in the order of ids that has no condition but
// ranges of them: nothing is read that is not on the page.
func (f *finder) byCounters(ctx context.Context, s span, o ordering) error {
	f.note("rows")
	f.countAll = false
	if err := f.countRange(ctx, s); err != nil {
		return err
	}
	if f.after != nil {
		s = f.narrow(walker{find: f}, []span{s}, o)[0]
	} else if f.skip > firstStep {
		var err error
		if s, err = f.seek(ctx, s, o); err != nil {
			return err
		}
		f.note("offset by counters")
	}
	w := walker{find: f}
	return w.walk(ctx, []span{s}, o, f.enough(), func(b batch) (bool, error) { return f.takeRows(b), nil })
}

// countRange finds the total of a range of ids, if it is asked for.
func (f *finder) countRange(ctx context.Context, s span) (err error) {
	if !f.q.Total {
		return nil
	}
	f.note("total by counters")
	if s == (span{}) && f.skip <= firstStep {
		f.total, err = f.store().Total(ctx, f.scope, f.table.ID)
		return err
	}
	before, err := f.counters.rankFrom(ctx, s.from)
	if err != nil {
		return err
	}
	upTo, err := f.counters.rank(ctx, s.to)
	f.total = max(upTo-before, 0)
	return err
}

// counterReads is how often counters are read that do not fit together.
const counterReads = 4

// seek moves the start of the span to the offset and sets what is left to skip.
// Counters that rows are taken from while they are read may not lead to a row:
// then they are read again.
func (f *finder) seek(ctx context.Context, s span, o ordering) (span, error) {
	for attempt := 1; ; attempt++ {
		rest, skip, found, err := f.seekOnce(ctx, s, o)
		if err != nil || found || attempt == counterReads {
			f.skip = skip
			return rest, err
		}
		f.counters.nodes, f.q.Ahead = nil, nil
	}
}

// seekOnce returns what of the span is left from the offset's leaf on, and how
// many rows are to be skipped of that.
func (f *finder) seekOnce(ctx context.Context, s span, o ordering) (rest span, skip int, found bool, err error) {
	nothing := span{"~", "~"}
	base, err := f.counters.rankFrom(ctx, s.from)
	if err != nil {
		return s, 0, false, err
	}
	end, err := f.counters.rank(ctx, s.to)
	if err != nil {
		return s, 0, false, err
	}
	target := base + f.skip
	if o.descending {
		target = end - 1 - f.skip
	}
	if target < base || target >= end {
		return nothing, 0, true, nil
	}
	l, ok, err := f.counters.nth(ctx, target)
	if err != nil || !ok {
		return nothing, 0, false, err
	}
	low, high := string(f.table.FirstRowID(l.from)), string(f.table.FirstRowID(l.to))
	first, last := l.before, l.before+l.rows // ranks of [low, high)
	if o.ties != asStored {
		if low, high, first, last, err = f.groupAt(ctx, span{low, high}, target-l.before); err != nil {
			return s, 0, false, err
		}
	}
	if o.descending {
		s.to, skip = minKey(s.to, high), min(last, end)-1-target
	} else {
		s.from, skip = max(s.from, low), target-max(first, base)
	}
	return s, max(skip, 0), skip >= 0, nil
}

// groupAt returns the group of row n of the leaf, with its ranks.
func (f *finder) groupAt(ctx context.Context, s span, n int) (low, high string, first, last int, err error) {
	ids := walker{find: f, bare: true}
	var at place
	err = ids.walk(ctx, []span{s}, ordering{byRows: true}, n+1, func(b batch) (bool, error) {
		if n < len(b.places) {
			at = b.places[n]
			return false, nil
		}
		n -= len(b.places)
		return true, nil
	})
	if err != nil || at.id == "" {
		return s.from, s.to, 0, 0, err
	}
	g := ids.group(at)
	if first, err = f.counters.rank(ctx, g.from); err == nil {
		last, err = f.counters.rank(ctx, g.to)
	}
	return g.from, g.to, first, last, err
}

func minKey(a, b string) string {
	if a == "" {
		return b
	}
	return min(a, b)
}
