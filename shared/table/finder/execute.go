package finder

import (
	"context"
	"slices"
	"strings"
	"sync"

	"golang.org/x/sync/errgroup"

	"minicloud/shared/table"
)

// execute reads the page by the plan. done is false if the plan was abandoned after Plan.most keys.
func (f *search) execute(ctx context.Context, p Plan) (done bool, err error) {
	switch {
	case p.access == accessNothing:
		return true, nil
	case p.access == accessIDs:
		rows, err := f.read(ctx, p.ids)
		if err != nil {
			return false, err
		}
		g := sorter{find: f}
		g.add(rows)
		return true, g.finish(ctx)
	case p.inOrder && p.keys.readers():
		return f.readersInOrder(ctx, p)
	case p.inOrder:
		return f.inOrder(ctx, p)
	case p.access == accessIndex:
		return f.fromEntries(ctx, p)
	}
	return true, f.scanAll(ctx, p)
}

// inOrder walks keys that have the order of the list.
func (f *search) inOrder(ctx context.Context, p Plan) (done bool, err error) {
	w, first, err := f.begin(ctx, p)
	if err != nil {
		return false, err
	}

	begin, complete, parallel := f.scanned, false, false
	ended, err := w.walk(ctx, p.order.ties, first, func(places []place, unsorted bool) (bool, error) {
		more, err := f.takePlaces(ctx, p, places, unsorted)
		complete = !more
		looked := f.scanned - begin
		parallel = p.access == accessRows && p.most == 0 && p.order.ties == asStored && looked >= f.limits.Look
		return more && !parallel && (p.most == 0 || looked < p.most), err
	})
	if err != nil {
		return false, err
	}
	if !complete && !ended {
		if !parallel {
			return false, nil
		}
		// Many rows were read with few matches: read the rest with several parallel readers.
		if complete, err = f.parallel(ctx, w); err != nil {
			return false, err
		}
	}

	if p.total != nil && (complete || f.after != nil) {
		return true, f.count(ctx, *p.total)
	}
	return true, nil
}

// readersInOrder walks the entries of the query's reader in list order.
func (f *search) readersInOrder(ctx context.Context, p Plan) (done bool, err error) {
	spans := p.keys.spans
	if f.after != nil {
		spans = f.narrowReaders(p)
	}
	first := f.enough()
	if !p.keys.exact {
		first = max(first, firstStep)
	}

	complete := false
	ended, err := f.merge(spans, p.order.descending).walk(ctx, p.order.ties, first,
		func(places []place, unsorted bool) (bool, error) {
			if p.keys.exact && f.after == nil && !unsorted {
				places = f.pass(places)
			}
			more, err := f.takeEntries(ctx, places, nil, unsorted)
			complete = !more
			return more, err
		})
	if err != nil || p.total == nil || ended && !complete && f.after == nil {
		return true, err // a walk to the end has counted the rows
	}
	return true, f.count(ctx, *p.total)
}

// narrowReaders returns the ranges of the reader without the part before the cursor. If rows of the same second are not
// in list order, it keeps the whole second.
func (f *search) narrowReaders(p Plan) (left []span) {
	for _, s := range p.keys.spans {
		entry, _, _ := strings.Cut(s.from, table.Separator)
		rest := span{}.behind(entry+table.Separator+string(f.after.id), p.order.descending)
		if p.order.ties != asStored {
			second := f.scanner(nil, nil, false).group(place{id: f.after.id})
			rest = span{from: entry + table.Separator + second.from}
			if p.order.descending {
				rest = span{to: entry + table.Separator + second.to}
			}
		}
		if s, empty := s.intersect(rest); !empty {
			left = append(left, s)
		}
	}
	return left
}

// begin returns a scanner for a plan in list order, positioned at or before the start of the page. first is the
// number of keys that is probably sufficient.
func (f *search) begin(ctx context.Context, p Plan) (w *scanner, first int, err error) {
	spans := p.keys.spans
	if f.after != nil {
		spans = f.narrow(p)
	}
	w = f.scanner(p.keys.column, spans, p.order.descending)
	w.filter = f.table.filterOf(f.where)
	if !p.keys.exact {
		return w, f.enough() + max(f.enough(), firstStep), nil
	}

	if p.access == accessRows && f.skip > firstStep && p.order.ties == asStored {
		passed, err := w.count(ctx, f.skip)
		f.seen, f.matched = passed, passed
		return w, f.enough() - passed, err
	}
	first = f.enough()
	if p.order.ties != asStored {
		first++ // one more key shows that a group is complete
	}
	return w, first, nil
}

