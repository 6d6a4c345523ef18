package rows

import (
	"context"
	"encoding/json"
	"fmt"
	"maps"
	"net/url"
	"slices"
	"time"

	"minicloud/infra/lab/client"
	"minicloud/infra/lab/promise"
	"minicloud/infra/lab/sim"
	"minicloud/infra/lab/sim/clients"
	"minicloud/infra/lab/sim/game"
	"minicloud/shared/permission"
	"minicloud/shared/table"
)

// writer is a client of rows: what one member does, one after the other.
type writer struct {
	*rows
	game   *game.Requests
	member *member
	number int
	random sim.Random
}

// values are how many values the column n has.
const values = 4

func (w writer) step(turn int) {
	switch n := w.random.IntN(16); {
	case turn < 2 || n < 4:
		w.create(turn)
	case n < 7:
		w.mark()
	case n < 9:
		w.permit()
	case n < 10:
		w.delete()
	case n < 12:
		w.bulk()
	case n < 13:
		w.run()
	case n < 14:
		w.get()
	default:
		w.list()
	}
}

func (w writer) as() *client.Application { return clients.As(w.app, w.member.token) }

// perm draws a permission.
func (w writer) perm() []string {
	all := [][]string{
		{"user:anonymous"}, {"user:*"}, {"user:{created_by}"}, {fmt.Sprint("gid:", w.groups[0])}, {},
		{fmt.Sprint("gid:", w.groups[1]), "user:{created_by}"}, {fmt.Sprint("user:", w.users[w.random.IntN(3)].id)},
	}
	return all[w.random.IntN(len(all))]
}

// create makes a row. The first two have the same key and body for all members (C39).
func (w writer) create(turn int) {
	w.game.Note("row created")
	tag, key := fmt.Sprint("row ", w.number, turn), fmt.Sprint("create ", w.number, turn)
	made := &row{tag: tag, n: w.random.IntN(values), creator: w.member.id, target: w.some()}
	perm := table.RowPerm{Read: w.perm(), Write: w.perm()}
	if turn < 2 {
		tag, key = fmt.Sprint("shared ", turn), fmt.Sprint("shared ", turn)
		made.tag, made.n, made.target = tag, turn, ""
		perm = table.RowPerm{Read: []string{"user:{created_by}"}, Write: []string{"user:{created_by}"}}
	}
	body := map[string]any{"tag": made.tag, "n": made.n, "marks": []string{}, "read_perm": perm.Read, "write_perm": perm.Write}
	if made.target != "" {
		body["ref"] = made.target
	}
	made.states = clients.Started(state{})
	made.states.Begin(state{true, perm})
	answer, _, wrong := w.send(client.Request{Method: "POST", Path: w.path(), Body: body, Key: key}, turn < 2)
	if w.member.id == 0 {
		w.expect(answer, "a creation by nobody", 401)
		return
	}
	var got stored
	known := answer.Known()
	if answer.Decode(&got) != nil {
		all, err := list(w.app, w.table, "&where="+url.QueryEscape(fmt.Sprintf(`{"tag":%q}`, tag)))
		i := slices.IndexFunc(all, func(s stored) bool { return s.Creator == w.member.id })
		if w.made.Expect(made.tag+fmt.Sprint(" of ", w.member.id), promise.May); err != nil || i < 0 {
			return
		}
		got, known = all[i], client.Acknowledged
	}
	if wrong != "" || got.Creator != w.member.id || got.Tag != tag {
		w.game.Problem("rows: %s of user %d is answered %s %s", tag, w.member.id, answer.Body, wrong)
	}
	made.id = got.ID
	w.mu.Lock()
	defer w.mu.Unlock()
	w.made.Expect(made.tag+fmt.Sprint(" of ", w.member.id), known)
	if w.all[made.id] != nil {
		w.game.Problem("rows: %s of user %d is row %s of another", tag, w.member.id, made.id)
	}
	made.states.Known()
	w.all[made.id] = made
}

// send sends a request: always by its key, where it has one, or sometimes.
func (w writer) send(r client.Request, always bool) (answer client.Reply, asked clients.Span, wrong string) {
	if w.member.id == 0 {
		r.Key = ""
	}
	if always || r.Key == "" {
		return clients.Repeat(w.random, w.as(), r)
	}
	return clients.Keyed(w.random, w.as(), r)
}

