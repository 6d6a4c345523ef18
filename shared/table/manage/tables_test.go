package manage_test

import (
	"fmt"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"minicloud/infra/local/dynamotest"
	"minicloud/shared/clock"
	"minicloud/shared/count"
	"minicloud/shared/dynamo/countdb"
	"minicloud/shared/errs"
	"minicloud/shared/language/value"
	"minicloud/shared/page"
	"minicloud/shared/table"
)

func definition(name string, columns ...table.Column) table.Definition {
	d := table.Definition{Columns: columns}
	if name != "" {
		d.Name = &name
	}
	return d
}

func TestRefusedDefinitions(t *testing.T) {
	s, _, _ := start(t)
	taken := create(t, s, "taken", column("n", value.Integer, true))
	empty := ""
	var many []table.Column
	for i := range table.MaxIndexes + 1 {
		many = append(many, column(fmt.Sprintf("c%d", i), value.Integer, true))
	}

	for _, c := range []struct {
		d    table.Definition
		want string
		kind errs.Kind
	}{
		{definition(""), "name is required", errs.KindInvalid},
		{table.Definition{Name: &empty}, `name ""`, errs.KindInvalid},
		{definition("_own"), `name "_own"`, errs.KindInvalid},
		{definition("has space"), `name "has space"`, errs.KindInvalid},
		{definition("taken"), `named "taken" exists`, errs.KindDuplicate},
		{definition("a", column("1a", value.String, false)), `field name "1a"`, errs.KindInvalid},
		{definition("a", column("id", value.String, false)), `"id" exists in every table`, errs.KindInvalid},
		{
			definition("a", column("x", value.String, false), column("x", value.String, false)), `"x" is defined twice`,
			errs.KindInvalid,
		},
		{
			definition("a", column("x", "text", false)), `unknown type "text": it must be one of string, integer, `,
			errs.KindInvalid,
		},
		{
			definition("a", table.Column{Column: value.Column{Name: "x", Type: value.Array}}),
			`items.type of field "x" is required: one of string, integer, `, errs.KindInvalid,
		},
		{definition("a", column("x", value.Object, true)), `cannot be indexed`, errs.KindInvalid},
		{definition("a", many...), "at most 20 indexed fields", errs.KindInvalid},
		{
			definition("a", table.Column{Column: value.Column{Name: "x", Type: value.Integer, Default: "1"}}),
			`default of field "x"`, errs.KindInvalid,
		},
	} {
		if _, err := s.Create(t.Context(), scope, c.d); !errs.Is(err, c.kind) ||
			!strings.Contains(errs.Message(err), c.want) {
			t.Errorf("want %s: %v", c.want, err)
		}
	}

	if _, err := s.Modify(
		t.Context(), scope, taken.ID, definition("", column("n", value.String, false)),
	); !errs.Is(err, errs.KindInvalid) {
		t.Errorf("another type: %v", err)
	}
	if _, err := s.Modify(t.Context(), scope, 99, definition("b")); !errs.Is(err, errs.KindNotFound) {
		t.Errorf("unknown table: %v", err)
	}
	other := create(t, s, "other")
	if _, err := s.Modify(t.Context(), scope, other.ID, definition("taken")); !errs.Is(err, errs.KindDuplicate) {
		t.Errorf("a taken name: %v", err)
	}
}

func TestTableNamesAreUnique(t *testing.T) {
	s, _, _ := start(t)
	var made atomic.Int32
	var wg sync.WaitGroup
	for range 40 {
		wg.Go(func() {
			switch _, err := s.Create(t.Context(), scope, definition("claimed")); {
			case err == nil:
				made.Add(1)
			case !errs.Is(err, errs.KindDuplicate):
				t.Error(err)
			}
		})
	}
	wg.Wait()
	if made.Load() != 1 {
		t.Errorf("%d tables of one name", made.Load())
	}
}

