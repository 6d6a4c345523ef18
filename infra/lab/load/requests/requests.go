// Package requests is a load of requests that fire no trigger: function jobs, sums, bulk requests, names and tokens.
package requests

import (
	"context"
	"fmt"
	"math/big"
	"math/rand/v2"
	"sync"
	"sync/atomic"
	"time"

	"minicloud/infra/lab/client"
	"minicloud/infra/lab/load"
	"minicloud/infra/lab/promise"
	"minicloud/infra/lab/story"
	"minicloud/shared/table"
)

// Parts returns the parts of the load, each with an application of its own.
func Parts(l *load.Load) []load.Part {
	b := load.Base{Load: l}
	return []load.Part{&runs{Base: b}, &sums{Base: b}, &bulks{Base: b}, &names{Base: b}, &tokens{Base: b}}
}

// The report lines of sums.
const (
	unkeyedSums = "$incr_by sums"
	keyedSums   = "keyed $incr_by sums"
)

// sums increments columns of a few rows from several clients at the same time.
type sums struct {
	load.Base
	table int64
	rows  map[string][]string // ids, by line
	next  atomic.Int64

	mu       sync.Mutex
	certain  map[string]int64    // acknowledged additions, by sum
	possible map[string]*big.Int // bit n: some of the increments with unknown outcome add up to n
}

// sumsEach is the number of rows per line, largest the maximum increment.
const (
	sumsEach = 2
	largest  = 1000
)

func (l *sums) Plant(ctx context.Context) (err error) {
	if l.App, err = l.Application(ctx, "sums"); err != nil {
		return err
	}
	l.certain, l.possible, l.rows = map[string]int64{}, map[string]*big.Int{}, map[string][]string{}
	l.table, err = l.App.Table(
		ctx, "sums", client.Column{Name: "plain", Type: "integer"},
		client.Column{Name: "indexed", Type: "integer", Indexed: true},
	)
	for _, line := range []string{unkeyedSums, keyedSums} {
		for range sumsEach {
			var made struct {
				ID string `json:"id"`
			}
			row := map[string]any{"plain": 0, "indexed": 0}
			if err == nil {
				err = l.App.Call(ctx, "POST", client.RowsPath(l.table), row, &made)
			}
			l.rows[line] = append(l.rows[line], made.ID)
		}
	}
	return err
}

func (l *sums) Clients() []load.Turns {
	unkeyed := func(random *rand.Rand) { l.increment(random, unkeyedSums) }
	keyed := func(random *rand.Rand) { l.increment(random, keyedSums) }
	const pause = 60 * time.Millisecond
	return []load.Turns{
		{Pause: pause, Once: unkeyed}, {Pause: pause, Once: unkeyed}, {Pause: pause, Once: keyed}, {Pause: pause, Once: keyed},
	}
}

// increment increments a column of a row. DynamoDB adds to the plain column directly; a change of the indexed column
// also moves its index entry.
func (l *sums) increment(random *rand.Rand, line string) {
	row, column := story.Draw(random, l.rows[line]...), story.Draw(random, "plain", "indexed")
	amount, sum := 1+random.UintN(largest), row+"."+column
	r := client.Request{
		Method: "PUT", Path: client.UpdatesPath(l.table) + row + "/",
		Body: map[string]any{column: map[string]any{"$incr_by": amount}},
	}

	var x client.Effect
	if line == keyedSums {
		r.Key = fmt.Sprintf("%s/%d", line, l.next.Add(1))
		_, x = l.App.Repeat(random, r)
	} else {
		x = l.App.Send(context.Background(), r).Effect(sum)
	}
	l.Lines.Line(line).Request(x.Known, x.Mark, x.Wrong, x.Took)
	l.note(sum, amount, x.Known == client.Acknowledged, x.Known == client.Unknown)
}

func (l *sums) note(sum string, amount uint, certain, possible bool) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.possible[sum] == nil {
		l.possible[sum] = big.NewInt(1)
	}
	if certain {
		l.certain[sum] += int64(amount)
	}
	if possible {
		l.possible[sum].Or(l.possible[sum], new(big.Int).Lsh(l.possible[sum], amount))
	}
}

func (l *sums) Judge(ctx context.Context) error {
	type row struct {
		ID             string
		Plain, Indexed int64
	}
	found := map[string]int64{}
	_, err := client.List(ctx, l.App, client.RowsPath(l.table), func(row row) error {
		found[row.ID+".plain"], found[row.ID+".indexed"] = row.Plain, row.Indexed
		return nil
	})
	for line, rows := range l.rows {
		for _, row := range rows {
			for _, sum := range []string{row + ".plain", row + ".indexed"} {
				l.note(sum, 0, false, false)
				judgeSum(l.Lines.Line(line), sum, found[sum]-l.certain[sum], l.possible[sum])
			}
		}
	}
	return err
}

