package events

import (
	"context"
	"fmt"
	"maps"
	"math/rand/v2"
	"net/http"
	"net/url"
	"slices"
	"sync"

	"minicloud/infra/lab/client"
	"minicloud/infra/lab/promise"
	"minicloud/infra/lab/story"
)

// rows is the state of the rows that the clients of an application create, change and delete. Only the client that
// created a row changes it, and it stops when the outcome of a request is unknown.
type rows struct {
	table int64

	mu      sync.Mutex
	lives   map[string]*life
	marksOf map[string]string // marks by row id
	indexed promise.Need      // outcome of the request for one more index
}

// life is the expected state of a row.
type life struct {
	line   string           // report line of the last request
	known  promise.Need     // outcome of the last request
	said   string           // its error message
	states []map[string]any // possible states of the row; nil = deleted
	quiet  bool             // the row fires no trigger
	id     string           // "" = the answer to the creation was lost
}

const rowsName = "rows"

// rowColumns returns the columns of package story and of this load. Columns n and s are indexed; late gets its index
// while the load runs. note changes with each request.
func rowColumns(late bool) []client.Column {
	return []client.Column{
		{Name: "mark", Type: "string"}, {Name: "note", Type: "string"}, {Name: "n", Type: "integer", Indexed: true},
		{Name: "s", Type: "string", Indexed: true}, {Name: "b", Type: "boolean"},
		{Name: "late", Type: "integer", Indexed: late}, {Name: "kind", Type: "string"}, {Name: "phone", Type: "string"},
	}
}

func (l *rows) plant(ctx context.Context, app *client.Application) (err error) {
	l.lives, l.marksOf = map[string]*life{}, map[string]string{}
	l.table, err = app.Table(ctx, rowsName, rowColumns(false)...)
	return err
}

// drawRow draws random values for a row.
func drawRow(random *rand.Rand, note string) map[string]any {
	row := story.Row(random)
	row["note"], row["late"] = note, row["n"]
	return row
}

// live creates a row, changes it up to three times and deletes all but every fourth one, so that a short load has
// deletions. One row in twenty fires no trigger, and half of the requests have an idempotency key. In the
// application with effects every row has effects, so that a short load covers all of them: either the creation or the
// changes cause them.
func (e *events) live(random *rand.Rand) {
	mark := e.mark()
	row := drawRow(random, mark)
	row["mark"] = mark

	quiet, steps, deletes := "", random.IntN(4), e.lifeTurns.Add(1)%4 != 0
	switch {
	case e.acts:
		row["kind"], row["phone"] = e.nextKind(random, mark), fmt.Sprintf("+86138%08d", e.marks.Load())
		if steps, deletes = 0, false; row["kind"] == "" {
			steps = 2 + random.IntN(3)
		}
	case random.IntN(20) == 0:
		quiet = "?enable_trigger=0"
	}
	r := client.Request{Method: "POST", Path: client.RowsPath(e.table) + quiet, Body: row}
	answer, x := e.rowRequest(random, rowCreated, r, mark)
	var made struct {
		ID string `json:"id"`
	}
	_ = answer.Decode(&made) // if the answer was lost, the row has no id
	e.became(mark, &life{line: rowCreated, known: x.Known, said: x.Said, quiet: quiet != "", id: made.ID}, nil, row)

	last := ""
	for range steps {
		if x.Known != client.Acknowledged {
			return
		}
		note := e.mark()
		after := maps.Clone(row)
		change := drawRow(random, note)
		maps.Copy(after, change)
		r := client.Request{Method: "PUT", Path: client.UpdatesPath(e.table) + made.ID + "/" + quiet, Body: change}
		_, x = e.rowRequest(random, rowUpdated, r, note)
		e.became(mark, &life{line: rowUpdated, known: x.Known, said: x.Said, quiet: quiet != "", id: made.ID}, row, after)
		row, last = after, note
	}
	if x.Known != client.Acknowledged {
		return
	}
	e.expectLast(last)
	if !deletes {
		return
	}

	// A repeated delete may find that an earlier attempt has deleted the row.
	r = client.Request{Method: "DELETE", Path: client.RowsPath(e.table) + made.ID + "/" + quiet}
	known := client.Until(func() client.Reply {
		answer := e.App.Send(context.Background(), r)
		if answer.Status == http.StatusNotFound {
			answer.Status = http.StatusNoContent
		}
		return answer
	})
	e.count(rowDeleted, known)
	e.became(mark, &life{line: rowDeleted, known: known, quiet: quiet != "", id: made.ID}, row, nil)
}

