package requests

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"net/url"
	"slices"
	"strings"
	"time"

	"minicloud/infra/lab/client"
	"minicloud/infra/lab/promise"
	"minicloud/infra/lab/sim"
	"minicloud/infra/lab/sim/game"
	"minicloud/shared/table"
)

// indexes writes rows while the columns of their table get indexes and lose them, and deletes tables with rows.
type indexes struct {
	app   *client.Application
	table int64

	rows    map[string]bool // that may be there
	sure    map[string]bool // that are there for sure
	deleted map[int64]promise.Need
}

func (x *indexes) Plant(g *game.Requests) (err error) {
	x.rows, x.sure, x.deleted = map[string]bool{}, map[string]bool{}, map[int64]promise.Need{}
	if x.app, err = g.Application("indexes"); err != nil {
		return err
	}
	x.table, err = x.app.Table(
		context.Background(), "things", client.Column{Name: "a", Type: "integer", Indexed: true},
		client.Column{Name: "b", Type: "integer"},
	)
	return err
}

// values are what columns have, from 0 on.
const values = 4

func (x *indexes) Clients(g *game.Requests) []func(sim.Random) {
	return []func(sim.Random){
		g.Turns(25, 12*time.Second, func(random sim.Random, n int) { x.write(g, random, n) }),
		g.Turns(4, 70*time.Second, func(random sim.Random, n int) { x.change(g, random, n) }),
		func(random sim.Random) {
			g.Pause(random, 20*time.Second)
			x.drop(g, random)
		},
	}
}

// write inserts, changes or deletes a row. There is no other writer.
func (x *indexes) write(g *game.Requests, random sim.Random, n int) {
	ctx, some := context.Background(), slices.Sorted(maps.Keys(x.sure))
	body := map[string]any{"a": random.IntN(values), "b": random.IntN(values)}
	if len(some) == 0 || n < 8 || random.IntN(3) == 0 {
		g.Note("row inserted")
		answer, _ := x.app.Repeat(random.Rand, client.Request{
			Method: "POST", Path: client.RowsPath(x.table), Key: fmt.Sprint("row ", n), Body: body,
		})
		var made struct{ ID string }
		if answer.Decode(&made) == nil {
			x.sure[made.ID] = true
		}
		return
	}
	row := some[random.IntN(len(some))]
	if random.IntN(3) > 0 {
		g.Note("row changed")
		x.app.Send(ctx, client.Request{Method: "PUT", Path: client.UpdatesPath(x.table) + row + "/", Body: body})
		return
	}
	g.Note("row deleted")
	delete(x.sure, row)
	r := x.app.Send(ctx, client.Request{Method: "DELETE", Path: client.RowsPath(x.table) + row + "/"})
	x.rows[row] = r.Known() != client.Acknowledged
}

// change gives a column an index, or takes it away.
func (x *indexes) change(g *game.Requests, random sim.Random, n int) {
	g.Note("index changed")
	body := client.Schema(
		"things", client.Column{Name: "a", Type: "integer", Indexed: random.IntN(3) > 0},
		client.Column{Name: "b", Type: "integer", Indexed: random.IntN(4) > 0},
	)
	x.app.Repeat(random.Rand, client.Request{
		Method: "PUT", Path: fmt.Sprintf("%s%d/", client.TablesPath, x.table), Key: fmt.Sprint("index ", n), Body: body,
	})
}

// drop fills a table of its own and deletes it.
func (x *indexes) drop(g *game.Requests, random sim.Random) {
	g.Note("table deleted")
	ctx := context.Background()
	body := client.Schema("dropped", client.Column{Name: "a", Type: "integer", Indexed: true})
	answer, _ := x.app.Repeat(random.Rand, client.Request{Method: "POST", Path: client.TablesPath, Key: "dropped", Body: body})
	var made struct{ ID int64 }
	if answer.Decode(&made) != nil {
		return
	}
	drafts := make([]map[string]any, 6)
	for i := range drafts {
		drafts[i] = map[string]any{"a": i}
	}
	x.app.Send(ctx, client.Request{Method: "POST", Path: client.RowsPath(made.ID), Body: drafts}) // some may be there
	r := x.app.Send(ctx, client.Request{Method: "DELETE", Path: fmt.Sprintf("%s%d/", client.TablesPath, made.ID)})
	x.deleted[made.ID] = r.Known()
}

