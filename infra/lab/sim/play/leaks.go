package play

import (
	"encoding/json"
	"strings"

	"minicloud/infra/lab/sim/memdb"
)

// checkLeaks looks for items, messages and log lines that name two tenants.
func (g *Game) checkLeaks() {
	for _, name := range []string{
		"SettingsTable", "TablesTable", "RowsTable", "RowIndexesTable", "OrdersTable", "TriggersTable", "TriggerLogTable",
		"JobsTable", "FunctionsTable", "UsersTable",
	} {
		for _, it := range g.world.DB.Items(name) {
			g.checkNamed(name+" "+text(it, "pk")+" "+text(it, "sk"), readable(it))
		}
	}
	for _, queue := range append([]string{"EventDeadLetterQueue", "JobQueue", "ActionDeadLetterQueue"}, actionQueues...) {
		for _, m := range g.world.Bodies(queue) {
			g.checkNamed("message of "+queue, m)
		}
	}
	for _, line := range g.logs.all {
		g.checkNamed("log", line)
	}
}

// readable is an item as text, its compressed parts unpacked.
func readable(it memdb.Item) string {
	plain := map[string]any{}
	for name := range it {
		plain[name] = value(it[name])
	}
	encoded, _ := json.Marshal(plain) // it was read as JSON
	return string(encoded)
}

func (g *Game) checkNamed(what, content string) {
	var named []string
	for _, t := range g.tenants {
		if strings.Contains(content, t.mark) || strings.Contains(content, t.scope.String()) {
			named = append(named, t.scope.String())
		}
	}
	if len(named) > 1 {
		g.problem("leak: %s names %v", what, named)
	}
}
