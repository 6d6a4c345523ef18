package play

import (
	"encoding/json"
	"strconv"
	"strings"

	"minicloud/infra/lab/promise"
	"minicloud/shared/trigger"
)

// checkEvaluations compares the evaluations of triggers with the model.
func (g *Game) checkEvaluations() {
	for _, it := range g.world.DB.Items("TriggerLogTable") {
		parts := strings.Split(text(it, "pk"), "#")
		if len(parts) != 3 || parts[1] != "seen" {
			continue
		}
		n, _ := strconv.Atoi(parts[2])
		_, w := g.modelTriggerOf(parts[0], trigger.ID(n))
		var list []struct {
			Event string `json:"event_id"`
			Kind  string `json:"kind"`
			Held  bool   `json:"held"`
		}
		if err := json.Unmarshal([]byte(text(it, "list")), &list); err != nil || w == nil {
			g.problem("evaluations: %s %s: %v", text(it, "pk"), text(it, "sk"), err)
			continue
		}
		var told []promise.Seen
		for _, seen := range list {
			if seen.Kind == "on_payment" || seen.Kind == "on_incoming_webhook" {
				continue // they have ids of the platform's
			}
			told = append(told, promise.Seen{Mark: seen.Event, Held: seen.Held})
		}
		for _, trouble := range w.watch.Evaluations(told, 0).Troubles { // of some nobody may hear
			g.problem("evaluations: trigger %d of %s %s", n, parts[0], trouble)
		}
	}
}

// modelTriggerOf finds a model trigger and its tenant.
func (g *Game) modelTriggerOf(scope string, id trigger.ID) (*tenant, *modelTrigger) {
	for _, t := range g.tenants {
		for _, w := range t.triggers {
			if t.scope.String() == scope && w.id == id {
				return t, w
			}
		}
	}
	return nil, nil
}
