package triggers

import (
	"context"
	"fmt"
	"time"

	"minicloud/infra/lab/sim"
	"minicloud/infra/lab/sim/triggers/model"
	"minicloud/shared/table"
	"minicloud/shared/table/manage"
	"minicloud/shared/trigger"
)

// loops writes rows whose triggers change them, which fires the next trigger, until the depth limit stops it. Each
// change adds 1 to the row, which is its depth.
type loops struct{}

const (
	loopsID   table.ID = 8
	loopsName          = "loops"
)

func (loops) plant(g *Game, t *model.Tenant, _ sim.Random) error {
	if err := g.insertTable(t, loopsID, loopsName, "write"); err != nil {
		return err
	}
	for _, event := range []trigger.Change{trigger.Create, trigger.Update} {
		if err := g.insert(t, addLoop(t, event), time.Time{}); err != nil {
			return err
		}
	}
	return nil
}

// addLoop adds a trigger that changes the row that has fired it.
func addLoop(t *model.Tenant, event trigger.Change) trigger.Trigger {
	planted, w := t.Model(trigger.Trigger{
		Type: trigger.TypeTable, Tables: map[string]table.ID{loopsName: loopsID},
		Condition: &trigger.TableCondition{Table: loopsName, Event: event, Match: trigger.MatchAll},
		Actions: []trigger.Action{{
			ID: 1, Type: trigger.TableOperation, Frequency: trigger.Frequency{Mode: trigger.Repeatable},
			Settings: &trigger.TableOperationSettings{
				Table: loopsName, Operation: trigger.Update, Where: map[string]any{"id": map[string]any{"$eq": "{{ id }}"}},
				Assign: []trigger.Assignment{{Field: "n", Operator: trigger.IncBy, Value: 1.0}},
			},
		}},
	}, indexOf(loopsID, string(event)), nil)
	w.Actions = []model.Action{{ID: 1, Kind: trigger.TableOperation, Mode: trigger.Repeatable, Variant: "loop"}}
	return planted
}

func (loops) play(g *Game, t *model.Tenant, random sim.Random) {
	if g.Skewed {
		return // by a clock that is behind, the row is too young to be changed
	}
	for n := range 1 + random.IntN(2) {
		g.Pause(random, 20*time.Second)
		_, _ = g.World.Do("table", tables, func(ctx context.Context, handlers any) error {
			s := handlers.(*manage.Service)
			in, err := s.Schemas.Table(ctx, t.Scope, loopsID)
			if err == nil {
				draft := map[string]any{"n": 0.0, "write": fmt.Sprintf("%s loop %d", t.Mark, n)}
				s.Insert(ctx, t.Scope, in, []map[string]any{draft}, table.Author{})
			}
			return err
		})
	}
}

// settle checks that each row was changed as often as triggers may fire each other.
func (loops) settle(g *Game, t *model.Tenant) {
	deepest := map[any]int{} // by row
	for _, h := range g.changes(t, loopsID) {
		h.Depth = int(number(h.After))
		deepest[h.After["write"]] = h.Depth
		g.NoteOccurrence(h)
	}
	for row, n := range deepest {
		if n != model.MaxDepth {
			g.Problem("loops: %v of %s has gone round %d times, want %d", row, t.Scope, n, model.MaxDepth)
		}
	}
}
