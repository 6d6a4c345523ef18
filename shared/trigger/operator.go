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

// OperatorsOf returns what rules can ask of columns of a type.
func OperatorsOf(t value.Type) []Operator { return spelled(t.Rules()) }

// AssignmentsOf returns how table operations can assign to columns of a type.
func AssignmentsOf(t value.Type) []Operator { return spelled(t.Assignments()) }

func spelled(words []string) []Operator {
	list := make([]Operator, len(words))
	for i, word := range words {
		list[i] = Operator(word)
	}
	return list
}

// Identifier spells an id of a row or a user; "12" and 12 are the same one.
func Identifier(v any) (string, bool) {
	if text, ok := v.(string); ok {
		return text, text != "" && len(text) <= 64
	}
	f, ok := value.ToFloat(v)
	n := int64(f)
	return strconv.FormatInt(n, 10), ok && float64(n) == f && 0 < n && n <= value.MaxInteger
}
