package finder

import (
	"context"
	"slices"

	"minicloud/shared/table"
	"minicloud/shared/table/plan"
)

// place is one row of a walk. row is set if the walk reads rows rather than index entries.
type place struct {
	id    table.RowID
	value string // for index walks: the encoded value
	row   *table.Row
}

// walker goes along keys in their order: a scanner, or a merge of several.
type walker interface {
	// walk yields the remaining places in list order. ended is false if more places may follow. first is the number that
	// is probably sufficient.
	walk(ctx context.Context, t plan.Ties, first int, take yield) (ended bool, err error)
	// all reads all remaining places. complete is false if there are more than most; 0 = unlimited.
	all(ctx context.Context, most int) (places []place, complete bool, err error)
	// count counts and skips the remaining keys, up to most; 0 = unlimited.
	count(ctx context.Context, most int) (n int, err error)
}

// walker returns a walker at the start of the condition's keys.
func (f *search) walker(c plan.Condition, descending bool) walker {
	if c.Readers() {
		return f.merge(c.Spans, descending)
	}
	return f.scanner(c.Column, c.Spans, descending)
}

// scanner reads the keys of one table in order: its rows or the entries of one index.
type scanner struct {
	find       *search
	index      *table.Column // nil = rows
	descending bool
	rest       []plan.Span // remaining spans, in walk order
	// bare reads only the data needed for counting: no row fields, no entries.
	bare   bool
	only   []string // RowScan.Only
	filter table.Filter
}

// scanner returns a scanner at the start of the spans.
func (f *search) scanner(index *table.Column, spans []plan.Span, descending bool) *scanner {
	w := &scanner{find: f, index: index, rest: slices.Clone(spans), descending: descending}
	if descending {
		slices.Reverse(w.rest)
	}
	return w
}

// step makes one read in the first remaining span, of at most limit keys; 0 = as many as one read returns. n is the
// number of keys found.
func (w *scanner) step(ctx context.Context, limit int) (places []place, n int, err error) {
	f, s, last, looked := w.find, w.rest[0], "", 0
	if w.index == nil {
		step, err := f.Rows.ScanRows(ctx, f.scope, f.table.Table, table.RowScan{
			From: table.RowID(s.From), To: table.RowID(s.To), Descending: w.descending, Limit: limit, IDsOnly: w.bare,
			Only: w.only, Filter: w.filter,
		})
		if err != nil {
			return nil, 0, err
		}
		for i := range step.Rows {
			places = append(places, place{id: step.Rows[i].ID, row: &step.Rows[i]})
		}
		n, last, looked = len(step.Rows), string(step.Last), step.Scanned
	} else {
		step, err := f.Rows.ScanIndex(ctx, f.scope, f.table.Table, w.index.Index.ID, table.IndexScan{
			From: s.From, To: s.To, Descending: w.descending, Limit: limit, CountOnly: w.bare,
		})
		if err != nil {
			return nil, 0, err
		}
		for _, e := range step.Entries {
			places = append(places, place{id: e.ID, value: e.Value})
		}
		n, last, looked = step.Count, step.Last, step.Count
	}

	// Continue after the last key read, not the last key found: a filter may omit all keys of a read.
	if last == "" {
		w.rest = w.rest[1:]
	} else {
		w.goOn(s.Behind(last, w.descending))
	}
	return places, n, f.spend(looked)
}

// goOn replaces the first span by its remaining part.
func (w *scanner) goOn(left plan.Span) {
	if w.rest[0] = left; left.To != "" && left.From >= left.To {
		w.rest = w.rest[1:]
	}
}

// all implements walker.
func (w *scanner) all(ctx context.Context, most int) (places []place, complete bool, err error) {
	for len(w.rest) > 0 {
		limit := 0
		if most > 0 {
			limit = most + 1 - len(places)
		}
		some, _, err := w.step(ctx, limit)
		if err != nil {
			return nil, false, err
		}
		if places = append(places, some...); most > 0 && len(places) > most {
			return places, false, nil
		}
	}
	return places, true, nil
}

// count implements walker.
func (w *scanner) count(ctx context.Context, most int) (n int, err error) {
	w.bare = true
	for len(w.rest) > 0 && (most == 0 || n < most) {
		limit := 0
		if most > 0 {
			limit = most - n
		}
		_, some, err := w.step(ctx, limit)
		if err != nil {
			return 0, err
		}
		n += some
	}
	w.bare = false
	return n, nil
}

