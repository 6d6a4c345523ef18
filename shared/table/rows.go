package table

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"

	"minicloud/shared/errs"
	"minicloud/shared/id"
	"minicloud/shared/trace"
)

// RowID is the id of a row as used in keys. String comparison orders ids by creation time. An id has 24 hex digits
// (14 of a time-ordered number, 10 random), or 16 decimal digits if ids are integers.
type RowID string

const (
	hexTimeDigits = 14
	hexRowDigits  = 24
)

// newRowID returns a row id with the number n.
func (t Table) newRowID(ids *id.Source, n id.ID) RowID {
	if t.IntegerIDs() {
		return RowID(n.Key())
	}
	return RowID(fmt.Sprintf("%0*x", hexTimeDigits, int64(n)) + ids.Hex((hexRowDigits-hexTimeDigits)/2))
}

// FirstRowID returns the smallest row id whose number is at least n.
func (t Table) FirstRowID(n id.ID) RowID {
	if t.IntegerIDs() {
		return RowID(n.Key())
	}
	return RowID(fmt.Sprintf("%0*x", hexTimeDigits, int64(n)) + "0000000000")
}

// FirstRowIDAt returns the smallest row id of this second or later.
func (t Table) FirstRowIDAt(second int64) RowID {
	return t.FirstRowID(min(id.First(time.Unix(second, 0)), id.ID(1)<<53))
}

// Number returns the time-ordered number in the id, or 0 for a malformed id.
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

// CreatedAt returns when the row with this id was created, in Unix seconds.
func (r RowID) CreatedAt() int64 { return r.Number().Time().Unix() }

// Wire returns the id as in JSON: a string or an int64.
func (t Table) Wire(r RowID) any {
	if t.IntegerIDs() {
		return int64(r.Number())
	}
	return string(r)
}

// ParseRowID parses a row's id from a path. It returns errs.NotFound if the text is not an id.
func (t Table) ParseRowID(text string) (RowID, error) {
	if r, ok := t.RowIDOf(text); ok {
		return r, nil
	}
	return "", t.errNoRow(text)
}

// RowIDOf parses the wire form of an id: text or any number type.
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

// NoRow returns the errs.NotFound for a row that does not exist.
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
	Fields    map[string]any // canonical values by column name, without nulls
	Revision  int64          // number of writes; 0 = not stored yet
	Origin    Origin         // of the change to write, or of the change in a stream record
	// Deleting marks a row whose deletion was interrupted; only stores use it.
	Deleting bool
	// Tokens are the write tokens (writetoken) of changes with an Idempotency-Key, at most MaxTokens.
	Tokens []string
}

// MaxTokens is the maximum number of write tokens in a row. Further tokens of the same day are stored as separate
// items, each in a transaction with its change, so that no token is lost.
const MaxTokens = 16

// HasToken reports whether the row was changed with this write token.
func (r Row) HasToken(token string) bool { return token != "" && slices.Contains(r.Tokens, token) }

// Origin describes the source of a change for triggers on the table.
type Origin struct {
	Quiet bool // fires no triggers (D29, enable_trigger=0)
	Depth int  // number of triggers that led to the change, 0 = none (D38)
	Trace trace.Link
}

// CreatedAt returns when the row was created, in Unix seconds. It is the time in the id, so ids sort by creation
// time.
func (r Row) CreatedAt() int64 { return r.ID.CreatedAt() }

// Record returns the row as seen by queries and JSON: its fields and the built-in columns. The caller may modify the
// map.
func (t Table) Record(r Row) map[string]any {
	record := make(map[string]any, len(r.Fields)+6+len(aliases)) // with room for Answer
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
