package promise

import (
	"slices"
	"strings"
)

// Rule is one rule of a condition, in the form of the API.
type Rule struct {
	Field    string `json:"field"` // "x", "before.x" or "after.x"
	Operator string `json:"operator,omitempty"`
	Value    any    `json:"value,omitempty"` // an int, a string, a bool, or [2]int of a range
}

// Condition is what a row, a file or a message must be like.
type Condition struct {
	Match string // "all" or "any"
	Rules []Rule
}

// Holds reports whether an event passes. before is nil for what is created, after for what is deleted; what has no
// sides stands in after.
func (c Condition) Holds(before, after map[string]any) bool {
	if len(c.Rules) == 0 {
		return true
	}
	holds := func(r Rule) bool { return r.holds(before, after) }
	if c.Match == "any" {
		return slices.ContainsFunc(c.Rules, holds)
	}
	return !slices.ContainsFunc(c.Rules, func(r Rule) bool { return !holds(r) })
}

func (r Rule) holds(before, after map[string]any) bool {
	name, record := r.Field, after
	if record == nil {
		record = before // a bare field of a deletion
	}
	if rest, ok := strings.CutPrefix(name, "before."); ok {
		name, record = rest, before
	}
	if rest, ok := strings.CutPrefix(name, "after."); ok {
		name, record = rest, after
	}

	has := record[name]
	switch r.Operator {
	case "changed":
		return before[name] != after[name]
	case "isempty":
		return (has == nil || has == "") == r.Value
	case "", "=":
		return has == r.Value
	case "!=":
		return has != r.Value // what is absent differs from everything
	}

	n, isNumber := has.(int)
	return isNumber && r.ordered(n)
}

// ordered compares with an integer or a range, whose end is outside it.
func (r Rule) ordered(n int) bool {
	if ends, ok := r.Value.([2]int); ok {
		return ends[0] <= n && n < ends[1]
	}

	operand := r.Value.(int)
	switch r.Operator {
	case ">":
		return n > operand
	case ">=":
		return n >= operand
	case "<":
		return n < operand
	}
	return n <= operand
}
