package engine_test

import (
	"fmt"
	"strings"
	"testing"

	"minicloud/shared/trigger"
	"minicloud/shared/trigger/engine"
)

func TestMapsTriggers(t *testing.T) {
	off := on(9, "off", "13", "create", nil, writes("12", "create"))
	off.Enabled = false
	timer := trigger.Trigger{
		ID: 5, Name: "nightly", Enabled: true, Type: trigger.TypeTimer, Condition: &trigger.TimerCondition{},
		Tables: on(0, "", "12", "create", nil).Tables, Actions: []trigger.Action{writes("12", "delete")},
	}
	deleted := on(6, "deleted", "12", "delete", nil)

	for _, row := range []struct {
		name         string
		triggers     []trigger.Trigger
		edges, loops string
	}{
		{"none", nil, "", ""},
		{"one writes and another waits", []trigger.Trigger{timer, deleted}, "5>6 books delete", ""},
		{"itself", []trigger.Trigger{on(1, "a", "12", "create", nil, writes("books", "create"))}, "1>1 books create", "1"},
		{"a circle is told once", []trigger.Trigger{
			on(1, "a", "12", "create", nil, writes("13", "create")), on(2, "b", "audit", "create", nil, writes("12", "create")),
		}, "1>2 audit create;2>1 books create", "1 2"},
		{"a way into a circle is none", []trigger.Trigger{
			on(3, "c", "12", "update", nil, writes("12", "create")), on(1, "a", "12", "create", nil, writes("12", "create")),
		}, "3>1 books create;1>1 books create", "1"},
		{"who is disabled fires nothing", []trigger.Trigger{on(1, "a", "12", "create", nil, writes("13", "create")), off}, "", ""},
	} {
		var edges, loops []string
		m := engine.NewMap(row.triggers, byID)
		for _, e := range m.Edges {
			edges = append(edges, fmt.Sprintf("%d>%d %s %s", e.From.ID, e.To.ID, e.Table, e.Event))
		}
		for _, chain := range m.Loops {
			var ids []string
			for _, link := range chain {
				ids = append(ids, fmt.Sprint(link.ID))
			}
			loops = append(loops, strings.Join(ids, " "))
		}
		if got := strings.Join(edges, ";"); got != row.edges {
			t.Errorf("%s: edges %q, want %q", row.name, got, row.edges)
		}
		if got := strings.Join(loops, ";"); got != row.loops || m.Truncated {
			t.Errorf("%s: loops %q, want %q", row.name, got, row.loops)
		}
	}
}

// TestLimitsMapOfManyTriggers checks the limit on edges for many triggers that fire each other.
func TestLimitsMapOfManyTriggers(t *testing.T) {
	var all []trigger.Trigger
	for i := range trigger.ID(100) {
		all = append(all, on(i+1, "t", "12", "create", nil, writes("12", "create")))
	}
	if m := engine.NewMap(all, byID); len(m.Edges) != 1000 || !m.Truncated || len(m.Loops) != 100 {
		t.Errorf("%d edges, %d loops, truncated %v", len(m.Edges), len(m.Loops), m.Truncated)
	}
}