// narrow returns the spans without the part before the cursor. If keys with equal values are not in list order, it
// keeps the whole group of the cursor.
func (f *search) narrow(p Plan) []span {
	w, o, at := f.scanner(p.keys.column, nil, false), p.order, place{id: f.after.id}
	switch {
	case w.index != nil && o.byRows: // the entries of one value, in id order
		at.value = strings.TrimSuffix(p.keys.spans[0].from, table.Separator)
	case w.index != nil:
		at.value, _ = table.EncodeValue(w.index.Column, f.after.record[w.index.Name])
	}

	left := span{}.behind(w.key(at), o.descending)
	if o.ties != asStored || at.cut() {
		g := w.group(at)
		left = span{from: g.from}
		if o.descending {
			left = span{to: g.to}
		}
	}
	return intersectAll(p.keys.spans, []span{left})
}

// takePlaces adds the rows of places to the page, like take.
func (f *search) takePlaces(ctx context.Context, p Plan, places []place, unsorted bool) (more bool, err error) {
	if p.access == accessIndex {
		if p.keys.exact && f.after == nil && !unsorted {
			places = f.pass(places)
		}
		return f.takeEntries(ctx, places, p.keys.column, unsorted)
	}

	rows := rowsOf(places)
	if unsorted {
		f.sort(rows)
	}
	return f.take(rows), nil
}

// pass skips the places before the offset without reading their rows. All places must match.
func (f *search) pass(places []place) []place {
	n := min(len(places), max(f.skip-f.matched, 0))
	f.seen, f.matched = f.seen+n, f.matched+n
	return places[n:]
}

// Maximum number of rows read by id at once: readAtOnce is one read of the store; manyAtOnce is several parallel
// reads, used when all rows are needed.
const (
	readAtOnce = 100
	manyAtOnce = 400
)

