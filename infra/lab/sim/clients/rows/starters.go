package rows

import (
	"context"
	"errors"
	"fmt"
	"time"

	"minicloud/infra/lab/client"
	"minicloud/infra/lab/promise"
	"minicloud/infra/lab/sim"
	"minicloud/infra/lab/sim/clients"
	"minicloud/infra/lab/sim/game"
	"minicloud/shared/id"
	"minicloud/shared/permission"
	"minicloud/shared/table"
)

// starters change so many rows that the platform does it in the background. It has the rights of the user who started
// it, who may leave a group meanwhile.
type starters struct {
	app            *client.Application
	table          int64
	starter, other *member
	group          int64
	kinds          map[string]kind // of rows
	member         clients.Timeline[bool]
	operations     []*operation
}

// operation is one that may have been started: each adds its mark to rows.
type operation struct {
	mark  string
	id    int64 // 0 = nobody knows
	known promise.Need
	asked clients.Span // from the request until the end was seen
}

// kind is who may read and write a row.
type kind string

// The kinds of rows, and how many there are: more than a request changes by itself.
const (
	shared  kind = "shared"  // for all users
	grouped kind = "grouped" // readable, and writable for the group
	foreign kind = "foreign" // readable, and not writable
	unseen  kind = "unseen"  // writable, and not readable

	sharedRows, otherRows = 990, 12
)

func (s *starters) Plant(g *game.Requests) (err error) {
	s.kinds, s.member = map[string]kind{}, clients.Started(true)
	if s.app, err = g.Application("starters"); err != nil {
		return err
	}
	users, err := plantMembers(s.app, "starter", "other")
	if err != nil {
		return err
	}
	s.starter, s.other = users[0], users[1]
	ctx := context.Background()
	if s.group, err = s.app.Create(ctx, groupsPath, map[string]any{"name": "writers"}); err != nil {
		return err
	}
	if r := s.app.Send(ctx, membership("add", s.starter, s.group)); r.Known() != client.Acknowledged {
		return r.Failure()
	}
	s.table, err = s.app.Table(ctx, "many", client.Column{Name: "marks", Type: "array"})
	if err != nil {
		return err
	}
	return s.plantRows(g)
}

// plantRows stores the rows: requests would take longer than the game.
func (s *starters) plantRows(g *game.Requests) error {
	ctx, store := context.Background(), g.Keeper().Backend
	t, err := store.Schemas().Table(ctx, s.app.Scope, table.ID(s.table))
	if err != nil {
		return err
	}
	everybody, nobody := []string{permission.Registered}, []string{permission.OfUser(s.other.id)}
	perms := map[kind]table.RowPerm{
		shared: {Read: everybody, Write: everybody}, grouped: {Read: everybody, Write: []string{permission.OfGroup(s.group)}},
		foreign: {Read: everybody, Write: nobody}, unseen: {Read: nobody, Write: everybody},
	}
	var source id.Source
	var all []table.Change
	for n := range sharedRows + 3*otherRows {
		k := shared
		if n%80 < 3 && n/80 < otherRows { // among the others
			k = []kind{grouped, foreign, unseen}[n%80]
		}
		row := table.Row{
			ID: t.FirstRowID(source.New(time.Now().Add(-time.Hour))), CreatedBy: s.other.id, Perm: perms[k], Revision: 1,
			UpdatedAt: time.Now().Unix(), Fields: map[string]any{"marks": []any{}},
		}
		s.kinds[string(row.ID)] = k
		all = append(all, table.Change{New: &row})
	}
	return errors.Join(store.Rows().Write(ctx, s.app.Scope, t, all)...)
}

func (s *starters) path() string { return fmt.Sprintf("/hserve/v2.4/table/%d/record/", s.table) }

func (s *starters) Clients(g *game.Requests) []func(sim.Random) {
	start := func(random sim.Random, n int) { s.start(g, random, n) }
	return []func(sim.Random){g.Turns(2, 30*time.Second, start), func(random sim.Random) {
		g.Pause(random, 90*time.Second)
		g.Note("starter leaves the group")
		s.member.Begin(false)
		for range 20 {
			if s.app.Send(context.Background(), membership("remove", s.starter, s.group)).Known() == client.Acknowledged {
				s.member.Known()
				return
			}
			time.Sleep(random.Jitter(time.Second))
		}
	}, func(random sim.Random) {
		for range 20 {
			g.Pause(random, 10*time.Second)
			s.spy(g)
		}
	}}
}

