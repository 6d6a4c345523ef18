package table

import (
	"context"
	"slices"
	"strings"
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
	// offset is up to where an offset is walked to: counters are behind the writes,
	// and up to here it is exact (D6).
	offset int
	// total is up to where a total is counted, for the same reason.
	total int
	// sure is a total that a counter may say without a look: nobody deletes so many
	// rows, but total, in the time that it is behind.
	sure int
}

var measured = tuning{few: 256, try: 1500, segment: 2000, offset: 1000, total: 256, sure: 10_000}

const (
	// scanShare: an index that leads to more than this part of the rows is worse
	// than reading all of them.
	scanShare = 3
	// rowCost is how many entries are read while one row is.
	rowCost  = 4
	scanners = 4
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
		return f.byIDs(ctx, c.rows, o)
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
	if err := f.scan(len(ids)); err != nil {
		return nil, err
	}
	return f.readAgain(ctx, ids)
}

// readAgain is read for rows that have been looked at before. An id that is
// there twice, as of a row that moved between two entries, counts once.
func (f *finder) readAgain(ctx context.Context, ids []RowID) ([]Row, error) {
	if len(ids) == 0 {
		return nil, nil
	}
	known := make(map[RowID]bool, len(ids))
	ids = slices.DeleteFunc(ids, func(id RowID) bool {
		again := known[id]
		known[id] = true
		return again
	})
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

// byScan reads rows in the order of their ids, and sorts them where the list
// has another.
func (f *finder) byScan(ctx context.Context, c conditions, o ordering) error {
	inOrder := o.byRows && !f.countAll
	f.tried = f.scanned // without an index it would not have been tried
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
	w := walker{find: f, filter: f.table.filterOf(f.where()), only: f.needed()}
	g := gather{find: f, partial: w.only != nil}
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
// One that does not may go to its end: where reads overlap, stores count a row
// twice.
func (f *finder) affordable(ctx context.Context, s span) error {
	if s != (span{}) {
		return nil
	}
	total, err := f.tree.Total(ctx)
	if err == nil && total > f.service.budget() {
		err = f.overBudget()
	}
	f.affords = err == nil
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
	begin, quick, impatient := f.scanned, max(4*f.enough(), firstStep), patience > 0
	if impatient {
		quick = patience
	} else {
		patience = f.tuning().try
	}
	complete = true
	rest := spans[0]
	more := true
	err = w.walk(ctx, spans, o, min(quick, 2*f.enough()+firstStep), func(b batch) (bool, error) {
		if more = f.takeRows(b); !more {
			return false, nil
		}
		// Behind what was looked at, of which the filter may have left nothing.
		end := o.ties == asStored && b.last == ""
		if b.last != "" {
			rest = rest.behind(b.last, o.descending)
		}
		complete = end || f.scanned-begin < patience || o.ties != asStored && !impatient
		return complete, nil
	})
	if err != nil || complete || impatient {
		return complete, err
	}
	// It takes longer: the rest by several readers.
	return true, f.parallel(ctx, w, rest, o.descending, func(b batch) (bool, error) { return f.takeRows(b), nil })
}