// expect notes a refusal with another status.
func (w writer) expect(answer client.Reply, what string, statuses ...int) {
	if answer.Known() == client.Unknown || slices.Contains(append(statuses, 409, 429), answer.Status) {
		return
	}
	w.game.Problem("rows: %s by %q is answered %d %s", what, w.member.name, answer.Status, answer.Body)
}

// some draws a row that is known, "" for none.
func (w writer) some() string {
	w.mu.Lock()
	defer w.mu.Unlock()
	ids := slices.Sorted(maps.Keys(w.all))
	if len(ids) == 0 {
		return ""
	}
	return ids[w.random.IntN(len(ids))]
}

// ownRow draws a row that the member created, nil for none.
func (w writer) ownRow() *row {
	w.mu.Lock()
	defer w.mu.Unlock()
	var own []*row
	for _, id := range slices.Sorted(maps.Keys(w.all)) {
		if one := w.all[id]; one.creator == w.member.id && one.states.Last().exists {
			own = append(own, one)
		}
	}
	if len(own) == 0 {
		return nil
	}
	return own[w.random.IntN(len(own))]
}

// judgeWrite compares the status of a write with what the permissions of its row may have been.
func (w writer) judgeWrite(of *row, answer client.Reply, asked clients.Span, what string) {
	status := answer.Status
	if answer.Known() == client.Acknowledged {
		status = 0
	}
	if answer.Known() == client.Unknown || status == 409 || status == 429 {
		return
	}
	w.judgeLater(func() {
		if may := w.statuses(w.member, of, asked); !may[status] {
			w.game.Problem("rows: %s of row %s by %q is answered %d, and may be %v", what, of.id, w.member.name, status, may)
		}
	})
}

// mark adds a mark to any row.
func (w writer) mark() {
	id := w.some()
	if id == "" {
		return
	}
	w.game.Note("row changed")
	w.mu.Lock()
	of := w.all[id]
	w.mu.Unlock()
	text := fmt.Sprint("mark ", w.number, w.random.Uint64())
	answer, asked, wrong := w.send(client.Request{
		Method: "PUT", Path: w.path() + id + "/", Body: map[string]any{"marks": map[string]any{"$append": []string{text}}}, Key: text,
	}, false)
	if wrong != "" {
		w.game.Problem("keys: %s: %s", text, wrong)
	}
	w.judgeWrite(of, answer, asked, "a change")
	w.noteMark(mark{id, text, w.needOf(answer)})
}

// needOf is whether a write must have happened. A write that was sent several times may have before it was refused.
func (w writer) needOf(answer client.Reply) promise.Need {
	if answer.Known() == client.Refused {
		return promise.May
	}
	return answer.Known()
}

func (w writer) noteMark(m mark) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.marks = append(w.marks, m)
}

// permit changes the permissions of an own row.
func (w writer) permit() {
	of := w.ownRow()
	if of == nil {
		return
	}
	w.game.Note("permissions changed")
	next := state{true, table.RowPerm{Read: w.perm(), Write: w.perm()}}
	w.begin(of, next)
	answer, asked, _ := w.send(client.Request{
		Method: "PUT", Path: w.path() + of.id + "/", Key: fmt.Sprint("permit ", w.number, w.random.Uint64()),
		Body: map[string]any{"read_perm": next.perm.Read, "write_perm": next.perm.Write},
	}, false)
	w.judgeWrite(of, answer, asked, "a change of the permissions")
	w.end(of, answer, func(s *stored) bool {
		own := func(list []string) []string { return permission.WithCreator(list, w.member.id) }
		return s != nil && slices.Equal(s.Read, own(next.perm.Read)) && slices.Equal(s.Write, own(next.perm.Write))
	})
}

func (w writer) begin(of *row, next state) {
	w.mu.Lock()
	defer w.mu.Unlock()
	of.states.Begin(next)
}

// end notes whether a change of an own row happened. After a request that was not acknowledged the row tells.
func (w writer) end(of *row, answer client.Reply, happened func(*stored) bool) {
	known := answer.Known()
	if known != client.Acknowledged {
		all, err := list(w.app, w.table, "&where="+url.QueryEscape(fmt.Sprintf(`{"id":%q}`, of.id)))
		var is *stored
		if len(all) > 0 {
			is = &all[0]
		}
		switch {
		case err != nil:
			known = client.Unknown
		case happened(is):
			known = client.Acknowledged
		default:
			known = client.Refused
		}
	}
	w.mu.Lock()
	defer w.mu.Unlock()
	switch known {
	case client.Acknowledged:
		of.states.Known()
	case client.Refused:
		of.states.Undone()
	}
}

