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
	entries := entryReader{walker: w, spans: best.spans}
	if err := entries.upTo(ctx, f.tuning().few); err != nil {
		return err
	}
	if !entries.complete && !f.countAll {
		// Many entries: perhaps the first rows of the list have a page of matches.
		if done, err := f.tryInOrder(ctx, c, o, &entries); err != nil || done {
			return err
		}
		f.restart()
	}
	if !entries.complete {
		most, err := f.worthwhile(ctx)
		if err == nil {
			err = entries.upTo(ctx, most)
		}
		if err != nil {
			return err
		}
	}
	if !entries.complete {
		return f.byScan(ctx, c, o)
	}
	f.note("index %s", best.column.Name)
	return f.fromEntries(ctx, entries.places, o, best.exact)
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

// entryReader reads the entries of spans by and by.
type entryReader struct {
	walker   walker
	spans    []span // what is left
	places   []place
	complete bool // these are all
}

// upTo reads on until there are more than n entries, or no more.
func (r *entryReader) upTo(ctx context.Context, n int) error {
	for len(r.spans) > 0 && len(r.places) <= n {
		c, err := r.walker.step(ctx, r.spans[0], false, n+1-len(r.places))
		if err != nil {
			return err
		}
		r.places = append(r.places, c.places...)
		if r.spans[0] = r.spans[0].behind(c.last, false); c.last == "" {
			r.spans = r.spans[1:]
		}
	}
	r.complete = len(r.spans) == 0
	return nil
}

// worthwhile returns how many entries lead to the matches faster than a scan.
func (f *finder) worthwhile(ctx context.Context) (int, error) {
	total, err := f.tree.Total(ctx)
	return max(total/scanShare, f.tuning().few), err
}

// tryInOrder goes a little along the list in its own order.
func (f *finder) tryInOrder(ctx context.Context, c conditions, o ordering, entries *entryReader) (done bool, err error) {
	switch {
	case o.byRows && o.ties == asStored:
		return f.race(ctx, c.rows, o, entries)
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

// race goes along the list and reads entries by turns, each time more of them,
// until the page is complete or these are all entries: whichever way would have
// been the better one, it has cost a few times as much at most.
func (f *finder) race(ctx context.Context, s span, o ordering, entries *entryReader) (done bool, err error) {
	w := walker{find: f, filter: f.table.filterOf(f.where())}
	if f.after != nil {
		s = f.narrow(w, []span{s}, o)[0]
	}
	most := 0
	for few := f.tuning().few; ; {
		if few >= f.enough() { // with an offset beyond that there are cheaper ways to find out
			s, done, err = f.someRows(ctx, w, s, o, max(few/rowCost, f.enough()))
		}
		if err != nil {
			return false, err
		}
		if done {
			f.note("scan in order")
			return true, nil
		}
		if most == 0 {
			if most, err = f.worthwhile(ctx); err != nil {
				return false, err
			}
		}
		if few >= most {
			return false, nil
		}
		few = min(few*4, most)
		if err := entries.upTo(ctx, few); err != nil || entries.complete {
			return false, err
		}
	}
}

// someRows looks at about n rows of the list and returns what is left of it.
func (f *finder) someRows(ctx context.Context, w walker, s span, o ordering, n int) (rest span, complete bool, err error) {
	for n > 0 {
		c, err := w.step(ctx, s, o.descending, min(n, maxStep))
		if err != nil {
			return s, false, err
		}
		if !f.takeRows(batch{places: c.places}) || c.last == "" {
			return s, true, nil
		}
		s, n = s.behind(c.last, o.descending), n-min(n, maxStep)
	}
	return s, false, nil
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
		more, err := f.takeEntries(ctx, places, w.index, b.unsorted)
		if err != nil || !more {
			return false, err
		}
		complete = patience == 0 || f.scanned-begin < patience
		return complete, nil
	})
	return complete, err
}

// takeEntries reads the rows of entries, as many as the page still needs. Rows
// that have moved in the index meanwhile are left out: they stand elsewhere in
// the list now, and a cursor behind one of them would lead there. index is nil
// where the list has another order than the entries.
func (f *finder) takeEntries(ctx context.Context, places []place, index *Column, unsorted bool) (more bool, err error) {
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
		if index != nil {
			rows = unmoved(rows, places[:n], *index)
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

// unmoved returns the rows that still stand where their entries were found.
func unmoved(rows []Row, places []place, index Column) []Row {
	found := make(map[Entry]bool, len(places))
	for _, p := range places {
		found[Entry{p.value, p.id}] = true
	}
	return slices.DeleteFunc(rows, func(r Row) bool { return !found[index.Entry(r)] })
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
	slices.SortFunc(places, func(a, b place) int {
		if o.descending {
			a, b = b, a
		}
		return compareText(string(a.id), string(b.id))
	})
	// A row that moved while they were read has two.
	places = slices.CompactFunc(places, func(a, b place) bool { return a.id == b.id })
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
	if f.after != nil && !f.countAll {
		rest := span{}.behind(string(f.after.id), o.descending)
		places = slices.DeleteFunc(places, func(p place) bool { return !rest.holds(string(p.id)) })
	}
	if exact && f.after == nil {
		n := min(f.skip, len(places))
		f.seen, f.matched, places = n, n, places[n:]
	}
	_, err := f.takeEntries(ctx, places, nil, false)
	return err
}