func TestListsTables(t *testing.T) {
	s, clock, _ := start(t)
	for i := range 5 {
		clock.move(time.Second)
		create(t, s, fmt.Sprintf("t%d", i))
	}
	first, err := s.Tables(t.Context(), scope, table.TableFilter{}, page.Request{Limit: 2})
	if err != nil || first.Total != 6 || first.Objects[0].Name != "t4" || first.Next == "" {
		t.Fatalf("first page: %+v, %v", first, err)
	}
	for what, req := range map[string]page.Request{
		"by cursor": {Limit: 10, After: first.Next}, "by offset": {Limit: 10, Offset: 2},
	} {
		rest, err := s.Tables(t.Context(), scope, table.TableFilter{}, req)
		if err != nil || len(rest.Objects) != 4 || rest.Objects[0].Name != "t2" || rest.Next != "" || rest.Total != 6 {
			t.Errorf("%s: %+v, %v", what, rest, err)
		}
		if last := rest.Objects[3]; last.Name != table.UserProfilesName || len(last.Columns) == 0 {
			t.Errorf("%s: the last is %q with %d columns", what, last.Name, len(last.Columns))
		}
	}
}

// TestListsHundredsOfTables checks lists of tables in pages that fit a response, and filtered by a part of the name.
func TestListsHundredsOfTables(t *testing.T) {
	s, clock, _ := start(t)
	long := strings.Repeat("x", 1000)
	for i := range 300 {
		clock.move(time.Second)
		c := column("n", value.Integer, false)
		c.Description = long
		create(t, s, fmt.Sprintf("%s%d", []string{"orders", "Mails"}[i%2], i), c)
	}
	for f, want := range map[table.TableFilter]int{
		{}: 301, {Part: "mail"}: 150, {Part: "none"}: 0, {Part: "_USER"}: 1, {Own: true}: 300, {Name: table.UserProfilesName, Own: true}: 0, {Name: "orders2", Part: "mail"}: 0,
		{Name: "orders2", Part: "order"}: 1,
	} {
		seen := map[table.ID]bool{}
		for req := (page.Request{Limit: 120}); ; {
			got, err := s.Tables(t.Context(), scope, f, req)
			if err != nil || got.Total != want {
				t.Fatalf("%+v: %d, %v", f, got.Total, err)
			}
			for _, one := range got.Objects {
				seen[one.ID] = true
			}
			if req.After = got.Next; got.Next == "" {
				break
			}
		}
		if len(seen) != want {
			t.Errorf("%+v: pages show %d, want %d", f, len(seen), want)
		}
	}
}

// TestWideTablesMakeShortPages checks that a page ends before its response gets too large.
func TestWideTablesMakeShortPages(t *testing.T) {
	s, clock, _ := start(t)
	columns := make([]table.Column, 100)
	for i := range columns {
		columns[i] = column(fmt.Sprintf("c%d", i), value.Integer, false)
		columns[i].Description = strings.Repeat("x", 1000)
	}
	for i := range 40 {
		clock.move(time.Second)
		create(t, s, fmt.Sprintf("t%d", i), columns...)
	}
	got, err := s.Tables(t.Context(), scope, table.TableFilter{}, page.Request{Limit: 1000})
	if n := len(got.Objects); err != nil || n == 0 || n == 41 || n*100_000 > page.MaxBytes || got.Next == "" {
		t.Fatalf("%d tables, %v", n, err)
	}
	rest, err := s.Tables(t.Context(), scope, table.TableFilter{}, page.Request{Limit: 1000, After: got.Next})
	if err != nil || len(got.Objects)+len(rest.Objects) != 41 || rest.Next != "" {
		t.Errorf("then %d tables, %v", len(rest.Objects), err)
	}
}

