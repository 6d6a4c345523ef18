package finder

import (
	"context"
	"slices"

	"minicloud/shared/table"
)

// countRange returns the number of rows in a range of ids. It counts up to Limits.Total rows by reading them, and
// uses the counters for larger totals.
func (f *search) countRange(ctx context.Context, s span) (int, error) {
	before, upTo, err := f.ends(ctx, s)
	total := max(upTo-before, 0)
	if err != nil || total >= f.limits.Sure {
		return total, err
	}

	// If any index is usable, count all rows by its entries: entries are small, so fewer reads are needed.
	w := f.scanner(nil, []span{s}, false)
	if i := slices.IndexFunc(f.table.Columns, table.Column.Usable); i >= 0 && s == (span{}) {
		w.index = &f.table.Columns[i]
	}
	f.tried += f.limits.Total // bounded and cheap, so not counted against the budget
	few, err := w.count(ctx, f.limits.Total)
	if few < f.limits.Total {
		return few, err
	}
	return max(total, few), err
}

// count sets the total for a plan that does not read all matches.
func (f *search) count(ctx context.Context, c condition) (err error) {
	if c.column != nil {
		f.total, err = f.walker(c, false).count(ctx, 0)
	} else {
		f.total, err = f.countRange(ctx, c.spans[0])
	}
	return err
}

// ends returns the number of rows with an id before the start and before the end of the span.
func (f *search) ends(ctx context.Context, s span) (before, upTo int, err error) {
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

// rowsBefore returns the number of rows with an id before key. Counters provide the number of rows before the key's
// leaf; a read counts the rows within the leaf.
func (f *search) rowsBefore(ctx context.Context, key string) (int, error) {
	before, leaf, err := f.tree.Before(ctx, numberAt(f.table.Table, key))
	from := string(f.table.FirstRowID(leaf))
	if err != nil || from >= key {
		return before, err
	}
	n, err := f.scanner(nil, []span{{from, key}}, false).count(ctx, 0)
	return before + n, err
}

// pieces splits the span into pieces of about size rows, in ascending order.
func (f *search) pieces(ctx context.Context, s span, size int) ([]span, error) {
	from, to := numberAt(f.table.Table, s.from), lastNumber
	if s.to != "" {
		to = numberAt(f.table.Table, s.to)
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
