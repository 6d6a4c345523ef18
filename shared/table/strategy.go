package table

import (
	"context"
	"slices"
	"strings"
	"sync"
)

// What the ways cost differs: an entry and a row read by its id count for
// several rows of a scan. The numbers below come from there; a wrong guess
// costs time, never rows.
type tuning struct {
	// few entries are read before anything else is tried.
	few int
	// try is how many rows a walk in the list's own order looks at before it
	// gives up for a way that reads every match.
	try int
	// segment is how many rows a reader of a parallel scan reads: about what one
	// read of 1 MB brings.
	segment int
}

var measured = tuning{few: 256, try: 1500, segment: 2000}

const (
	// scanShare: an index that leads to more than this part of the rows is worse
	// than reading all of them.
	scanShare = 3
	scanners  = 4
)

// run picks the way.
func (f *finder) run(ctx context.Context, c conditions) error {
	o := f.table.ordering(f.order)
	f.countAll = f.q.Total
	switch {
	case c.none:
		f.note("nothing can match")
		return nil
	case c.listed:
		return f.listed(ctx, c.ids)
	case c.exact && o.byRows:
		return f.byCounters(ctx, c.rows, o)
	case len(c.indexed) > 0:
		return f.byIndex(ctx, c, o)
	case o.index != nil && (c.exact || !f.q.Total):
		return f.alongIndex(ctx, c, o)
	}
	return f.byScan(ctx, c, o)
}

// listed reads the rows that the where names.
func (f *finder) listed(ctx context.Context, ids []RowID) error {
	f.note("ids")
	rows, err := f.read(ctx, ids)
	if err != nil {
		return err
	}
	g := gather{find: f}
	g.add(rows)
	return g.finish(ctx)
}

// read returns those of the rows that exist, in the order of the ids.
func (f *finder) read(ctx context.Context, ids []RowID) ([]Row, error) {
	if err := f.scan(len(ids)); err != nil || len(ids) == 0 {
		return nil, err
	}
	found, err := f.store().ReadRows(ctx, f.scope, f.table, ids)
	if err != nil {
		return nil, err
	}
	rows := make([]Row, 0, len(ids))
	for _, id := range ids {
		if row, ok := found[id]; ok {
			rows = append(rows, row)
		}
	}
	return rows, nil
}

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

// takeRows is take for a batch of rows.
func (f *finder) takeRows(b batch) bool {
	rows := make([]Row, len(b.places))
	for i, p := range b.places {
		rows[i] = *p.row
	}
	if b.unsorted {
		f.sort(rows)
	}
	return f.take(rows)
}

func (f *finder) sort(rows []Row) {
	list := make([]ranked, len(rows))
	for i, row := range rows {
		list[i] = ranked{row: row, record: f.table.Record(row)}
	}
	slices.SortFunc(list, func(a, b ranked) int { return f.order.Compare(a.record, b.record) })
	for i := range list {
		rows[i] = list[i].row
	}
}

// narrow leaves out of the spans what lies before the cursor. Where the order
// of keys does not tell, the cursor's whole group stays in.
func (f *finder) narrow(w walker, spans []span, o ordering) []span {
	at := place{id: f.after.id}
	switch {
	case w.index != nil && o.byRows: // the entries of one value, in the order of ids
		at.value = strings.TrimSuffix(spans[0].from, separator)
	case w.index != nil:
		at.value, _ = EncodeValue(w.index.Column, f.after.record[w.index.Name])
	}
	left := span{}.behind(w.key(at), o.descending)
	if o.ties != asStored || w.index != nil && isCut(at) {
		g := w.group(at)
		left = span{from: g.from}
		if o.descending {
			left = span{to: g.to}
		}
	}
	narrowed := intersectAll(spans, []span{left})
	if len(narrowed) == 0 {
		return []span{{w.key(at), w.key(at)}}
	}
	return narrowed
}

