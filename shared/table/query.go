package table

import (
	"errors"
	"math"

	"minicloud/shared/language/query"
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

// Bulk is what a bulk update or deletion did with one page of matching rows.
type Bulk struct {
	Result
	Outcomes []Outcome // of the rows of the page, in their order
}

// Succeeded returns how many rows were changed.
func (b Bulk) Succeeded() int {
	n := 0
	for _, o := range b.Outcomes {
		if o.Err == nil {
			n++
		}
	}
	return n
}

// Grammar returns what a list of the table's rows lets its callers ask.
func (t Table) Grammar() query.Grammar { return query.Grammar{Schema: t.Queryable()} }

// Filter leaves out rows before they are read whole: all its terms must hold.
type Filter []FilterTerm

// FilterTerm compares one stored value. Op is $eq, $lt, $lte, $gt, $gte or
// $contains; Operand is a string, int64, float64 or bool.
type FilterTerm struct {
	Key     string // Column.Key
	Op      query.Op
	Operand any
}

// Storable reports whether a row can hold the number: 0, or of a size between
// 1e-120 and 1e+120.
func Storable(f float64) bool {
	size := math.Abs(f)
	return f == 0 || 1e-120 <= size && size <= 1e120
}
