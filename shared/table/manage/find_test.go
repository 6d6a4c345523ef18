package manage_test

import (
	"context"
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"minicloud/infra/local/dynamotest"
	"minicloud/shared/dynamo/rowdb"
	"minicloud/shared/errs"
	"minicloud/shared/id"
	"minicloud/shared/language/query"
	"minicloud/shared/language/value"
	"minicloud/shared/page"
	"minicloud/shared/table"
	"minicloud/shared/table/manage"
	"minicloud/shared/table/plan"
	"minicloud/shared/table/shard"
	"minicloud/shared/tenant"
)

var (
	scope  = tenant.Scope{App: 7, Env: tenant.Production}
	author = table.Author{UserID: 36395395}
)

// watch is a fake clock that tests advance.
type watch struct {
	mu  sync.Mutex
	now time.Time
}

func (w *watch) Now() time.Time {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.now
}

func (w *watch) move(d time.Duration) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.now = w.now.Add(d)
}

// tasks is a fake worker that holds tasks until the test runs them.
type tasks struct {
	mu   sync.Mutex
	list []table.Task
}

func (w *tasks) Submit(_ context.Context, task table.Task, _ int) error {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.list = append(w.list, task)
	return nil
}

func (w *tasks) take() []table.Task {
	w.mu.Lock()
	defer w.mu.Unlock()
	list := w.list
	w.list = nil
	return list
}

// start returns a service on its own database.
func start(t testing.TB) (*manage.Service, *watch, *tasks) {
	client := dynamotest.Start(t, "TablesTable", "RowsTable", "RowIndexesTable")
	clock, worker := &watch{now: time.Date(2026, 11, 21, 12, 0, 0, 0, time.UTC)}, &tasks{}
	return &manage.Service{
		Schemas: &rowdb.Tables{Client: client, Name: "TablesTable"},
		Rows:    &rowdb.Rows{Client: client, Table: "RowsTable", Indexes: "RowIndexesTable", Schemas: "TablesTable"},
		Counts:  &dynamotest.Counts{Client: client, Table: "RowsTable"},
		Worker:  worker, Clock: clock.Now, IDs: &id.Source{},
	}, clock, worker
}

func column(name string, kind value.Type, indexed bool) table.Column {
	c := table.Column{Column: value.Column{Name: name, Type: kind, Indexed: indexed}}
	if kind == value.Array {
		c.Items = value.String
	}
	return c
}

func create(t testing.TB, s *manage.Service, name string, columns ...table.Column) table.Table {
	t.Helper()
	created, err := s.Create(t.Context(), scope, table.Definition{Name: &name, Columns: columns})
	if err != nil {
		t.Fatal(err)
	}
	return created
}

// insert creates rows and fails the test if any row is not created.
func insert(t testing.TB, s *manage.Service, in table.Table, drafts ...map[string]any) []table.Row {
	t.Helper()
	var rows []table.Row
	for _, o := range s.Insert(t.Context(), scope, in, drafts, author) {
		if o.Err != nil {
			t.Fatal(o.Err)
		}
		rows = append(rows, o.Row)
	}
	return rows
}

var (
	words = []string{
		"", "a", "ab", "abc", "b", "ba", "ba\x01", "ba\x02c", "zoë", "数据", strings.Repeat("long", 300),
		strings.Repeat("long", 300) + "er", strings.Repeat("long", 300) + "est",
	}
	dates = []string{
		"2026-11-21T08:00:00+08:00", "2026-11-21T00:00:00Z", "2026-11-20T23:59:59.5Z", "1969-07-20T20:17:40Z",
		"2027-01-01T00:00:00-05:00",
	}
	numbers = []float64{-1e100, -3.5, -1, 0, 0.5, 1, 2, 1e100}
)