// key returns the key of the place.
func (w *scanner) key(p place) string {
	if w.index == nil {
		return string(p.id)
	}
	return table.Entry{Value: p.value, ID: p.id}.Key()
}

// group returns the span of all places equal to p in the first field of the order: rows of the same second, or
// entries of the same value. Entries of readers are in the order of rows.
func (w *scanner) group(p place) plan.Span {
	if w.index != nil && w.index != &plan.ReadersIndex {
		return plan.SpanOf(p.value)
	}
	second := p.id.CreatedAt()
	at := func(second int64) string {
		return w.key(place{id: w.find.table.FirstRowIDAt(second), value: p.value})
	}
	return plan.Span{From: at(second), To: at(second + 1)}
}

// cut reports whether the entry's value may be truncated and shared by several texts.
func (p place) cut() bool { return table.Entry{Value: p.value}.Cut() }

// The step size of a walk of unknown length starts small and grows.
const (
	firstStep = 64
	maxStep   = 1024
)

// yield receives the next places of a walk. Unsorted places are one group at its correct position, and yield must
// sort them. It returns false to end the walk.
type yield func(places []place, unsorted bool) (more bool, err error)

// walk implements walker.
func (w *scanner) walk(ctx context.Context, t plan.Ties, first int, take yield) (ended bool, err error) {
	// Steps double: finding a page early reads little, and a long walk needs few reads.
	for limit := max(first, 1); len(w.rest) > 0; limit *= 2 {
		s, spans := w.rest[0], len(w.rest)
		places, _, err := w.step(ctx, min(limit, maxStep))
		if err != nil {
			return false, err
		}

		grouped := t != plan.AsStored || slices.ContainsFunc(places, place.cut)
		more := true
		if grouped {
			more, err = w.groups(ctx, s, places, len(w.rest) < spans, t, take)
		} else {
			more, err = take(places, false)
		}
		if err != nil || !more {
			return !grouped && len(w.rest) == 0, err
		}
	}
	return true, nil
}

// groups yields the complete groups of the places read from s; end reports whether s was read to its end. An
// incomplete last group is read again.
func (w *scanner) groups(
	ctx context.Context, s plan.Span, places []place, end bool, t plan.Ties, take yield,
) (more bool, err error) {
	// Key order is list order between groups only; within a group, further fields or the id decide.
	var ready []place // groups in list order
	for from := 0; from < len(places); {
		g, to := w.group(places[from]), from+1
		for to < len(places) && g.Holds(w.key(places[to])) {
			to++
		}
		group, begun := places[from:to], false
		if to == len(places) && !end {
			_, over := g.Intersect(w.rest[0]) // a filter may have omitted the end of the group
			begun = !over
		}
		unsorted := (t == plan.Sorted || group[0].cut()) && len(group) > 1

		switch {
		case begun:
			if more, err = take(ready, false); err != nil || !more {
				return more, err
			}
			return w.begun(ctx, s, group, from == 0, t, take)
		case unsorted:
			if more, err = take(ready, false); err == nil && more {
				more, err = take(group, true)
			}
			if err != nil || !more {
				return more, err
			}
			ready = nil
		default:
			if t == plan.Reversed {
				slices.Reverse(group)
			}
			ready = append(ready, group...)
		}
		from = to
	}
	return take(ready, false)
}

// begun handles a group of s of which a step has read only the start. The next step reads the group again. If the
// group alone fills a step, it is walked separately if its keys have list order, and otherwise read completely.
func (w *scanner) begun(
	ctx context.Context, s plan.Span, begun []place, alone bool, t plan.Ties, take yield,
) (more bool, err error) {
	g := w.group(begun[0])
	own, _ := s.Intersect(g)
	group := *w
	group.rest = []plan.Span{own}

	switch {
	case alone && w.descending:
		s.To = g.From
	case alone:
		s.From = g.To
	case w.descending:
		s.To = g.To
	default:
		s.From = g.From
	}
	w.goOn(s)
	if !alone {
		return true, w.find.spend(-len(begun)) // each row counts once
	}

	if t == plan.Sorted || begun[0].cut() {
		places, _, err := group.all(ctx, 0)
		if err != nil {
			return false, err
		}
		return take(places, true)
	}
	group.descending, more = w.descending != (t == plan.Reversed), true
	_, err = group.walk(ctx, plan.AsStored, max(w.find.enough(), firstStep), func(places []place, _ bool) (bool, error) {
		more, err = take(places, false)
		return more, err
	})
	return more, err
}
