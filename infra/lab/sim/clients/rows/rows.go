// Package rows has the parts of a game (package clients) in which end users read and write rows.
package rows

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"sync"
	"time"

	"minicloud/infra/lab/client"
	"minicloud/infra/lab/promise"
	"minicloud/infra/lab/readers"
	"minicloud/infra/lab/sim"
	"minicloud/infra/lab/sim/clients"
	"minicloud/infra/lab/sim/game"
	"minicloud/shared/permission"
	"minicloud/shared/table"
)

// Parts are all there are.
var Parts = []game.Named{
	{Name: "notes", Make: func() game.Part { return &rows{} }},
	{Name: "uniques", Make: func() game.Part { return &uniques{} }},
	{Name: "starters", Make: func() game.Part { return &starters{} }},
}

// rows are users who write and read rows under permissions, while their creators change these and an administrator
// changes the members of groups. What readers saw is judged in the end, when it is known who made which row.
type rows struct {
	app    *client.Application
	table  int64
	users  []*member
	groups []int64
	mu     sync.Mutex
	all    map[string]*row // by id
	marks  []mark
	made   promise.Ledger // rows that were asked for, by tag and creator
	later  []func()       // what is judged in the end
}

// member is a caller: a registered user, a temporary one or nobody.
type member struct {
	name   string
	id     int64
	token  string
	temp   bool
	groups map[int64]*clients.Timeline[bool]
}

// row is one as the clients know it. Only its creator deletes it and changes its permissions.
type row struct {
	id, tag string
	n       int
	creator int64
	target  string // of its pointer
	states  clients.Timeline[state]
}

// state is a row at a time.
type state struct {
	exists bool
	perm   table.RowPerm
}

// mark is one that a write adds to a row.
type mark struct {
	row, text string
	need      promise.Need
}

func (r *rows) Plant(g *game.Requests) (err error) {
	r.all = map[string]*row{}
	if r.app, err = g.Application("rows"); err != nil {
		return err
	}
	if err := r.plantUsers(); err != nil {
		return err
	}
	body := client.Schema(
		"notes", client.Column{Name: "n", Type: "integer", Indexed: true}, client.Column{Name: "marks", Type: "array"},
		client.Column{Name: "tag", Type: "string"},
	)
	schema := body["schema"].(map[string]any)
	schema["fields"] = append(schema["fields"].([]map[string]any), map[string]any{
		"name": "secret", "type": "string", "default": "hidden", "acl": map[string]any{"clientVisible": false},
	})
	body["write_perm"] = []string{"user:anonymous"}
	ctx := context.Background()
	if r.table, err = r.app.Create(ctx, client.TablesPath, body); err != nil {
		return err
	}
	err = r.app.Call(ctx, "PUT", fmt.Sprintf("%s%d/", client.TablesPath, r.table), map[string]any{
		"schema": map[string]any{"fields": []any{map[string]any{"name": "ref", "type": "reference", "schema_id": r.table}}},
	}, &struct{}{})
	if err != nil {
		return err
	}
	_, err = r.app.Create(ctx, client.FunctionsPath, map[string]any{"name": "who", "function_code": game.CodeOf(0)})
	return err
}

// plantUsers logs users in, and makes groups.
func (r *rows) plantUsers() (err error) {
	for n := range 2 {
		group, err := r.app.Create(context.Background(), groupsPath, map[string]any{"name": fmt.Sprint("group ", n)})
		if err != nil {
			return err
		}
		r.groups = append(r.groups, group)
	}
	if r.users, err = plantMembers(r.app, "ada", "bob", "eve", ""); err != nil {
		return err
	}
	for _, m := range r.users {
		m.groups = map[int64]*clients.Timeline[bool]{}
		for _, group := range r.groups {
			out := clients.Started(false)
			m.groups[group] = &out
		}
	}
	r.users = append(r.users, &member{name: "nobody"})
	return nil
}

// groupsPath lists and creates groups of users.
const groupsPath = "/oserve/v1/user-group/"

// plantMembers logs users in at chat, "" = a temporary user.
func plantMembers(a *client.Application, names ...string) (all []*member, err error) {
	if err := clients.AllowVendor(a); err != nil {
		return nil, err
	}
	for _, name := range names {
		path, body := clients.SilentPath, map[string]any{"code": name}
		if name == "" {
			path, body = clients.AnonymousPath, map[string]any{}
		}
		id, token, err := clients.Login(a, path, body)
		if err != nil {
			return nil, err
		}
		all = append(all, &member{name: name, id: id, token: token, temp: name == ""})
	}
	return all, nil
}

// membership is a request to add a user to a group or to remove the user: op is "add" or "remove".
func membership(op string, m *member, group int64) client.Request {
	return client.Request{Method: "PATCH", Path: "/oserve/v1/miniapp/group/membership/", Body: []any{
		map[string]any{"op": op, "path": "/membership", "users": []int64{m.id}, "groups": []int64{group}},
	}}
}

func (r *rows) Clients(g *game.Requests) (all []func(sim.Random)) {
	for n, m := range r.users {
		w := writer{rows: r, game: g, member: m, number: n}
		all = append(all, g.Turns(12, 7*time.Second, func(random sim.Random, turn int) {
			w.random = random
			w.step(turn)
		}))
	}
	return append(all, func(random sim.Random) {
		for range 10 {
			g.Pause(random, 8*time.Second)
			r.changeGroups(g, random)
		}
	})
}

