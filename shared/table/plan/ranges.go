package plan

import (
	"slices"
	"strings"

	"minicloud/shared/id"
	"minicloud/shared/language/query"
	"minicloud/shared/language/value"
	"minicloud/shared/table"
)

// conditions holds the parts of a where that key ranges can express and that every matching row meets. They only
// narrow the search: the whole where is checked on every row they find.
type conditions struct {
	none    bool          // no row can match
	ids     []table.RowID // if listed, the only rows that can match
	listed  bool
	rows    Condition   // on ids and created_at
	indexed []Condition // on indexed columns
	readers *Condition  // the rows of the query's reader; nil = every row, or the index of readers is not complete
}

// Condition is the part of a where that key ranges of one kind can express.
type Condition struct {
	Column *table.Column // the indexed column; nil = the keys are row ids
	Spans  []Span        // ascending and disjoint; exactly one for row ids
	equal  bool          // one value only: its entries are in id order
	Exact  bool          // the spans express the whole where
}

// conditions returns the key ranges of the where.
func (t Table) conditions(where query.Predicate) conditions {
	var c conditions
	for _, term := range query.Conjuncts(where) {
		if ids, listed := t.listedIDs(term); listed {
			c.list(ids)
		}
	}

	c.rows, _ = t.conditionOn(nil, where)
	c.none = c.none || len(c.rows.Spans) == 0
	for i := range t.Columns {
		if !t.Columns[i].Usable() {
			continue
		}
		if on, ok := t.conditionOn(&t.Columns[i], where); ok {
			c.none = c.none || len(on.Spans) == 0
			c.indexed = append(c.indexed, on)
		}
	}
	if t.Reader == nil || t.Sight.All {
		return c
	}

	// The reader may not read every row, so other keys also lead to rows that do not match.
	if t.Sight.Indexed {
		c.readers = t.readersOf(c.rows)
		c.none = c.none || len(c.readers.Spans) == 0
	}
	c.rows.Exact = false
	for i := range c.indexed {
		c.indexed[i].Exact = false
	}
	return c
}

// Candidates returns the conditions among which a plan chooses by their number of entries, none if there is no choice.
func (t Table) Candidates(where query.Predicate) []Condition {
	c := t.conditions(where)
	all := c.indexed
	if c.readers != nil {
		all = append(all, *c.readers)
	}
	if len(all) < 2 || c.none || c.listed {
		return nil
	}
	return all
}

// readersOf returns the ranges of the index of readers that lead to the reader's rows with an id in rows.
func (t Table) readersOf(rows Condition) *Condition {
	c := &Condition{Column: &ReadersIndex, Exact: rows.Exact && t.Sight.Exact}
	for _, s := range rows.Spans {
		for _, entry := range t.Sight.Entries {
			all := SpanOf(entry)
			if s.From != "" {
				all.From = entry + table.Separator + s.From
			}
			if s.To != "" {
				all.To = entry + table.Separator + s.To
			}
			c.Spans = append(c.Spans, all)
		}
	}
	return c
}

// conditionOn returns the part of the where that ranges of the column's entries can express; a nil column means row
// ids. ok is false if there is none.
func (t Table) conditionOn(column *table.Column, where query.Predicate) (c Condition, ok bool) {
	c = Condition{Column: column, Spans: []Span{{}}}
	exactTerms := 0

	for _, term := range query.Conjuncts(where) {
		spans, exact, keyed := t.spans(column, term)
		if !keyed {
			continue
		}
		ok = true
		c.Spans = IntersectAll(c.Spans, spans)
		c.equal = c.equal || term.Op == query.OpEq || term.Op == query.OpIsNull && term.Operand == true
		if exact {
			exactTerms++
		}
	}

	c.Exact = exactTerms == len(query.Terms(where))
	return c, ok
}

// list restricts the ids that can match to the given ids.
func (c *conditions) list(ids []table.RowID) {
	if c.listed {
		ids = slices.DeleteFunc(ids, func(id table.RowID) bool { return !slices.Contains(c.ids, id) })
	}
	c.listed, c.ids = true, ids
	c.none = c.none || len(ids) == 0
}

// listedIDs returns the ids of a term that lists them: $eq or $in on id.
func (t Table) listedIDs(term *query.Term) (ids []table.RowID, listed bool) {
	var operands []any
	switch {
	case term.Virtual() || term.Column.Name != "id":
		return nil, false
	case term.Op == query.OpEq:
		operands = []any{term.Operand}
	case term.Op == query.OpIn:
		operands = term.Operand.([]any)
	default:
		return nil, false
	}

	for _, operand := range operands {
		if id, ok := t.RowIDOf(operand); ok && !slices.Contains(ids, id) {
			ids = append(ids, id)
		}
	}
	return ids, true
}

// spans converts a term to ranges of the column's entries, or of row ids. exact reports whether every key in the
// ranges meets the term.
func (t Table) spans(column *table.Column, term *query.Term) (spans []Span, exact, ok bool) {
	switch {
	case term.Virtual():
		return nil, false, false
	case column != nil && column.Name == term.Column.Name:
		return entrySpans(*column, term)
	case column != nil:
		return nil, false, false
	}

	if keys := t.rowKeys(term); keys != nil {
		return rangeSpan(term, Span{}, keys)
	}
	return nil, false, false
}

