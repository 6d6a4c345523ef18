package trigger

import (
	"encoding/json"
	"fmt"
)

// Condition selects the events of its type that fire a trigger (G2). Its JSON is the wire form. The implementations are
// in the on_*.go files.
type Condition interface {
	// AllRules returns the rules of the condition. one is true if a single matching rule is enough.
	AllRules() (rules []Rule, one bool)
}

// Match says whether all rules must hold or one is enough.
type Match string

// The values of Match. A condition without rules always holds.
const (
	MatchAll Match = "all"
	MatchAny Match = "any"
)

// Rule is one row of a condition: a column, an operator and an operand.
type Rule struct {
	Field    string   `json:"field"` // "x", "before.x" or "after.x"
	Operator Operator `json:"operator,omitempty"`
	// Value is the operand as received, with numbers as float64. It is nil for Changed.
	Value any `json:"value,omitempty"`
	// Always marks a rule that must hold even when MatchAny makes one of the others enough.
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
