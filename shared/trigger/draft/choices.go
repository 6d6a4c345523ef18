package draft

import (
	"slices"

	"minicloud/shared/language/value"
	"minicloud/shared/table"
	"minicloud/shared/trigger"
	"minicloud/shared/trigger/engine"
)

// Choices is what a trigger can be made of, so that an editor offers nothing else.
type Choices struct {
	Types   []TypeChoices   `json:"types"`
	Columns []ColumnChoices `json:"columns"`
	// System are the columns that rows have beside those of their table; rules can name them.
	System  []SystemColumn       `json:"system_columns"`
	Batched []trigger.ActionType `json:"batched"` // The actions that take a list of events.
}

// TypeChoices is what the matrix lets a type of trigger do.
type TypeChoices struct {
	Type    trigger.Type         `json:"type"`
	Actions []trigger.ActionType `json:"actions"`
}

// ColumnChoices is what rules ask of columns of a type, and how actions assign to them.
type ColumnChoices struct {
	Type        value.Type         `json:"type"`
	Operators   []trigger.Operator `json:"operators" items:"Operator"` // What rules ask of them.
	Assignments []trigger.Operator `json:"assignments"`                // How table operations assign to them.
}

// SystemColumn is a column of every row.
type SystemColumn struct {
	Name string     `json:"name"`
	Type value.Type `json:"type"`
}

// AllChoices returns the matrix and the operators. They are the same for everybody.
func AllChoices() Choices {
	all := Choices{Batched: batched}
	for _, t := range trigger.Types {
		forbidden := func(a trigger.ActionType) bool { return !trigger.Allowed(t, a) }
		actions := slices.DeleteFunc(slices.Clone(trigger.ActionTypes), forbidden)
		all.Types = append(all.Types, TypeChoices{t, actions})
	}

	for _, t := range value.Types() {
		all.Columns = append(all.Columns, ColumnChoices{t, trigger.OperatorsOf(t), trigger.AssignmentsOf(t)})
	}
	for _, c := range engine.RuleColumns(table.Table{}) {
		all.System = append(all.System, SystemColumn{c.Name, c.Type})
	}
	return all
}