// randomDraft returns a random row in which each field is missing one time in six.
func randomDraft(r *rand.Rand) map[string]any {
	draft := map[string]any{
		"s": pick(r, words), "s2": pick(r, words), "n": float64(r.IntN(12) - 3), "n2": float64(r.IntN(12) - 3),
		"f": pick(r, numbers), "b": r.IntN(2) == 0, "d": pick(r, dates),
		"tags": []any{pick(r, words[:6]), pick(r, words[:6])},
	}
	for name := range draft {
		if r.IntN(6) == 0 {
			delete(draft, name)
		}
	}
	return draft
}

func pick[T any](r *rand.Rand, list []T) T { return list[r.IntN(len(list))] }

// asker generates random queries.
type asker struct {
	*rand.Rand
	ids     []any
	seconds []int64
}

func (a asker) operand(field string) any {
	switch field {
	case "s", "s2":
		return pick(a.Rand, words)
	case "n", "n2":
		return a.IntN(14) - 4
	case "f":
		return pick(a.Rand, append(numbers, 1e308, -1e308, 1e-300)) // the last ones cannot be stored
	case "b":
		return a.IntN(2) == 0
	case "d":
		return pick(a.Rand, dates)
	case "id":
		return pick(a.Rand, a.ids)
	}
	return pick(a.Rand, a.seconds) + int64(a.IntN(3)) - 1
}

func (a asker) condition(field string) map[string]any {
	if field == "tags" {
		return map[string]any{pick(a.Rand, []string{"$in", "$all", "$nin"}): []any{pick(a.Rand, words[:6])}}
	}
	ops := []string{
		"$eq", "$eq", "$eq", "$ne", "$lt", "$lte", "$gt", "$gte", "$in", "$nin", "$range", "$isnull", "$exists",
	}
	if field == "s" || field == "s2" {
		ops = append(ops, "$contains", "$regex", "$icontains")
	}
	switch op := pick(a.Rand, ops); op {
	case "$in", "$nin":
		return map[string]any{op: []any{a.operand(field), a.operand(field), a.operand(field)}}
	case "$range":
		return map[string]any{op: []any{a.operand(field), a.operand(field)}}
	case "$isnull", "$exists":
		return map[string]any{op: a.IntN(2) == 0}
	case "$regex":
		return map[string]any{op: pick(a.Rand, []string{"^a", "^ab", "b", "^long", "^b.*c", "^ba\x01"})}
	case "$contains", "$icontains":
		return map[string]any{op: pick(a.Rand, []string{"a", "B", "", "est", "\x02"})}
	default:
		return map[string]any{op: a.operand(field)}
	}
}

var fields = []string{"s", "s2", "n", "n2", "f", "b", "d", "tags", "id", "created_at"}

func (a asker) where(depth int) map[string]any {
	where := map[string]any{}
	for range a.IntN(4) {
		field := pick(a.Rand, fields)
		where[field] = a.condition(field)
	}
	if depth > 0 && a.IntN(4) == 0 {
		where[pick(a.Rand, []string{"$or", "$and"})] = []any{a.where(depth - 1), a.where(depth - 1)}
	}
	return where
}

func (a asker) order() string {
	var keys []string
	sortable := []string{"s", "s2", "n", "n2", "f", "b", "d", "id", "created_at"}
	for _, i := range a.Perm(len(sortable))[:a.IntN(3)] {
		keys = append(keys, pick(a.Rand, []string{"", "-"})+sortable[i])
	}
	return strings.Join(keys, ",")
}