// takeEntries reads the rows of entries, only as many as the page still needs. It drops rows whose entry has moved
// since: their position in the list has changed, and a cursor after such a row would skip or repeat rows. index is
// nil if the list has another order than the entries.
func (f *search) takeEntries(
	ctx context.Context, places []place, index *table.Column, unsorted bool,
) (more bool, err error) {
	for len(places) > 0 {
		// An unsorted group is read completely, because its first row in list order may be read last.
		n := len(places)
		if !unsorted {
			n = min(n, max(f.enough()-f.matched, 10), readAtOnce)
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

// unmoved returns the rows that still have the index entry by which they were found.
func unmoved(rows []table.Row, places []place, index table.Column) []table.Row {
	found := make(map[table.Entry]bool, len(places))
	for _, p := range places {
		found[table.Entry{Value: p.value, ID: p.id}] = true
	}
	return slices.DeleteFunc(rows, func(r table.Row) bool { return !found[index.Entry(r)] })
}

// fromEntries builds the page from all entries that can match.
func (f *search) fromEntries(ctx context.Context, p Plan) (done bool, err error) {
	places, done, err := f.entries(ctx, p.keys, p.most)
	if err != nil || !done {
		return false, err
	}
	slices.SortFunc(places, func(a, b place) int {
		if p.order.descending {
			a, b = b, a
		}
		return strings.Compare(string(a.id), string(b.id))
	})
	// A row that moved between two reads may appear with two entries.
	places = slices.CompactFunc(places, func(a, b place) bool { return a.id == b.id })

	if p.order.byRows && p.order.ties == asStored && (p.keys.exact || !f.q.Total) {
		f.total = len(places)
		if f.after != nil {
			rest := span{}.behind(string(f.after.id), p.order.descending)
			places = slices.DeleteFunc(places, func(p place) bool { return !rest.holds(string(p.id)) })
		} else if p.keys.exact {
			places = f.pass(places)
		}
		_, err := f.takeEntries(ctx, places, nil, false)
		return true, err
	}

	g := sorter{find: f}
	for some := range slices.Chunk(places, manyAtOnce) {
		rows, err := f.read(ctx, idsOf(some))
		if err != nil {
			return false, err
		}
		g.add(rows)
	}
	return true, g.finish(ctx)
}

// entries returns all entries of a condition. complete is false if there are more than most; 0 = unlimited.
func (f *search) entries(ctx context.Context, c condition, most int) (places []place, complete bool, err error) {
	if !c.readers() {
		return f.scanner(c.column, c.spans, false).all(ctx, most)
	}
	m := f.merge(c.spans, false)
	for {
		limit := maxMerged
		if most > 0 {
			limit = min(limit, most+1-len(places))
		}
		some, err := m.next(ctx, limit)
		places = append(places, some...)
		switch {
		case err != nil:
			return nil, false, err
		case most > 0 && len(places) > most:
			return places, false, nil
		case len(some) < limit:
			return places, true, nil
		}
	}
}

// scanAll reads all rows of the plan, but only the fields that the condition and the order need, and sorts the
// matches.
func (f *search) scanAll(ctx context.Context, p Plan) error {
	s := p.keys.spans[0]
	if err := f.affordable(ctx, s); err != nil {
		return err
	}
	pieces, err := f.pieces(ctx, s, f.limits.Segment)
	if err != nil {
		return err
	}

	// Only the reads of the store run in parallel; the mutex guards best and the state of the search.
	var mu sync.Mutex
	only := f.needed()
	best := sorter{find: f, partial: only != nil}
	g, scanning := errgroup.WithContext(ctx)
	g.SetLimit(scanners)
	for _, piece := range pieces {
		g.Go(func() error {
			w := f.scanner(nil, []span{piece}, false)
			w.filter, w.only = f.table.filterOf(f.where), only
			for len(w.rest) > 0 {
				places, _, err := w.step(scanning, 0)
				if err != nil {
					return err
				}
				mu.Lock()
				best.add(rowsOf(places))
				mu.Unlock()
			}
			return nil
		})
	}
	if err := g.Wait(); err != nil {
		return err
	}
	return best.finish(ctx)
}

// scanners is the number of readers of a parallel scan.
const scanners = 4

// parallel reads the remaining rows with several readers and adds them in walk order. complete reports whether the
// page is complete.
func (f *search) parallel(ctx context.Context, w *scanner) (complete bool, err error) {
	pieces, err := f.pieces(ctx, w.rest[0], f.limits.Segment)
	if err != nil {
		return false, err
	}
	if w.descending {
		slices.Reverse(pieces)
	}

	for some := range slices.Chunk(pieces, scanners) {
		read := make([][]place, len(some))
		g, ctx := errgroup.WithContext(ctx)
		for i, piece := range some {
			g.Go(func() (err error) {
				reader := *w
				reader.rest = []span{piece}
				read[i], _, err = reader.all(ctx, 0)
				return err
			})
		}
		if err := g.Wait(); err != nil {
			return false, err
		}
		for _, places := range read {
			if !f.take(rowsOf(places)) {
				return true, nil
			}
		}
	}
	return false, nil
}

// read returns the existing rows with these ids, in the order of ids.
func (f *search) read(ctx context.Context, ids []table.RowID) ([]table.Row, error) {
	if err := f.spend(len(ids)); err != nil {
		return nil, err
	}
	return f.readAgain(ctx, ids)
}

// readAgain is read without counting against the budget, for rows that were already counted. A duplicate id, as of a
// row that moved between two entries, is read once.
func (f *search) readAgain(ctx context.Context, ids []table.RowID) ([]table.Row, error) {
	if len(ids) == 0 {
		return nil, nil
	}
	known := make(map[table.RowID]bool, len(ids))
	ids = slices.DeleteFunc(ids, func(id table.RowID) bool {
		again := known[id]
		known[id] = true
		return again
	})
	found, err := f.Rows.ReadRows(ctx, f.scope, f.table.Table, ids)
	if err != nil {
		return nil, err
	}

	rows := make([]table.Row, 0, len(ids))
	for _, id := range ids {
		if row, ok := found[id]; ok {
			rows = append(rows, row)
		}
	}
	return rows, nil
}

func rowsOf(places []place) []table.Row {
	rows := make([]table.Row, len(places))
	for i, p := range places {
		rows[i] = *p.row
	}
	return rows
}

func idsOf(places []place) []table.RowID {
	ids := make([]table.RowID, len(places))
	for i, p := range places {
		ids[i] = p.id
	}
	return ids
}
