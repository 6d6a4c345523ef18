package table

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"minicloud/shared/errs"
	"minicloud/shared/id"
	"minicloud/shared/trace"
)

// RowID is the id of a row as it stands in keys, time-ordered under string
// comparison: 24 hex digits (14 of a time-ordered number, 10 at random), or 16
// decimal digits where ids are integers.
type RowID string

const (
	hexTimeDigits = 14
	hexRowDigits  = 24
)

// newRowID returns the id of a row that gets the number n.
func (t Table) newRowID(ids *id.Source, n id.ID) RowID {
	if t.IntegerIDs() {
		return RowID(n.Key())
	}
	return RowID(fmt.Sprintf("%0*x", hexTimeDigits, int64(n)) + ids.Hex((hexRowDigits-hexTimeDigits)/2))
}

// FirstRowID returns the smallest id of a row with a number of n or more.
func (t Table) FirstRowID(n id.ID) RowID {
	if t.IntegerIDs() {
		return RowID(n.Key())
	}
	return RowID(fmt.Sprintf("%0*x", hexTimeDigits, int64(n)) + "0000000000")
}

// Number returns the time-ordered number in the id.
func (r RowID) Number() id.ID {
	base, digits := 10, string(r)
	if len(r) == hexRowDigits {
		base, digits = 16, digits[:hexTimeDigits]
	}
	n, err := strconv.ParseInt(digits, base, 64)
	if err != nil {
		return 0
	}
	return id.ID(n)
}

// CreatedAt returns when the row with this id was created, Unix seconds.
func (r RowID) CreatedAt() int64 { return r.Number().Time().Unix() }

// Wire returns the id as it stands in JSON: a string, or an int64.
func (t Table) Wire(r RowID) any {
	if t.IntegerIDs() {
		return int64(r.Number())
	}
	return string(r)
}

// ParseRowID reads a row's id from a path; what cannot be one does not exist.
func (t Table) ParseRowID(text string) (RowID, error) {
	if r, ok := t.RowIDOf(text); ok {
		return r, nil
	}
	return "", t.errNoRow(text)
}

// RowIDOf reads the wire form of an id: text, or any form of a number.
func (t Table) RowIDOf(v any) (RowID, bool) {
	switch v := v.(type) {
	case int64:
		return t.RowIDOf(strconv.FormatInt(v, 10))
	case float64:
		return t.RowIDOf(strconv.FormatFloat(v, 'f', -1, 64))
	case string:
		if t.IntegerIDs() {
			n, err := strconv.ParseInt(v, 10, 64)
			return RowID(id.ID(n).Key()), err == nil && 0 < n && n < 1<<53
		}
		return RowID(v), len(v) == hexRowDigits && strings.Trim(v, "0123456789abcdef") == ""
	}
	return "", false
}

// NoRow is the errs.NotFound for a row that does not exist.
func (t Table) NoRow(r RowID) error { return t.errNoRow(t.Wire(r)) }

func (t Table) errNoRow(r any) error {
	if t.IntegerIDs() {
		return errs.NotFound("user %v not found", r)
	}
	return errs.NotFound("row %v not found in table %q", r, t.Name)
}

// Row is one row of a table.
type Row struct {
	ID        RowID
	UpdatedAt int64 // Unix seconds
	CreatedBy int64 // user id of the creator
	Perm      RowPerm
	Fields    map[string]any // canonical values by column name, no nulls
	Revision  int64          // counts changes; 0 = not stored yet
	Origin    Origin         // of a change that is to be written, or of one that a stream tells
	// Deleting marks a row whose deletion stopped halfway; only stores use it.
	Deleting bool
	// Tokens are the write tokens (writetoken) that changes with an
	// Idempotency-Key have left, at most MaxTokens.
	Tokens []string
}

// MaxTokens is how many write tokens a row holds. Further tokens of the same day are
// items beside the row, at the price of a transaction, so that no token is lost
// however many requests change one row.
const MaxTokens = 16

// HasToken reports whether the row was changed under that token.
func (r Row) HasToken(token string) bool { return token != "" && slices.Contains(r.Tokens, token) }

// Origin is where a change comes from, for the triggers that see the change.
type Origin struct {
	Quiet bool // fires no trigger (D29, enable_trigger=0)
	Depth int  // how many triggers led to it, 0 = none (D38)
	Trace trace.Link
}

// CreatedAt returns when the row was created, Unix seconds. It is the time in
// the id, so that order by creation is order by id.
func (r Row) CreatedAt() int64 { return r.ID.CreatedAt() }

// Record returns the row as queries and JSON see it: its fields and what all
// rows have. The map is the caller's.
func (t Table) Record(r Row) map[string]any {
	record := make(map[string]any, len(r.Fields)+6)
	for name, v := range r.Fields {
		record[name] = v
	}
	record["id"] = t.Wire(r.ID)
	record["created_at"] = r.CreatedAt()
	record["updated_at"] = r.UpdatedAt
	record["created_by"] = r.CreatedBy
	record["_read_perm"] = anys(r.Perm.Read)
	record["_write_perm"] = anys(r.Perm.Write)
	return record
}

func anys(texts []string) []any {
	list := make([]any, len(texts))
	for i, text := range texts {
		list[i] = text
	}
	return list
}