// delete deletes an own row.
func (w writer) delete() {
	of := w.ownRow()
	if of == nil {
		return
	}
	w.game.Note("row deleted")
	w.begin(of, state{})
	answer, asked := clients.Send(w.as(), client.Request{Method: "DELETE", Path: w.path() + of.id + "/"})
	w.judgeWrite(of, answer, asked, "a deletion")
	w.end(of, answer, func(s *stored) bool { return s == nil })
}

// bulk adds a mark to all rows with a value.
func (w writer) bulk() {
	w.game.Note("rows changed")
	n, text := w.random.IntN(values), fmt.Sprint("bulk ", w.number, w.random.Uint64())
	where := fmt.Sprintf(`{"n":{"$gte":%d}}`, n)
	answer, asked, _ := w.send(client.Request{
		Method: "PUT", Path: w.path() + "?limit=1000&return_total_count=1&where=" + url.QueryEscape(where), Key: text,
		Body: map[string]any{"marks": map[string]any{"$append": []string{text}}},
	}, false)
	if w.member.id == 0 {
		w.expect(answer, "a bulk change by nobody", 401)
		return
	}
	w.judgeLater(func() { w.judgeBulk(n, text, answer, asked) })
}

// refusedRow is the code of a row that a bulk write of an end user refuses for another reason than a unique value.
const refusedRow = 16837

// judgeBulk compares the outcomes of a bulk change with the rows that the member may write.
func (w writer) judgeBulk(n int, text string, answer client.Reply, asked clients.Span) {
	var got client.Bulk
	_ = answer.Decode(&got) // a refusal has no results
	told, failed := client.Told(answer), false
	for _, result := range got.Results {
		if failed = failed || result.Error != nil; result.Error != nil && result.Error.Code == refusedRow {
			w.game.Problem("rows: a bulk change by %q tells of a row that it may not change", w.member.name)
		}
	}
	for _, id := range slices.Sorted(maps.Keys(w.all)) {
		of := w.all[id]
		statuses := w.statuses(w.member, of, asked)
		may, must := w.seen(w.member, of, asked)
		may, must = may && of.n >= n && statuses[0], must && of.n >= n && statuses[0] && len(statuses) == 1
		done := told[id] == client.Acknowledged
		need := promise.Never
		switch {
		case done && !may:
			w.game.Problem("rows: %q has changed row %s in bulk, and may not", w.member.name, id)
		case must && !done && answer.Known() == client.Acknowledged && !failed:
			w.game.Problem("rows: %q may change row %s, and a bulk change left it out", w.member.name, id)
		case done:
			need = promise.Must
		case may: // an earlier try, or after the row was read
			need = promise.May
		}
		w.marks = append(w.marks, mark{id, text, need})
	}
}

// run runs a function, which sees who called.
func (w writer) run() {
	w.game.Note("function run")
	text := fmt.Sprintf("who %d %d", w.member.id, w.random.Uint64())
	answer, _, _ := w.send(client.Request{
		Method: "POST", Path: "/hserve/v1/cloud-function/job/", Key: text, Body: map[string]any{
			"function_name": "who", "data": game.Input{Mark: text, Do: game.Returns, MS: 20}, "sync": true,
		},
	}, false)
	switch {
	case w.member.id == 0:
		w.expect(answer, "a function", 401)
	case w.member.temp:
		w.expect(answer, "a function", 403)
	default:
		w.expect(answer, "a function", 200)
	}
}

// read sends a request without an effect until it is answered.
func (w writer) read(a *client.Application, path string) (answer client.Reply, asked clients.Span) {
	for range 20 {
		from := time.Now()
		answer = a.Send(context.Background(), client.Request{Method: "GET", Path: path})
		asked = clients.Span{From: from, To: time.Now()}
		if answer.Known() != client.Unknown && answer.Status != 429 {
			break
		}
		time.Sleep(w.random.Jitter(300 * time.Millisecond))
	}
	return answer, asked
}

// object is a row as an end user sees it.
type object map[string]json.RawMessage

func (o object) text(name string) (s string) {
	_ = json.Unmarshal(o[name], &s) // "" where it is none
	return s
}
