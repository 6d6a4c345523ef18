package trigger

import (
	"strconv"

	"minicloud/shared/language/value"
)

// Operator compares the value of a column with the operand of a rule, spelled as on the wire.
type Operator string

// The operators (G3).
const (
	Equal          Operator = "="
	NotEqual       Operator = "!="
	Greater        Operator = ">"
	GreaterOrEqual Operator = ">="
	Less           Operator = "<"
	LessOrEqual    Operator = "<="
	IsEmpty        Operator = "isempty"  // operand true or false
	InRange        Operator = "range"    // [from, to): from is included, to is excluded, either may be null
	Contains       Operator = "contains" // the array contains the operand
	Regex          Operator = "regex"    // RE2, matches anywhere in the text
	HasKey         Operator = "has_key"  // the object has the top-level key
	Changed        Operator = "changed"  // the value changed; no operand, updates only
)

// Identifier formats the id of a row or a user as text, so that "12" and 12 compare equal. ok is false if v is not an
// id.
func Identifier(v any) (string, bool) {
	if text, ok := v.(string); ok {
		return text, text != "" && len(text) <= 64
	}
	f, ok := value.ToFloat(v)
	n := int64(f)
	return strconv.FormatInt(n, 10), ok && float64(n) == f && 0 < n && n <= value.MaxInteger
}
