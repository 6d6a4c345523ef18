package model

import (
	"encoding/json"
	"strconv"
	"strings"

	"minicloud/infra/lab/promise"
	"minicloud/infra/lab/sim/game"
	"minicloud/shared/trigger"
)

// checkEvaluations compares the evaluations of triggers with the model.
func (g *Ledger) checkEvaluations() {
	for _, it := range g.World.DB.Items("TriggerLogTable") {
		parts := strings.Split(game.Text(it, "pk"), "#")
		if len(parts) != 3 || parts[1] != "seen" {
			continue
		}
		n, _ := strconv.Atoi(parts[2])
		_, w := g.triggerOf(parts[0], trigger.ID(n))
		var list []struct {
			Event string `json:"event_id"`
			Kind  string `json:"kind"`
			Held  bool   `json:"held"`
		}
		if err := json.Unmarshal([]byte(game.Text(it, "list")), &list); err != nil || w == nil {
			g.Problem("evaluations: %s %s: %v", game.Text(it, "pk"), game.Text(it, "sk"), err)
			continue
		}
		var told []promise.Seen
		for _, seen := range list {
			if seen.Kind == "on_payment" || seen.Kind == "on_incoming_webhook" {
				continue // they have ids of the platform's
			}
			told = append(told, promise.Seen{Mark: seen.Event, Held: seen.Held})
		}
		for _, trouble := range w.watch.Evaluations(told, 0, 0).Troubles { // of some nobody may hear
			g.Problem("evaluations: trigger %d of %s %s", n, parts[0], trouble)
		}
	}
}

// triggerOf finds a model trigger and its tenant.
func (g *Ledger) triggerOf(scope string, id trigger.ID) (*Tenant, *Trigger) {
	for _, t := range g.Tenants {
		for _, w := range t.Triggers {
			if t.Scope.String() == scope && w.ID == id {
				return t, w
			}
		}
	}
	return nil, nil
}
