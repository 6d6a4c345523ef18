package table

import (
	"context"
	"fmt"
	"slices"

	"minicloud/shared/count"
	"minicloud/shared/tenant"
)

// Collection returns the name under which the rows of a table are counted.
func Collection(scope tenant.Scope, table ID) count.Collection {
	return count.Collection(fmt.Sprintf("%s#%d", scope, table))
}

// countEntries counts the entries of a condition, up to most, 0 = all.
func (f *finder) countEntries(ctx context.Context, c condition, most int) (n int, err error) {
	return f.walker(c.column, c.spans, false).count(ctx, most)
}

// countRange finds the total of a range of ids: by counting where there are few
// rows, else by counters.
func (f *finder) countRange(ctx context.Context, s span) (int, error) {
	before, upTo, err := f.ends(ctx, s)
	total := max(upTo-before, 0)
	if err != nil || total >= f.limits.sure {
		return total, err
	}

	// All rows are counted by the entries of an index if there is one: entries are small, so reads are fewer.
	w := f.walker(nil, []span{s}, false)
	if i := slices.IndexFunc(f.table.Columns, Column.Usable); i >= 0 && s == (span{}) {
		w.index = &f.table.Columns[i]
	}
	f.tried += f.limits.total // bounded and cheap, so it does not count against the budget
	few, err := w.count(ctx, f.limits.total)
	if few < f.limits.total {
		return few, err
	}
	return max(total, few), err
}

// counterReads is how often inconsistent counters are read.
const counterReads = 4

// count finds the total for a plan that does not read all matches.
func (f *finder) count(ctx context.Context, c condition) (err error) {
	if c.column != nil {
		f.total, err = f.countEntries(ctx, c, 0)
	} else {
		f.total, err = f.countRange(ctx, c.spans[0])
	}
	return err
}

// seek returns the rest of the span from the offset on, and sets f.skip to the rows
// to be skipped in it. Counters may change between two reads and lead to no row:
// then they are read again.
func (f *finder) seek(ctx context.Context, s span, o ordering) ([]span, error) {
	for attempt := 1; ; attempt++ {
		rest, skip, found, err := f.seekOnce(ctx, s, o)
		if err != nil || found || attempt == counterReads {
			f.skip = max(skip, 0)
			return rest, err
		}
		f.tree.Forget()
	}
}

// seekOnce returns what of the span is left from the offset's leaf on, and how
// many rows are to be skipped of that.
func (f *finder) seekOnce(ctx context.Context, s span, o ordering) (rest []span, skip int, found bool, err error) {
	base, end, err := f.ends(ctx, s)
	if err != nil {
		return nil, 0, false, err
	}
	target := base + f.skip
	if o.descending {
		target = end - 1 - f.skip
	}
	if target < base || target >= end {
		return nil, 0, true, nil
	}

	leaf, ok, err := f.tree.Nth(ctx, target)
	if err != nil || !ok {
		return nil, 0, false, err
	}
	at := span{string(f.table.FirstRowID(leaf.From)), string(f.table.FirstRowID(leaf.To))}
	first, last := leaf.Before, leaf.Before+leaf.Records // ranks of what is in there
	if o.ties != asStored {
		// The rows of a second have another order than their ids, so the walk begins at the start of the second.
		w := f.walker(nil, nil, false)
		at = span{w.group(place{id: RowID(at.from)}).from, w.group(place{id: f.table.FirstRowID(leaf.To - 1)}).to}
		if first, last, err = f.ends(ctx, at); err != nil {
			return nil, 0, false, err
		}
	}

	at, _ = s.intersect(at)
	if o.descending {
		s.to, skip = at.to, min(last, end)-1-target
	} else {
		s.from, skip = at.from, target-max(first, base)
	}
	return []span{s}, skip, skip >= 0, nil
}

// ends returns how many rows have an id before the span, and how many before its
// end.
func (f *finder) ends(ctx context.Context, s span) (before, upTo int, err error) {
	if s.from != "" {
		if before, err = f.rowsBefore(ctx, s.from); err != nil {
			return 0, 0, err
		}
	}
	if s.to == "" {
		upTo, err = f.tree.Total(ctx)
	} else {
		upTo, err = f.rowsBefore(ctx, s.to)
	}
	return before, upTo, err
}

// rowsBefore returns how many rows have an id before key. Counters give the rows
// before the key's leaf; the rows within the leaf are counted by a read.
func (f *finder) rowsBefore(ctx context.Context, key string) (int, error) {
	before, leaf, err := f.tree.Before(ctx, numberAt(f.table, key))
	from := string(f.table.FirstRowID(leaf))
	if err != nil || from >= key {
		return before, err
	}
	n, err := f.walker(nil, []span{{from, key}}, false).count(ctx, 0)
	return before + n, err
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
