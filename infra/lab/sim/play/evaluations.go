package play

import (
	"encoding/json"
	"fmt"
	"strconv"
	"strings"

	"minicloud/shared/trigger"
)

// checkEvaluations looks at what triggers say they have seen: events there were, and what the model makes of them.
func (g *Game) checkEvaluations() {
	known := map[string][]happening{} // by scope and index; calls and payments have ids of the platform's
	for _, h := range g.happened {
		key := h.tenant.scope.String() + " " + h.event
		known[key] = append(known[key], h)
	}

	for _, it := range g.world.DB.Items("TriggerLogTable") {
		parts := strings.Split(text(it, "pk"), "#")
		if len(parts) != 3 || parts[1] != "seen" {
			continue
		}
		n, _ := strconv.Atoi(parts[2])
		w := g.wish(parts[0], trigger.ID(n))
		var list []struct {
			Event string `json:"event_id"`
			Kind  string `json:"kind"`
			Held  bool   `json:"held"`
		}
		if err := json.Unmarshal([]byte(text(it, "list")), &list); err != nil || w == nil {
			g.problem("evaluations: %s %s: %v", text(it, "pk"), text(it, "sk"), err)
			continue
		}
		for _, seen := range list {
			if seen.Kind == "on_payment" || seen.Kind == "on_incoming_webhook" {
				continue
			}
			g.checkSeen(fmt.Sprintf("%s trigger %d", parts[0], n), w, known[parts[0]+" "+seen.Event], seen.Event, seen.Held)
		}
	}
}

// checkSeen holds one evaluation against the model.
func (g *Game) checkSeen(what string, w *wish, of []happening, event string, held bool) {
	if len(of) != 1 || of[0].index != w.index {
		g.problem("evaluations: %s has seen %s, which is not for it", what, event)
		return
	}
	if want := w.holds == nil || w.holds(of[0].before, of[0].after); want != held {
		g.problem("evaluations: %s says %v of %s, want %v", what, held, event, want)
	}
}

// wish finds a wish.
func (g *Game) wish(scope string, id trigger.ID) *wish {
	for _, t := range g.tenants {
		for _, w := range t.wishes {
			if t.scope.String() == scope && w.id == id {
				return w
			}
		}
	}
	return nil
}