// seek moves the start of the span to the offset and sets what is left to skip.
func (f *finder) seek(ctx context.Context, s span, o ordering) (span, error) {
	base, err := f.counters.rankFrom(ctx, s.from)
	if err != nil {
		return s, err
	}
	end, err := f.counters.rank(ctx, s.to)
	if err != nil {
		return s, err
	}
	target := base + f.skip
	if o.descending {
		target = end - 1 - f.skip
	}
	if target < base || target >= end {
		f.skip = 0
		return span{"~", "~"}, nil
	}
	l, ok, err := f.counters.nth(ctx, target)
	if err != nil || !ok {
		return span{"~", "~"}, err
	}
	low, high := string(f.table.firstRowID(l.from)), string(f.table.firstRowID(l.to))
	first, last := l.before, l.before+l.rows // ranks of [low, high)
	if o.ties != asStored {
		if low, high, first, last, err = f.groupAt(ctx, span{low, high}, target-l.before); err != nil {
			return s, err
		}
	}
	if o.descending {
		s.to, f.skip = minKey(s.to, high), min(last, end)-1-target
	} else {
		s.from, f.skip = max(s.from, low), target-max(first, base)
	}
	return s, nil
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

// byScan reads rows in the order of their ids, and sorts them where the list
// has another.
func (f *finder) byScan(ctx context.Context, c conditions, o ordering) error {
	inOrder := o.byRows && !f.countAll
	if !inOrder {
		if err := f.affordable(ctx, c.rows); err != nil {
			return err
		}
	}
	if inOrder {
		f.note("scan in order")
		_, err := f.alongRows(ctx, c.rows, o, 0)
		return err
	}
	f.note("scan")
	g := gather{find: f}
	w := walker{find: f, filter: f.table.filterOf(f.where())}
	err := f.parallel(ctx, w, c.rows, false, func(b batch) (bool, error) {
		rows := make([]Row, len(b.places))
		for i, p := range b.places {
			rows[i] = *p.row
		}
		g.add(rows)
		return true, nil
	})
	if err != nil {
		return err
	}
	return g.finish(ctx)
}

// affordable refuses a scan of everything that is known to exceed the budget.
func (f *finder) affordable(ctx context.Context, s span) error {
	if s != (span{}) {
		return nil
	}
	total, err := f.store().Total(ctx, f.scope, f.table.ID)
	if err == nil && total > f.service.budget() {
		err = f.tooMuch()
	}
	return err
}

// alongRows goes along rows in the order of the list. With a patience it stops
// after so many rows and reports whether the page was complete by then.
func (f *finder) alongRows(ctx context.Context, s span, o ordering, patience int) (complete bool, err error) {
	w := walker{find: f, filter: f.table.filterOf(f.where())}
	spans := []span{s}
	if f.after != nil {
		spans = f.narrow(w, spans, o)
	}
	begin, quick := f.scanned, max(4*f.enough(), firstStep)
	if patience == 0 {
		patience = f.tuning().try
	} else {
		quick = patience
	}
	complete = true
	rest := spans[0]
	more := true
	err = w.walk(ctx, spans, o, min(quick, 2*f.enough()+firstStep), func(b batch) (bool, error) {
		if more = f.takeRows(b); !more {
			return false, nil
		}
		if len(b.places) > 0 && o.ties == asStored {
			rest = rest.behind(w.key(b.places[len(b.places)-1]), o.descending)
		}
		complete = f.scanned-begin < patience || o.ties != asStored
		return complete, nil
	})
	if err != nil || complete || quick == patience {
		return complete, err
	}
	// It takes longer: the rest by several readers.
	return true, f.parallel(ctx, w, rest, o.descending, func(b batch) (bool, error) { return f.takeRows(b), nil })
}

// parallel yields the rows of the span in the order of their ids, read by
// several readers at a time.
func (f *finder) parallel(ctx context.Context, w walker, s span, descending bool, yield func(batch) (bool, error)) error {
	pieces, err := f.counters.segments(ctx, s, f.tuning().segment)
	if err != nil {
		return err
	}
	if descending {
		slices.Reverse(pieces)
	}
	ctx, cancel := context.WithCancel(ctx)
	var wg sync.WaitGroup
	defer wg.Wait()
	defer cancel()
	type result struct {
		batch batch
		err   error
	}
	results := make([]chan result, len(pieces))
	for i := range results {
		results[i] = make(chan result, 1)
	}
	room := make(chan struct{}, scanners)
	wg.Go(func() {
		for i, piece := range pieces {
			select {
			case room <- struct{}{}:
			case <-ctx.Done():
				return
			}
			wg.Go(func() {
				b, err := w.all(ctx, piece, descending)
				results[i] <- result{b, err}
			})
		}
	})
	for i := range results {
		r := <-results[i]
		if r.err != nil {
			return r.err
		}
		if more, err := yield(r.batch); err != nil || !more {
			return err
		}
		<-room
	}
	return nil
}

// all reads a whole span.
func (w walker) all(ctx context.Context, s span, descending bool) (batch, error) {
	var b batch
	for {
		c, err := w.step(ctx, s, descending, 0)
		if err != nil {
			return batch{}, err
		}
		b.places = append(b.places, c.places...)
		if c.last == "" {
			return b, nil
		}
		s = s.behind(c.last, descending)
	}
}
