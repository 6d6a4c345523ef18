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
	Type        value.Type `json:"type"`
	Operators   []string   `json:"operators" items:"Operator"` // The operators of rules.
	Assignments []string   `json:"assignments"`                // The operators of assignments.
}

// SystemColumn is a column that every row has.
type SystemColumn struct {
	Name string     `json:"name"`
	Type value.Type `json:"type"`
}

// actionsThat returns the types of actions for which holds is true.
func actionsThat(holds func(trigger.ActionType) bool) []trigger.ActionType {
	return slices.DeleteFunc(slices.Clone(trigger.ActionTypes), func(a trigger.ActionType) bool { return !holds(a) })
}

func batched(a trigger.ActionType) bool { return a.Definition().Batched }

// AllChoices returns the actions per trigger type and the operators per column type. They do not depend on the caller.
func AllChoices() Choices {
	all := Choices{Batched: actionsThat(batched)}
	for _, t := range trigger.Types {
		allowed := func(a trigger.ActionType) bool { return trigger.Allowed(t, a) }
		all.Types = append(all.Types, TypeChoices{t, actionsThat(allowed)})
	}

	for _, t := range value.Types() {
		all.Columns = append(all.Columns, ColumnChoices{t, t.Rules(), t.Assignments()})
	}
	for _, c := range engine.RuleColumns(table.Table{}) {
		all.System = append(all.System, SystemColumn{c.Name, c.Type})
	}
	return all
}
