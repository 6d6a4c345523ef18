package table

import (
	"errors"
	"math"
	"slices"
	"strings"

	"minicloud/shared/language/query"
	"minicloud/shared/language/value"
	"minicloud/shared/page"
)

// Query selects rows of one table.
type Query struct {
	Where query.Predicate // nil = every row
	Order query.Order     // nil = newest first
	Page  page.Request
	Total bool // count all matching rows too
	// Complete has a bulk write refused, as ErrIncomplete and before anything is
	// changed, when the page does not hold all rows that match.
	Complete bool
}

// ErrIncomplete is a bulk write that was not made: more rows match, see Query.
var ErrIncomplete = errors.New("table: more rows match than are on the page")

// Result is one page of rows and what it took. Total is -1 when it was not
// asked for; Next leads on at O(Limit) wherever the page is. A page of large
// rows has fewer than its limit, although there is a next one.
type Result struct {
	page.Page[Row]
	Plan    string // which keys the query went by, for X-Service-Plan
	Scanned int    // rows and index entries looked at, for X-Service-Scanned
}

// Grammar returns what a list of the table's rows lets its callers ask.
func (t Table) Grammar() query.Grammar { return query.Grammar{Schema: t.Queryable()} }

// byID is "newest first" as an order: created_at is the time in the id.
func (t Table) byID(descending bool) query.Order {
	id, _ := t.Queryable().Column("id")
	return query.Order{{Column: id, Descending: descending}}
}

// needed returns what of a row decides whether it matches and where it stands,
// as RowScan.Only has it; nil where that is not known.
func (f *finder) needed() []string {
	keys := []string{}
	add := func(name string) {
		if c, own := f.table.Column(name); own {
			name = c.Key
		}
		if !slices.Contains(keys, name) {
			keys = append(keys, name)
		}
	}
	for _, term := range allTerms(f.where) {
		if term.Virtual() {
			return nil // it reads what it likes
		}
		add(term.Column.Name)
	}

	for _, key := range f.order {
		add(key.Column.Name)
	}

	return keys
}

func allTerms(p query.Predicate) (terms []*query.Term) {
	var parts []query.Predicate
	switch p := p.(type) {
	case *query.Term:
		return []*query.Term{p}
	case query.And:
		parts = p
	case query.Or:
		parts = p
	}
	for _, part := range parts {
		terms = append(terms, allTerms(part)...)
	}
	return terms
}

// Filter leaves out rows before they are read whole: all its terms must hold.
type Filter []FilterTerm

// FilterTerm compares one stored value. Op is $eq, $lt, $lte, $gt, $gte or
// $contains; Operand is a string, int64, float64 or bool.
type FilterTerm struct {
	Key     string // Column.Key
	Op      query.Op
	Operand any
}

// filterOf returns the part of the condition that a store can check by itself:
// comparisons of simple values, all of which must hold.
func (t Table) filterOf(p query.Predicate) Filter {
	var f Filter
	for _, term := range query.Conjuncts(p) {
		c, ok := t.Column(term.Column.Name)
		if ok && !term.Virtual() && filterable(c.Type, term) {
			f = append(f, FilterTerm{c.Key, term.Op, term.Operand})
		}
	}
	return f
}

// filterable says where the store's own comparison is the same as ours. Dates
// are kept as written, so their order as text is not their order in time; and
// numbers can be asked for that cannot be stored.
func filterable(kind value.Type, term *query.Term) bool {
	if f, ok := term.Operand.(float64); ok && !Storable(f) {
		return false
	}
	if term.Op == query.OpContains {
		return term.Operand != "" && !strings.ContainsRune(term.Operand.(string), 0)
	}
	return term.Operand != nil && kind.Pushes(string(term.Op))
}

// Storable reports whether a row can hold the number: 0, or of a size between
// 1e-120 and 1e+120.
func Storable(f float64) bool {
	size := math.Abs(f)
	return f == 0 || 1e-120 <= size && size <= 1e120
}
