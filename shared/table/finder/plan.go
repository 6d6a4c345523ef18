package finder

import (
	"fmt"
	"strings"

	"minicloud/shared/language/query"
	"minicloud/shared/permission"
	"minicloud/shared/table"
)

// Plan is the choice of keys for a query. Making a plan reads nothing; X-Service-Plan shows it.
type Plan struct {
	access access
	ids    []table.RowID // for accessIDs
	keys   condition     // for accessRows and accessIndex
	order  ordering
	// inOrder reports that the keys have list order, so reading stops at the end of the page. Otherwise all matches
	// are read and sorted.
	inOrder bool
	// looks reports that the plan reads the first rows of the list, hoping that enough of them match.
	looks bool
	// total is the condition whose keys provide the total: index entries or row counters. nil = the plan reads and
	// counts all matches.
	total *condition
	// most is the number of keys after which the plan is abandoned; 0 = unlimited.
	most int
}

// keyed is a table with the methods for planning: they convert conditions and orders to key ranges.
type keyed struct {
	table.Table
	reader *permission.Subject // end user whose permissions limit the query; nil = none
	sight  table.Sight         // of the reader
}

// byID returns the order by id, which is the order by creation time.
func (t keyed) byID(descending bool) query.Order {
	id, _ := t.Queryable().Column("id")
	return query.Order{{Column: id, Descending: descending}}
}

type access int

const (
	accessNothing access = iota
	accessIDs            // the rows with the ids in the condition
	accessRows           // a range of rows
	accessIndex          // index ranges, and the rows of their entries
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
	case p.access == accessNothing:
		return "nothing can match"
	case p.access == accessIDs:
		return "ids"
	case p.access == accessIndex:
		b.WriteString("index " + p.keys.name())
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
		b.WriteString(", total by index " + p.total.name())
	}
	return b.String()
}

// name returns the name of the index in plans.
func (c condition) name() string {
	if c.readers() {
		return "of readers"
	}
	return c.column.Name
}

// readers reports whether the keys are the entries of the index of readers.
func (c condition) readers() bool { return c.column == &readersIndex }

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

var measured = Limits{Few: 1000, Look: 1000, Segment: 2000, Total: 256, Sure: 10_000}

// scanShare limits an index plan to a third of the rows. Above that, a scan is faster: reading a row by id takes as
// long as scanning three rows.
const scanShare = 3

// estimates holds the known sizes, from probes and abandoned plans.
type estimates struct {
	Limits
	rows    int            // in the table
	entries map[string]int // minimum number of entries of a condition, by column
	looked  bool           // the first rows of the list were read and did not complete the page
}

// learn records that an abandoned plan had more than Plan.most keys.
func (e *estimates) learn(from Plan) {
	if from.looks {
		e.looked = true
	} else {
		e.entries[from.keys.column.Name] = from.most + 1
	}
}

// need is the part of a query besides where and order that determines the plan.
type need struct {
	enough int // rows up to the end of the page, plus one
	total  bool
}

// plan chooses the keys to read.
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
	case c.readers != nil:
		if index, ok := p.bySmallIndex(c, n, e); ok {
			return index
		}
		return p.byEntries(*c.readers, n, e)
	case len(c.indexed) > 0:
		return p.byEntries(e.fewest(c.indexed), n, e)
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

// byEntries chooses between the entries of a condition, the list's own order, and a scan (p).
func (p Plan) byEntries(c condition, n need, e estimates) Plan {
	if n.total && c.exact {
		p.total, n.total = &c, false
	}

	index, entries := p, e.entries[c.column.Name]
	index.access, index.keys = accessIndex, c
	switch {
	case c.inOrder(p.order) && !n.total:
		index.inOrder = true
		return index
	case entries <= e.Few:
		index.most = e.Few
	case !n.total && n.enough <= e.Look && !e.looked && p.order.byRows:
		p.inOrder, p.looks, p.most = true, true, e.Look
		return p
	case !n.total && n.enough <= e.Look && !e.looked && p.order.index != nil:
		return p.along(p.order, e.Look/scanShare)
	case entries <= e.rows/scanShare:
		index.most = e.rows / scanShare
	default:
		if p.inOrder = p.order.byRows && !n.total; !p.inOrder {
			p.total = nil
		}
		return p
	}
	index.total = nil // the plan reads all entries, so it counts them itself
	return index
}

// bySmallIndex returns the plan that reads the entries of a column instead of those of the query's reader. ok is false if
// no column has few entries, fewer than the reader.
func (p Plan) bySmallIndex(c conditions, n need, e estimates) (index Plan, ok bool) {
	if len(c.indexed) == 0 {
		return p, false
	}
	best := e.fewest(c.indexed)
	few := e.entries[best.column.Name]
	p.access, p.keys, p.most, p.inOrder = accessIndex, best, e.Few, best.inOrder(p.order) && !n.total
	return p, few < e.entries[c.readers.column.Name] && few <= e.Few
}

// fewest returns the condition with the fewest entries: every condition must hold, so each index alone finds all
// matches, and the smallest is the cheapest.
func (e estimates) fewest(indexed []condition) condition {
	best := indexed[0]
	for _, c := range indexed[1:] {
		fewer, few := e.entries[c.column.Name], e.entries[best.column.Name]
		// If two have equally many entries, prefer entries in id order.
		if fewer < few || fewer == few && c.equal && !best.equal {
			best = c
		}
	}
	return best
}

// along returns the plan that walks the index of the list's order.
func (p Plan) along(o ordering, most int) Plan {
	p.keys = condition{column: o.index, spans: []span{{}}, exact: p.keys.exact && most == 0}
	p.access, p.inOrder, p.looks, p.most = accessIndex, true, most > 0, most
	return p
}

// ordering describes which keys have the order of a list.
type ordering struct {
	byRows     bool          // row ids
	index      *table.Column // entries of this index
	descending bool
	ties       ties
}

// ties is the order of rows with equal key values.
type ties int

const (
	asStored ties = iota // in the direction of the walk
	reversed             // against the direction of the walk
	sorted               // by further fields
)

// ordering classifies an order. If neither byRows nor index is set, no keys have this order.
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

// inOrder reports whether the keys have this order.
func (c condition) inOrder(o ordering) bool {
	if o.byRows {
		return c.readers() || c.equal && o.ties == asStored
	}
	return o.index != nil && o.index.Name == c.column.Name
}
