package fault

import (
	"context"
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"net/http"
	"net/url"
	"slices"
	"sync"
	"sync/atomic"
	"time"

	"minicloud/infra/lab/promise"
)

// The ledgers of rows.
const (
	rowCreates   = "row creates"
	keyedCreates = "keyed row creates"
	keyedBatches = "keyed row batches"
	rowMoves     = "row moves"
	rowDeletes   = "row deletes"
)

// rows is the load of rows that come, move in an index and go, and what its clients
// know of them. Only the client that made a row changes it.
type rows struct {
	app   *Application
	pace  Pace
	table int64
	next  atomic.Int64 // numbers marks

	mu      sync.Mutex
	created map[string][]effect // by ledger
	changes []change
	indexed promise.Need // of the request for one more index
}

// change is the move or the deletion of a row that was there.
type change struct {
	ledger string
	effect
	from int // the bucket before
	to   int // the bucket after; gone after a deletion
}

const gone = -1

// buckets is how many values the indexed columns have; so a query by one of them
// is worth an index.
const buckets = 12

// rowColumns are those of the table. "late" gets its index while the load runs.
func rowColumns(late bool) []column {
	return []column{
		{"mark", "string", false}, {"bucket", "integer", true}, {"name", "string", true}, {"late", "integer", late},
	}
}

func (l *rows) plant(ctx context.Context) error {
	l.created = map[string][]effect{}

	var err error
	l.table, err = l.app.makeTable(ctx, "rows", rowColumns(false)...)
	return err
}

func (l *rows) clients() []client {
	return []client{
		{80 * time.Millisecond, l.live}, {80 * time.Millisecond, l.live},
		{100 * time.Millisecond, l.createAgain}, {300 * time.Millisecond, l.batch},
		{2 * time.Second, l.index},
	}
}

func (l *rows) mark(ledger string) string { return fmt.Sprintf("%s/%d", ledger, l.next.Add(1)) }

// row is a row of a bucket.
func row(mark string, bucket int) map[string]any {
	return map[string]any{"mark": mark, "bucket": bucket, "name": fmt.Sprintf("n%d", bucket), "late": bucket}
}

// live creates a row, moves it and, one in three, deletes it. It leaves the row
// alone as soon as it does not know what became of it.
func (l *rows) live(random *rand.Rand) {
	ctx, mark, bucket := context.Background(), l.mark(rowCreates), random.IntN(buckets)
	var made struct {
		ID string `json:"id"`
	}
	r := l.app.send(ctx, request{method: "POST", path: rowsPath(l.table), body: row(mark, bucket)})
	l.note(rowCreates, r.effect(mark))
	if r.decode(&made) != nil {
		return
	}

	if to := random.IntN(buckets); to != bucket {
		body := row(mark, to)
		delete(body, "mark")
		r = l.app.send(ctx, request{method: "PUT", path: updatesPath(l.table) + made.ID + "/", body: body})
		l.changed(change{rowMoves, r.effect(mark), bucket, to})
		if r.known() != acknowledged {
			return
		}
		bucket = to
	}

	if random.IntN(3) == 0 {
		r = l.app.send(ctx, request{method: "DELETE", path: rowsPath(l.table) + made.ID + "/"})
		e := r.effect(mark)
		if r.status == http.StatusNotFound { // an attempt whose answer was lost has deleted it
			e.known = acknowledged
		}
		l.changed(change{rowDeletes, e, bucket, gone})
	}
}

// createAgain creates a row with a key until that is answered.
func (l *rows) createAgain(random *rand.Rand) {
	mark := l.mark(keyedCreates)
	_, e := l.app.repeat(random, request{
		method: "POST", path: rowsPath(l.table), key: mark, body: row(mark, random.IntN(buckets)),
	})
	l.note(keyedCreates, e)
}

// batchRows is how many rows are created at once.
const batchRows = 8

// batch creates some rows at once, with a key until that is answered. Each row is
// an effect of its own.
func (l *rows) batch(random *rand.Rand) {
	var body []map[string]any
	var marks []string
	for range batchRows {
		marks = append(marks, l.mark(keyedBatches))
		body = append(body, row(marks[len(marks)-1], random.IntN(buckets)))
	}
	r, whole := l.app.repeat(random, request{method: "POST", path: rowsPath(l.table), key: marks[0], body: body})

	var answer made
	complete := r.decode(&answer) == nil && len(answer.Results) == len(marks)
	for i, mark := range marks {
		e := effect{mark: mark, known: whole.known}
		if complete {
			e.known = answer.known(i)
		}
		if i == 0 {
			e.took, e.wrong = whole.took, whole.wrong
		}
		l.note(keyedBatches, e)
	}
}

// index asks for one more index, once.
func (l *rows) index(*rand.Rand) {
	if l.indexed == acknowledged {
		return
	}
	path := fmt.Sprintf("%s%d/", tablesPath, l.table)
	body := schema("rows", rowColumns(true)...)
	known := l.app.send(context.Background(), request{method: "PUT", path: path, body: body}).known()

	l.mu.Lock()
	defer l.mu.Unlock()
	l.indexed = known
}

func (l *rows) note(ledger string, e effect) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.created[ledger] = append(l.created[ledger], e)
}

func (l *rows) changed(c change) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.changes = append(l.changes, c)
}

