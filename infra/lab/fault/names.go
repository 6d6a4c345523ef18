package fault

import (
	"context"
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"minicloud/infra/lab/promise"
	"minicloud/shared/aws/queue"
	"minicloud/shared/table"
)

// The ledgers of what has a name, and of what deleted tables leave behind.
const (
	keyedFunctions = "keyed functions"
	keyedTables    = "keyed tables"
	keyedGroups    = "keyed groups"
	deletedTables  = "deleted tables"
)

// names is the load of functions, groups and tables that come, and tables that go.
type names struct {
	app      *Application
	platform *Platform
	pace     Pace
	next     atomic.Int64

	mu      sync.Mutex
	created map[string][]effect // by ledger
	deleted []deletion
}

// deletion is that of a table with rows.
type deletion struct {
	table table.Table
	known promise.Need
}

func (l *names) plant(context.Context) error {
	l.created = map[string][]effect{}
	return nil
}

func (l *names) clients() []client {
	return []client{
		{500 * time.Millisecond, l.function}, {500 * time.Millisecond, l.group}, {500 * time.Millisecond, l.makeTable},
	}
}

// name is a new one; a name that comes twice would be refused.
func (l *names) name(ledger string) string {
	return fmt.Sprintf("%s%d", ledger[len("keyed "):], l.next.Add(1))
}

// Where functions and groups are made and listed.
const (
	functionsPath = "/oserve/v1.3/cloud-function/"
	groupsPath    = "/oserve/v1/user-group/"
)

// function creates a function with a key until that is answered.
func (l *names) function(random *rand.Rand) {
	name := l.name(keyedFunctions)
	body := map[string]any{"name": name, "function_code": "exports.main = async () => 1"}
	_, e := l.app.repeat(random, request{method: "POST", path: functionsPath, key: name, body: body})
	l.note(keyedFunctions, e)
}

// group creates a group of users with a key until that is answered.
func (l *names) group(random *rand.Rand) {
	name := l.name(keyedGroups)
	body := map[string]any{"name": name}
	_, e := l.app.repeat(random, request{method: "POST", path: groupsPath, key: name, body: body})
	l.note(keyedGroups, e)
}

func (l *names) note(ledger string, e effect) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.created[ledger] = append(l.created[ledger], e)
}

// makeTable creates a table with a key until that is answered and, every second
// time, fills and deletes it.
func (l *names) makeTable(random *rand.Rand) {
	name := l.name(keyedTables)
	r, e := l.app.repeat(random, request{
		method: "POST", path: tablesPath, key: name, body: schema(name, column{"n", "integer", true}),
	})
	l.note(keyedTables, e)

	var made struct {
		ID int64 `json:"id"`
	}
	if r.decode(&made) == nil && random.IntN(2) == 0 {
		l.remove(made.ID)
	}
}