// rowRequest sends a request. Half of the requests, and all with effects, have an idempotency key and are repeated
// until answered.
func (e *events) rowRequest(
	random *rand.Rand, line string, r client.Request, mark string,
) (answer client.Reply, x client.Effect) {
	if e.acts || random.IntN(2) == 0 {
		r.Key = mark
	}
	answer, x = e.App.Repeat(random, r)
	e.Event()
	e.Lines.Line(line).Request(x.Known, mark, x.Wrong, x.Took)
	return answer, x
}

// became records the possible states of a row after a request, and the event.
func (e *events) became(mark string, l *life, before, after map[string]any) {
	switch l.known {
	case client.Acknowledged:
		l.states = []map[string]any{after}
	case client.Refused:
		l.states = []map[string]any{before}
	default:
		l.states = []map[string]any{before, after}
	}
	e.mu.Lock()
	e.lives[mark], e.marksOf[l.id] = l, mark
	e.mu.Unlock()

	if !l.quiet && l.id != "" {
		e.saw(l.line, l.id, l.known, before, after)
	}
}

// batchRows is the number of rows in a batch.
const batchRows = 8

// batch creates several rows in one request with an idempotency key, repeated until answered. Each row is a separate
// effect.
func (e *events) batch(random *rand.Rand) {
	var body []map[string]any
	for range batchRows {
		mark := e.mark()
		row := drawRow(random, mark)
		row["mark"] = mark
		body = append(body, row)
	}
	key := body[0]["mark"].(string)
	r, whole := e.App.Repeat(random, client.Request{
		Method: "POST", Path: client.RowsPath(e.table), Key: key, Body: body,
	})
	e.Lines.Line(rowCreated).Request(whole.Known, key, whole.Wrong, whole.Took)

	var answer client.Bulk
	complete := r.Decode(&answer) == nil && len(answer.Results) == len(body)
	for i, row := range body {
		e.Event()
		l := &life{line: rowCreated, known: whole.Known}
		if complete {
			l.known = answer.Known(i)
		}
		if complete && l.known == client.Acknowledged {
			l.id = fmt.Sprint(answer.Results[i].Success.ID)
		}
		e.became(row["mark"].(string), l, nil, row)
	}
}

// index requests one more index, until the request is acknowledged.
func (e *events) index(*rand.Rand) {
	if e.indexed == client.Acknowledged {
		return
	}
	path := fmt.Sprintf("%s%d/", client.TablesPath, e.table)
	body := client.Schema(rowsName, rowColumns(true)...)
	known := e.App.Send(context.Background(), client.Request{Method: "PUT", Path: path, Body: body}).Known()

	e.mu.Lock()
	defer e.mu.Unlock()
	e.indexed = known
}

const indexBuilds = "index builds"

// waitForIndex checks whether the requested index is ready. An index build takes more than a minute, so only a load at
// the real pace waits for it.
func (l *rows) waitForIndex(ctx context.Context, e *events, missing map[string]int) error {
	if !e.Pace.Real || l.indexed != client.Acknowledged {
		return nil
	}

	var about struct {
		Schema struct {
			Fields []struct {
				Name  string
				Ready *bool `json:"index_ready"`
			}
		}
	}
	if err := e.App.Call(ctx, "GET", fmt.Sprintf("%s%d/", client.TablesPath, l.table), nil, &about); err != nil {
		return err
	}
	for _, f := range about.Schema.Fields {
		if f.Name == "late" && (f.Ready == nil || !*f.Ready) {
			missing[indexBuilds]++
		}
	}
	return nil
}

// stored is a row as listed by the API.
type stored struct {
	ID   string `json:"id"`
	Mark string `json:"mark"`
	Note string `json:"note"`
	N    int    `json:"n"`
	S    string `json:"s"`
	Late int    `json:"late"`
}

func (l *rows) list(ctx context.Context, e *events, query string) (all []stored, total int, err error) {
	total, err = client.List(ctx, e.App, client.RowsPath(l.table)+"?limit=1000&"+query, func(row stored) error {
		all = append(all, row)
		return nil
	})
	return all, total, err
}