// TestFindAgainstReference compares random queries with filtering and sorting all rows in memory: the page, the
// total, and the page after the cursor.
func TestFindAgainstReference(t *testing.T) {
	for _, tuned := range []struct {
		name              string
		few, try, segment int
		integerIDs        bool
		rows, queries     int
		database          bool
		shards            bool
	}{
		{"database", 256, 1500, 2000, false, 300, 40, true, false},
		{"sharded database", 20, 64, 100, false, 150, 40, true, true},
		{"measured", 256, 1500, 2000, false, 300, 300, false, false},
		{"changes its mind", 5, 20, 30, false, 110, 1000, false, false},
		{"integer ids", 20, 64, 100, true, 110, 400, false, false},
	} {
		t.Run(tuned.name, func(t *testing.T) {
			t.Parallel()
			s, clock, _ := start(t)
			s.Limits = plan.Limits{Few: tuned.few, Look: tuned.try, Segment: tuned.segment, Total: 20, Sure: 60}
			columns := []table.Column{
				column("s", value.String, true), column("s2", value.String, false), column("n", value.Integer, true),
				column("n2", value.Integer, false), column("f", value.Number, true), column("b", value.Boolean, true),
				column("d", value.Date, true), column("tags", value.Array, false),
			}
			in := create(t, s, "things", columns...)
			if tuned.integerIDs {
				in.ID = table.UserProfiles
			}
			if now := id.First(clock.Now()); tuned.shards {
				in.Epochs = shard.Epochs{{From: now + 5<<22, Shards: 3}, {From: now + 15<<22, Shards: 16}}
			}
			r := rand.New(rand.NewPCG(uint64(len(tuned.name)), 5))
			ask := asker{Rand: r}
			var rows []table.Row
			for len(rows) < tuned.rows {
				clock.move(time.Duration(r.IntN(4000)) * time.Millisecond)
				var drafts []map[string]any
				for range 1 + r.IntN(20) {
					drafts = append(drafts, randomDraft(r))
				}
				for _, row := range insert(t, s, in, drafts...) {
					ask.ids, ask.seconds = append(ask.ids, in.Wire(row.ID)), append(ask.seconds, row.CreatedAt())
					rows = append(rows, row)
				}
			}
			// The queries on the database check its filters and ranges; many more queries run on the fake in memory.
			if !tuned.database {
				m := inMemory(in, rows, 30)
				s.Rows, s.Counts = m, m
			}
			all := records(in, rows)
			for i := range tuned.queries {
				compare(t, s, in, all, ask, i)
				if t.Failed() {
					return
				}
			}
		})
	}
}

func compare(
	t *testing.T, s *manage.Service, in table.Table, records map[table.RowID]map[string]any, ask asker, n int,
) {
	text, err := json.Marshal(ask.where(1))
	if err != nil {
		t.Fatal(err)
	}
	where, err := in.Grammar().Where(string(text))
	if err != nil {
		t.Fatalf("%s: %v", text, err)
	}
	orderText := ask.order()
	order, err := in.Grammar().OrderBy(orderText)
	if err != nil {
		t.Fatal(err)
	}
	want := reference(records, where, order)
	q := table.Query{
		Where: where, Order: order, Total: ask.IntN(3) == 0,
		Page: page.Request{Limit: 1 + ask.IntN(30), Offset: ask.IntN(4) / 3 * ask.IntN(len(records)+20)},
	}
	got, err := s.Find(t.Context(), scope, in, q)
	what := fmt.Sprintf(
		"query %d: where %s order %q limit %d offset %d: plan %q", n, text, orderText, q.Page.Limit, q.Page.Offset, got.Plan,
	)
	if err != nil {
		t.Errorf("%s: %v", what, err)
		return
	}
	begin := min(q.Page.Offset, len(want))
	end := min(begin+q.Page.Limit, len(want))
	samePage(t, what, got, want[begin:end], end < len(want))
	if q.Total && got.Total != len(want) {
		t.Errorf("%s: total %d, want %d", what, got.Total, len(want))
	}
	if got.Next == "" || n%3 > 0 || t.Failed() {
		return
	}
	q.Page.After, q.Page.Offset = got.Next, q.Page.Offset+q.Page.Limit
	next, err := s.Find(t.Context(), scope, in, q)
	if err != nil {
		t.Errorf("%s: next: %v", what, err)
		return
	}
	last := min(end+q.Page.Limit, len(want))
	samePage(t, what+", next page by "+next.Plan, next, want[end:last], last < len(want))
	if q.Total && next.Total != len(want) {
		t.Errorf("%s: total of the next page %d, want %d", what, next.Total, len(want))
	}
}

