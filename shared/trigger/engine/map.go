package engine

import (
	"slices"

	"minicloud/shared/table"
	"minicloud/shared/trigger"
)

// maxEdges is the maximum number of edges in a map.
const maxEdges = 1000

// Map is the graph of triggers whose actions can fire other triggers.
type Map struct {
	Edges []Edge `json:"edges"`
	// Loops is one loop through each cycle. Each trigger fires the next, and the last fires the first.
	Loops []Chain `json:"loops"`
	// Truncated is whether there are more edges than are shown.
	Truncated bool `json:"truncated"`
}

// Edge is an edge of the graph. An action of one trigger can fire the other.
type Edge struct {
	From  Link           `json:"from"`
	To    Link           `json:"to"`
	Table string         `json:"table"` // The name of the table. Empty when the table was deleted.
	Event trigger.Change `json:"event"`
}

// NewMap returns the graph of the enabled triggers. tables returns nil for an unknown table.
func NewMap(all []trigger.Trigger, tables func(table.ID) *table.Table) Map {
	enabled := slices.DeleteFunc(slices.Clone(all), func(t trigger.Trigger) bool { return !t.Enabled })
	g := graph{enabled, tables, make([][]int, len(enabled))}
	m := Map{Edges: []Edge{}, Loops: []Chain{}}
	looped := make([]bool, len(enabled)) // is in a reported loop

	for i := range enabled {
		for _, j := range g.after(i) {
			if len(m.Edges) == maxEdges {
				m.Truncated = true
				break
			}
			m.Edges = append(m.Edges, g.edge(i, j))
		}
		if looped[i] {
			continue
		}
		if path := g.wayTo(g.after(i), i); path != nil {
			for _, at := range path {
				looped[at] = true
			}
			m.Loops = append(m.Loops, g.chain(path))
		}
	}
	return m
}

func (g *graph) edge(i, j int) Edge {
	to := g.triggers[j]
	c := to.Condition.(*trigger.TableCondition)
	e := Edge{From: g.link(i), To: g.link(j), Event: c.Event}
	if in := g.tables(to.TableID(c.Table)); in != nil {
		e.Table = in.Name
	}
	return e
}