// changeGroups adds a user to a group, or removes the user. There is no other administrator.
func (r *rows) changeGroups(g *game.Requests, random sim.Random) {
	g.Note("membership changed")
	m, group := r.users[random.IntN(3)], r.groups[random.IntN(len(r.groups))]
	r.mu.Lock()
	in := m.groups[group]
	joins := !in.Last()
	in.Begin(joins)
	r.mu.Unlock()
	request := membership(map[bool]string{true: "add", false: "remove"}[joins], m, group)
	request.Key = fmt.Sprint("member ", random.Uint64())
	answer, _ := r.app.Repeat(random.Rand, request)
	r.mu.Lock()
	defer r.mu.Unlock()
	if answer.Known() == client.Acknowledged {
		in.Known()
	} else if answer.Known() == client.Refused {
		g.Problem("rows: a membership: %v", answer.Failure())
	}
}

// subjects are those that a member may have been during a span. The caller holds mu, or nothing is under way.
func (r *rows) subjects(m *member, asked clients.Span) []*permission.Subject {
	all := []*permission.Subject{{User: m.id, Temporary: m.temp}}
	for _, group := range slices.Sorted(maps.Keys(m.groups)) {
		var next []*permission.Subject
		for _, in := range m.groups[group].During(asked) {
			for _, s := range all {
				one := *s
				if in {
					one.Groups = append(slices.Clone(one.Groups), group)
				}
				next = append(next, &one)
			}
		}
		all = next
	}
	return all
}

// seen returns whether a member may have seen a row at some time of a span, and whether it was visible all the time.
func (r *rows) seen(m *member, w *row, asked clients.Span) (may, must bool) {
	must = true
	for _, s := range r.subjects(m, asked) {
		for _, at := range w.states.During(asked) {
			visible := at.exists && readers.May(s, at.perm.Read, w.creator)
			may, must = may || visible, must && visible
		}
	}
	return may, must
}

// statuses are those that a write of a row may be answered; 0 = done.
func (r *rows) statuses(m *member, w *row, asked clients.Span) map[int]bool {
	all := map[int]bool{}
	for _, s := range r.subjects(m, asked) {
		for _, at := range w.states.During(asked) {
			of := table.Row{Perm: at.perm, CreatedBy: w.creator}
			all[readers.Status(s, of, !at.exists)] = true
		}
	}
	return all
}

// judgeLater notes what is judged in the end.
func (r *rows) judgeLater(f func()) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.later = append(r.later, f)
}

// path is that of the rows for end users.
func (r *rows) path() string { return fmt.Sprintf("/hserve/v2.4/table/%d/record/", r.table) }

func (*rows) Open(g *game.Requests) int { return g.Messages("TableWorkQueue", nil) }

// stored is a row as an administrator sees it.
type stored struct {
	ID      string
	Tag     string
	N       int
	Marks   []string
	Creator int64    `json:"created_by"`
	Read    []string `json:"read_perm"`
	Write   []string `json:"write_perm"`
}

// list reads all rows of a table as an administrator.
func list(a *client.Application, of int64, where string) (all []stored, err error) {
	path := client.RowsPath(of) + "?limit=1000" + where
	_, err = client.List(context.Background(), a, path, func(s stored) error {
		all = append(all, s)
		return nil
	})
	return all, err
}

func (r *rows) Judge(g *game.Requests) {
	random := g.World.Random("last reads")
	for n, m := range r.users {
		w := writer{rows: r, game: g, member: m, number: n, random: random}
		for range 4 {
			w.list()
		}
		w.get()
	}
	for _, judge := range r.later {
		judge()
	}
	all, err := list(r.app, r.table, "")
	if err != nil {
		g.Problem("rows: list: %v", err)
		return
	}
	found, made, there := map[string]int{}, map[string]int{}, map[string]bool{}
	for _, s := range all {
		there[s.ID] = true
		made[fmt.Sprint(s.Tag, " of ", s.Creator)]++
		if w := r.all[s.ID]; w != nil && !w.states.Last().exists && w.states.Over() {
			g.Problem("rows: row %s was deleted and is there", s.ID)
		}
		for _, text := range s.Marks {
			found[text+" "+s.ID]++
		}
	}
	var asked promise.Ledger
	for _, m := range r.marks {
		if there[m.row] {
			asked.Expect(m.text+" "+m.row, m.need)
		}
	}
	g.Tell("rows: marks", asked.Judge(promise.Found{Times: found}))
	for _, w := range r.all {
		now := clients.Span{From: time.Now(), To: time.Now()}
		if states := w.states.During(now); !there[w.id] && len(states) == 1 && states[0].exists {
			g.Problem("rows: row %s is lost", w.id)
		} else if !there[w.id] {
			made[fmt.Sprint(w.tag, " of ", w.creator)]++
		}
	}
	g.Tell("rows", r.made.Judge(promise.Found{Times: made}))
	r.judgeRuns(g)
}

// judgeRuns compares for whom functions ran with who asked.
func (r *rows) judgeRuns(g *game.Requests) {
	for _, all := range g.Sandbox.Begun {
		for _, b := range all {
			var id int64
			if n, _ := fmt.Sscanf(b.Input.Mark, "who %d", &id); n == 1 && (b.User != id || b.Scope != r.app.Scope.String()) {
				g.Problem("rows: a function of user %d ran for user %d in %s", id, b.User, b.Scope)
			}
		}
	}
}