// start asks for a change of all rows.
func (s *starters) start(g *game.Requests, random sim.Random, n int) {
	g.Note("operation started by a user")
	o := &operation{mark: fmt.Sprint("operation ", n), asked: clients.Since()}
	answer, _, wrong := clients.Keyed(random, clients.As(s.app, s.starter.token), client.Request{
		Method: "PUT", Path: s.path() + "?where=%7B%7D", Key: o.mark,
		Body: map[string]any{"marks": map[string]any{"$append": []string{o.mark}}},
	})
	var got struct {
		ID int64 `json:"operation_id"`
	}
	if o.known = answer.Known(); answer.Decode(&got) == nil && got.ID == 0 || wrong != "" {
		g.Problem("starters: an operation is answered %.200s %s", answer.Body, wrong)
	}
	o.id = got.ID
	s.operations = append(s.operations, o)
}

// progress is an operation as its starter sees it.
type progress struct {
	Status   string `json:"status"`
	Modified int    `json:"modified_count"`
}

// look returns what the starter sees of an operation.
func (s *starters) look(o *operation) (got progress, ok bool) {
	answer, _ := clients.Send(clients.As(s.app, s.starter.token), client.Request{Method: "GET", Path: fmt.Sprintf("/hserve/v1/bulk-operation/%d/", o.id)})
	return got, answer.Decode(&got) == nil
}

// spy looks at operations, which do not exist for another user.
func (s *starters) spy(g *game.Requests) {
	for _, o := range s.operations {
		s.watch(g, o)
		answer, _ := clients.Send(clients.As(s.app, s.other.token), client.Request{Method: "GET", Path: fmt.Sprintf("/hserve/v1/bulk-operation/%d/", o.id)})
		if o.id > 0 && answer.Known() != client.Unknown && answer.Status != 404 && answer.Status != 429 {
			g.Problem("starters: an operation of another user is answered %d", answer.Status)
		}
	}
}

// watch notes when an operation has ended, and reports whether it has not.
func (s *starters) watch(g *game.Requests, o *operation) (open bool) {
	if o.asked.To != clients.Never || o.id == 0 {
		return false
	}
	got, ok := s.look(o)
	if !ok || got.Status == "pending" {
		return true
	}
	if o.asked.To = time.Now(); got.Status != "success" {
		g.Problem("starters: %s ended as %s", o.mark, got.Status)
	}
	return false
}

func (s *starters) Open(g *game.Requests) (open int) {
	for _, o := range s.operations {
		if s.watch(g, o) {
			open++
		}
	}
	return open + g.Messages("BulkQueue", nil) + g.Messages("TableWorkQueue", nil)
}

func (s *starters) Judge(g *game.Requests) {
	all, err := list(s.app, s.table, "")
	if err != nil || len(all) != len(s.kinds) {
		g.Problem("starters: %d rows of %d are there: %v", len(all), len(s.kinds), err)
		return
	}
	found := map[string]int{}
	for _, row := range all {
		for _, mark := range row.Marks {
			found[mark+" "+row.ID]++
		}
	}
	var asked promise.Ledger
	for _, o := range s.operations {
		done := 0
		for row, k := range s.kinds {
			done += min(found[o.mark+" "+row], 1)
			asked.Expect(o.mark+" "+row, s.need(o, k))
		}
		if o.known == client.Unknown && done > 0 && done < sharedRows {
			g.Problem("starters: %s, which may have been started, changed %d rows", o.mark, done)
		}
	}
	g.Tell("starters", asked.Judge(promise.Found{Times: found}))
}

// need is whether an operation must have changed a row of a kind.
func (s *starters) need(o *operation, k kind) promise.Need {
	may := o.known
	if k == foreign || k == unseen {
		may = promise.Never
	}
	members := s.member.During(o.asked)
	switch {
	case k == grouped && len(members) > 1:
		may = min(may, promise.May)
	case k == grouped && !members[0]:
		may = promise.Never
	}
	return may
}