// open is 1 while the index that was asked for is not ready: that takes more than a
// minute (infra/decisions/0014), for which only the long form waits.
func (l *rows) open(ctx context.Context) (int, error) {
	if !l.pace.Real || l.indexed != acknowledged {
		return 0, nil
	}

	var about struct {
		Schema struct {
			Fields []struct {
				Name  string
				Ready *bool `json:"index_ready"`
			}
		}
	}
	if err := l.app.call(ctx, "GET", fmt.Sprintf("%s%d/", tablesPath, l.table), nil, &about); err != nil {
		return 0, err
	}

	for _, f := range about.Schema.Fields {
		if f.Name == "late" && f.Ready != nil && *f.Ready {
			return 0, nil
		}
	}

	return 1, nil
}

// found is a row as the list shows it.
type found struct {
	ID     string `json:"id"`
	Mark   string `json:"mark"`
	Bucket int    `json:"bucket"`
	Name   string `json:"name"`
	Late   int    `json:"late"`
}

func (l *rows) judge(ctx context.Context, r *Report) error {
	all, total, err := l.list(ctx, "return_total_count=1")
	if err != nil {
		return fmt.Errorf("list rows: %w", err)
	}
	r.Ledger("row totals").total("rows", total, len(all))
	l.compare(r, all)

	builds := r.Ledger("index builds")
	builds.Count(l.indexed)
	if open, err := l.open(ctx); err != nil {
		return err
	} else if open > 0 {
		builds.trouble(&builds.Late, "the index of table %d is not ready", l.table)
	}

	return l.entries(ctx, r, all)
}

// list lists rows.
func (l *rows) list(ctx context.Context, query string) (all []found, total int, err error) {
	total, err = l.app.list(ctx, rowsPath(l.table)+"?limit=1000&"+query, func(object json.RawMessage) error {
		var f found
		if err := json.Unmarshal(object, &f); err != nil {
			return err
		}
		all = append(all, f)
		return nil
	})
	return all, total, err
}

// compare holds what the clients know against the rows there are.
func (l *rows) compare(r *Report, all []found) {
	there := map[string]map[string]int{rowCreates: {}, keyedCreates: {}, keyedBatches: {}}
	bucket := map[string]int{}
	for _, f := range all {
		ledger := ledgerOf(f.Mark)
		if there[ledger] == nil {
			ledger = rowCreates // it is in nobody's, and will be told there
		}
		there[ledger][f.Mark]++
		bucket[f.Mark] = f.Bucket
	}

	// A row that may have been deleted is held against its deletion below.
	for _, c := range l.changes {
		if c.ledger == rowDeletes && there[rowCreates][c.mark] == 0 {
			there[rowCreates][c.mark] = 1
			bucket[c.mark] = gone
		}
	}
	for _, ledger := range []string{rowCreates, keyedCreates, keyedBatches} {
		r.Ledger(ledger).effects(l.created[ledger], there[ledger])
	}

	last := map[string]int{}
	for i, c := range l.changes {
		last[c.mark] = i
	}
	for i, c := range l.changes {
		t := r.Ledger(c.ledger)
		t.Count(c.known)
		if is, ok := bucket[c.mark]; ok && last[c.mark] == i {
			c.judge(t, is)
		}
	}
}

// judge holds the last change of a row against where the row is.
func (c change) judge(t *Result, is int) {
	switch {
	case is == c.from && c.known == acknowledged:
		t.trouble(&t.Lost, "%q is in bucket %d, not %d", c.mark, is, c.to)
	case is == c.to && c.known == refused:
		t.trouble(&t.Doubled, "%q is in bucket %d although that was refused (%s)", c.mark, is, c.said)
	case is != c.from && is != c.to:
		t.trouble(&t.Lost, "%q is in bucket %d, neither %d nor %d", c.mark, is, c.from, c.to)
	}
}

// entries asks for every value of the indexed columns and holds the answers
// against the rows there are.
func (l *rows) entries(ctx context.Context, r *Report, all []found) error {
	t, totals := r.Ledger("index entries"), r.Ledger("row totals")
	for bucket := range buckets {
		conditions := map[string]string{
			"bucket": fmt.Sprintf(`{"bucket":%d}`, bucket), "name": fmt.Sprintf(`{"name":"n%d"}`, bucket),
			"late": fmt.Sprintf(`{"late":%d}`, bucket),
		}
		should := map[string]int{}
		for _, f := range all {
			if f.Bucket == bucket {
				should[f.ID] = 1
			}
		}

		for _, name := range sorted(conditions) {
			matching, total, err := l.list(ctx, "return_total_count=1&where="+url.QueryEscape(conditions[name]))
			if err != nil {
				return fmt.Errorf("rows where %s: %w", conditions[name], err)
			}
			is := map[string]int{}
			for _, f := range matching {
				t.Count(acknowledged)
				is[f.ID]++
			}
			t.same("where "+conditions[name], should, is)
			totals.total("rows where "+conditions[name], total, len(matching))
		}
	}

	return l.walk(ctx, t, all)
}

// walk reads every row in the order of each index.
func (l *rows) walk(ctx context.Context, t *Result, all []found) error {
	should := map[string]int{}
	for _, f := range all {
		should[f.ID] = 1
	}

	for _, name := range []string{"bucket", "name", "late"} {
		ordered, _, err := l.list(ctx, "order_by="+name)
		if err != nil {
			return fmt.Errorf("rows by %s: %w", name, err)
		}
		is := map[string]int{}
		for _, f := range ordered {
			is[f.ID]++
		}
		t.same("by "+name, should, is)
		if name == "bucket" && !slices.IsSortedFunc(ordered, func(a, b found) int { return a.Bucket - b.Bucket }) {
			t.trouble(&t.Lost, "the rows by bucket are not in order")
		}
	}
	return nil
}
