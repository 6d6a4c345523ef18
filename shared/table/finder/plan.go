package finder

import (
	"fmt"
	"strings"

	"minicloud/shared/language/query"
	"minicloud/shared/table"
)

// Plan is the choice of keys by which a query is answered. Making one reads
// nothing; X-Service-Plan prints it.
type Plan struct {
	access access
	ids    []table.RowID // of accessIDs
	keys   condition     // of accessRows and accessIndex
	order  ordering
	// inOrder reports that the keys have the order of the list, so reading ends with
	// the page. Else all matches are read and sorted.
	inOrder bool
	// total is the condition whose keys give the total: entries of an index, or the
	// counters of rows. nil = the plan reads all matches and counts them.
	total *condition
	// most is how many keys this plan looks at before it gives up, 0 = all.
	most int
}

// keyed is a table whose queries are planned: conditions and orders become ranges of its keys.
type keyed struct{ table.Table }

// byID is "newest first" as an order: created_at is the time in the id.
func (t keyed) byID(descending bool) query.Order {
	id, _ := t.Queryable().Column("id")
	return query.Order{{Column: id, Descending: descending}}
}

type access int

const (
	accessNothing access = iota
	accessIDs            // rows that the where names
	accessRows           // a range of rows
	accessIndex          // ranges of an index, and the rows that its entries lead to
)

// String returns the plan as X-Service-Plan has it:
//
//	nothing can match
//	ids
//	rows, scan in order, index <column> in order   reading ends with the page
//	scan, index <column>                           all matches are read, and sorted
//	… up to <n>                                    another plan follows where that is not enough
//	…, total by counters, total by index <column>
func (p Plan) String() string {
	var b strings.Builder
	switch {
	case p.access == accessNothing:
		return "nothing can match"
	case p.access == accessIDs:
		return "ids"
	case p.access == accessIndex:
		b.WriteString("index " + p.keys.column.Name)
	case p.keys.exact && p.inOrder:
		b.WriteString("rows")
	default:
		b.WriteString("scan")
	}

	if p.inOrder && b.String() != "rows" {
		b.WriteString(" in order")
	}
	if p.most > 0 {
		fmt.Fprintf(&b, " up to %d", p.most)
	}
	if p.total != nil && p.total.column == nil {
		b.WriteString(", total by counters")
	} else if p.total != nil {
		b.WriteString(", total by index " + p.total.column.Name)
	}
	return b.String()
}

// Limits are the sizes up to which a plan is probably the best one, and counters are
// not read. A wrong guess costs time, but the page is always right.
type Limits struct {
	// Few entries are read before anything else is tried: about as fast as 200 rows.
	Few int
	// Look is how many rows are looked at in the list's own order, before all that
	// can match are read.
	Look int
	// Segment is how many rows a reader of a parallel scan reads: about what one
	// read of 1 MB brings.
	Segment int
	// Total is the largest total that is counted: D6 demands that smaller totals are exact, and counters lag behind
	// the writes.
	Total int
	// Sure is the total from which on a counter is believed without counting: the
	// deletions within its lag cannot bring such a total below Total.
	Sure int
}

var measured = Limits{Few: 1000, Look: 1000, Segment: 2000, Total: 256, Sure: 10_000}

// An index that leads to more than a third of the rows is worse than reading all of them; a row that is read
// by its id takes as long as three of a scan.
const scanShare = 3

// estimates are the known sizes, from probes and from abandoned plans.
type estimates struct {
	Limits
	rows    int            // of the table
	entries map[string]int // that a condition leads to, by column; at least
	looked  bool           // at the first rows of the list: they do not make the page
}

// learn records that an abandoned plan had more than Plan.most keys to read.
func (e *estimates) learn(from Plan) {
	if from.inOrder {
		e.looked = true
	} else {
		e.entries[from.keys.column.Name] = from.most + 1
	}
}

// need is the part of a query, beside where and order, that decides the plan.
type need struct {
	enough int // rows up to the end of the page, and one more
	total  bool
}

// plan chooses the keys by which to read.
func (t keyed) plan(where query.Predicate, order query.Order, n need, e estimates) Plan {
	c, o := t.conditions(where), t.ordering(order)
	p := Plan{access: accessRows, keys: c.rows, order: o}

	switch {
	case c.none:
		return Plan{}
	case c.listed:
		return Plan{access: accessIDs, ids: c.ids}
	case c.rows.exact && o.byRows:
		p.inOrder = true
		if n.total {
			p.total = &p.keys
		}
		return p
	case len(c.indexed) > 0:
		return p.byIndex(c.indexed, n, e)
	case o.index == nil:
	case c.rows.exact && c.rows.spans[0] == (span{}): // every row
		if n.total {
			p.total = &p.keys
		}
		return p.along(o, 0)
	case !n.total && n.enough <= e.Look && !e.looked:
		return p.along(o, e.Look/scanShare)
	}

	p.inOrder = o.byRows && !n.total
	return p
}

// byIndex picks between the index with the fewest entries, the list's own order,
// and the scan that p is.
func (p Plan) byIndex(indexed []condition, n need, e estimates) Plan {
	// Each condition must hold, so any one index leads to all matches: the fewest entries are the cheapest.
	best := indexed[0]
	for _, c := range indexed[1:] {
		fewer, few := e.entries[c.column.Name], e.entries[best.column.Name]
		// Between two with equally many, prefer entries in the order of ids.
		if fewer < few || fewer == few && c.equal && !best.equal {
			best = c
		}
	}
	if n.total && best.exact {
		p.total, n.total = &best, false
	}

	index, entries := p, e.entries[best.column.Name]
	index.access, index.keys = accessIndex, best
	switch {
	case best.inOrder(p.order) && !n.total:
		index.inOrder = true
		return index
	case entries <= e.Few:
		index.most = e.Few
	case !n.total && n.enough <= e.Look && !e.looked && p.order.byRows:
		p.inOrder, p.most = true, e.Look
		return p
	case !n.total && n.enough <= e.Look && !e.looked && p.order.index != nil:
		return p.along(p.order, e.Look/scanShare)
	case entries <= e.rows/scanShare:
		index.most = e.rows / scanShare
	default:
		p.inOrder = p.order.byRows && !n.total
		return p
	}
	index.total = nil // the plan reads all entries, so it counts them itself
	return index
}

// along returns the plan that walks the index by which the list is ordered.
func (p Plan) along(o ordering, most int) Plan {
	p.keys = condition{column: o.index, spans: []span{{}}, exact: p.keys.exact && most == 0}
	p.access, p.inOrder, p.most = accessIndex, true, most
	return p
}

// ordering tells which keys have the order of a list.
type ordering struct {
	byRows     bool          // by the ids of rows
	index      *table.Column // by an index
	descending bool
	ties       ties
}

// ties is the order of rows with the same key value.
type ties int

const (
	asStored ties = iota // in the direction of the walk
	reversed             // against it
	sorted               // by further fields
)

// ordering classifies an order; with neither byRows nor index no keys have that order.
func (t keyed) ordering(order query.Order) ordering {
	first, last := order[0], order[len(order)-1]
	o := ordering{descending: first.Descending}
	switch {
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

// inOrder reports whether the keys have that order.
func (c condition) inOrder(o ordering) bool {
	if o.byRows {
		return c.equal && o.ties == asStored
	}
	return o.index != nil && o.index.Name == c.column.Name
}
