package triggers

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"time"

	"minicloud/infra/lab/promise"
	"minicloud/infra/lab/sim"
	"minicloud/infra/lab/sim/game"
	"minicloud/infra/lab/sim/triggers/model"
	"minicloud/infra/lab/story"
	columns "minicloud/shared/language/value"
	"minicloud/shared/language/value/update"
	"minicloud/shared/table"
	"minicloud/shared/table/manage"
	"minicloud/shared/trigger"
)

// rows writes rows of a table that has triggers. Triggers come and go meanwhile.
type rows struct{}

// rowWrite is what the source knows of a write. Whether it succeeded nobody knows: the table's stream shows what
// happened to the rows, and the row says which write that was.
type rowWrite struct {
	of     *model.Tenant
	seen   time.Time
	depth  int
	quiet  bool
	stored bool // a new row of which the writer was told that it is stored
}

const (
	thingsID   table.ID = 5
	thingsName          = "things"
)

// plain is a row as the model knows it.
func plain(row map[string]any) map[string]any {
	if row == nil {
		return nil
	}
	return map[string]any{"n": int(number(row)), "s": row["s"], "b": row["b"]}
}

func last(before, after map[string]any) map[string]any {
	if after != nil {
		return after
	}
	return before
}

// number is column n of a row.
func number(row map[string]any) float64 {
	var n float64
	_, _ = fmt.Sscan(fmt.Sprint(row["n"]), &n)
	return n
}

func (rows) plant(g *Game, t *model.Tenant, random sim.Random) error {
	more := []columns.Column{{Name: "s", Type: columns.String}, {Name: "b", Type: columns.Boolean}}
	if err := g.insertTable(t, thingsID, thingsName, "write", more...); err != nil {
		return err
	}
	return g.insertSome(t, 3+random.IntN(2), func() (trigger.Trigger, *model.Trigger) { return rowTrigger(t, random) })
}

// rowTrigger adds a trigger for changes of rows: every third has no rules.
func rowTrigger(t *model.Tenant, random sim.Random) (trigger.Trigger, *model.Trigger) {
	event := story.Draw(random.Rand, trigger.Create, trigger.Update, trigger.Delete)
	planted, holds := story.RowTrigger(random.Rand, thingsName, event, random.IntN(3))
	planted.Tables = map[string]table.ID{thingsName: thingsID}
	return t.Add(random, planted, indexOf(thingsID, string(event)), func(before, after map[string]any) bool {
		return holds(plain(before), plain(after))
	})
}

// indexOf is what a trigger waits for that is for events of a table.
func indexOf(of table.ID, event string) string { return fmt.Sprintf("table#%d#%s", of, event) }

func (rows) play(g *Game, t *model.Tenant, random sim.Random) {
	g.churnBeside(t, random, func() (trigger.Trigger, *model.Trigger) { return rowTrigger(t, random) }, func() {
		deleted := map[string]bool{}
		for n := range 10 + random.IntN(10) {
			g.writeRow(t, random, n, deleted)
			g.Pause(random, time.Duration(1+random.IntN(8))*time.Second)
		}
	})
}

// writeRow creates, changes or deletes a row. Whether that succeeds is not asked.
func (g *Game) writeRow(t *model.Tenant, random sim.Random, n int, deleted map[string]bool) {
	name := fmt.Sprintf("%s write %d", t.Mark, n)
	origin := table.Origin{Quiet: random.IntN(8) == 0}
	if random.IntN(3) == 0 {
		origin.Depth = []int{1, 2, 6, 7, 8}[random.IntN(5)]
	}
	kind, beside, values := random.IntN(5), random.IntN(4), story.Row(random.Rand)
	values["n"], values["write"] = float64(values["n"].(int)), name // as read from JSON
	row := g.someRow(t, random, deleted)
	if kind == 4 && row != "" { // a row is deleted once: nobody else tells of it
		deleted[row], name = true, "delete "+t.Scope.String()+row
	}

	_, _ = g.World.Do("table", tables, func(ctx context.Context, handlers any) error {
		s := handlers.(*manage.Service)
		w := rowWrite{of: t, seen: time.Now(), depth: origin.Depth, quiet: origin.Quiet}
		g.noteRowWrite(name, w)
		in, err := s.Schemas.Table(ctx, t.Scope, thingsID)
		switch {
		case err != nil:
			return err
		case row == "" || kind < 2:
			g.insertRows(ctx, s, t, in, w, namesakes(values, beside), origin)
			return nil
		case kind == 4:
			_, err = s.Delete(ctx, t.Scope, in, table.RowID(row), table.Author{Origin: origin})
			return err
		}
		change, err := update.FromObject(values, in.Writable(), nil)
		if err != nil {
			return err
		}
		_, err = s.Update(ctx, t.Scope, in, table.RowID(row), change, table.Author{Origin: origin})
		return err
	})
}