func reference(records map[table.RowID]map[string]any, where query.Predicate, order query.Order) []table.RowID {
	var ids []table.RowID
	for id, record := range records {
		if where.Match(record) {
			ids = append(ids, id)
		}
	}
	slices.SortFunc(ids, func(a, b table.RowID) int { return order.Compare(records[a], records[b]) })
	return ids
}

func samePage(t *testing.T, what string, got table.Result, want []table.RowID, more bool) {
	t.Helper()
	var ids []table.RowID
	for _, row := range got.Objects {
		ids = append(ids, row.ID)
	}
	if !slices.Equal(ids, want) {
		t.Errorf("%s: got %d rows %.3q, want %d rows %.3q", what, len(ids), ids, len(want), want)
	}
	if (got.Next != "") != more {
		t.Errorf("%s: next is %q, more is %v", what, got.Next, more)
	}
}

// TestWalksToOffsets checks that every plan walks up to page.MaxOffset. A larger offset is refused if the list
// continues there, and returns an empty page with the total if the list has ended.
func TestWalksToOffsets(t *testing.T) {
	n := column("n", value.Integer, true)
	n.Key, n.Index = "n", &table.Index{ID: "n"}
	in := table.Table{ID: 5, Name: "things", Columns: []table.Column{n, column("m", value.Integer, false)}}
	in.Columns[1].Key = "m"
	var rows []table.Row
	for i := range page.MaxOffset + 2 {
		number := id.First(time.Date(2026, 11, 21, 12, 0, i, 0, time.UTC))
		rows = append(rows, table.Row{ID: in.FirstRowID(number), Fields: map[string]any{"n": int64(i), "m": int64(-i)}})
	}
	m := inMemory(in, rows, 2500)
	s := &manage.Service{Rows: m, Counts: m}

	for _, c := range []struct {
		where, order string
		offset       int
		total        bool
		first        int // first row of the page, -1 = none
		refused      bool
	}{
		{"", "id", 10, true, 10, false},
		{"", "id", page.MaxOffset, true, page.MaxOffset, false},
		{"", "n", page.MaxOffset, false, page.MaxOffset, false},
		{"", "-m", page.MaxOffset, false, page.MaxOffset, false},
		{`{"n": {"$gte": 1}}`, "-m", page.MaxOffset, false, page.MaxOffset + 1, false},
		{"", "id", page.MaxOffset + 1, true, 0, true},
		{"", "-m", 1 << 40, true, 0, true},
		{`{"n": {"$gte": 2}}`, "id", page.MaxOffset + 1, true, -1, false},
		{`{"n": {"$lt": 5}}`, "n", 1 << 40, true, -1, false},
	} {
		where, err := in.Grammar().Where(c.where)
		if err != nil {
			t.Fatal(err)
		}
		order, err := in.Grammar().OrderBy(c.order)
		if err != nil {
			t.Fatal(err)
		}
		q := table.Query{Where: where, Order: order, Total: c.total, Page: page.Request{Limit: 2, Offset: c.offset}}
		got, err := s.Find(t.Context(), scope, in, q)
		at := -1
		if len(got.Objects) > 0 {
			at = slices.IndexFunc(rows, func(r table.Row) bool { return r.ID == got.Objects[0].ID })
		}
		want := len(reference(records(in, rows), where, order))
		switch {
		case c.refused != errs.Is(err, errs.KindInvalid) || !c.refused && err != nil:
			t.Errorf("%s by %q, offset %d: %v", c.where, c.order, c.offset, err)
		case !c.refused && (at != c.first || c.total && got.Total != want):
			t.Errorf("%s by %q, offset %d: row %d, total %d of %d by %q", c.where, c.order, c.offset, at, got.Total, want, got.Plan)
		}
	}
}

func records(in table.Table, rows []table.Row) map[table.RowID]map[string]any {
	all := map[table.RowID]map[string]any{}
	for _, row := range rows {
		all[row.ID] = in.Record(row)
	}
	return all
}