// judgeSum checks that a sum exceeds its acknowledged increments only by some of the unknown ones.
func judgeSum(line *load.Line, name string, over int64, possible *big.Int) {
	switch most := int64(possible.BitLen() - 1); {
	case over < 0:
		line.Fail(&line.Lost, "sum %q is %d less than what was acknowledged", name, -over)
	case over > most:
		line.Fail(&line.Doubled, "sum %q is %d more than what was acknowledged, at most %d may be", name, over, most)
	case possible.Bit(int(over)) == 0:
		line.Fail(&line.Doubled, "sum %q is %d more than what was acknowledged, which is no sum of unknown ones", name, over)
	}
}

// names creates functions, groups and tables with unique names, and deletes some of the tables.
type names struct {
	load.Base
	next atomic.Int64

	mu      sync.Mutex
	deleted []deletion
}

// named lists, for each kind of entity, its report line, its path and its body.
var named = []struct {
	line, kind, path string
	body             func(name string) map[string]any
}{
	{"keyed functions", "function", client.FunctionsPath, func(name string) map[string]any {
		return map[string]any{"name": name, "function_code": "exports.main = async () => 1"}
	}},
	{"keyed groups", "group", "/oserve/v1/user-group/", func(name string) map[string]any {
		return map[string]any{"name": name}
	}},
	{"keyed tables", "table", client.TablesPath, func(name string) map[string]any {
		return client.Schema(name, client.Column{Name: "n", Type: "integer", Indexed: true})
	}},
}

const deletedTables = "deleted tables"

// deletion is the deletion of a table with rows.
type deletion struct {
	table table.Table
	known bool
}

func (l *names) Plant(ctx context.Context) (err error) {
	l.App, err = l.Application(ctx, "names")
	return err
}

func (l *names) Clients() (all []load.Turns) {
	for of := range named {
		all = append(all, load.Turns{Pause: 500 * time.Millisecond, Once: func(random *rand.Rand) { l.create(random, of) }})
	}
	return all
}

// create creates an entity with an idempotency key, repeated until answered. Half of the tables, at random, are filled
// and deleted.
func (l *names) create(random *rand.Rand, of int) {
	kind := named[of]
	name := fmt.Sprintf("named_%s%d", kind.kind, l.next.Add(1))
	r, x := l.App.Repeat(random, client.Request{Method: "POST", Path: kind.path, Key: name, Body: kind.body(name)})
	line := l.Lines.Line(kind.line)

	var made struct {
		ID int64 `json:"id"`
	}
	if kind.kind != "table" || r.Decode(&made) != nil || random.IntN(2) == 0 {
		line.Note(x)
		return
	}
	line.Request(x.Known, x.Mark, x.Wrong, x.Took)
	l.remove(name, made.ID)
}

// remove fills a table and deletes it.
func (l *names) remove(name string, id int64) {
	ctx := context.Background()
	drafts := make([]map[string]any, 30)
	for i := range drafts {
		drafts[i] = map[string]any{"n": i}
	}
	l.App.Send(ctx, client.Request{Method: "POST", Path: client.RowsPath(id), Body: drafts}) // if cut off, some rows exist

	// The platform's stored schema has the id of the index, which the API does not return.
	t, err := l.Cloud.Backend(0).Schemas().Table(ctx, l.App.Scope, table.ID(id))
	if err != nil {
		// The database may be down at this moment; then the table stays.
		l.Lines.Line("keyed tables").Expect(client.Effect{Mark: name, Known: client.Acknowledged})
		return
	}

	path := fmt.Sprintf("%s%d/", client.TablesPath, id)
	r := l.App.Send(ctx, client.Request{Method: "DELETE", Path: path})
	// The table must be gone if the deletion was acknowledged, and exist if it was refused.
	need := map[bool]client.Effect{
		true: {Mark: name, Known: client.Refused}, false: {Mark: name, Known: client.Acknowledged},
	}[r.Known() == client.Acknowledged]
	if r.Known() == client.Unknown {
		need.Known = client.Unknown
	}
	l.Lines.Line("keyed tables").Expect(need)
	l.Lines.Line(deletedTables).Request(r.Known(), name, "", 0)
	if r.Known() == client.Acknowledged && !l.Pace.Real {
		l.purge(ctx, t)
	}

	l.mu.Lock()
	defer l.mu.Unlock()
	l.deleted = append(l.deleted, deletion{t, r.Known() == client.Acknowledged})
}

// purge submits at once the cleanup that the platform runs a minute after a deletion, when no program writes with the
// deleted schema.
func (l *names) purge(ctx context.Context, t table.Table) {
	work := l.Cloud.Queues().TableWork()
	tasks := []table.Task{{Scope: l.App.Scope.String(), Table: t.ID}}
	for _, c := range t.Columns {
		if c.Index != nil {
			tasks = append(tasks, table.Task{Scope: l.App.Scope.String(), Table: t.ID, Index: c.Index.ID})
		}
	}

	for _, task := range tasks {
		client.Until(func() client.Reply { return client.Reply{Status: 200, Err: work.Submit(ctx, task, 0)} })
	}
}