func (l *rows) judge(ctx context.Context, e *events) error {
	all, total, err := l.list(ctx, e, "return_total_count=1")
	if err != nil {
		return fmt.Errorf("list rows: %w", err)
	}
	e.Lines.Line("row totals").Total("rows", total, len(all))
	e.compare(all)

	missing := map[string]int{}
	if err := l.waitForIndex(ctx, e, missing); err != nil {
		return err
	}
	builds := e.Lines.Line(indexBuilds)
	builds.Count(l.indexed)
	builds.Trouble(&builds.Late, missing[indexBuilds], "the index of table %d is not ready", l.table)
	return l.entries(ctx, e, all)
}

// compare checks the stored rows against the last request for each.
func (e *events) compare(all []stored) {
	found := map[string][]stored{}
	for _, row := range all {
		found[row.Mark] = append(found[row.Mark], row)
		if e.lives[row.Mark] == nil {
			line := e.Lines.Line(rowCreated)
			line.Fail(&line.Doubled, "%q is there and nobody asked for it", row.Mark)
		}
	}

	for _, mark := range slices.Sorted(maps.Keys(e.lives)) {
		l, rows := e.lives[mark], found[mark]
		line := e.Lines.Line(l.line)
		if len(rows) > 1 {
			line.Fail(&line.Doubled, "%q is there %d times", mark, len(rows))
			continue
		}
		is := "gone"
		if len(rows) == 1 {
			is = rows[0].state()
			e.marksOf[rows[0].ID] = mark
			if l.id == "" && !l.quiet { // the id was unknown, so this event was not recorded at creation
				e.saw(rowCreated, rows[0].ID, client.Unknown, nil, l.states[len(l.states)-1])
			}
		}

		may := slices.ContainsFunc(l.states, func(state map[string]any) bool { return stateOf(state) == is })
		switch {
		case !may && l.known == client.Refused:
			line.Fail(&line.Doubled, "%q is %s although that was refused (%s)", mark, is, l.said)
		case !may:
			line.Fail(&line.Lost, "%q is %s, not %s", mark, is, stateOf(l.states[len(l.states)-1]))
		}
	}
}

func (s stored) state() string { return fmt.Sprint(s.Note, " ", s.N, " ", s.S, " ", s.Late) }

func stateOf(row map[string]any) string {
	if row == nil {
		return "gone"
	}
	return fmt.Sprint(row["note"], " ", row["n"], " ", row["s"], " ", row["late"])
}

// entries queries every value of the indexed columns, lists the rows in the order of each index, and compares the
// answers with the stored rows.
func (l *rows) entries(ctx context.Context, e *events, all []stored) error {
	line, totals := e.Lines.Line("index entries"), e.Lines.Line("row totals")
	conditions := map[string]func(stored) bool{"": func(stored) bool { return true }}
	for n := range story.Numbers {
		conditions[fmt.Sprintf(`{"n":%d}`, n)] = func(row stored) bool { return row.N == n }
		conditions[fmt.Sprintf(`{"late":%d}`, n)] = func(row stored) bool { return row.Late == n }
	}
	for _, color := range story.Colors {
		conditions[fmt.Sprintf(`{"s":%q}`, color)] = func(row stored) bool { return row.S == color }
	}

	for _, where := range slices.Sorted(maps.Keys(conditions)) {
		queries := []string{"return_total_count=1&where=" + url.QueryEscape(where)}
		if where == "" {
			queries = []string{"order_by=n", "order_by=s", "order_by=late"}
		}
		want := map[string]int{}
		for _, row := range all {
			if conditions[where](row) {
				want[row.ID]++
			}
		}

		for _, query := range queries {
			matching, total, err := l.list(ctx, e, query)
			if err != nil {
				return fmt.Errorf("rows of %s: %w", query, err)
			}
			got := map[string]int{}
			for _, row := range matching {
				line.Count(client.Acknowledged)
				got[row.ID]++
			}
			line.Same(query, want, got)
			if where != "" {
				totals.Total("rows where "+where, total, len(matching))
			}
			if query == "order_by=n" && !slices.IsSortedFunc(matching, func(a, b stored) int { return a.N - b.N }) {
				line.Fail(&line.Lost, "the rows by n are not in order")
			}
		}
	}
	return nil
}