// TestFindsTablesByName checks lookups by exact name, including the built-in table before and after a change.
func TestFindsTablesByName(t *testing.T) {
	s, _, _ := start(t)
	create(t, s, "plants")
	create(t, s, "plants2")
	everyone := page.Request{Limit: 20}
	for _, name := range []string{"plants", table.UserProfilesName} {
		list, err := s.Tables(t.Context(), scope, table.TableFilter{Name: name}, everyone)
		if err != nil || list.Total != 1 || len(list.Objects) != 1 || list.Objects[0].Name != name {
			t.Errorf("%s: %+v, %v", name, list, err)
		}
	}
	for _, name := range []string{"plant", "Plants", "1", "x#y"} {
		if list, err := s.Tables(t.Context(), scope, table.TableFilter{Name: name}, everyone); err != nil || list.Total != 0 ||
			len(list.Objects) != 0 {
			t.Errorf("%s: %+v, %v", name, list, err)
		}
	}

	if _, err := s.Modify(
		t.Context(), scope, table.UserProfiles, definition("", column("level", value.Integer, false)),
	); err != nil {
		t.Fatal(err)
	}
	for name, total := range map[string]int{"": 3, table.UserProfilesName: 1} {
		list, err := s.Tables(t.Context(), scope, table.TableFilter{Name: name}, everyone)
		if err != nil {
			t.Fatal(err)
		}
		last := list.Objects[len(list.Objects)-1]
		if _, own := last.Column("level"); list.Total != total || !own {
			t.Errorf("%q: %d tables, the last %+v", name, list.Total, last)
		}
	}
}

// TestChangeKeepsUnnamedColumns checks that a change that names one column keeps the other columns and their values,
// also in the user table.
func TestChangeKeepsUnnamedColumns(t *testing.T) {
	s, _, _ := start(t)
	made := create(t, s, "things", column("n", value.Integer, true), column("keep", value.String, false))
	row := insert(t, s, made, map[string]any{"n": 5, "keep": "kept"})[0]
	changed, err := s.Modify(
		t.Context(), scope, made.ID,
		definition("", column("fresh", value.String, false), column("keep", value.String, true)),
	)
	if err != nil {
		t.Fatal(err)
	}
	var names []string
	for _, c := range changed.Columns {
		names = append(names, c.Name)
	}
	if got := strings.Join(names, " "); got != "n keep fresh" || !changed.Columns[0].Usable() ||
		changed.Columns[1].Index == nil {
		t.Errorf("columns %s: %+v", got, changed.Columns)
	}
	if got, err := s.Read(t.Context(), scope, changed, row.ID); err != nil || got.Fields["n"] != int64(5) ||
		got.Fields["keep"] != "kept" {
		t.Errorf("row %v, %v", got.Fields, err)
	}

	for _, name := range []string{"level", "score"} {
		if _, err := s.Modify(
			t.Context(), scope, table.UserProfiles, definition("", column(name, value.Integer, false)),
		); err != nil {
			t.Fatal(err)
		}
	}
	users, err := s.Table(t.Context(), scope, table.UserProfiles)
	if _, level := users.Column("level"); err != nil || !level {
		t.Errorf("a custom field of users went away: %v", err)
	}
}

// TestRefusesColumnRemovals checks that the error names the column.
func TestRefusesColumnRemovals(t *testing.T) {
	s, _, _ := start(t)
	made := create(t, s, "things", column("n", value.Integer, true))
	for _, c := range []struct {
		id     table.ID
		remove string
		also   []table.Column
		want   string
	}{
		{made.ID, "nothing", nil, `remove_fields: field "nothing" does not exist`},
		{made.ID, "created_at", nil, `remove_fields: field "created_at" is built in and cannot be removed`},
		{
			made.ID, "n", []table.Column{column("n", value.Integer, true)},
			`field "n" stands in schema.fields and in remove_fields`,
		},
		{table.UserProfiles, "nickname", nil, `remove_fields: field "nickname" is built in and cannot be removed`},
		{table.UserProfiles, "user_id", nil, `remove_fields: field "user_id" is built in and cannot be removed`},
	} {
		_, err := s.Modify(t.Context(), scope, c.id, table.Definition{Remove: []string{c.remove}, Columns: c.also})
		if !errs.Is(err, errs.KindInvalid) || errs.Message(err) != c.want {
			t.Errorf("%s: %v", c.remove, err)
		}
	}
	twice := definition("", column("x", value.Integer, false), column("x", value.Integer, false))
	if _, err := s.Modify(t.Context(), scope, made.ID, twice); !errs.Is(err, errs.KindInvalid) {
		t.Errorf("one field twice: %v", err)
	}
	if now, err := s.Table(t.Context(), scope, made.ID); err != nil || now.Revision != made.Revision {
		t.Errorf("it was changed: %+v, %v", now, err)
	}
}