func (l *names) Open(ctx context.Context) (open map[string]int, next time.Time, err error) {
	n, err := l.Cloud.Messages(ctx, "TABLE_WORK_QUEUE_URL")
	if n > 0 {
		open = map[string]int{deletedTables: n}
	}
	return open, next, err
}

func (l *names) Judge(ctx context.Context) error {
	type row struct{ Name string }
	for _, kind := range named {
		found, n := map[string]int{}, 0
		total, err := client.List(ctx, l.App, kind.path+"?limit=1000", func(row row) error {
			if n++; len(row.Name) > 6 && row.Name[:6] == "named_" {
				found[row.Name]++
			}
			return nil
		})
		if err != nil {
			return fmt.Errorf("list %ss: %w", kind.kind, err)
		}
		if total >= 0 {
			l.Lines.Line(kind.kind+" totals").Total(kind.kind, total, n)
		}
		l.Lines.Line(kind.line).Judge(found)
	}
	return l.judgeRemains(ctx, l.Lines.Line(deletedTables))
}

// judgeRemains looks for rows and index entries left by deleted tables.
func (l *names) judgeRemains(ctx context.Context, line *load.Line) error {
	store := l.Cloud.Backend(0).Rows()
	for _, d := range l.deleted {
		if !d.known {
			continue
		}
		step, err := store.ScanRows(ctx, l.App.Scope, d.table, table.RowScan{IDsOnly: true})
		if err != nil {
			return err
		}
		left := len(step.Rows)
		for _, c := range d.table.Columns {
			if c.Index == nil {
				continue
			}
			step, err := store.ScanIndex(ctx, l.App.Scope, d.table, c.Index.ID, table.IndexScan{})
			if err != nil {
				return err
			}
			left += len(step.Entries)
		}
		line.Trouble(&line.Late, left, "%d rows and entries of the deleted table %q are left", left, d.table.Name)
	}
	return nil
}

// tokens gets and refreshes tokens of an application of its own, because a refresh invalidates all earlier tokens.
type tokens struct{ load.Base }

// The report lines of tokens.
const (
	tokensGiven    = "tokens"
	tokensRenewed  = "token refreshes"
	tokensReplaced = "replaced tokens"
)

func (l *tokens) Plant(ctx context.Context) (err error) {
	l.App, err = l.Application(ctx, "tokens")
	return err
}

func (l *tokens) Clients() []load.Turns {
	return []load.Turns{{Pause: 200 * time.Millisecond, Once: l.refresh}}
}

// refreshFor is how long a refresh is repeated; the platform repeats a lost answer for 60 s (D10).
const refreshFor = 20 * time.Second

// refresh gets a token, refreshes it, and checks which of the two are valid.
func (l *tokens) refresh(*rand.Rand) {
	ctx := context.Background()
	given, renewed, replaced := l.Lines.Line(tokensGiven), l.Lines.Line(tokensRenewed), l.Lines.Line(tokensReplaced)
	var first, second client.Grant
	r := l.App.Exchange(ctx)
	given.Request(r.Known(), "", "", 0)
	if r.Decode(&first) != nil {
		return // the code may be spent: the next turn gets another
	}
	if l.valid(ctx, first.Access) == client.Refused {
		given.Fail(&given.Lost, "a token was given and is refused")
	}

	r = l.App.Refresh(ctx, first.Refresh)
	for begun := time.Now(); r.Known() == client.Unknown && time.Since(begun) < refreshFor; {
		time.Sleep(client.RepeatAfter)
		r = l.App.Refresh(ctx, first.Refresh)
	}
	renewed.Request(r.Known(), "", "", 0)
	if r.Known() == client.Refused {
		renewed.Fail(&renewed.Lost, "a refresh was refused: %v", r.Failure())
	}
	if r.Decode(&second) != nil {
		return
	}

	if l.valid(ctx, second.Access) == client.Refused {
		renewed.Fail(&renewed.Lost, "a token was refreshed and the new one is refused")
	}
	old := l.valid(ctx, first.Access)
	replaced.Request(-old, "", "", 0) // the old token must be refused, so a refusal counts as acknowledged
	if old == client.Acknowledged {
		replaced.Fail(&replaced.Doubled, "a token was refreshed and the old one is still valid")
	}
}

// valid reports whether the API accepts a token.
func (l *tokens) valid(ctx context.Context, token string) promise.Need {
	r := client.Request{Method: "GET", Path: client.TablesPath + "?limit=1"}
	return l.App.With(token).Send(ctx, r).Known()
}

func (*tokens) Judge(context.Context) error { return nil }
