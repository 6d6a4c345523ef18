package table

import (
	"context"
	"slices"
)

// place is one row on a walk; row is set where the walk goes by rows.
type place struct {
	id    RowID
	value string // index walks: the encoded value
	row   *Row
}

// walker goes along the keys of one table: its rows, or one index.
type walker struct {
	find  *finder
	index *Column // nil = rows
	// bare leaves the rows' fields out: only ids are wanted.
	bare   bool
	only   []string // RowScan.Only
	filter Filter
}

// chunk is what one step found.
type chunk struct {
	places []place
	last   string // key to go on behind, "" when the span is done
}

// step reads one chunk of the span; limit 0 is as much as one read gives.
func (w walker) step(ctx context.Context, s span, descending bool, limit int) (chunk, error) {
	f := w.find
	if w.index == nil {
		step, err := f.scanRows(ctx, RowScan{
			From: RowID(s.from), To: RowID(s.to), Descending: descending, Limit: limit, IDsOnly: w.bare, Only: w.only, Filter: w.filter,
		})
		if err != nil {
			return chunk{}, err
		}
		c := chunk{places: make([]place, len(step.Rows)), last: string(step.Last)}
		for i := range step.Rows {
			c.places[i] = place{id: step.Rows[i].ID, row: &step.Rows[i]}
		}
		return c, f.scan(step.Scanned)
	}
	step, err := f.store().ScanIndex(ctx, f.scope, f.table, w.index.Index.ID, IndexScan{From: s.from, To: s.to, Descending: descending, Limit: limit})
	if err != nil {
		return chunk{}, err
	}
	c := chunk{places: make([]place, len(step.Entries)), last: step.Last}
	for i, e := range step.Entries {
		c.places[i] = place{id: e.ID, value: e.Value}
	}
	return c, f.scan(step.Count)
}

// behind returns what of the span is left after the key.
func (s span) behind(key string, descending bool) span {
	if descending {
		s.to = key
	} else {
		s.from = key + "0" // keys end in an id, none is the beginning of another
	}
	return s
}

// key returns the place as it stands in keys.
func (w walker) key(p place) string {
	if w.index == nil {
		return string(p.id)
	}
	return Entry{p.value, p.id}.Key()
}

// group returns the span of all places that the order does not tell from p by
// its first field: rows of the same second, entries of the same value.
func (w walker) group(p place) span {
	if w.index != nil {
		return spanOf(p.value)
	}
	second := p.id.CreatedAt()
	t := w.find.table
	return span{string(t.FirstRowID(firstNumber(second))), string(t.FirstRowID(firstNumber(second + 1)))}
}

// batch is some places in order; when unsorted is set, they are in order as a
// whole and the caller sorts them.
type batch struct {
	places   []place
	unsorted bool
	last     string // where the ties are as stored: chunk.last
}

// growth of the steps of a walk whose end is not known: small at first.
const (
	firstStep = 64
	maxStep   = 1024
)

// walk yields the places in the spans, in order. first is how many are likely
// enough. It ends when yield returns false.
func (w walker) walk(ctx context.Context, spans []span, o ordering, first int, yield func(batch) (bool, error)) error {
	spans = slices.Clone(spans)
	if o.descending {
		slices.Reverse(spans)
	}
	limit := max(first, 1)
	for _, s := range spans {
		for done := false; !done; {
			c, err := w.step(ctx, s, o.descending, min(limit, maxStep))
			if err != nil {
				return err
			}
			limit *= 2
			done = c.last == ""
			rest := s.behind(c.last, o.descending)
			more := true
			if o.ties == asStored && !w.anyCut(c.places) {
				more, err = yield(batch{places: c.places, last: c.last})
			} else {
				more, rest, err = w.groups(ctx, s, c, o, yield)
				done = done || rest.to != "" && rest.from >= rest.to
			}
			if err != nil || !more {
				return err
			}
			s = rest
		}
	}
	return nil
}

// anyCut reports whether an entry's value stands for several.
func (w walker) anyCut(places []place) bool {
	return w.index != nil && slices.ContainsFunc(places, isCut)
}

func isCut(p place) bool { return len(p.value) > maxEncoded-4 }

// groups yields the complete groups of a chunk. A group that the chunk only
// begins is walked by itself; rest is what comes after it.
func (w walker) groups(ctx context.Context, s span, c chunk, o ordering, yield func(batch) (bool, error)) (more bool, rest span, err error) {
	rest = s.behind(c.last, o.descending)
	var ready []place // groups that are in order
	for from := 0; from < len(c.places); {
		g := w.group(c.places[from])
		to := from + 1
		for to < len(c.places) && g.holds(w.key(c.places[to])) {
			to++
		}
		places := c.places[from:to]
		whole := to < len(c.places) || c.last == ""
		unsorted := (o.ties == sorted || isCut(places[0])) && len(places) > 1
		if whole && !unsorted {
			if o.ties == reversed {
				slices.Reverse(places)
			}
			ready, from = append(ready, places...), to
			continue
		}
		if more, err = yield(batch{places: ready}); err != nil || !more {
			return more, rest, err
		}
		ready = nil
		if !whole {
			if o.descending {
				rest.to = minKey(rest.to, g.from)
			} else {
				rest.from = max(rest.from, g.to)
			}
			clipped, _ := g.intersect(s)
			more, err = w.wholeGroup(ctx, clipped, isCut(places[0]), o, yield)
			return more, rest, err
		}
		if more, err = yield(batch{places: places, unsorted: true}); err != nil || !more {
			return more, rest, err
		}
		from = to
	}
	more, err = yield(batch{places: ready})
	return more, rest, err
}

func (s span) holds(key string) bool { return key >= s.from && (s.to == "" || key < s.to) }

// wholeGroup yields a group of any size: step by step where the keys have its
// order, else at once.
func (w walker) wholeGroup(ctx context.Context, g span, cut bool, o ordering, yield func(batch) (bool, error)) (bool, error) {
	descending := o.descending != (o.ties == reversed)
	var all []place
	for limit := max(w.find.enough(), firstStep); ; limit *= 2 {
		c, err := w.step(ctx, g, descending, min(limit, maxStep))
		if err != nil {
			return false, err
		}
		if o.ties == sorted || cut {
			all = append(all, c.places...)
		} else if more, err := yield(batch{places: c.places}); err != nil || !more {
			return false, err
		}
		if c.last == "" {
			break
		}
		g = g.behind(c.last, descending)
	}
	if o.ties != sorted && !cut {
		return true, nil
	}
	return yield(batch{places: all, unsorted: true})
}
