package manage_test

import (
	"fmt"
	"testing"
	"time"

	"minicloud/infra/local/dynamotest"
	"minicloud/shared/dynamo/rowdb"
	"minicloud/shared/page"
	"minicloud/shared/permission"
	"minicloud/shared/table"
)

// asReader returns a query of the subject for the first rows.
func asReader(s permission.Subject, limit int) table.Query {
	return table.Query{
		Reader: &table.Reader{Subject: s, Key: []byte("a key of 32 bytes for the cursor")}, Page: page.Request{Limit: limit},
	}
}

// TestOwnRowsCostAPage: a list of a user's rows among many of others reads at most three times the page.
func TestOwnRowsCostAPage(t *testing.T) {
	t.Parallel()
	s, clock, worker := start(t)
	var cost dynamotest.Cost
	metered := *s
	store := *s.Rows.(*rowdb.Rows)
	store.Client = dynamotest.Metered(store.Client, &cost)
	metered.Rows = &store

	groups := make([]int64, 20)
	for i := range groups {
		groups[i] = int64(100 + i)
	}
	me, member := permission.Subject{User: 5}, permission.Subject{User: 5, Groups: groups}
	in := create(t, s, "notes", column("n", "integer", false))
	fill := func(rows int, mine, public int) {
		for from := 0; from < rows; from += 500 {
			var drafts []map[string]any
			for i := from; i < min(from+500, rows); i++ {
				reader := fmt.Sprintf("user:%d", 1000+i)
				switch {
				case i%mine == 0:
					reader = "user:5"
				case public > 0 && i%public == 1:
					reader = "user:*"
				case i%mine == 2:
					reader = fmt.Sprintf("gid:%d", groups[i/mine%20])
				}
				drafts = append(drafts, map[string]any{"n": float64(i), "_read_perm": []any{reader}})
			}
			insert(t, s, in, drafts...)
			clock.move(time.Second)
		}
	}
	refresh := func() {
		t.Helper()
		var err error
		if in, err = s.Table(t.Context(), scope, in.ID); err != nil {
			t.Fatal(err)
		}
	}
	list := func(name string, q table.Query, want int) {
		t.Helper()
		cost = dynamotest.Cost{}
		got, err := metered.Find(t.Context(), scope, in, q)
		if err != nil || len(got.Objects) != want {
			t.Fatalf("%s: %d rows, %v (%s)", name, len(got.Objects), err, got.Plan)
		}
		t.Logf("%-44s %3d rows: %4d keys, %2d calls, %5.1f read units; %s", name, want, got.Scanned, cost.Calls, cost.Units, got.Plan)
		if q.Reader != nil && (got.Scanned > 3*max(want, q.Page.Limit) && len(q.Reader.Groups) == 0 || cost.Units > float64(3*q.Page.Limit)) {
			t.Errorf("%s: reads more than three times the page", name)
		}
	}

	fill(2500, 50, 0)
	refresh()
	list("administrator", table.Query{Page: page.Request{Limit: 20}}, 20)
	list("own rows", asReader(me, 20), 20)
	list("own rows, page of 50", asReader(me, 50), 50)
	list("own rows and those of 20 groups", asReader(member, 20), 20)
	list("own rows and those of 20 groups, page of 100", asReader(member, 100), 100)
	list("a user without rows", asReader(permission.Subject{User: 6}, 20), 0)
	list("nobody", asReader(permission.Subject{}, 20), 0)
	total := asReader(me, 20)
	total.Total = true
	if got, err := s.Find(t.Context(), scope, in, total); err != nil || got.Total != 50 {
		t.Errorf("total %d, %v", got.Total, err)
	}

	// Rows for registered users after the first private row have entries at once.
	fill(500, 50, 10)
	refresh()
	list("own rows and those for everybody", asReader(me, 20), 20)
	if len(worker.take()) > 0 {
		t.Error("nothing has to be built: every row has its entries")
	}

	// Rows of one group, and rows of all of them, which all ranges lead to.
	readers := func(n int, perm ...any) {
		drafts := make([]map[string]any, n)
		for i := range drafts {
			drafts[i] = map[string]any{"n": float64(i), "_read_perm": perm}
		}
		clock.move(time.Second)
		insert(t, s, in, drafts...)
		clock.move(time.Second)
	}
	readers(60, "gid:100")
	list("newest rows of one group", asReader(member, 20), 20)
	var every []any
	for _, g := range groups {
		every = append(every, fmt.Sprint("gid:", g))
	}
	readers(60, every...)
	list("newest rows of all 20 groups", asReader(member, 20), 20)
	list("newest rows of all 20 groups, page of 50", asReader(member, 50), 50)

	// Rows with more readers than the index can hold share one range. Who may read none of them reads them all.
	var crowd []any
	for i := range table.MaxReaders + 1 {
		crowd = append(crowd, fmt.Sprint("user:", 9000+i))
	}
	readers(100, crowd...)
	refresh()
	cost = dynamotest.Cost{}
	got, err := metered.Find(t.Context(), scope, in, asReader(me, 20))
	t.Logf("own rows below 100 wide ones of others: %d keys, %d calls, %g read units", got.Scanned, cost.Calls, cost.Units)
	if err != nil || len(got.Objects) != 20 {
		t.Errorf("%d rows, %v", len(got.Objects), err)
	}
}

// TestIndexesRowsWrittenBefore: the first private row of a table of public ones makes a build necessary, which the first
// list of an end user asks for.
func TestIndexesRowsWrittenBefore(t *testing.T) {
	t.Parallel()
	for name, earlier := range map[string]bool{"public rows": false, "a table of an earlier release": true} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s, clock, worker := start(t)
			in := create(t, s, "notes", column("n", "integer", false))
			if earlier {
				old := in
				old.Readers, old.Revision = nil, in.Revision+1
				if err := s.Schemas.ReplaceTable(t.Context(), scope, in, old); err != nil {
					t.Fatal(err)
				}
				in = old
			}
			insert(t, s, in, map[string]any{"n": 1.0}, map[string]any{"n": 2.0})
			insert(t, s, in, map[string]any{"n": 3.0, "_read_perm": []any{"user:5"}}, map[string]any{"n": 4.0, "_read_perm": []any{"user:6"}})

			visible := func() string {
				t.Helper()
				var err error
				if in, err = s.Table(t.Context(), scope, in.ID); err != nil {
					t.Fatal(err)
				}
				q := asReader(permission.Subject{User: 5}, 20)
				q.Total = true
				got, err := s.Find(t.Context(), scope, in, q)
				if err != nil || len(got.Objects) != 3 || got.Total != 3 {
					t.Fatalf("%d rows of %d, %v", len(got.Objects), got.Total, err)
				}
				return got.Plan
			}
			before := visible()
			visible()
			for tasks := worker.take(); len(tasks) > 0; tasks = worker.take() {
				if len(tasks) != 1 {
					t.Fatalf("two lists asked for %d builds", len(tasks))
				}
				clock.move(table.Grace + time.Second)
				if err := s.Work(t.Context(), tasks[0]); err != nil {
					t.Fatal(err)
				}
			}
			if after := visible(); after == before || after != "index of readers in order, total by index of readers" {
				t.Errorf("the plan was %q and is %q", before, after)
			}
		})
	}
}
