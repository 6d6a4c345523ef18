package requests

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"minicloud/infra/lab/client"
	"minicloud/infra/lab/promise"
	"minicloud/infra/lab/sim"
	"minicloud/infra/lab/sim/game"
)

// bulks changes all users in the background, and all rows within a request. Each change adds a power of ten to a
// column of each.
type bulks struct {
	app   *client.Application
	users []string
	table int64
	rows  []string

	operations []*operation
	asked      map[string]*promise.Ledger // by column of users, and by "rows"
	changes    map[string]int             // of all users, by column
}

// operation is one in the background, with the progress that readers have seen.
type operation struct {
	id         int64
	done       int
	over, told bool
}

const (
	manyUsers = 70 // two steps of an operation
	manyRows  = 12
)

func (b *bulks) Plant(g *game.Requests) (err error) {
	b.asked, b.changes = map[string]*promise.Ledger{"n": {}, "m": {}, "rows": {}}, map[string]int{}
	if b.app, err = g.Application("bulks"); err != nil {
		return err
	}
	ctx := context.Background()
	if err := b.app.AddUserColumns(ctx, "n", "m"); err != nil {
		return err
	}
	zeros := map[string]any{"n": int64(0), "m": int64(0)}
	if b.users, err = client.PlantUsers(ctx, g.Keeper().Backend, b.app.Scope, manyUsers, zeros); err != nil {
		return err
	}

	if b.table, err = b.app.Table(ctx, "rows", client.Column{Name: "n", Type: "integer", Indexed: true}); err != nil {
		return err
	}
	var made client.Bulk
	drafts := make([]map[string]any, manyRows)
	for i := range drafts {
		drafts[i] = map[string]any{"n": 0}
	}
	if err := b.app.Call(ctx, "POST", client.RowsPath(b.table), drafts, &made); err != nil {
		return err
	}
	for _, r := range made.Results {
		b.rows = append(b.rows, fmt.Sprint(r.Success.ID))
	}
	return nil
}

func (b *bulks) Clients(g *game.Requests) []func(sim.Random) {
	change := func(column string) func(sim.Random) {
		return g.Turns(2, 20*time.Second, func(random sim.Random, n int) { b.changeUsers(g, random, column, n) })
	}
	return []func(sim.Random){
		change("n"), change("m"),
		g.Turns(3, 10*time.Second, func(random sim.Random, n int) { b.changeRows(g, random, n) }),
		g.Turns(20, 10*time.Second, func(sim.Random, int) { b.look(g) }),
	}
}

// usersPath changes users.
const usersPath = "/userve/v2.6/miniapp/user_profile/"

// send sends a bulk request; of column m by its key, until it is answered.
func (b *bulks) send(random sim.Random, r client.Request, keyed bool) (client.Reply, client.Effect) {
	if keyed {
		r.Key = r.Path + fmt.Sprint(r.Body)
	}
	return b.app.Repeat(random.Rand, r)
}

func (b *bulks) changeUsers(g *game.Requests, random sim.Random, column string, n int) {
	g.Note("bulk change of users")
	answer, x := b.send(random, client.Request{
		Method: "PUT", Path: usersPath + "?async=1", Body: map[string]any{column: map[string]any{"$incr_by": promise.Power(n)}},
	}, column == "m")
	if x.Wrong != "" {
		g.Problem("keys: users %s: %s", column, x.Wrong)
	}
	var got struct {
		Operation int64 `json:"operation_id"`
	}
	if answer.Decode(&got) == nil {
		b.operations = append(b.operations, &operation{id: got.Operation})
	}
	for _, user := range b.users {
		b.asked[column].Expect(promise.Met(n, user), x.Known)
	}
	b.changes[column]++
}

func (b *bulks) changeRows(g *game.Requests, random sim.Random, n int) {
	g.Note("bulk change of rows")
	answer, x := b.send(random, client.Request{
		Method: "PUT", Path: client.UpdatesPath(b.table) + "?where=%7B%7D&limit=1000",
		Body: map[string]any{"n": map[string]any{"$incr_by": promise.Power(n)}},
	}, random.IntN(2) == 0)
	told := client.Told(answer)
	for _, row := range b.rows {
		known := x.Known
		if known == client.Acknowledged {
			known = told[row] // a row without a result may have been changed
		}
		b.asked["rows"].Expect(promise.Met(n, row), known)
	}
}

// progress is an operation as the API shows it.
type progress struct {
	Status   string
	Succeed  int
	Failed   int
	Finished *int64 `json:"finished_at"`
}

// look reads the operations: their progress never goes back.
func (b *bulks) look(g *game.Requests) (open int) {
	for _, o := range slices.Clone(b.operations) {
		var got progress
		path := fmt.Sprintf("/oserve/v1/bulk-operation/%d/", o.id)
		before := *o
		if b.app.Send(context.Background(), client.Request{Method: "GET", Path: path}).Decode(&got) != nil {
			open++
			continue
		}
		over, done := got.Finished != nil, got.Succeed+got.Failed
		if done < before.done || before.over && !over {
			g.Problem("bulks: operation %d was at %d and is at %d (%s)", o.id, before.done, done, got.Status)
		}
		if o.done, o.over = max(o.done, done), o.over || over; !over {
			open++
		} else if (got.Status != "success" || got.Succeed != manyUsers) && !o.told {
			g.Problem("bulks: operation %d ended as %s with %d of %d users", o.id, got.Status, got.Succeed, manyUsers)
			o.told = true
		}
	}
	return open
}

func (b *bulks) Open(g *game.Requests) int {
	return b.look(g) + g.Messages("BulkQueue", nil)
}

func (b *bulks) Judge(g *game.Requests) {
	found := map[string]map[string]int{"n": {}, "m": {}, "rows": {}}
	type row struct {
		ID   json.RawMessage `json:"id"`
		N, M int64
	}
	ctx := context.Background()
	_, err := client.List(ctx, b.app, "/userve/v2.2/miniapp/user_profile/?limit=1000", func(r row) error {
		promise.Digits(found["n"], string(r.ID), r.N)
		promise.Digits(found["m"], string(r.ID), r.M)
		return nil
	})
	_, failed := client.List(ctx, b.app, client.RowsPath(b.table)+"?limit=1000", func(r row) error {
		promise.Digits(found["rows"], strings.Trim(string(r.ID), `"`), r.N)
		return nil
	})
	if err := errors.Join(err, failed); err != nil {
		g.Problem("bulks: list: %v", err)
	}

	for what, times := range found {
		g.Tell("bulks: "+what, b.asked[what].Judge(promise.Found{Times: times}))
		g.Tell("bulks: "+what, promise.Partly(times, b.changes[what], b.users))
	}
}