// keys is the key range of one value; shared reports that other values have the same keys.
type keys struct {
	Span
	shared bool
}

// rowKeys returns a function from a value of the term's column to the ids of rows with this value. It returns nil if
// row ids do not depend on the column.
func (t Table) rowKeys(term *query.Term) func(v any) keys {
	switch {
	case term.Operand == nil:
		return nil
	case term.Column.Name == "created_at":
		at := func(second int64) string { return string(t.FirstRowIDAt(second)) }
		return func(v any) keys { return keys{Span: Span{at(v.(int64)), at(v.(int64) + 1)}} }
	case term.Column.Name == "id" && t.IntegerIDs():
		at := func(n int64) string { return id.ID(min(max(n, 0), value.MaxInteger)).Key() }
		return func(v any) keys { return keys{Span: Span{at(v.(int64)), at(v.(int64) + 1)}} }
	case term.Column.Name == "id" && keyLike(term.Operand):
		// Ids are hexadecimal, so the smallest key after any text is the text with "0" appended.
		return func(v any) keys { return keys{Span: Span{v.(string), v.(string) + "0"}} }
	}
	return nil
}

// keyLike reports whether all texts of an operand can be key bounds.
func keyLike(operand any) bool {
	switch operand := operand.(type) {
	case string:
		return operand != "" && len(operand) <= 64
	case []any:
		return !slices.ContainsFunc(operand, func(v any) bool { return !keyLike(v) })
	}
	return false
}

// rangeSpan converts a comparison to a range within all.
func rangeSpan(term *query.Term, all Span, at func(v any) keys) (spans []Span, exact, ok bool) {
	low, high := term.Operand, term.Operand
	if term.Op == query.OpRange {
		low, high = term.Operand.([]any)[0], term.Operand.([]any)[1]
	}

	// A shared bound stays in the range even for > and <: another value with the same keys may match.
	var s Span
	exact = true
	switch term.Op {
	case query.OpEq, query.OpGte, query.OpGt, query.OpRange:
		from := at(low)
		exact = !from.shared
		if s.From = from.From; term.Op == query.OpGt && exact {
			s.From = from.To
		}
	case query.OpLt, query.OpLte:
	default:
		return nil, false, false
	}

	switch term.Op {
	case query.OpEq, query.OpLt, query.OpLte, query.OpRange:
		to := at(high)
		exact = exact && !to.shared
		if s.To = to.To; (term.Op == query.OpLt || term.Op == query.OpRange) && !to.shared {
			s.To = to.From
		}
	}
	return IntersectAll([]Span{all}, []Span{s}), exact, true
}

// entryKeys returns the key range of the entries of a value.
func entryKeys(c table.Column, v any) keys {
	encoded, cut := table.EncodeValue(c.Column, v)
	return keys{SpanOf(encoded), cut}
}

// entrySpans converts a term on the column to ranges of its entries.
func entrySpans(c table.Column, term *query.Term) (spans []Span, exact, ok bool) {
	at := func(v any) keys { return entryKeys(c, v) }
	switch term.Op {
	case query.OpIn:
		exact = true
		for _, operand := range term.Operand.([]any) {
			of := at(operand)
			exact = exact && !of.shared
			spans = append(spans, of.Span)
		}

		slices.SortFunc(spans, compareSpans)
		return slices.Compact(spans), exact, true
	case query.OpIsNull, query.OpExists:
		if (term.Op == query.OpIsNull) == (term.Operand == true) {
			return []Span{at(nil).Span}, true, true
		}
		return []Span{spanOfType(c.Column)}, true, true
	case query.OpRegex:
		prefix, whole, ok := term.Prefix()
		prefix = c.Type.Mark() + value.KeyText(prefix)
		return []Span{{prefix, afterPrefix(prefix)}}, whole, ok && len(prefix) < table.MaxEncoded
	case query.OpEq:
		return rangeSpan(term, Span{}, at) // also for null
	}
	return rangeSpan(term, spanOfType(c.Column), at)
}

// IntersectAll returns the intersection of two lists of spans.
func IntersectAll(a, b []Span) []Span {
	var both []Span
	for _, x := range a {
		for _, y := range b {
			if s, empty := x.Intersect(y); !empty {
				both = append(both, s)
			}
		}
	}
	slices.SortFunc(both, compareSpans)
	return both
}

func compareSpans(a, b Span) int { return strings.Compare(a.From, b.From) }

// WouldHelp returns a column whose index would make the query cheaper, or "".
func (t Table) WouldHelp(where query.Predicate, order query.Order) string {
	for _, term := range query.Conjuncts(where) {
		c, own := t.Column(term.Column.Name)
		if !own || c.Usable() || !c.Type.Ordered() {
			continue
		}
		if _, _, ok := t.spans(&c, term); ok {
			return c.Name
		}
	}
	if c, own := t.Column(order[0].Column.Name); own && !c.Usable() {
		return c.Name
	}
	return ""
}