// TestReplacesAColumnOfTheSameName removes a column and adds one with the same name.
func TestReplacesAColumnOfTheSameName(t *testing.T) {
	s, _, worker := start(t)
	in := create(t, s, "things", column("n", value.Integer, true), column("keep", value.String, false))
	row := insert(t, s, in, map[string]any{"n": 5, "keep": "kept"})[0]

	renamed := definition("renamed")
	renamed.Remove = []string{"n"}
	without, err := s.Modify(t.Context(), scope, in.ID, renamed)
	if err != nil {
		t.Fatal(err)
	}

	if _, err := s.Named(t.Context(), scope, "things"); !errs.Is(err, errs.KindNotFound) {
		t.Errorf("the old name: %v", err)
	}
	if got, err := s.Named(t.Context(), scope, "renamed"); err != nil || got.ID != in.ID {
		t.Errorf("the new name: %v, %v", got.ID, err)
	}
	if got, err := s.Read(t.Context(), scope, without, row.ID); err != nil || len(got.Fields) != 1 ||
		got.Fields["keep"] != "kept" {
		t.Errorf("row without the column: %v, %v", got.Fields, err)
	}

	again, err := s.Modify(
		t.Context(), scope, in.ID, definition("", column("n", value.String, false), column("keep", value.String, false)),
	)
	if err != nil {
		t.Fatal(err)
	}
	if got, err := s.Read(t.Context(), scope, again, row.ID); err != nil || got.Fields["n"] != nil {
		t.Errorf("row with a new column of that name: %v, %v", got.Fields, err)
	}
	if _, err := s.Update(
		t.Context(), scope, again, row.ID, operations(t, again, `{"n": "text"}`), table.Author{},
	); err != nil {
		t.Error(err)
	}
	if got, err := s.Read(t.Context(), scope, again, row.ID); err != nil || got.Fields["n"] != "text" {
		t.Errorf("its value: %v, %v", got.Fields, err)
	}

	for _, task := range worker.take() {
		if err := s.Work(t.Context(), task); err != nil {
			t.Error(err)
		}
	}
	if step, err := s.Rows.ScanIndex(t.Context(), scope, in, in.Columns[0].Index.ID, table.IndexScan{}); err != nil ||
		step.Count != 0 {
		t.Errorf("%d entries of the removed index are left, %v", step.Count, err)
	}
}

