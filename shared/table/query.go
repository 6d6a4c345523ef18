package table

import (
	"errors"

	"minicloud/shared/language/query"
	"minicloud/shared/page"
	"minicloud/shared/permission"
)

// Query selects rows of one table.
type Query struct {
	Where query.Predicate // nil = every row
	Order query.Order     // nil = newest first
	Page  page.Request
	Total bool // also count all matching rows
	// Complete makes a bulk write fail with ErrIncomplete, before it changes anything, if the page does not hold all
	// matching rows.
	Complete bool
	// Reader is the end user whose permissions limit the query; nil = an administrator or a function. A query of a
	// reader sees only the rows that the reader may read; Where and Order must be of its grammar (GrammarOf). A bulk
	// write with a reader changes only the rows that the reader may write.
	Reader *Reader
}

// Reader is the end user who makes a query.
type Reader struct {
	permission.Subject
	// Key seals the cursors of the reader, 32 bytes. A cursor names a row, which the reader may lose the right to see.
	Key []byte
}

// Client returns the subject of the query's reader, nil without one.
func (q Query) Client() *permission.Subject {
	if q.Reader == nil {
		return nil
	}
	return &q.Reader.Subject
}

// ErrIncomplete is the error of a bulk write that was not made because more rows match than its page holds
// (Query.Complete).
var ErrIncomplete = errors.New("table: more rows match than are on the page")

// ResultOf is one page of rows in one form, with its cost. Total is -1 if it was not requested. The page after Next costs
// O(Limit) at any position. A page of large rows may hold fewer rows than its limit even if there is a next page.
type ResultOf[T any] struct {
	page.Page[T]
	Plan    string // the keys and indexes used, for X-Service-Plan
	Scanned int    // rows and index entries read, for X-Service-Scanned
}

// Result is one page of rows.
type Result = ResultOf[Row]

// Bulk is the result of a bulk update or deletion of one page of rows.
type Bulk struct {
	Result
	// Outcomes has one result per row of the page, in order, without the rows that the query's reader may not write.
	Outcomes []Outcome
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

// Grammar returns the grammar of conditions on the table's rows.
func (t Table) Grammar() query.Grammar { return query.Grammar{Schema: t.Queryable(), Aliases: aliases} }

// Filter is a condition that the store evaluates before it returns rows: all terms must hold.
type Filter []FilterTerm

// FilterTerm compares one stored value. Op is $eq, $lt, $lte, $gt, $gte or $contains; Operand is a string, int64,
// float64 or bool.
type FilterTerm struct {
	Key     string // Column.Key
	Op      query.Op
	Operand any
}
