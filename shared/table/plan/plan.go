// Package plan chooses the keys to read for a query on the rows of a table. It is pure: no I/O and no clock.
//
//	plan.go      Plan, and the choice by estimates
//	ranges.go    key ranges allowed by a condition
//	span.go      one range of keys
//	pushdown.go  filters and projections evaluated by the store
//
// A plan only narrows the search: package finder executes it, and checks the whole condition on every row.
package plan

import (
	"fmt"
	"strings"

	"minicloud/shared/language/query"
	"minicloud/shared/permission"
	"minicloud/shared/table"
)

// Plan is the choice of keys for a query. Making a plan reads nothing; X-Service-Plan shows it.
type Plan struct {
	Access Access
	IDs    []table.RowID // for IDs
	Keys   Condition     // for Rows and Index
	Order  Ordering
	// InOrder reports that the keys have list order, so reading stops at the end of the page. Otherwise all matches
	// are read and sorted.
	InOrder bool
	// looks reports that the plan reads the first rows of the list, hoping that enough of them match.
	looks bool
	// Total is the condition whose keys provide the total: index entries or row counters. nil = the plan reads and
	// counts all matches.
	Total *Condition
	// Most is the number of keys after which the plan is abandoned; 0 = unlimited.
	Most int
}

// Table is a table with the methods for planning: they convert conditions and orders to key ranges.
type Table struct {
	table.Table
	Reader *permission.Subject // end user whose permissions limit the query; nil = none
	Sight  table.Sight         // of the reader
}

// ByID returns the order by id, which is the order by creation time.
func (t Table) ByID(descending bool) query.Order {
	id, _ := t.Queryable().Column("id")
	return query.Order{{Column: id, Descending: descending}}
}

// Access is the kind of keys that a plan reads.
type Access int

// The kinds of keys.
const (
	Nothing Access = iota
	IDs            // the rows with the ids in the condition
	Rows           // a range of rows
	Index          // index ranges, and the rows of their entries
)

// String returns the plan as in X-Service-Plan:
//
//	nothing can match
//	ids
//	rows, scan in order, index <column> in order   reading stops at the end of the page
//	scan, index <column>                           all matches are read and sorted
//	… up to <n>                                    another plan follows if <n> keys are not enough
//	…, total by counters, total by index <column>
func (p Plan) String() string {
	var b strings.Builder
	switch {
	case p.Access == Nothing:
		return "nothing can match"
	case p.Access == IDs:
		return "ids"
	case p.Access == Index:
		b.WriteString("index " + p.Keys.name())
	case p.Keys.Exact && p.InOrder:
		b.WriteString("rows")
	default:
		b.WriteString("scan")
	}

	if p.InOrder && b.String() != "rows" {
		b.WriteString(" in order")
	}
	if p.Most > 0 {
		fmt.Fprintf(&b, " up to %d", p.Most)
	}
	if p.Total != nil && p.Total.Column == nil {
		b.WriteString(", total by counters")
	} else if p.Total != nil {
		b.WriteString(", total by index " + p.Total.name())
	}
	return b.String()
}

// name returns the name of the index in plans.
func (c Condition) name() string {
	if c.Readers() {
		return "of readers"
	}
	return c.Column.Name
}

// ReadersIndex is the index of readers in the form of a column's: its values are entries of permissions.
var ReadersIndex = table.Column{Index: &table.Index{ID: table.ReadersIndex}}

// Readers reports whether the keys are the entries of the index of readers.
func (c Condition) Readers() bool { return c.Column == &ReadersIndex }

// Limits are the sizes up to which a plan is probably the best and counters are not needed. A wrong limit costs time
// but never makes a page wrong.
type Limits struct {
	// Few is the number of entries read before any other plan is tried: about as fast as reading 200 rows.
	Few int
	// Look is the number of rows read in list order before a plan that reads all possible matches.
	Look int
	// Segment is the number of rows per reader of a parallel scan: about one read of 1 MB.
	Segment int
	// Total is the largest total counted by reading keys: D6 requires smaller totals to be exact, and counters lag
	// behind writes.
	Total int
	// Sure is the total above which a counter is used without counting: deletions during its lag cannot reduce such a
	// total below Total.
	Sure int
}

// Measured are the limits of production.
var Measured = Limits{Few: 1000, Look: 1000, Segment: 2000, Total: 256, Sure: 10_000}

// scanShare limits an index plan to a third of the rows. Above that, a scan is faster: reading a row by id takes as
// long as scanning three rows.
const scanShare = 3

// Estimates holds the known sizes, from probes and abandoned plans.
type Estimates struct {
	Limits
	Rows    int            // in the table
	Entries map[string]int // minimum number of entries of a condition, by column
	looked  bool           // the first rows of the list were read and did not complete the page
}

// Learn records that an abandoned plan had more than Plan.Most keys.
func (e *Estimates) Learn(from Plan) {
	if from.looks {
		e.looked = true
	} else {
		e.Entries[from.Keys.Column.Name] = from.Most + 1
	}
}

// Need is the part of a query besides where and order that determines the plan.
type Need struct {
	Enough int // rows up to the end of the page, plus one
	Total  bool
}

