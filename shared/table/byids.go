package table

import (
	"context"
	"fmt"
	"slices"

	"minicloud/shared/count"
	"minicloud/shared/tenant"
)

// byIDs serves a list in the order of ids that has no condition but ranges of
// them: no row is read that is not on the page.
func (f *finder) byIDs(ctx context.Context, s span, o ordering) error {
	f.note("rows")
	f.countAll = false

	rest, jumped, passed := s, false, 0
	var err error
	switch {
	case f.after != nil:
		rest = f.narrow(walker{find: f}, []span{s}, o)[0]
	case f.skip > f.tuning().offset:
		jumped = true
		f.note("offset by counters")
		rest, err = f.seek(ctx, s, o)
	case f.skip > firstStep && o.ties == asStored:
		rest, passed, err = f.pass(ctx, s, o)
	}
	if err != nil {
		return err
	}

	all := true // that are left
	w := walker{find: f}
	err = w.walk(ctx, []span{rest}, o, f.enough(), func(b batch) (bool, error) {
		all = f.takeRows(b)
		return all, nil
	})
	if err != nil || !f.q.Total {
		return err
	}

	if all && !jumped && f.after == nil {
		f.total = passed + f.matched
		return nil
	}
	err = f.countRange(ctx, s)
	f.total = max(f.total, passed+f.matched) // what is on the page is there

	return err
}

// pass goes past the rows before the offset, of which it reads the ids.
func (f *finder) pass(ctx context.Context, s span, o ordering) (rest span, passed int, err error) {
	w := walker{find: f, bare: true}

	for f.skip > 0 {
		c, err := w.step(ctx, s, o.descending, f.skip)
		if err != nil {
			return s, passed, err
		}
		passed, f.skip = passed+len(c.places), f.skip-len(c.places)

		if c.last == "" && f.skip > 0 {
			return nothing, passed, nil
		}
		if c.last == "" { // the last row was the last to pass
			c.last = string(c.places[len(c.places)-1].id)
		}
		s = s.behind(c.last, o.descending)
	}

	return s, passed, nil
}

// nothing holds no row.
var nothing = span{"~", "~"}

// countRange finds the total of a range of ids, if it is asked for: by counting
// where there are few rows, else by counters.
func (f *finder) countRange(ctx context.Context, s span) error {
	if !f.q.Total {
		return nil
	}
	f.note("total by counters")

	total, err := f.counted(ctx, s)
	if err != nil {
		return err
	}
	if total < f.tuning().sure {
		few, err := f.few(ctx, s)
		if err != nil {
			return err
		}
		if total = max(total, few); few < f.tuning().total {
			total = few
		}
	}

	f.total = total
	return nil
}

// counted is what the counters say about the span.
func (f *finder) counted(ctx context.Context, s span) (int, error) {
	before, err := f.rankFrom(ctx, s.from)
	if err != nil {
		return 0, err
	}
	upTo, err := f.rank(ctx, s.to)

	return max(upTo-before, 0), err
}

// few counts the rows of the span, up to a few: of all rows by the entries of
// an index, where there is one, since these are small.
func (f *finder) few(ctx context.Context, s span) (n int, err error) {
	w := walker{find: f, bare: true}
	if i := slices.IndexFunc(f.table.Columns, Column.Usable); i >= 0 && s == (span{}) {
		w.index = &f.table.Columns[i]
	}

	most := f.tuning().total
	f.tried += most // it is cheap: no budget is for it
	for n < most {
		c, err := w.step(ctx, s, false, most-n)
		if err != nil {
			return 0, err
		}
		if n += len(c.places); c.last == "" {
			break
		}
		s = s.behind(c.last, false)
	}

	return n, nil
}

// counterReads is how often counters are read that do not fit together.
const counterReads = 4

// seek moves the start of the span to the offset and sets what is left to skip.
// Counters that change while they are read may not lead to a row: then they are
// read again.
func (f *finder) seek(ctx context.Context, s span, o ordering) (span, error) {
	for attempt := 1; ; attempt++ {
		rest, skip, found, err := f.seekOnce(ctx, s, o)
		if err != nil || found || attempt == counterReads {
			f.skip = skip
			return rest, err
		}
		f.tree.Forget()
	}
}

// seekOnce returns what of the span is left from the offset's leaf on, and how
// many rows are to be skipped of that.
func (f *finder) seekOnce(ctx context.Context, s span, o ordering) (rest span, skip int, found bool, err error) {
	base, err := f.rankFrom(ctx, s.from)
	if err != nil {
		return s, 0, false, err
	}
	end, err := f.rank(ctx, s.to)
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

	l, ok, err := f.tree.Nth(ctx, target)
	if err != nil || !ok {
		return nothing, 0, false, err
	}
	low, high := string(f.table.FirstRowID(l.From)), string(f.table.FirstRowID(l.To))
	first, last := l.Before, l.Before+l.Records // ranks of [low, high)
	if o.ties != asStored {
		if low, high, first, last, err = f.groupAt(ctx, span{low, high}, target-l.Before); err != nil {
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
	if first, err = f.rank(ctx, g.from); err == nil {
		last, err = f.rank(ctx, g.to)
	}
	return g.from, g.to, first, last, err
}

// rank returns how many rows have an id before key; "" is the end. Below the
// key's leaf they are counted.
func (f *finder) rank(ctx context.Context, key string) (int, error) {
	if key == "" {
		return f.tree.Total(ctx)
	}

	before, leaf, err := f.tree.Before(ctx, numberAt(f.table, key))
	from := string(f.table.FirstRowID(leaf))
	if err != nil || from >= key {
		return before, err
	}

	ids := walker{find: f, bare: true}
	err = ids.walk(ctx, []span{{from, key}}, ordering{byRows: true}, firstStep, func(b batch) (bool, error) {
		before += len(b.places)
		return true, nil
	})
	return before, err
}

// rankFrom is rank for the lower end of a span, where "" is the start.
func (f *finder) rankFrom(ctx context.Context, key string) (int, error) {
	if key == "" {
		return 0, nil
	}
	return f.rank(ctx, key)
}

// pieces cuts the span into pieces of about size rows, ascending.
func (f *finder) pieces(ctx context.Context, s span, size int) ([]span, error) {
	from, to := numberAt(f.table, s.from), lastNumber
	if s.to != "" {
		to = numberAt(f.table, s.to)
	}
	cuts, err := f.tree.Cuts(ctx, from, to, size)
	if err != nil {
		return nil, err
	}

	var pieces []span
	for _, number := range cuts {
		cut := string(f.table.FirstRowID(number))
		if cut <= s.from || s.to != "" && cut >= s.to {
			continue
		}
		pieces = append(pieces, span{s.from, cut})
		s.from = cut
	}
	return append(pieces, s), nil
}

func minKey(a, b string) string {
	if a == "" {
		return b
	}
	return min(a, b)
}

// Collection names the rows of a table as what is counted together.
func Collection(scope tenant.Scope, table ID) count.Collection {
	return count.Collection(fmt.Sprintf("%s#%d", scope, table))
}
