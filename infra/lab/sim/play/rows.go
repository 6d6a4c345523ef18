package play

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"time"

	"minicloud/infra/lab/promise"
	"minicloud/infra/lab/sim"
	"minicloud/infra/lab/sim/memdb"
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
	of     *tenant
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

func (rows) plant(g *Game, t *tenant, random sim.Random) error {
	more := []columns.Column{{Name: "s", Type: columns.String}, {Name: "b", Type: columns.Boolean}}
	if err := g.insertTable(t, thingsID, thingsName, "write", more...); err != nil {
		return err
	}
	return g.insertSome(t, 3+random.IntN(2), func() (trigger.Trigger, *modelTrigger) { return rowTrigger(t, random) })
}

// insertTable stores a table with a number, a text of that name, and more columns.
func (g *Game) insertTable(t *tenant, id table.ID, name, text string, more ...columns.Column) error {
	in := table.Table{ID: id, Name: name, Revision: 1}
	for _, c := range append(more, columns.Column{Name: "n", Type: columns.Integer}, columns.Column{
		Name: text, Type: columns.String,
	}) {
		in.Columns = append(in.Columns, table.Column{Column: c, Key: c.Name})
	}
	schemas := g.world.Instance("owner", g.platform.owner).Backend.Schemas()
	return schemas.InsertTable(context.Background(), t.scope, in)
}

// rowTrigger adds a trigger for changes of rows: every third has no rules.
func rowTrigger(t *tenant, random sim.Random) (trigger.Trigger, *modelTrigger) {
	event := story.Draw(random.Rand, trigger.Create, trigger.Update, trigger.Delete)
	planted, holds := story.RowTrigger(random.Rand, thingsName, event, random.IntN(3))
	planted.Tables = map[string]table.ID{thingsName: thingsID}
	return t.add(random, planted, indexOf(thingsID, string(event)), func(before, after map[string]any) bool {
		return holds(plain(before), plain(after))
	})
}

// indexOf is what a trigger waits for that is for events of a table.
func indexOf(of table.ID, event string) string { return fmt.Sprintf("table#%d#%s", of, event) }

func (rows) play(g *Game, t *tenant, random sim.Random) {
	g.churnBeside(t, random, func() (trigger.Trigger, *modelTrigger) { return rowTrigger(t, random) }, func() {
		deleted := map[string]bool{}
		for n := range 10 + random.IntN(10) {
			g.writeRow(t, random, n, deleted)
			g.pause(random, 1+random.IntN(8))
		}
	})
}