// namesakes returns a row and some like it, each with its own text. Several new rows go to the database in a batch,
// which may be done in part.
func namesakes(values map[string]any, more int) []map[string]any {
	all := []map[string]any{values}
	for i := range more {
		row := maps.Clone(values)
		row["write"] = fmt.Sprint(values["write"], " beside ", i)
		all = append(all, row)
	}
	return all
}

// insertRows creates rows, and notes which of them are stored.
func (g *Game) insertRows(
	ctx context.Context, s *manage.Service, t *model.Tenant, in table.Table, w rowWrite, rows []map[string]any, origin table.Origin,
) {
	for _, row := range rows {
		g.noteRowWrite(row["write"].(string), w)
	}
	for i, o := range s.Insert(ctx, t.Scope, in, rows, table.Author{Origin: origin}) {
		w.stored = o.Err == nil
		g.noteRowWrite(rows[i]["write"].(string), w)
	}
}

func (g *Game) noteRowWrite(name string, w rowWrite) {
	g.mu.Lock()
	defer g.mu.Unlock()
	g.rowWrites[name] = w
}

// someRow is the id of a row of the tenant, "" when there is none.
func (g *Game) someRow(t *model.Tenant, random sim.Random, deleted map[string]bool) string {
	var ids []string
	for _, it := range g.World.DB.Items("RowsTable") {
		if id := game.Text(it, "sk"); game.Text(it, "pk") == fmt.Sprintf("%s#%d", t.Scope, thingsID) && !deleted[id] {
			ids = append(ids, id)
		}
	}
	if len(ids) == 0 {
		return ""
	}
	return ids[random.IntN(len(ids))]
}

// changes are what has happened to the rows of a table, which its stream shows.
func (g *Game) changes(t *model.Tenant, of table.ID) (all []model.Occurrence) {
	kinds := map[string]string{"INSERT": "create", "MODIFY": "update", "REMOVE": "delete"}
	for _, r := range g.World.DB.Stream("RowsTable", 0) {
		key, before, after := game.Text(r.Keys(), "sk"), model.Fields(r.Old), model.Fields(r.New)
		announced := r.Kind == "MODIFY" && before["write"] == after["write"] && before["n"] == after["n"] // of a deletion
		if game.Text(r.Keys(), "pk") != fmt.Sprintf("%s#%d", t.Scope, of) || announced {
			continue
		}
		is := last(before, after)
		all = append(all, model.Occurrence{
			Tenant: t, Index: indexOf(of, kinds[r.Kind]), Event: sim.EventID("RowsTable", r), Key: key, At: r.At, Seen: r.At,
			Before: before, After: after, Need: promise.Must, Data: map[string]any{"write": is["write"], "n": is["n"]},
		})
	}
	return all
}

// settle notes the changes with what is known of their writes.
func (rows) settle(g *Game, t *model.Tenant) {
	there := map[string]bool{}
	for _, h := range g.changes(t, thingsID) {
		there[fmt.Sprint(h.After["write"])] = true
		name := fmt.Sprint(h.After["write"])
		if h.After == nil {
			name = "delete " + t.Scope.String() + h.Key
		}
		w, known := g.rowWrites[name]
		if !known {
			g.Problem("rows: nobody has written %q", name)
		}
		if h.Seen, h.Depth = w.seen, w.depth; !w.quiet {
			g.NoteOccurrence(h)
		}
	}
	for _, name := range slices.Sorted(maps.Keys(g.rowWrites)) {
		if w := g.rowWrites[name]; w.of == t && w.stored && !there[name] {
			g.Problem("rows: %q was stored and is nowhere", name)
		}
	}
}
