package play

import (
	"context"
	"fmt"
	"time"

	"minicloud/infra/lab/promise"
	"minicloud/infra/lab/sim"
	"minicloud/shared/dynamo/rowdb"
	columns "minicloud/shared/language/value"
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

func (loops) plant(g *Game, t *tenant, _ sim.Random) error {
	schemas := &rowdb.Tables{Client: g.owner().Client, Name: "TablesTable"}
	err := schemas.InsertTable(context.Background(), t.scope, table.Table{
		ID: loopsID, Name: loopsName, Revision: 1, Columns: []table.Column{
			{Column: columns.Column{Name: "n", Type: columns.Integer}, Key: "n"},
			{Column: columns.Column{Name: "write", Type: columns.String}, Key: "write"},
		},
	})
	if err != nil {
		return err
	}
	for _, event := range []trigger.Change{trigger.Create, trigger.Update} {
		if err := g.insert(t, t.addLoop(event), time.Time{}); err != nil {
			return err
		}
	}
	return nil
}

// addLoop adds a trigger that changes the row that has fired it.
func (t *tenant) addLoop(event trigger.Change) trigger.Trigger {
	w := &modelTrigger{id: trigger.ID(101 + len(t.triggers)), index: indexOf(loopsID, string(event))}
	w.actions = []modelAction{{id: 1, kind: trigger.TableOperation, mode: trigger.Repeatable, variant: "loop"}}
	t.triggers = append(t.triggers, w)
	return trigger.Trigger{
		ID: w.id, Name: fmt.Sprintf("%s trigger %d", t.mark, w.id), Type: trigger.TypeTable, Enabled: true, Revision: 1,
		Timezone: trigger.DefaultTimezone, Tables: map[string]table.ID{loopsName: loopsID},
		Condition: &trigger.TableCondition{Table: loopsName, Event: event, Match: trigger.MatchAll},
		Actions: []trigger.Action{{
			ID: 1, Type: trigger.TableOperation, Frequency: trigger.Frequency{Mode: trigger.Repeatable},
			Settings: &trigger.TableOperationSettings{
				Table: loopsName, Operation: trigger.Update, Where: map[string]any{"id": map[string]any{"$eq": "{{ id }}"}},
				Assign: []trigger.Assignment{{Field: "n", Operator: trigger.IncBy, Value: 1.0}},
			},
		}},
	}
}

func (loops) play(g *Game, t *tenant, random sim.Random) {
	if g.skewed {
		return // by a clock that is behind, the row is too young to be changed
	}
	for n := range 1 + random.IntN(2) {
		g.pause(random, 20)
		_, _ = g.world.Do("table", g.platform.tables, func(ctx context.Context, handlers any) error {
			s := handlers.(*manage.Service)
			in, err := s.Schemas.Table(ctx, t.scope, loopsID)
			if err == nil {
				draft := map[string]any{"n": 0.0, "write": fmt.Sprintf("%s loop %d", t.mark, n)}
				s.Insert(ctx, t.scope, in, []map[string]any{draft}, table.Author{})
			}
			return err
		})
	}
}

// settle reads the stream, and checks that each row was changed as often as triggers may fire each other.
func (loops) settle(g *Game, t *tenant) {
	pk := fmt.Sprintf("%s#%d", t.scope, loopsID)
	for _, r := range g.world.DB.Stream("RowsTable", 0) {
		if text(r.Keys(), "pk") != pk {
			continue
		}
		after := fields(r.New)
		kind := map[string]string{"INSERT": "create", "MODIFY": "update"}[r.Kind]
		g.noteOccurrence(occurrence{
			tenant: t, index: indexOf(loopsID, kind), event: r.ID, key: pk + text(r.Keys(), "sk"), at: r.At, seen: r.At,
			depth: int(number(after)), before: fields(r.Old), after: after, need: promise.Must,
			data: map[string]any{"write": after["write"], "n": after["n"]},
		})
	}
	for _, it := range g.world.DB.Items("RowsTable") {
		if n := int(number(fields(it))); text(it, "pk") == pk && n != maxDepth {
			g.problem("loops: %v of %s has gone round %d times, want %d", fields(it)["write"], t.scope, n, maxDepth)
		}
	}
}