// writeRow creates, changes or deletes a row. Whether that succeeds is not asked.
func (g *Game) writeRow(t *tenant, random sim.Random, n int, deleted map[string]bool) {
	name := fmt.Sprintf("%s write %d", t.mark, n)
	origin := table.Origin{Quiet: random.IntN(8) == 0}
	if random.IntN(3) == 0 {
		origin.Depth = []int{1, 2, 6, 7, 8}[random.IntN(5)]
	}
	kind, beside, values := random.IntN(5), random.IntN(4), story.Row(random.Rand)
	values["n"], values["write"] = float64(values["n"].(int)), name // as read from JSON
	row := g.someRow(t, random, deleted)
	if kind == 4 && row != "" { // a row is deleted once: nobody else tells of it
		deleted[row], name = true, "delete "+t.scope.String()+row
	}

	_, _ = g.world.Do("table", g.platform.tables, func(ctx context.Context, handlers any) error {
		s := handlers.(*manage.Service)
		w := rowWrite{of: t, seen: time.Now(), depth: origin.Depth, quiet: origin.Quiet}
		g.noteRowWrite(name, w)
		in, err := s.Schemas.Table(ctx, t.scope, thingsID)
		switch {
		case err != nil:
			return err
		case row == "" || kind < 2:
			g.insertRows(ctx, s, t, in, w, namesakes(values, beside), origin)
			return nil
		case kind == 4:
			_, err = s.Delete(ctx, t.scope, in, table.RowID(row), table.Author{Origin: origin})
			return err
		}
		change, err := update.FromObject(values, in.Writable(), nil)
		if err != nil {
			return err
		}
		_, err = s.Update(ctx, t.scope, in, table.RowID(row), change, table.Author{Origin: origin})
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
	ctx context.Context, s *manage.Service, t *tenant, in table.Table, w rowWrite, rows []map[string]any, origin table.Origin,
) {
	for _, row := range rows {
		g.noteRowWrite(row["write"].(string), w)
	}
	for i, o := range s.Insert(ctx, t.scope, in, rows, table.Author{Origin: origin}) {
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
func (g *Game) someRow(t *tenant, random sim.Random, deleted map[string]bool) string {
	var ids []string
	for _, it := range g.world.DB.Items("RowsTable") {
		if id := text(it, "sk"); text(it, "pk") == fmt.Sprintf("%s#%d", t.scope, thingsID) && !deleted[id] {
			ids = append(ids, id)
		}
	}
	if len(ids) == 0 {
		return ""
	}
	return ids[random.IntN(len(ids))]
}

// changes are what has happened to the rows of a table, which its stream shows.
func (g *Game) changes(t *tenant, of table.ID) (all []occurrence) {
	kinds := map[string]string{"INSERT": "create", "MODIFY": "update", "REMOVE": "delete"}
	for _, r := range g.world.DB.Stream("RowsTable", 0) {
		key, before, after := text(r.Keys(), "sk"), fields(r.Old), fields(r.New)
		announced := r.Kind == "MODIFY" && before["write"] == after["write"] && before["n"] == after["n"] // of a deletion
		if text(r.Keys(), "pk") != fmt.Sprintf("%s#%d", t.scope, of) || announced {
			continue
		}
		is := last(before, after)
		all = append(all, occurrence{
			tenant: t, index: indexOf(of, kinds[r.Kind]), event: sim.EventID("RowsTable", r), key: key, at: r.At, seen: r.At,
			before: before, after: after, need: promise.Must, data: map[string]any{"write": is["write"], "n": is["n"]},
		})
	}
	return all
}

// settle notes the changes with what is known of their writes.
func (rows) settle(g *Game, t *tenant) {
	there := map[string]bool{}
	for _, h := range g.changes(t, thingsID) {
		there[fmt.Sprint(h.after["write"])] = true
		name := fmt.Sprint(h.after["write"])
		if h.after == nil {
			name = "delete " + t.scope.String() + h.key
		}
		w, known := g.rowWrites[name]
		if !known {
			g.problem("rows: nobody has written %q", name)
		}
		if h.seen, h.depth = w.seen, w.depth; !w.quiet {
			g.noteOccurrence(h)
		}
	}
	for _, name := range slices.Sorted(maps.Keys(g.rowWrites)) {
		if w := g.rowWrites[name]; w.of == t && w.stored && !there[name] {
			g.problem("rows: %q was stored and is nowhere", name)
		}
	}
}

// fields are the columns of a row.
func fields(it memdb.Item) map[string]any {
	if it == nil {
		return nil
	}
	columns, _ := value(it["fields"]).(map[string]any)
	return columns
}

// checkOrder checks that a trigger's runs for the events of a row are asked for in their order. A trigger that is
// created while events are delivered again may see older events after newer ones, and a message that had to be sent again
// comes late.
func (g *Game) checkOrder(runs []storedRun) {
	ofRow, byID := map[string]bool{}, map[string]storedRun{}
	for _, r := range g.world.DB.Stream("RowsTable", 0) {
		ofRow[sim.EventID("RowsTable", r)] = true
	}
	for _, r := range runs {
		if r.does != nil && ofRow[r.eventID] && r.of.on.ended.IsZero() && !r.does.flow.Uses() && g.sendTries[r.id] < 2 {
			byID[r.id] = r
		}
	}
	key, place := map[string]string{}, map[string]int{}
	for i, h := range g.occurrences {
		key[h.event], place[h.event] = h.key, i
	}

	asked, order := map[string]bool{}, map[string][]promise.Arrival{}
	for _, id := range g.asked {
		if r, ok := byID[id]; ok && !asked[id] {
			asked[id] = true
			of := fmt.Sprintf("%d of %s for row %s", r.trigger, r.scope, key[r.eventID])
			order[of] = append(order[of], promise.Arrival{Place: int64(place[r.eventID]), Ended: true})
		}
	}
	for of, all := range order {
		if n := promise.Disordered(all...); n > 0 {
			g.problem("order: trigger %s: %d runs were asked for after those of newer events: %v", of, n, all)
		}
	}
}