// Of chooses the keys to read.
func (t Table) Of(where query.Predicate, order query.Order, n Need, e Estimates) Plan {
	c, o := t.conditions(where), t.ordering(order)
	p := Plan{Access: Rows, Keys: c.rows, Order: o}

	switch {
	case c.none:
		return Plan{}
	case c.listed:
		return Plan{Access: IDs, IDs: c.ids}
	case c.rows.Exact && o.ByRows:
		p.InOrder = true
		if n.Total {
			p.Total = &p.Keys
		}
		return p
	case c.readers != nil:
		if index, ok := p.bySmallIndex(c, n, e); ok {
			return index
		}
		return p.byEntries(*c.readers, n, e)
	case len(c.indexed) > 0:
		return p.byEntries(e.fewest(c.indexed), n, e)
	case o.index == nil:
	case c.rows.Exact && c.rows.Spans[0] == (Span{}): // every row
		if n.Total {
			p.Total = &p.Keys
		}
		return p.along(o, 0)
	case !n.Total && n.Enough <= e.Look && !e.looked:
		return p.along(o, e.Look/scanShare)
	}

	p.InOrder = o.ByRows && !n.Total
	return p
}

// byEntries chooses between the entries of a condition, the list's own order, and a scan (p).
func (p Plan) byEntries(c Condition, n Need, e Estimates) Plan {
	if n.Total && c.Exact {
		p.Total, n.Total = &c, false
	}

	index, entries := p, e.Entries[c.Column.Name]
	index.Access, index.Keys = Index, c
	switch {
	case c.inOrder(p.Order) && !n.Total:
		index.InOrder = true
		return index
	case entries <= e.Few:
		index.Most = e.Few
	case !n.Total && n.Enough <= e.Look && !e.looked && p.Order.ByRows:
		p.InOrder, p.looks, p.Most = true, true, e.Look
		return p
	case !n.Total && n.Enough <= e.Look && !e.looked && p.Order.index != nil:
		return p.along(p.Order, e.Look/scanShare)
	case entries <= e.Rows/scanShare:
		index.Most = e.Rows / scanShare
	default:
		if p.InOrder = p.Order.ByRows && !n.Total; !p.InOrder {
			p.Total = nil
		}
		return p
	}
	index.Total = nil // the plan reads all entries, so it counts them itself
	return index
}

// bySmallIndex returns the plan that reads the entries of a column instead of those of the query's reader. ok is false if
// no column has few entries, fewer than the reader.
func (p Plan) bySmallIndex(c conditions, n Need, e Estimates) (index Plan, ok bool) {
	if len(c.indexed) == 0 {
		return p, false
	}
	best := e.fewest(c.indexed)
	few := e.Entries[best.Column.Name]
	p.Access, p.Keys, p.Most, p.InOrder = Index, best, e.Few, best.inOrder(p.Order) && !n.Total
	return p, few < e.Entries[c.readers.Column.Name] && few <= e.Few
}

// fewest returns the condition with the fewest entries: every condition must hold, so each index alone finds all
// matches, and the smallest is the cheapest.
func (e Estimates) fewest(indexed []Condition) Condition {
	best := indexed[0]
	for _, c := range indexed[1:] {
		fewer, few := e.Entries[c.Column.Name], e.Entries[best.Column.Name]
		// If two have equally many entries, prefer entries in id order.
		if fewer < few || fewer == few && c.equal && !best.equal {
			best = c
		}
	}
	return best
}

// along returns the plan that walks the index of the list's order.
func (p Plan) along(o Ordering, most int) Plan {
	p.Keys = Condition{Column: o.index, Spans: []Span{{}}, Exact: p.Keys.Exact && most == 0}
	p.Access, p.InOrder, p.looks, p.Most = Index, true, most > 0, most
	return p
}

// Ordering describes which keys have the order of a list.
type Ordering struct {
	ByRows     bool          // row ids
	index      *table.Column // entries of this index
	Descending bool
	Ties       Ties
}

// Ties is the order of rows with equal key values.
type Ties int

// The orders of rows with equal key values.
const (
	AsStored Ties = iota // in the direction of the walk
	Reversed             // against the direction of the walk
	Sorted               // by further fields
)

// ordering classifies an order. If neither byRows nor index is set, no keys have this order.
func (t Table) ordering(order query.Order) Ordering {
	first, last := order[0], order[len(order)-1]
	o := Ordering{Descending: first.Descending}
	switch {
	case first.Column.Name == "id":
		o.ByRows = true
		return o
	case len(order) > 2:
		o.Ties = Sorted
	case last.Descending != first.Descending:
		o.Ties = Reversed
	}

	if first.Column.Name == "created_at" {
		o.ByRows = true
	} else if column, ok := t.Column(first.Column.Name); ok && column.Usable() {
		o.index = &column
	}
	return o
}

// inOrder reports whether the keys have this order.
func (c Condition) inOrder(o Ordering) bool {
	if o.ByRows {
		return c.Readers() || c.equal && o.Ties == AsStored
	}
	return o.index != nil && o.index.Name == c.Column.Name
}