// remove fills a table and deletes it.
func (l *names) remove(id int64) {
	ctx := context.Background()
	drafts := make([]map[string]any, 30)
	for i := range drafts {
		drafts[i] = map[string]any{"n": i}
	}
	l.app.send(ctx, request{method: "POST", path: rowsPath(id), body: drafts}) // cut off it left some

	// As the platform knows it: with the id of its index.
	t, err := l.platform.tableStore().Table(ctx, l.app.scope, table.ID(id))
	if err != nil {
		return
	}

	known := l.app.send(ctx, request{method: "DELETE", path: fmt.Sprintf("%s%d/", tablesPath, id)}).known()
	if known == acknowledged && !l.pace.Real {
		l.purge(ctx, t)
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	l.deleted = append(l.deleted, deletion{t, known})
}

// purge asks for at once what the platform does after a minute, for programs that
// still write by the schema they have read; here nobody does.
func (l *names) purge(ctx context.Context, t table.Table) {
	work := &queue.TableWork{Queue: l.platform.queue("TableWorkQueue")}
	tasks := []table.Task{{Scope: l.app.scope.String(), Table: t.ID}}
	for _, c := range t.Columns {
		if c.Index != nil {
			tasks = append(tasks, table.Task{Scope: l.app.scope.String(), Table: t.ID, Index: c.Index.ID})
		}
	}

	for _, task := range tasks {
		for range 20 {
			if work.Submit(ctx, task, 0) == nil {
				break
			}
			time.Sleep(200 * time.Millisecond)
		}
	}
}

func (l *names) open(ctx context.Context) (int, error) {
	return l.platform.messages(ctx, "TableWorkQueue")
}

func (l *names) judge(ctx context.Context, r *Report) error {
	functions, err := l.listed(ctx, r, "functions", functionsPath+"?limit=1000")
	if err != nil {
		return err
	}
	delete(functions, functionName)
	r.Ledger(keyedFunctions).effects(l.created[keyedFunctions], functions)

	groups, err := l.listed(ctx, r, "groups", groupsPath+"?limit=1000")
	if err != nil {
		return err
	}
	r.Ledger(keyedGroups).effects(l.created[keyedGroups], groups)

	tables, err := l.listed(ctx, r, "tables", tablesPath+"?limit=1000")
	if err != nil {
		return err
	}
	wanted := map[string]int{}
	for name, n := range tables {
		if l.mine(name) {
			wanted[name] = n
		}
	}
	l.tables(r, wanted)
	return l.remains(ctx, r.Ledger(deletedTables))
}

// mine reports whether a table was made by this load.
func (l *names) mine(name string) bool {
	for _, e := range l.created[keyedTables] {
		if e.mark == name {
			return true
		}
	}
	return false
}

// listed counts names in a list.
func (l *names) listed(ctx context.Context, r *Report, of, path string) (map[string]int, error) {
	found, n := map[string]int{}, 0
	total, err := l.app.list(ctx, path, func(object json.RawMessage) error {
		var row struct{ Name string }
		if err := json.Unmarshal(object, &row); err != nil {
			return err
		}
		found[row.Name]++
		n++
		return nil
	})
	if err != nil {
		return nil, fmt.Errorf("list %s: %w", of, err)
	}
	if total >= 0 {
		r.Ledger(strings.TrimSuffix(of, "s")+" totals").total(of, total, n)
	}

	return found, nil
}

// tables holds the creations and deletions of tables against the list.
func (l *names) tables(r *Report, found map[string]int) {
	t := r.Ledger(deletedTables)
	for _, d := range l.deleted {
		t.Count(d.known)
		switch listed := found[d.table.Name] > 0; {
		case d.known == acknowledged && listed:
			t.trouble(&t.Lost, "table %q was deleted and is listed", d.table.Name)
		case d.known == refused && !listed:
			t.trouble(&t.Doubled, "table %q was not to be deleted and is gone", d.table.Name)
		case !listed:
			found[d.table.Name] = 1 // its creation is not lost
		}
	}
	r.Ledger(keyedTables).effects(l.created[keyedTables], found)
}

// remains looks for rows and entries of tables that are gone.
func (l *names) remains(ctx context.Context, t *Result) error {
	store := l.platform.rowStore()
	for _, d := range l.deleted {
		if d.known != acknowledged {
			continue
		}

		step, err := store.ScanRows(ctx, l.app.scope, d.table, table.RowScan{IDsOnly: true})
		if err != nil {
			return err
		}
		if len(step.Rows) > 0 {
			t.trouble(&t.Late, "%d rows of the deleted table %q are left", len(step.Rows), d.table.Name)
		}

		for _, c := range d.table.Columns {
			if c.Index == nil {
				continue
			}

			step, err := store.ScanIndex(ctx, l.app.scope, d.table, c.Index.ID, table.IndexScan{})
			if err != nil {
				return err
			}
			if len(step.Entries) > 0 {
				t.trouble(&t.Late, "%d entries of the deleted table %q are left", len(step.Entries), d.table.Name)
			}
		}
	}

	return nil
}
