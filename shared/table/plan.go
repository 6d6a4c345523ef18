package table

import (
	"slices"
	"time"

	"minicloud/shared/id"
	"minicloud/shared/query"
	"minicloud/shared/value"
)

// conditions are what a where says about keys: the parts of it that every
// matching row meets and that ranges of keys can express. The where itself is
// applied to every row they lead to.
type conditions struct {
	none    bool    // nothing can match
	ids     []RowID // the only rows that can match, where listed
	listed  bool
	rows    span // of row ids
	indexed []indexCondition
	// exact: rows (and nothing else) says all of the where.
	exact bool
}

// indexCondition is a condition on one indexed column.
type indexCondition struct {
	column Column
	spans  []span // ascending, apart
	equal  bool   // one value only: its entries have the order of ids
	exact  bool   // says all of the where
}

// conditions takes the where apart.
func (t Table) conditions(where query.Predicate) conditions {
	var c conditions
	exactTerms := 0
	byColumn := map[string]*indexCondition{}
	exactOf := map[string]int{}
	for _, term := range query.Conjuncts(where) {
		if term.Virtual() {
			continue
		}
		if ids, listed := t.listedIDs(term); listed {
			c.list(ids)
			continue
		}
		if rows, exact, ok := t.rowSpan(term); ok {
			if exact {
				exactTerms++
			}
			var empty bool
			if c.rows, empty = c.rows.intersect(rows); empty {
				c.none = true
			}
			continue
		}
		column, own := t.Column(term.Column.Name)
		if !own || !column.Usable() {
			continue
		}
		spans, exact, ok := termSpans(column, term)
		if !ok {
			continue
		}
		if exact {
			exactOf[column.Name]++
		}
		known := byColumn[column.Name]
		if known == nil {
			known = &indexCondition{column: column, spans: []span{{}}}
			byColumn[column.Name] = known
		}
		known.spans = intersectAll(known.spans, spans)
		known.equal = known.equal || term.Op == query.OpEq || term.Op == query.OpIsNull && term.Operand == true
	}
	all := terms(where)
	c.exact = exactTerms == all
	for _, column := range t.Columns {
		if known := byColumn[column.Name]; known != nil {
			known.exact = exactOf[column.Name] == all
			c.none = c.none || len(known.spans) == 0
			c.indexed = append(c.indexed, *known)
		}
	}
	return c
}

func terms(where query.Predicate) int {
	if where == nil {
		return 0
	}
	return query.Terms(where)
}

// list notes ids that are the only ones to match.
func (c *conditions) list(ids []RowID) {
	if c.listed {
		ids = slices.DeleteFunc(ids, func(id RowID) bool { return !slices.Contains(c.ids, id) })
	}
	c.listed, c.ids = true, ids
	c.none = c.none || len(ids) == 0
}

// listedIDs reads conditions that name ids.
func (t Table) listedIDs(term *query.Term) (ids []RowID, listed bool) {
	var operands []any
	switch {
	case term.Column.Name != "id":
		return nil, false
	case term.Op == query.OpEq:
		operands = []any{term.Operand}
	case term.Op == query.OpIn:
		operands = term.Operand.([]any)
	default:
		return nil, false
	}
	for _, operand := range operands {
		if id, ok := t.rowID(operand); ok && !slices.Contains(ids, id) {
			ids = append(ids, id)
		}
	}
	return ids, true
}

// rowSpan reads conditions on id and created_at as a range of row ids.
func (t Table) rowSpan(term *query.Term) (rows span, exact, ok bool) {
	switch term.Column.Name {
	case "created_at":
		return rangeSpan(term, func(v any) string { return string(t.FirstRowID(firstNumber(v.(int64)))) }, func(v any) any { return v.(int64) + 1 })
	case "id":
		if t.IntegerIDs() {
			return rangeSpan(term, func(v any) string { return id.ID(min(max(v.(int64), 0), value.MaxInteger)).Key() }, func(v any) any { return v.(int64) + 1 })
		}
		if !keyLike(term.Operand) {
			return span{}, false, false
		}
		// Ids are hexadecimal, so the next one after any text is that text and "0".
		return rangeSpan(term, func(v any) string { return v.(string) }, func(v any) any { return v.(string) + "0" })
	}
	return span{}, false, false
}

// keyLike reports whether all texts of an operand can be bounds of keys.
func keyLike(operand any) bool {
	switch operand := operand.(type) {
	case string:
		return operand != "" && len(operand) <= 64
	case []any:
		return !slices.ContainsFunc(operand, func(v any) bool { return !keyLike(v) })
	}
	return false
}

