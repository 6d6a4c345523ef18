package rows

import (
	"context"
	"fmt"
	"maps"
	"net/url"
	"slices"
	"strings"
	"sync"
	"time"

	"minicloud/infra/lab/client"
	"minicloud/infra/lab/promise"
	"minicloud/infra/lab/sim"
	"minicloud/infra/lab/sim/clients"
	"minicloud/infra/lab/sim/game"
)

// uniques are users whose rows want the same values of a unique column.
type uniques struct {
	app   *client.Application
	table int64
	users []*member

	codes clients.Holders
	mu    sync.Mutex
	sure  map[string]bool // rows, of which it is known whether they are there
}

// theCodes are the values that all rows want.
var theCodes = []string{"a", "b", "c", "d"}

func (u *uniques) Plant(g *game.Requests) (err error) {
	u.sure = map[string]bool{}
	if u.app, err = g.Application("uniques"); err != nil {
		return err
	}
	if u.users, err = plantMembers(u.app, "ada", "bob", "eve"); err != nil {
		return err
	}
	ctx := context.Background()
	u.table, err = u.app.Table(ctx, "codes", client.Column{Name: "code", Type: "string"}, client.Column{Name: "tag", Type: "string"})
	if err != nil {
		return err
	}
	return u.app.Call(ctx, "POST", fmt.Sprintf("/oserve/v2.6/schema/%d/index/", u.table), map[string]any{
		"fields": []string{"code"}, "unique": true,
	}, &struct{}{})
}

func (u *uniques) Clients(g *game.Requests) (all []func(sim.Random)) {
	for n, m := range u.users {
		own := ""
		all = append(all, g.Turns(10, 4*time.Second, func(random sim.Random, turn int) {
			own = u.step(g, random, m, own, fmt.Sprint("code ", n, turn))
		}))
	}
	return all
}

func (u *uniques) path() string { return fmt.Sprintf("/hserve/v2.5/table/%d/record/", u.table) }

// step makes, changes or deletes the row that a user has, "" for none, and returns the one that the user has then. The
// rows of the user are changed by nobody else.
func (u *uniques) step(g *game.Requests, random sim.Random, m *member, own, tag string) string {
	if own != "" && random.IntN(4) == 0 {
		return u.delete(g, random, m, own)
	}
	code := theCodes[random.IntN(len(theCodes))]
	held := u.codes.Of("row " + own)
	if slices.ContainsFunc(held, func(t *clients.Tenure) bool { return t.Value == code }) {
		return own
	}
	r := client.Request{Method: "POST", Path: u.path(), Key: tag, Body: map[string]any{"code": code, "tag": tag}}
	wanted := u.codes.Claim(code, "")
	if own != "" {
		g.Note("unique value changed")
		r = client.Request{Method: "PUT", Path: u.path() + own + "/", Key: tag, Body: map[string]any{"code": code}}
		u.codes.Leave(held)
	} else {
		g.Note("unique value taken")
	}
	answer, _, wrong := clients.Keyed(random, clients.As(u.app, m.token), r)
	if wrong != "" {
		g.Problem("keys: %s: %s", tag, wrong)
	}

	row, known := own, answer.Known()
	var got struct{ ID string }
	if answer.Decode(&got) == nil {
		row = got.ID
	} else {
		row, known = u.found(own, tag, code)
	}
	switch known {
	case client.Acknowledged:
		u.codes.LeftAll(held)
		u.codes.Granted(wanted, "row "+row)
		u.note(row, true)
		return row
	case client.Refused:
		u.codes.Stayed(held)
		if reason := u.codes.Refused(wanted); answer.Status == 400 && !reason {
			g.Problem("uniques: nobody has %q, and it was refused: %v", code, answer.Failure())
		}
		if answer.Known() == client.Refused && answer.Status != 400 && answer.Status != 409 {
			g.Problem("uniques: a write of %q: %v", code, answer.Failure())
		}
	}
	return own
}

// found looks whether a write happened of which the answer says nothing.
func (u *uniques) found(own, tag, code string) (row string, known promise.Need) {
	where := fmt.Sprintf(`{"tag":%q}`, tag)
	if own != "" {
		where = fmt.Sprintf(`{"id":%q,"code":%q}`, own, code)
	}
	all, err := list(u.app, u.table, "&where="+url.QueryEscape(where))
	switch {
	case err != nil:
		return own, client.Unknown
	case len(all) == 0:
		return own, client.Refused
	}
	return all[0].ID, client.Acknowledged
}

func (u *uniques) delete(g *game.Requests, random sim.Random, m *member, own string) string {
	g.Note("unique value freed")
	held := u.codes.Of("row " + own)
	u.codes.Leave(held)
	answer, _ := clients.Send(clients.As(u.app, m.token), client.Request{Method: "DELETE", Path: u.path() + own + "/"})
	known := answer.Known()
	if known != client.Acknowledged {
		if all, err := list(u.app, u.table, "&where="+url.QueryEscape(fmt.Sprintf(`{"id":%q}`, own))); err != nil {
			return own
		} else if len(all) == 0 {
			known = client.Acknowledged
		}
	}
	if known != client.Acknowledged {
		u.codes.Stayed(held)
		return own
	}
	u.codes.LeftAll(held)
	u.note(own, false)
	return ""
}

func (u *uniques) note(row string, there bool) {
	u.mu.Lock()
	defer u.mu.Unlock()
	u.sure[row] = there
}

func (*uniques) Open(g *game.Requests) int { return g.Messages("TableWorkQueue", nil) }

func (u *uniques) Judge(g *game.Requests) {
	for _, problem := range u.codes.Twice() {
		g.Problem("uniques: %s", problem)
	}
	type thing struct{ ID, Code string }
	there, claims := map[string]string{}, map[string]string{}
	_, err := client.List(context.Background(), u.app, client.RowsPath(u.table)+"?limit=1000", func(r thing) error {
		for id, code := range there {
			if code == r.Code {
				g.Problem("uniques: rows %s and %s both have %q", id, r.ID, code)
			}
		}
		there[r.ID] = r.Code
		return nil
	})
	if err != nil {
		g.Problem("uniques: list: %v", err)
		return
	}
	for row, sure := range u.sure {
		if _, is := there[row]; is != sure {
			g.Problem("uniques: row %s is there: %v", row, is)
		}
	}
	prefix := fmt.Sprintf("%s#%d#ix#", u.app.Scope, u.table)
	for _, it := range g.World.DB.Items("RowIndexesTable") {
		if row := game.Text(it, "row_id"); row != "" && strings.HasPrefix(game.Text(it, "pk"), prefix) {
			claims[row] = game.Text(it, "sk")
			if there[row] == "" {
				g.Problem("uniques: %s is claimed by row %s, which is gone", claims[row], row)
			}
		}
	}
	for _, row := range slices.Sorted(maps.Keys(there)) {
		if claims[row] == "" {
			g.Problem("uniques: row %s has %q without a claim", row, there[row])
		}
	}
}
