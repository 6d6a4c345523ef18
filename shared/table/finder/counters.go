package finder

import (
	"context"
	"slices"

	"minicloud/shared/id"
	"minicloud/shared/table"
	"minicloud/shared/table/plan"
)

// countRange returns the number of rows in a range of ids. It counts up to Limits.Total rows by reading them, and
// uses the counters for larger totals.
func (f *search) countRange(ctx context.Context, s plan.Span) (int, error) {
	before, upTo, err := f.ends(ctx, s)
	total := max(upTo-before, 0)
	if err != nil || total >= f.Limits.Sure {
		return total, err
	}

	// If any index is usable, count all rows by its entries: entries are small, so fewer reads are needed.
	w := f.scanner(nil, []plan.Span{s}, false)
	if i := slices.IndexFunc(f.table.Columns, table.Column.Usable); i >= 0 && s == (plan.Span{}) {
		w.index = &f.table.Columns[i]
	}
	f.tried += f.Limits.Total // bounded and cheap, so not counted against the budget
	few, err := w.count(ctx, f.Limits.Total)
	if few < f.Limits.Total {
		return few, err
	}
	return max(total, few), err
}

// count sets the total for a plan that does not read all matches.
func (f *search) count(ctx context.Context, c plan.Condition) (err error) {
	if c.Column != nil {
		f.total, err = f.walker(c, false).count(ctx, 0)
	} else {
		f.total, err = f.countRange(ctx, c.Spans[0])
	}
	return err
}

// ends returns the number of rows with an id before the start and before the end of the span.
func (f *search) ends(ctx context.Context, s plan.Span) (before, upTo int, err error) {
	if s.From != "" {
		if before, err = f.rowsBefore(ctx, s.From); err != nil {
			return 0, 0, err
		}
	}
	if s.To == "" {
		upTo, err = f.tree.Total(ctx)
	} else {
		upTo, err = f.rowsBefore(ctx, s.To)
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
	n, err := f.scanner(nil, []plan.Span{{From: from, To: key}}, false).count(ctx, 0)
	return before + n, err
}

// pieces splits the span into pieces of about size rows, in ascending order.
func (f *search) pieces(ctx context.Context, s plan.Span, size int) ([]plan.Span, error) {
	from, to := numberAt(f.table.Table, s.From), lastNumber
	if s.To != "" {
		to = numberAt(f.table.Table, s.To)
	}
	cuts, err := f.tree.Cuts(ctx, from, to, size)
	if err != nil {
		return nil, err
	}

	var pieces []plan.Span
	for _, number := range cuts {
		cut := string(f.table.FirstRowID(number))
		if cut <= s.From || s.To != "" && cut >= s.To {
			continue
		}
		pieces = append(pieces, plan.Span{From: s.From, To: cut})
		s.From = cut
	}
	return append(pieces, s), nil
}

// lastNumber is the largest number of an id.
const lastNumber = id.ID(1)<<53 - 1

// numberAt returns the largest number n with FirstRowID(n) ≤ key; key need not be an id.
func numberAt(t table.Table, key string) id.ID {
	low, high := id.ID(0), lastNumber
	for low < high {
		middle := (low + high + 1) / 2
		if string(t.FirstRowID(middle)) <= key {
			low = middle
		} else {
			high = middle - 1
		}
	}

	return low
}
