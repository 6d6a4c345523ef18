package engine_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"minicloud/shared/language/value"
	"minicloud/shared/table"
	"minicloud/shared/trigger"
	"minicloud/shared/trigger/engine"
)

var (
	audit = table.Table{
		ID: 13, Name: "audit", Columns: []table.Column{column("note", value.String), column("count", value.Integer)},
	}
	byID   = func(id table.ID) *table.Table { return map[table.ID]*table.Table{12: &books, 13: &audit}[id] }
	writes = func(into string, operation trigger.Change, assign ...trigger.Assignment) trigger.Action {
		return trigger.Action{
			Type:     trigger.TableOperation,
			Settings: &trigger.TableOperationSettings{Table: trigger.TableRef(into), Operation: operation, Assign: assign},
		}
	}
)

func on(
	id trigger.ID, name, in string, event trigger.Change, rules []trigger.Rule, actions ...trigger.Action,
) trigger.Trigger {
	return trigger.Trigger{
		ID: id, Name: name, Enabled: true, Type: trigger.TypeTable, Actions: actions,
		Tables:    map[string]table.ID{"12": 12, "13": 13, "14": 14, "books": 12, "audit": 13},
		Condition: &trigger.TableCondition{Table: trigger.TableRef(in), Event: event, Match: trigger.MatchAll, Rules: rules},
	}
}

func set(field string, v any) trigger.Assignment {
	return trigger.Assignment{Field: field, Operator: trigger.Assign, Value: v}
}

func TestFindsLoops(t *testing.T) {
	rule := func(field, operator string, v any) []trigger.Rule {
		return []trigger.Rule{{Field: field, Operator: trigger.Operator(operator), Value: v}}
	}
	disabled := on(2, "off", "13", "create", nil, writes("12", "create"))
	disabled.Enabled = false
	once := writes("12", "create")
	once.Frequency.Mode = trigger.Once

	for _, row := range []struct {
		name   string
		saved  trigger.Trigger
		others []trigger.Trigger
		want   string // ids of each loop, "" = no loop
	}{
		{"itself", on(1, "a", "12", "create", nil, writes("books", "create")), nil, "1"},
		{"another event", on(1, "a", "12", "update", nil, writes("12", "create")), nil, ""},
		{"another table", on(1, "a", "12", "create", nil, writes("13", "create")), nil, ""},
		{"once in its life", on(1, "a", "12", "create", nil, once), nil, ""},
		{
			"through another", on(1, "a", "12", "create", nil, writes("13", "create")),
			[]trigger.Trigger{on(2, "b", "audit", "create", nil, writes("12", "create"))}, "1 2",
		},
		{"through a disabled one", on(1, "a", "12", "create", nil, writes("13", "create")), []trigger.Trigger{disabled}, ""},
		{
			"its older self", on(1, "a", "12", "create", nil, writes("13", "create")),
			[]trigger.Trigger{on(1, "a", "13", "create", nil, writes("12", "create"))}, "",
		},
		{
			"a loop of others", on(1, "a", "12", "create", nil, writes("13", "create")),
			[]trigger.Trigger{on(2, "b", "13", "create", nil, writes("13", "create"))}, "",
		},
		{"two ways", on(1, "a", "12", "create", nil, writes("13", "create"), writes("13", "delete")),
			[]trigger.Trigger{
				on(2, "b", "13", "create", nil, writes("12", "create")), on(3, "c", "13", "delete", nil, writes("12", "create")),
			}, "1 2;1 3"},

		{
			"a value that fails the rule",
			on(1, "a", "13", "create", rule("note", "=", "x"), writes("13", "create", set("note", "y"))), nil, "",
		},
		{
			"a value that passes it",
			on(1, "a", "13", "create", rule("note", "=", "x"), writes("13", "create", set("note", "x"))), nil, "1",
		},
		{
			"a template", on(1, "a", "13", "create", rule("note", "=", "x"), writes("13", "create", set("note", "{{ note }}"))),
			nil, "1",
		},
		{
			"a column left empty",
			on(1, "a", "13", "create", rule("note", "=", "x"), writes("13", "create", set("count", 1.0))), nil, "",
		},
		{
			"a column left empty on purpose", on(1, "a", "13", "create", rule("note", "isempty", true), writes("13", "create")),
			nil, "1",
		},
		{
			"a change of another column",
			on(1, "a", "13", "update", rule("note", "changed", nil), writes("13", "update", set("count", 1.0))), nil, "",
		},
		{
			"a change of that column",
			on(1, "a", "13", "update", rule("count", "changed", nil), writes("13", "update", set("count", 1.0))), nil, "1",
		},
		{
			"a column nobody knows",
			on(1, "a", "13", "update", rule("note", "=", "x"), writes("13", "update", set("count", 1.0))), nil, "1",
		},
		{
			"what was before",
			on(1, "a", "13", "update", rule("before.count", "=", 1.0), writes("13", "update", set("count", 2.0))), nil, "1",
		},
		{
			"a sum",
			on(
				1, "a", "13", "update", rule("count", "=", 1.0),
				writes("13", "update", trigger.Assignment{Field: "count", Operator: trigger.IncBy, Value: 2.0}),
			),
			nil, "1",
		},
		{
			"a column that the platform fills",
			on(1, "a", "13", "create", rule("created_by", "=", 5.0), writes("13", "create")), nil, "1",
		},
		{
			"a time that goes on",
			on(
				1, "a", "13", "create", rule("created_at", "<", map[string]any{"relative": "now"}), writes("13", "create"),
			),
			nil, "1",
		},
		{"a table nobody knows", on(1, "a", "14", "create", nil, writes("14", "create")), nil, "1"},
		{"a deletion", on(1, "a", "13", "delete", rule("note", "=", "x"), writes("13", "delete")), nil, "1"},
	} {
		var got []string
		for _, chain := range engine.Loops(row.saved, row.others, byID) {
			var ids []string
			for _, link := range chain {
				ids = append(ids, fmt.Sprint(link.ID))
			}
			got = append(got, strings.Join(ids, " "))
		}
		slices.Sort(got)
		if strings.Join(got, ";") != row.want {
			t.Errorf("%s: %q, want %q", row.name, got, row.want)
		}
	}

	timer := trigger.Trigger{ID: 9, Type: trigger.TypeTimer, Condition: &trigger.TimerCondition{}}
	if chains := engine.Loops(
		timer, []trigger.Trigger{on(1, "a", "12", "create", nil, writes("12", "create"))}, byID,
	); chains != nil {
		t.Errorf("a timer closes %v", chains)
	}

	if text := (engine.Chain{{ID: 1, Name: "a"}, {ID: 2, Name: "b"}}).String(); text != `"a" (1) → "b" (2) → "a" (1)` {
		t.Errorf("%s", text)
	}
}

// TestLimitsLoopsOfManyTriggers checks that only ten loops are returned for 500 triggers that fire each other.
func TestLimitsLoopsOfManyTriggers(t *testing.T) {
	var all []trigger.Trigger
	for i := range 500 {
		all = append(all, on(trigger.ID(i+1), "t", "13", "create", nil, writes("13", "create")))
	}
	if chains := engine.Loops(all[0], all, byID); len(chains) != 10 {
		t.Errorf("%d loops", len(chains))
	}
}