// TestBuildsIndexUnderWrites adds an index to a table during writes, and checks that the index is used only once it
// is complete.
func TestBuildsIndexUnderWrites(t *testing.T) {
	s, clock, worker := start(t)
	old := create(t, s, "things", column("n", value.Integer, false))
	var drafts []map[string]any
	for i := range 300 {
		drafts = append(drafts, map[string]any{"n": i % 7})
	}
	rows := insert(t, s, old, drafts...)

	building, err := s.Modify(t.Context(), scope, old.ID, definition("", column("n", value.Integer, true)))
	if err != nil {
		t.Fatal(err)
	}
	// A request with the earlier schema still writes rows without entries.
	insert(t, s, old, map[string]any{"n": 3})

	plan := func(in table.Table) string {
		where, err := in.Grammar().Where(`{"n": 3}`)
		if err != nil {
			t.Fatal(err)
		}
		got, err := s.Find(t.Context(), scope, in, table.Query{Where: where, Total: true, Page: page.Request{Limit: 1}})
		if err != nil {
			t.Fatal(err)
		}
		return fmt.Sprintf("%d by %s", got.Total, got.Plan)
	}

	if got := plan(building); got != "44 by scan" {
		t.Errorf("while building: %s", got)
	}

	task := worker.take()[0]
	if err := s.Work(t.Context(), task); err != nil || len(worker.list) != 1 {
		t.Fatalf("too early: %v, %d tasks submitted again", err, len(worker.list))
	}
	worker.take()

	clock.move(61 * time.Second)
	var wg sync.WaitGroup
	stop := make(chan struct{})
	wg.Go(func() {
		for i := 0; ; i++ {
			select {
			case <-stop:
				return
			default:
			}
			row := rows[i*37%len(rows)]
			if _, err := s.Update(
				t.Context(), scope, building, row.ID, operations(t, building, `{"n": {"$incr_by": 1}}`), table.Author{},
			); err != nil {
				t.Error(err)
			}
		}
	})

	if err := s.Work(t.Context(), task); err != nil {
		t.Error(err)
	}
	close(stop)
	wg.Wait()

	ready, err := s.Table(t.Context(), scope, old.ID)
	if err != nil || !ready.Columns[0].Usable() {
		t.Fatalf("not ready: %+v, %v", ready.Columns[0].Index, err)
	}
	recount(t, s, ready)
	if got := plan(ready); !strings.HasSuffix(got, "by index n in order, total by index n") {
		t.Errorf("when ready: %s", got)
	}
	if err := s.Work(t.Context(), task); err != nil {
		t.Errorf("the task once more: %v", err)
	}
}

// TestPurgesDeletedTables checks that rows, entries and, once all deletions are counted, counters are purged.
func TestPurgesDeletedTables(t *testing.T) {
	s, _, worker := start(t)
	counts := &countdb.Store{Client: dynamotest.Start(t, "CountsTable"), Table: "CountsTable", Clock: clock.System}
	s.Counts, s.OldCounts = counts, counts

	in := create(t, s, "things", column("n", value.Integer, true))
	var drafts []map[string]any
	for i := range 60 {
		drafts = append(drafts, map[string]any{"n": i})
	}
	rows := insert(t, s, in, drafts...)
	records := 0

	stream := func(by int) {
		t.Helper()
		var changes []count.Change
		for _, row := range rows {
			records++
			changes = append(changes, count.Change{
				Sequence: count.Sequence(fmt.Sprint(records)), Collection: table.Collection(scope, in.ID), ID: row.ID.Number(),
				By: by,
			})
		}
		counter := count.Counter{Store: counts}
		if _, err := counter.Count(t.Context(), count.Shard{Stream: "rows", Name: "1"}, changes); err != nil {
			t.Fatal(err)
		}
	}

	work := func() {
		t.Helper()
		for _, task := range worker.take() {
			if err := s.Work(t.Context(), task); err != nil {
				t.Error(err)
			}
		}
	}

	nodes := func() int {
		t.Helper()
		top, err := counts.Node(t.Context(), table.Collection(scope, in.ID), count.Root)
		if err != nil {
			t.Fatal(err)
		}
		return len(top)
	}

	stream(1)
	if err := s.Work(t.Context(), table.Task{Scope: scope.String(), Table: in.ID}); err != nil ||
		len(everything(t, s, scope, in)) != 60 {
		t.Errorf("a table that lives was purged: %v", err)
	}
	if err := s.DeleteTable(t.Context(), scope, in.ID); err != nil {
		t.Fatal(err)
	}
	if _, err := s.Table(t.Context(), scope, in.ID); !errs.Is(err, errs.KindNotFound) {
		t.Errorf("deleted table: %v", err)
	}
	create(t, s, "things")
	work()
	entries, scanErr := s.Rows.ScanIndex(t.Context(), scope, in, in.Columns[0].Index.ID, table.IndexScan{})
	if rows := everything(t, s, scope, in); len(rows) != 0 || entries.Count != 0 || scanErr != nil {
		t.Errorf("left: %d rows, %d entries, %v", len(rows), entries.Count, scanErr)
	}

	for range 2 { // no deletion is counted yet
		work()
	}
	if nodes() == 0 {
		t.Error("the counters went before the deletions were counted")
	}
	stream(-1)
	work()
	if left := nodes(); left != 0 || len(worker.list) != 0 {
		t.Errorf("%d counters and %d tasks are left", left, len(worker.list))
	}
	if err := s.DeleteTable(t.Context(), scope, in.ID); !errs.Is(err, errs.KindNotFound) {
		t.Errorf("deleted twice: %v", err)
	}
}

