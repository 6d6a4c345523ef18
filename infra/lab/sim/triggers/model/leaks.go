package model

import (
	"encoding/json"
	"strings"

	"minicloud/infra/lab/sim/game"
	"minicloud/infra/lab/sim/memdb"
	"minicloud/infra/lab/sim/triggers/outside"
)

// checkLeaks looks for items, messages and log lines that name two tenants.
func (g *Ledger) checkLeaks() {
	for _, name := range []string{
		"SettingsTable", "TablesTable", "RowsTable", "RowIndexesTable", "OrdersTable", "TriggersTable", "TriggerLogTable",
		"JobsTable", "FunctionsTable", "UsersTable",
	} {
		for _, it := range g.World.DB.Items(name) {
			g.checkNamed(name+" "+game.Text(it, "pk")+" "+game.Text(it, "sk"), readable(it))
		}
	}
	for _, queue := range append([]string{"EventDeadLetterQueue", "JobQueue", "ActionDeadLetterQueue"}, outside.ActionQueues...) {
		for _, m := range g.World.Bodies(queue) {
			g.checkNamed("message of "+queue, m)
		}
	}
	for _, line := range g.Logs.all {
		g.checkNamed("log", line)
	}
}

// readable is an item as text, its compressed parts unpacked.
func readable(it memdb.Item) string {
	plain := map[string]any{}
	for name := range it {
		plain[name] = game.Value(it[name])
	}
	encoded, _ := json.Marshal(plain) // it was read as JSON
	return string(encoded)
}

func (g *Ledger) checkNamed(what, content string) {
	var named []string
	for _, t := range g.Tenants {
		if strings.Contains(content, t.Mark) || strings.Contains(content, t.Scope.String()) {
			named = append(named, t.Scope.String())
		}
	}
	if len(named) > 1 {
		g.Problem("leak: %s names %v", what, named)
	}
}
