package finder

import (
	"cmp"
	"context"
	"slices"
	"strings"

	"minicloud/shared/table"
	"minicloud/shared/table/plan"
)

// execute reads the page by the plan. done is false if the plan was abandoned after Plan.Most keys.
func (f *search) execute(ctx context.Context, p plan.Plan) (done bool, err error) {
	switch {
	case p.Access == plan.Nothing:
		return true, nil
	case p.Access == plan.IDs:
		rows, err := f.read(ctx, p.IDs)
		if err != nil {
			return false, err
		}
		g := sorter{find: f}
		g.add(rows)
		return true, g.finish(ctx)
	case p.InOrder:
		return f.inOrder(ctx, p)
	case p.Access == plan.Index:
		return f.fromEntries(ctx, p)
	}
	return true, f.scanAll(ctx, p)
}

// inOrder walks keys that have the order of the list.
func (f *search) inOrder(ctx context.Context, p plan.Plan) (done bool, err error) {
	w, first, err := f.begin(ctx, p)
	if err != nil {
		return false, err
	}

	begin, complete, parallel := f.scanned, false, false
	ended, err := w.walk(ctx, p.Order.Ties, first, func(places []place, unsorted bool) (bool, error) {
		more, err := f.takePlaces(ctx, p, places, unsorted)
		complete = !more
		looked := f.scanned - begin
		parallel = p.Access == plan.Rows && p.Most == 0 && p.Order.Ties == plan.AsStored && looked >= f.Limits.Look
		return more && !parallel && (p.Most == 0 || looked < p.Most), err
	})
	if err != nil {
		return false, err
	}
	if !complete && !ended {
		if !parallel {
			return false, nil
		}
		// Many rows were read with few matches: read the rest with several parallel readers.
		if complete, err = f.parallel(ctx, w.(*scanner), f.take); err != nil {
			return false, err
		}
	}

	if p.Total != nil && (complete || f.after != nil) {
		return true, f.count(ctx, *p.Total)
	}
	return true, nil
}

// begin returns a walker for a plan in list order, positioned at or before the start of the page. first is the
// number of keys that is probably sufficient.
func (f *search) begin(ctx context.Context, p plan.Plan) (w walker, first int, err error) {
	keys := p.Keys
	if f.after != nil {
		keys.Spans = f.narrow(p)
	}
	w = f.walker(keys, p.Order.Descending)
	if s, ok := w.(*scanner); ok {
		s.filter = f.table.Filter(f.where)
	}

	first = f.enough()
	switch {
	case !keys.Exact && keys.Readers():
		return w, max(first, firstStep), nil
	case !keys.Exact:
		return w, first + max(first, firstStep), nil
	case p.Access == plan.Rows && f.skip > firstStep && p.Order.Ties == plan.AsStored:
		passed, err := w.count(ctx, f.skip)
		f.seen, f.matched = passed, passed
		return w, first - passed, err
	case p.Order.Ties != plan.AsStored:
		first++ // one more key shows that a group is complete
	}
	return w, first, nil
}

// narrow returns the spans without the part before the cursor. If keys with equal values are not in list order, it
// keeps the whole group of the cursor.
func (f *search) narrow(p plan.Plan) (left []plan.Span) {
	w, o := f.scanner(p.Keys.Column, nil, false), p.Order
	for _, s := range p.Keys.Spans {
		at := place{id: f.after.id}
		switch {
		case w.index != nil && o.ByRows: // the entries of one value, in id order
			at.value, _, _ = strings.Cut(s.From, table.Separator)
		case w.index != nil:
			at.value, _ = table.EncodeValue(w.index.Column, f.after.record[w.index.Name])
		}

		rest := plan.Span{}.Behind(w.key(at), o.Descending)
		if o.Ties != plan.AsStored || at.cut() {
			g := w.group(at)
			rest = plan.Span{From: g.From}
			if o.Descending {
				rest = plan.Span{To: g.To}
			}
		}
		left = append(left, plan.IntersectAll([]plan.Span{s}, []plan.Span{rest})...)
	}
	return left
}

