package draft

import (
	"slices"

	"minicloud/shared/language/value"
	"minicloud/shared/table"
	"minicloud/shared/trigger"
	"minicloud/shared/trigger/engine"
)

// Choices is the valid settings of triggers, for editors.
type Choices struct {
	Types   []TypeChoices   `json:"types"`
	Columns []ColumnChoices `json:"columns"`
	// System are the columns that every row has, which rules can use.
	System  []SystemColumn       `json:"system_columns"`
	Batched []trigger.ActionType `json:"batched"` // The actions that accept a batch of events.
}

// TypeChoices is the actions and settings of a trigger type.
type TypeChoices struct {
	Type    trigger.Type         `json:"type"`
	Actions []trigger.ActionType `json:"actions"`
}

// ColumnChoices is the operators of a column type in rules and assignments.
type ColumnChoices struct {
	Type        value.Type         `json:"type"`
	Operators   []trigger.Operator `json:"operators" items:"Operator"` // The operators of rules.
	Assignments []trigger.Operator `json:"assignments"`                // The operators of assignments.
}

// SystemColumn is a column that every row has.
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
