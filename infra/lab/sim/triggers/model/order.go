package model

import (
	"fmt"

	"minicloud/infra/lab/promise"
	"minicloud/infra/lab/sim"
	"minicloud/infra/lab/sim/game"
	"minicloud/infra/lab/sim/memdb"
)

// Fields are the columns of a row.
func Fields(it memdb.Item) map[string]any {
	if it == nil {
		return nil
	}
	columns, _ := game.Value(it["fields"]).(map[string]any)
	return columns
}

// checkOrder checks that a trigger's runs for the events of a row are asked for in their order. A trigger that is
// created while events are delivered again may see older events after newer ones, and a message that had to be sent again
// comes late.
func (g *Ledger) checkOrder(runs []Run) {
	ofRow, byID := map[string]bool{}, map[string]Run{}
	for _, r := range g.World.DB.Stream("RowsTable", 0) {
		ofRow[sim.EventID("RowsTable", r)] = true
	}
	for _, r := range runs {
		if r.does != nil && ofRow[r.eventID] && r.of.On.Ended.IsZero() && !r.does.flow.Uses() && g.Outside.SendTries[r.ID] < 2 {
			byID[r.ID] = r
		}
	}
	key, place := map[string]string{}, map[string]int{}
	for i, h := range g.Occurrences {
		key[h.Event], place[h.Event] = h.Key, i
	}

	asked, order := map[string]bool{}, map[string][]promise.Arrival{}
	for _, id := range g.asked {
		if r, ok := byID[id]; ok && !asked[id] {
			asked[id] = true
			of := fmt.Sprintf("%d of %s for row %s", r.Trigger, r.Scope, key[r.eventID])
			order[of] = append(order[of], promise.Arrival{Place: int64(place[r.eventID]), Ended: true})
		}
	}
	for of, all := range order {
		if n := promise.Disordered(all...); n > 0 {
			g.Problem("order: trigger %s: %d runs were asked for after those of newer events: %v", of, n, all)
		}
	}
}