// rangeSpan builds [from, to) from an ordering operator; next is the smallest
// value after one.
func rangeSpan(term *query.Term, key func(any) string, next func(any) any) (rows span, exact, ok bool) {
	switch term.Op {
	case query.OpEq:
		if term.Operand == nil {
			return span{}, false, false
		}
		return span{key(term.Operand), key(next(term.Operand))}, true, true
	case query.OpGte:
		return span{from: key(term.Operand)}, true, true
	case query.OpGt:
		return span{from: key(next(term.Operand))}, true, true
	case query.OpLt:
		return span{to: key(term.Operand)}, true, true
	case query.OpLte:
		return span{to: key(next(term.Operand))}, true, true
	case query.OpRange:
		bounds := term.Operand.([]any)
		return span{key(bounds[0]), key(bounds[1])}, true, true
	}
	return span{}, false, false
}

// firstNumber returns the smallest number of an id made at that second or later.
func firstNumber(second int64) id.ID {
	return min(id.First(time.Unix(second, 0)), id.ID(1)<<53)
}

// termSpans reads a condition on an indexed column as ranges of entries; exact
// tells that they hold no entry that does not meet it.
func termSpans(c Column, term *query.Term) (spans []span, exact, ok bool) {
	typed := spanOfType(c.Column)
	switch term.Op {
	case query.OpEq:
		encoded, cut := EncodeValue(c.Column, term.Operand)
		return []span{spanOf(encoded)}, !cut, true
	case query.OpIn:
		return inSpans(c, term.Operand.([]any))
	case query.OpIsNull, query.OpExists:
		if (term.Op == query.OpIsNull) == (term.Operand == true) {
			return []span{spanOf("0")}, true, true
		}
		return []span{typed}, true, true
	case query.OpRegex:
		prefix, whole, ok := term.Prefix()
		if !ok {
			return nil, false, false
		}
		prefix = "3" + encodeText(prefix)
		return []span{{prefix, afterPrefix(prefix)}}, whole, len(prefix) < maxEncoded
	case query.OpLt, query.OpLte, query.OpGt, query.OpGte, query.OpRange:
		return orderSpans(c, typed, term)
	}
	return nil, false, false
}

func inSpans(c Column, operands []any) (spans []span, exact, ok bool) {
	exact = true
	for _, operand := range operands {
		encoded, cut := EncodeValue(c.Column, operand)
		exact = exact && !cut
		if s := spanOf(encoded); !slices.Contains(spans, s) {
			spans = append(spans, s)
		}
	}
	slices.SortFunc(spans, func(a, b span) int { return compareText(a.from, b.from) })
	return spans, exact, true
}

func orderSpans(c Column, typed span, term *query.Term) (spans []span, exact, ok bool) {
	low, high := any(nil), any(nil)
	switch term.Op {
	case query.OpLt, query.OpLte:
		high = term.Operand
	case query.OpGt, query.OpGte:
		low = term.Operand
	default:
		bounds := term.Operand.([]any)
		low, high = bounds[0], bounds[1]
	}
	exact = true
	s := typed
	if low != nil {
		encoded, cut := EncodeValue(c.Column, low)
		exact = exact && !cut
		if s.from = encoded; term.Op == query.OpGt && !cut {
			s.from = encoded + past
		}
	}
	if high != nil {
		encoded, cut := EncodeValue(c.Column, high)
		exact = exact && !cut
		if s.to = encoded; term.Op == query.OpLte || cut {
			s.to = encoded + past
		}
	}
	if s.from >= s.to {
		return nil, true, true
	}
	return []span{s}, exact, true
}

// intersectAll returns what lies in a span of both lists.
func intersectAll(a, b []span) []span {
	var both []span
	for _, x := range a {
		for _, y := range b {
			if s, empty := x.intersect(y); !empty {
				both = append(both, s)
			}
		}
	}
	slices.SortFunc(both, func(x, y span) int { return compareText(x.from, y.from) })
	return both
}

func compareText(a, b string) int {
	switch {
	case a < b:
		return -1
	case a > b:
		return 1
	}
	return 0
}

// ordering is how an order goes along keys.
type ordering struct {
	byRows     bool    // by the ids of rows
	index      *Column // by an index
	descending bool
	ties       ties
}

// ties is how rows of one key value have to be arranged.
type ties int

const (
	asStored ties = iota // in the direction of the walk
	reversed             // against it
	sorted               // by further fields
)

// ordering classifies an order; the zero ordering goes by no keys.
func (t Table) ordering(order query.Order) ordering {
	first := order[0]
	o := ordering{descending: first.Descending}
	switch last := order[len(order)-1]; {
	case first.Column.Name == "id":
		o.byRows = true
		return o
	case len(order) > 2:
		o.ties = sorted
	case last.Descending != first.Descending:
		o.ties = reversed
	}
	if first.Column.Name == "created_at" {
		o.byRows = true
	} else if column, ok := t.Column(first.Column.Name); ok && column.Usable() {
		o.index = &column
	}
	return o
}
