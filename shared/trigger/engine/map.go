package engine

import (
	"slices"

	"minicloud/shared/table"
	"minicloud/shared/trigger"
)

// maxEdges is how many edges a map shows.
const maxEdges = 1000

// Map is the graph of triggers whose actions can fire other triggers.
type Map struct {
	Edges []Edge  `json:"edges"`
	Loops []Chain `json:"loops"` // One loop through each cycle. Each trigger fires the next, and the last fires the first.
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

// NewMap returns who may fire whom among the triggers that are enabled. tables returns nil for a table that it does not
// know.
func NewMap(all []trigger.Trigger, tables func(table.ID) *table.Table) Map {
	enabled := slices.DeleteFunc(slices.Clone(all), func(t trigger.Trigger) bool { return !t.Enabled })
	g := graph{enabled, tables, make([][]int, len(enabled))}
	m := Map{Edges: []Edge{}, Loops: []Chain{}}
	looped := make([]bool, len(enabled)) // is in a loop that is told

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
		var chain Chain
		for _, at := range g.loop(i) {
			looped[at] = true
			chain = append(chain, g.link(at))
		}
		if chain != nil {
			m.Loops = append(m.Loops, chain)
		}
	}
	return m
}

func (g *graph) link(i int) Link { return Link{g.triggers[i].ID, g.triggers[i].Name} }

func (g *graph) edge(i, j int) Edge {
	to := g.triggers[j]
	c := to.Condition.(*trigger.TableCondition)
	e := Edge{From: g.link(i), To: g.link(j), Event: c.Event}
	if in := g.tables(to.TableID(c.Table)); in != nil {
		e.Table = in.Name
	}
	return e
}

// loop returns the shortest way from a trigger back to it, which it begins; nil when there is none.
func (g *graph) loop(start int) []int {
	came := make([]int, len(g.triggers)) // where from, plus one; 0 for not yet
	for queue := []int{start}; len(queue) > 0; queue = queue[1:] {
		for _, next := range g.after(queue[0]) {
			if next == start {
				path := []int{queue[0]}
				for at := queue[0]; at != start; {
					at = came[at] - 1
					path = append(path, at)
				}
				slices.Reverse(path)
				return path
			}
			if came[next] == 0 {
				came[next] = queue[0] + 1
				queue = append(queue, next)
			}
		}
	}
	return nil
}
