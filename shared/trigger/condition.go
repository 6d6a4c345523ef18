package trigger

import (
	"encoding/json"
	"fmt"
)

// Condition says which events of its type a trigger fires on (G2). Its JSON is the wire form. Each stands in
// the on_*.go of its types.
type Condition interface {
	// AllRules returns the rules of the condition in one list, and whether one of them is enough.
	AllRules() (rules []Rule, one bool)
}

// Match says how many rules must hold.
type Match string

// Without rules either one holds.
const (
	MatchAll Match = "all"
	MatchAny Match = "any"
)

// Rule is one row of a condition: what a column must be like.
type Rule struct {
	Field    string   `json:"field"` // "x", "before.x" or "after.x"
	Operator Operator `json:"operator,omitempty"`
	// Value is the operand as it came, with numbers as float64; nil for changed.
	Value any `json:"value,omitempty"`
	// Always marks a rule that must hold also where one of the others is enough.
	Always bool `json:"-"`
}

// The results of operations and payments.
const (
	ResultSuccess = "success"
	ResultFail    = "fail"
)

func readCondition(t Type, text []byte) (Condition, error) {
	d := t.Definition()
	if d.condition == nil {
		return nil, fmt.Errorf("unknown type %q", t)
	}
	c := d.condition()
	return c, json.Unmarshal(text, c)
}
