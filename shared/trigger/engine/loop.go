package engine

import (
	"fmt"
	"slices"
	"strings"
	"time"

	"minicloud/shared/language/value"
	"minicloud/shared/table"
	"minicloud/shared/trigger"
)

// Link is a trigger in a loop.
type Link struct {
	ID   trigger.ID `json:"id"`
	Name string     `json:"name"`
}

// Chain is a loop of triggers: each may fire the next, and the last the first.
type Chain []Link

// String formats the chain and repeats its first trigger at the end.
func (c Chain) String() string {
	var b strings.Builder
	for _, link := range append(slices.Clone(c), c[0]) {
		if b.Len() > 0 {
			b.WriteString(" → ")
		}
		fmt.Fprintf(&b, "%q", link.Name)
		if link.ID != 0 {
			fmt.Fprintf(&b, " (%d)", link.ID)
		}
	}
	return b.String()
}

// maxChains is the maximum number of loops reported per trigger; further ones are usually similar.
const maxChains = 10

// Loops returns, for each trigger that saved may fire, the shortest loop through both. others may contain an older
// version of saved. A rule breaks a loop only if the values that an action assigns certainly fail it. tables returns
// nil for an unknown table.
func Loops(saved trigger.Trigger, others []trigger.Trigger, tables func(table.ID) *table.Table) []Chain {
	listeners := []trigger.Trigger{saved}
	for _, other := range others {
		if other.ID != saved.ID && other.Enabled && other.Type == trigger.TypeTable {
			listeners = append(listeners, other)
		}
	}
	if saved.Type != trigger.TypeTable {
		return nil
	}

	g := graph{listeners, tables, make([][]int, len(listeners))}
	var chains []Chain
	for _, first := range g.after(0) {
		if path := g.wayTo([]int{first}, 0); path != nil {
			chains = append(chains, g.chain(path))
		}
		if len(chains) == maxChains {
			break
		}
	}
	return chains
}

// graph is the graph of triggers that may fire each other. In Loops, the saved trigger is node 0.
type graph struct {
	triggers []trigger.Trigger
	tables   func(table.ID) *table.Table
	next     [][]int
}

// after returns the triggers that trigger i may fire, possibly including i.
func (g *graph) after(i int) []int {
	if g.next[i] != nil {
		return g.next[i]
	}
	g.next[i] = []int{}
	for j := range g.triggers {
		if g.fires(g.triggers[i], g.triggers[j]) {
			g.next[i] = append(g.next[i], j)
		}
	}
	return g.next[i]
}

// wayTo returns the shortest path from any of the from triggers to the to trigger, including both ends. It has one
// element if they are equal and is nil if there is no path.
func (g *graph) wayTo(from []int, to int) []int {
	came := map[int]int{}
	for _, i := range from {
		came[i] = -1
	}
	for queue := slices.Clone(from); len(queue) > 0; queue = queue[1:] {
		at := queue[0]
		if at == to {
			var path []int
			for ; at >= 0; at = came[at] {
				path = append(path, at)
			}
			slices.Reverse(path)
			return path
		}
		for _, next := range g.after(at) {
			if _, seen := came[next]; !seen {
				came[next] = at
				queue = append(queue, next)
			}
		}
	}
	return nil
}

func (g *graph) link(i int) Link { return Link{g.triggers[i].ID, g.triggers[i].Name} }

// chain turns a path that leads back to its last trigger into a loop that begins with that trigger.
func (g *graph) chain(path []int) Chain {
	last := len(path) - 1
	chain := Chain{g.link(path[last])}
	for _, i := range path[:last] {
		chain = append(chain, g.link(i))
	}
	return chain
}

// fires reports whether an action of one trigger may fire the other. An action with frequency once cannot close a loop.
func (g *graph) fires(from, to trigger.Trigger) bool {
	c, ok := to.Condition.(*trigger.TableCondition)
	if !ok {
		return false
	}
	target := to.TableID(c.Table)
	for _, a := range from.Actions {
		s, ok := a.Settings.(*trigger.TableOperationSettings)
		if !ok || a.Frequency.Mode == trigger.Once || s.Operation != c.Event || from.TableID(s.Table) != target {
			continue
		}
		if in := g.tables(target); in == nil || mayHold(c, s, *in) {
			return true
		}
	}
	return false
}

// mayHold reports whether the rules may hold for a row that the action writes.
func mayHold(c *trigger.TableCondition, s *trigger.TableOperationSettings, in table.Table) bool {
	may := func(r trigger.Rule) bool { return ruleMayHold(r, c.Event, s, in) }
	if c.Match == trigger.MatchAny && len(c.Rules) > 0 {
		return slices.ContainsFunc(c.Rules, may)
	}
	return !slices.ContainsFunc(c.Rules, func(r trigger.Rule) bool { return !may(r) })
}

// rewritten lists the columns that change with every write of a row.
var rewritten = []string{"updated_at", trigger.VersionField}

func ruleMayHold(r trigger.Rule, event trigger.Change, s *trigger.TableOperationSettings, in table.Table) bool {
	prepared, _, why := prepare(r, event, RuleColumns(in))
	before, name, _ := place(r.Field, event)
	if why != "" || before {
		return true
	}
	column, own := in.Column(name)
	i := slices.IndexFunc(s.Assign, func(a trigger.Assignment) bool { return a.Field == name })
	if i < 0 {
		switch {
		case r.Operator == trigger.Changed:
			return slices.Contains(rewritten, name)
		case event == trigger.Update || !own || relative(r.Value):
			return true
		}
		return prepared.test(column.Column.Payload(column.Default), time.Time{})
	}

	written, known := constant(s.Assign[i], column.Column)
	if !known || r.Operator == trigger.Changed || relative(r.Value) {
		return true
	}
	return prepared.test(written, time.Time{})
}

// constant returns the value that an assignment always writes. ok is false if the value varies.
func constant(a trigger.Assignment, c value.Column) (any, bool) {
	varies := false
	trigger.EachText("", a.Value, func(_, text string) { varies = varies || strings.Contains(text, "{{") })
	if varies || a.Operator != trigger.Assign || c.Type == value.Pointer {
		return nil, false
	}
	c.Required = false
	v, err := c.Convert(a.Value)
	return c.Payload(v), err == nil
}

// relative reports whether an operand, or an end of a range, depends on the time of the event.
func relative(operand any) bool {
	switch v := operand.(type) {
	case map[string]any:
		return true
	case []any:
		return slices.ContainsFunc(v, relative)
	}
	return false
}