// takePlaces adds the rows of places to the page, like take.
func (f *search) takePlaces(ctx context.Context, p plan.Plan, places []place, unsorted bool) (more bool, err error) {
	if p.Access == plan.Index {
		if p.Keys.Exact && f.after == nil && !unsorted {
			places = f.pass(places)
		}
		index := p.Keys.Column
		if p.Keys.Readers() {
			index = nil // a row keeps its place when its readers change
		}
		return f.takeEntries(ctx, places, index, unsorted)
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
func (f *search) fromEntries(ctx context.Context, p plan.Plan) (done bool, err error) {
	places, done, err := f.walker(p.Keys, false).all(ctx, p.Most)
	if err != nil || !done {
		return false, err
	}
	slices.SortFunc(places, func(a, b place) int {
		if p.Order.Descending {
			a, b = b, a
		}
		return strings.Compare(string(a.id), string(b.id))
	})
	// A row that moved between two reads may appear with two entries.
	places = slices.CompactFunc(places, func(a, b place) bool { return a.id == b.id })

	if p.Order.ByRows && p.Order.Ties == plan.AsStored && (p.Keys.Exact || !f.q.Total) {
		f.total = len(places)
		if f.after != nil {
			rest := plan.Span{}.Behind(string(f.after.id), p.Order.Descending)
			places = slices.DeleteFunc(places, func(p place) bool { return !rest.Holds(string(p.id)) })
		} else if p.Keys.Exact {
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

// scanAll reads all rows of the plan, but only the fields that the condition and the order need, and sorts the
// matches.
func (f *search) scanAll(ctx context.Context, p plan.Plan) error {
	if err := f.affordable(ctx, p.Keys.Spans[0]); err != nil {
		return err
	}
	w := f.scanner(nil, p.Keys.Spans, false)
	w.filter, w.only = f.table.Filter(f.where), f.table.Needed(f.where, f.order)
	best := sorter{find: f, partial: w.only != nil}
	_, err := f.parallel(ctx, w, func(rows []table.Row) (more bool) {
		best.add(rows)
		return true
	})
	if err != nil {
		return err
	}
	return best.finish(ctx)
}

// scanners is the number of readers of a parallel scan.
const scanners = 4

// parallel reads the remaining rows with several readers and takes them in walk order. complete reports whether take
// has refused more.
func (f *search) parallel(ctx context.Context, w *scanner, take func([]table.Row) (more bool)) (complete bool, err error) {
	pieces, err := f.pieces(ctx, w.rest[0], f.Limits.Segment)
	if err != nil {
		return false, err
	}
	if w.descending {
		slices.Reverse(pieces)
	}

	// A reader waits until its last step is taken: rows may be large, and a piece may have thousands. Errors are steps:
	// the rows of the next piece must not be taken in place of those that a reader could not read.
	type step struct {
		rows []table.Row
		err  error
	}
	scanning, stop := context.WithCancel(ctx)
	defer stop()
	begun := make(chan chan step, scanners-1)
	go func() {
		defer close(begun)
		for _, piece := range pieces {
			if scanning.Err() != nil {
				return
			}
			steps := make(chan step, 1)
			begun <- steps
			go func() {
				defer close(steps)
				reader := *w
				reader.rest = []plan.Span{piece}
				for err := error(nil); err == nil && len(reader.rest) > 0; {
					var places []place
					places, _, err = reader.step(scanning, 0)
					steps <- step{rowsOf(places), err}
				}
			}()
		}
	}()

	// All steps are received, also those after the end: senders wait for nothing else.
	for steps := range begun {
		for s := range steps {
			if complete || err != nil {
				continue
			}
			if err = s.err; err == nil {
				complete = !take(s.rows)
			}
			if complete || err != nil {
				stop()
			}
		}
	}
	return complete, cmp.Or(err, ctx.Err())
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
