package table

import (
	"context"
	"slices"
)

// byIndex serves a list whose where limits indexed columns.
func (f *finder) byIndex(ctx context.Context, c conditions, o ordering) error {
	best, err := f.best(ctx, c.indexed)
	if err != nil {
		return err
	}
	w := walker{find: f, index: &best.column}
	if f.q.Total && best.exact {
		if f.total, err = f.countEntries(ctx, best); err != nil {
			return err
		}
		f.countAll = false
	}
	inOrder := o.byRows && o.ties == asStored && best.equal || o.index != nil && o.index.Name == best.column.Name
	if inOrder && !f.countAll {
		f.note("index %s", best.column.Name)
		_, err := f.alongEntries(ctx, w, best.spans, o, best.exact, 0)
		return err
	}
	places, complete, err := f.entries(ctx, w, best.spans, f.tuning().few)
	if err != nil {
		return err
	}
	if !complete && !f.countAll {
		// Many entries: perhaps the first rows of the list have a page of matches.
		if done, err := f.tryInOrder(ctx, c, o); err != nil || done {
			return err
		}
		f.restart()
	}
	if !complete {
		if places, complete, err = f.worthwhile(ctx, w, best.spans); err != nil {
			return err
		}
	}
	if !complete {
		return f.byScan(ctx, c, o)
	}
	f.note("index %s", best.column.Name)
	return f.fromEntries(ctx, places, o, best.exact)
}

// best returns the condition with the fewest entries.
func (f *finder) best(ctx context.Context, conditions []indexCondition) (indexCondition, error) {
	best := conditions[0]
	if len(conditions) == 1 {
		return best, nil
	}
	fewest := -1
	for _, c := range conditions {
		count := 0
		for _, s := range c.spans {
			step, err := f.store().ScanIndex(ctx, f.scope, f.table, c.column.Index.ID, IndexScan{From: s.from, To: s.to, Limit: f.tuning().few, CountOnly: true})
			if err != nil {
				return best, err
			}
			if count += step.Count; count >= f.tuning().few {
				break
			}
		}
		if err := f.scan(count); err != nil {
			return best, err
		}
		// Of two with many, the one whose entries have the order of ids.
		if fewest < 0 || count < fewest || count == fewest && c.equal && !best.equal {
			best, fewest = c, count
		}
	}
	return best, nil
}

// countEntries counts all entries of a condition.
func (f *finder) countEntries(ctx context.Context, c indexCondition) (int, error) {
	f.note("total by index %s", c.column.Name)
	total := 0
	for _, s := range c.spans {
		for done := false; !done; {
			step, err := f.store().ScanIndex(ctx, f.scope, f.table, c.column.Index.ID, IndexScan{From: s.from, To: s.to, CountOnly: true})
			if err != nil {
				return 0, err
			}
			if err := f.scan(step.Count); err != nil {
				return 0, err
			}
			total += step.Count
			done, s = step.Last == "", s.behind(step.Last, false)
		}
	}
	return total, nil
}

// entries reads up to limit entries of the spans; complete tells that these
// are all.
func (f *finder) entries(ctx context.Context, w walker, spans []span, limit int) (places []place, complete bool, err error) {
	for _, s := range spans {
		for done := false; !done; {
			if len(places) > limit {
				return places, false, nil
			}
			c, err := w.step(ctx, s, false, limit+1-len(places))
			if err != nil {
				return nil, false, err
			}
			places = append(places, c.places...)
			done, s = c.last == "", s.behind(c.last, false)
		}
	}
	return places, len(places) <= limit, nil
}

// worthwhile reads all entries, unless there are so many that a scan is better.
func (f *finder) worthwhile(ctx context.Context, w walker, spans []span) ([]place, bool, error) {
	total, err := f.store().Total(ctx, f.scope, f.table.ID)
	if err != nil {
		return nil, false, err
	}
	return f.entries(ctx, w, spans, max(total/scanShare, f.tuning().few))
}