func (x *indexes) Open(g *game.Requests) int { return g.Messages("TableWorkQueue", nil) }

func (x *indexes) Judge(g *game.Requests) {
	t, err := g.Keeper().Backend.Schemas().Table(context.Background(), x.app.Scope, table.ID(x.table))
	if err != nil {
		g.Problem("indexes: %v", err)
		return
	}
	all, err := x.list("")
	if err != nil {
		g.Problem("indexes: list: %v", err)
	}
	for row := range x.sure {
		if _, there := all[row]; !there {
			g.Problem("indexes: row %s is lost", row)
		}
	}
	for row, may := range x.rows {
		if _, there := all[row]; there && !may {
			g.Problem("indexes: row %s was deleted and is there", row)
		}
	}

	kept := map[string]bool{}
	for _, c := range t.Columns {
		if c.Index == nil {
			continue
		}
		kept[c.Index.ID] = true
		if c.Index.BuildingSince != 0 {
			g.Problem("indexes: that of %s is never built", c.Name)
		}
		for v := range values {
			x.compare(g, c.Name, v, all)
		}
	}
	x.remains(g, kept, len(all))
}

// thing is a row of the table.
type thing struct {
	ID   string
	A, B int
}

// list reads the rows that match.
func (x *indexes) list(where string) (map[string]thing, error) {
	found, path := map[string]thing{}, client.RowsPath(x.table)+"?limit=1000"
	if where != "" {
		path += "&where=" + url.QueryEscape(where)
	}
	var twice error
	_, err := client.List(context.Background(), x.app, path, func(r thing) error {
		if _, known := found[r.ID]; known {
			twice = fmt.Errorf("row %s comes twice", r.ID)
		}
		found[r.ID] = r
		return nil
	})
	return found, errors.Join(err, twice)
}

// compare compares a query of an index with all rows.
func (x *indexes) compare(g *game.Requests, column string, v int, all map[string]thing) {
	found, err := x.list(fmt.Sprintf(`{"%s":{"$eq":%d}}`, column, v))
	if err != nil {
		g.Problem("indexes: query: %v", err)
	}
	want := map[string]thing{}
	for id, r := range all {
		if column == "a" && r.A == v || column == "b" && r.B == v {
			want[id] = r
		}
	}
	if !maps.Equal(want, found) {
		g.Problem("indexes: of %s finds %d rows with %d, and there are %d", column, len(found), v, len(want))
	}
}

// remains looks for entries of indexes that are gone or of rows that are gone, and for rows of deleted tables.
func (x *indexes) remains(g *game.Requests, kept map[string]bool, rows int) {
	left := map[string]int{} // entries of kept indexes
	prefix := fmt.Sprintf("%s#%d", x.app.Scope, x.table)
	for _, it := range g.World.DB.Items("RowIndexesTable") {
		of, index, _ := strings.Cut(game.Text(it, "pk"), "#ix#")
		switch {
		case x.isDeleted(of):
			g.Problem("indexes: an entry of a deleted table is left: %s", of)
		case of == prefix && !kept[index]:
			g.Problem("indexes: an entry of a removed index is left: %s", index)
		case of == prefix:
			left[index]++
		}
	}
	for index, n := range left {
		if n > rows {
			g.Problem("indexes: %s has %d entries of %d rows", index, n, rows)
		}
	}
	for _, it := range g.World.DB.Items("RowsTable") {
		if x.isDeleted(game.Text(it, "pk")) {
			g.Problem("indexes: a row of a deleted table is left: %s", game.Text(it, "sk"))
		}
	}
}

// isDeleted reports whether a partition is of a table whose deletion was acknowledged.
func (x *indexes) isDeleted(of string) bool {
	for id, known := range x.deleted {
		if known == client.Acknowledged && of == fmt.Sprintf("%s#%d", x.app.Scope, id) {
			return true
		}
	}
	return false
}