func TestUsersTable(t *testing.T) {
	s, _, _ := start(t)
	users, err := s.Named(t.Context(), scope, table.UserProfilesName)
	if err != nil {
		t.Fatal(err)
	}
	if err := s.DeleteTable(t.Context(), scope, users.ID); !errs.Is(err, errs.KindInvalid) {
		t.Errorf("delete: %v", err)
	}
	if _, err := s.Modify(t.Context(), scope, users.ID, definition("other")); !errs.Is(err, errs.KindInvalid) {
		t.Errorf("rename: %v", err)
	}
	if _, err := s.Modify(
		t.Context(), scope, users.ID, definition("", column("openid", value.Integer, false)),
	); !errs.Is(err, errs.KindInvalid) {
		t.Errorf("change a built-in column: %v", err)
	}
	users, err = s.Modify(t.Context(), scope, users.ID, definition("", column("test", value.String, true)))
	if err != nil {
		t.Fatal(err)
	}
	if _, ok := users.Column("nickname"); !ok {
		t.Error("a built-in column went away")
	}
	row := insert(t, s, users, map[string]any{"nickname": "Ada", "test": "x", "user_group": []any{1, 2}})[0]
	if got, err := s.Read(t.Context(), scope, users, row.ID); err != nil ||
		users.Record(got)["id"] != int64(row.ID.Number()) {
		t.Errorf("user %v, %v", users.Record(got)["id"], err)
	}
}

// TestRestartsStalledIndexes checks that an index whose task was lost is built after a later read or change of the
// table.
func TestRestartsStalledIndexes(t *testing.T) {
	s, clock, worker := start(t)
	made := create(t, s, "things", column("n", value.Integer, false))
	insert(t, s, made, map[string]any{"n": 1}, map[string]any{"n": 2})
	if _, err := s.Modify(t.Context(), scope, made.ID, definition("", column("n", value.Integer, true))); err != nil {
		t.Fatal(err)
	}
	worker.take() // the task is lost
	look := func() {
		t.Helper()
		if _, err := s.Look(t.Context(), scope, "things"); err != nil {
			t.Error(err)
		}
	}
	if look(); len(worker.list) != 0 {
		t.Errorf("%d tasks at once", len(worker.list))
	}
	clock.move(16 * time.Minute)
	look()
	if look(); len(worker.list) != 1 { // a second reader submits no task
		t.Fatalf("%d tasks after a while", len(worker.list))
	}
	worker.take() // the task is lost again
	clock.move(16 * time.Minute)
	if _, err := s.Modify(t.Context(), scope, made.ID, definition("renamed")); err != nil || len(worker.list) != 1 {
		t.Fatalf("%d tasks after a change, %v", len(worker.list), err)
	}
	clock.move(61 * time.Second)
	if err := s.Work(t.Context(), worker.take()[0]); err != nil {
		t.Fatal(err)
	}
	if ready, err := s.Look(t.Context(), scope, "renamed"); err != nil || !ready.Columns[0].Usable() ||
		len(worker.list) != 0 {
		t.Errorf("%+v, %v", ready.Columns[0].Index, err)
	}
}
