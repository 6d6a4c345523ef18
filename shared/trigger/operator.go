package trigger

import (
	"strconv"

	"minicloud/shared/language/value"
)

// Operator compares a column's value with a rule's operand, spelled as on the
// wire.
type Operator string

// The operators (G3).
const (
	Equal          Operator = "="
	NotEqual       Operator = "!="
	Greater        Operator = ">"
	GreaterOrEqual Operator = ">="
	Less           Operator = "<"
	LessOrEqual    Operator = "<="
	IsEmpty        Operator = "isempty"  // true or false
	InRange        Operator = "range"    // [from, to]: from included, to excluded, either may be null
	Contains       Operator = "contains" // an item of the array
	Regex          Operator = "regex"    // RE2, found anywhere
	HasKey         Operator = "has_key"  // a top-level key
	Changed        Operator = "changed"  // no operand; updates only
)

// Identifier spells an id of a row or a user; "12" and 12 are the same one.
func Identifier(v any) (string, bool) {
	if text, ok := v.(string); ok {
		return text, text != "" && len(text) <= 64
	}
	f, ok := value.ToFloat(v)
	n := int64(f)
	return strconv.FormatInt(n, 10), ok && float64(n) == f && 0 < n && n <= value.MaxInteger
}