// tryInOrder goes a little along the list in its own order.
func (f *finder) tryInOrder(ctx context.Context, c conditions, o ordering) (done bool, err error) {
	switch {
	case o.byRows:
		done, err = f.alongRows(ctx, c.rows, o, f.tuning().try)
		if done {
			f.note("scan in order")
		}
	case o.index != nil:
		w := walker{find: f, index: o.index}
		done, err = f.alongEntries(ctx, w, []span{{}}, o, false, f.tuning().try/scanShare)
		if done {
			f.note("index %s", o.index.Name)
		}
	}
	return done, err
}

// alongIndex serves a list in the order of an index, whose where no index
// knows.
func (f *finder) alongIndex(ctx context.Context, c conditions, o ordering) error {
	everything := c.exact && c.rows == (span{})
	if everything {
		if err := f.countRange(ctx, c.rows); err != nil {
			return err
		}
		f.countAll = false
	}
	patience := f.tuning().try / scanShare
	if everything {
		patience = 0
	}
	w := walker{find: f, index: o.index}
	done := false
	if !f.countAll {
		var err error
		if done, err = f.alongEntries(ctx, w, []span{{}}, o, everything, patience); err != nil {
			return err
		}
	}
	if done {
		f.note("index %s", o.index.Name)
		return nil
	}
	f.restart()
	return f.byScan(ctx, c, o)
}

// alongEntries goes along entries in the order of the list. exact: they all
// match, so that those before the offset need not be read. With a patience it
// gives up after so many rows, unless the page is complete then.
func (f *finder) alongEntries(ctx context.Context, w walker, spans []span, o ordering, exact bool, patience int) (complete bool, err error) {
	if f.after != nil {
		spans = f.narrow(w, spans, o)
	}
	complete = true
	begin := f.scanned
	first := f.enough()
	if !exact {
		first = max(first, firstStep)
	}
	err = w.walk(ctx, spans, o, first, func(b batch) (bool, error) {
		places := b.places
		if exact && f.after == nil && !b.unsorted {
			n := min(len(places), max(f.skip-f.matched, 0))
			f.seen, f.matched, places = f.seen+n, f.matched+n, places[n:]
		}
		more, err := f.takeEntries(ctx, places, b.unsorted)
		if err != nil || !more {
			return false, err
		}
		complete = patience == 0 || f.scanned-begin < patience
		return complete, nil
	})
	return complete, err
}

// takeEntries reads the rows of entries, as many as the page still needs.
func (f *finder) takeEntries(ctx context.Context, places []place, unsorted bool) (more bool, err error) {
	for len(places) > 0 {
		n := len(places)
		if !unsorted {
			n = min(n, max(f.enough()-f.matched, 10), readAtOnce)
			if f.countAll {
				n = min(len(places), manyAtOnce)
			}
		}
		rows, err := f.read(ctx, idsOf(places[:n]))
		if err != nil {
			return false, err
		}
		if unsorted {
			f.sort(rows)
		}
		if !f.take(rows) {
			return false, nil
		}
		places = places[n:]
	}
	return true, nil
}

// How many rows are read by their ids at once: one read of the store, or where
// all of many will be needed several side by side.
const (
	readAtOnce = 100
	manyAtOnce = 400
)

func idsOf(places []place) []RowID {
	ids := make([]RowID, len(places))
	for i, p := range places {
		ids[i] = p.id
	}
	return ids
}

// fromEntries serves the list from all entries that can match.
func (f *finder) fromEntries(ctx context.Context, places []place, o ordering, exact bool) error {
	if !o.byRows || o.ties != asStored {
		g := gather{find: f}
		for some := range slices.Chunk(places, manyAtOnce) {
			rows, err := f.read(ctx, idsOf(some))
			if err != nil {
				return err
			}
			g.add(rows)
		}
		return g.finish(ctx)
	}
	slices.SortFunc(places, func(a, b place) int {
		if o.descending {
			a, b = b, a
		}
		return compareText(string(a.id), string(b.id))
	})
	if f.after != nil && !f.countAll {
		rest := span{}.behind(string(f.after.id), o.descending)
		places = slices.DeleteFunc(places, func(p place) bool { return !rest.holds(string(p.id)) })
	}
	if exact && f.after == nil {
		n := min(f.skip, len(places))
		f.seen, f.matched, places = n, n, places[n:]
	}
	_, err := f.takeEntries(ctx, places, false)
	return err
}
