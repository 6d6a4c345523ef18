package manage_test

import (
	"fmt"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"minicloud/shared/errs"
	"minicloud/shared/language/value"
	"minicloud/shared/language/value/update"
	"minicloud/shared/page"
	"minicloud/shared/table"
	"minicloud/shared/table/manage"
	"minicloud/shared/tenant"
)

func operations(t testing.TB, in table.Table, body string) update.Operations {
	t.Helper()
	o, err := update.Parse([]byte(body), in.Writable(), nil)
	if err != nil {
		t.Fatal(err)
	}
	return o
}

func everything(t testing.TB, s *manage.Service, at tenant.Scope, in table.Table) []table.Row {
	t.Helper()
	var rows []table.Row
	for from := table.RowID(""); ; {
		step, err := s.Rows.ScanRows(t.Context(), at, in, table.RowScan{From: from})
		if err != nil {
			t.Fatal(err)
		}
		rows = append(rows, step.Rows...)
		if step.Last == "" {
			return rows
		}
		from = step.Last + "0"
	}
}

func TestManyInsertsAtOnce(t *testing.T) {
	t.Parallel()
	s, _, _ := start(t)
	in := create(t, s, "things", column("n", value.Integer, true))
	var wg sync.WaitGroup
	for i := range 200 {
		wg.Go(func() {
			if o := s.Insert(t.Context(), scope, in, []map[string]any{{"n": i}}, author)[0]; o.Err != nil {
				t.Error(o.Err)
			}
		})
	}
	wg.Wait()
	if rows := everything(t, s, scope, in); len(rows) != 200 {
		t.Errorf("%d rows", len(rows))
	}
	recount(t, s, in)
}

// TestAtomicOperations checks that the updates of 25 concurrent writers of one row all take effect.
func TestAtomicOperations(t *testing.T) {
	for _, indexed := range []bool{false, true} {
		t.Run(fmt.Sprintf("indexed %v", indexed), func(t *testing.T) {
			t.Parallel()
			s, _, _ := start(t)
			in := create(
				t, s, "things", column("n", value.Integer, indexed), column("f", value.Number, false),
				column("log", value.Array, false), column("set", value.Array, false),
			)
			row := insert(t, s, in, map[string]any{"set": []any{"0", "gone"}})[0]
			var wg sync.WaitGroup
			for i := range 25 {
				wg.Go(func() {
					for _, body := range []string{
						fmt.Sprintf(`{"n": {"$incr_by": 1}, "f": {"$incr_by": 0.5}, "log": {"$append": ["%d"]}}`, i),
						fmt.Sprintf(`{"set": {"$append_unique": ["%d", "%d"]}}`, i/2, i),
						`{"set": {"$remove": ["gone"]}}`,
					} {
						if _, err := s.Update(t.Context(), scope, in, row.ID, operations(t, in, body), table.Author{}); err != nil {
							t.Error(err)
						}
					}
				})
			}
			wg.Wait()
			got, err := s.Read(t.Context(), scope, in, row.ID)
			if err != nil {
				t.Fatal(err)
			}
			log, set := got.Fields["log"].([]any), got.Fields["set"].([]any)
			unique := map[any]bool{}
			for _, item := range set {
				unique[item] = true
			}
			if got.Fields["n"] != int64(25) || got.Fields["f"] != 12.5 || len(log) != 25 || len(set) != 25 ||
				len(unique) != 25 || unique["gone"] {
				t.Errorf(
					"n %v f %v, log of %d, set of %d with %d different", got.Fields["n"], got.Fields["f"], len(log), len(set),
					len(unique),
				)
			}
			if got.Revision != 76 {
				t.Errorf("revision %d after 75 changes", got.Revision)
			}
			recount(t, s, in)
		})
	}
}

// TestIncrementsOfNumbers checks sums that have more digits than a float64 or DynamoDB, and sums out of range. A query
// for the answered sum finds the row, and the row can be changed again.
func TestIncrementsOfNumbers(t *testing.T) {
	s, _, _ := start(t)
	for name, indexed := range map[string]bool{"things": false, "indexed": true} {
		in := create(t, s, name, column("f", value.Number, indexed), column("log", value.Array, false))
		for _, c := range []struct {
			before, by float64
			refused    bool
		}{
			{before: 1.0 / 3, by: 100}, {before: -1.0 / 3, by: -100}, {before: -1.5, by: 1e119}, {before: 0.5, by: 1e-100},
			{before: 1e120, by: -1e120}, {before: 1e120, by: 1e119, refused: true}, {before: -1e120, by: -1e119, refused: true},
		} {
			row := insert(t, s, in, map[string]any{"f": c.before})[0]
			change := operations(t, in, fmt.Sprintf(`{"f": {"$incr_by": %g}}`, c.by))
			_, err := s.Update(t.Context(), scope, in, row.ID, change, table.Author{})
			if c.refused != errs.Is(err, errs.KindInvalid) || !c.refused && err != nil {
				t.Errorf("%s: %g + %g: %v", name, c.before, c.by, err)
			}
			got, err := s.Read(t.Context(), scope, in, row.ID)
			if err != nil {
				t.Fatal(err)
			}

			for op, want := range map[string]int{"$eq": 1, "$lte": 1, "$gte": 1, "$lt": 0, "$gt": 0} {
				where, err := in.Grammar().Where(fmt.Sprintf(`{"f": {%q: %v}}`, op, got.Fields["f"]))
				if err != nil {
					t.Fatal(err)
				}
				found, err := s.Find(t.Context(), scope, in, table.Query{Where: where, Page: page.Request{Limit: 9}})
				if err != nil || len(found.Objects) != want {
					t.Errorf("%s: %g + %g: %s finds %d rows, %v", name, c.before, c.by, op, len(found.Objects), err)
				}
			}

			change = operations(t, in, `{"log": {"$append_unique": ["a"]}}`)
			if _, err := s.Update(t.Context(), scope, in, row.ID, change, table.Author{}); err != nil {
				t.Errorf("%s: a change after %g + %g: %v", name, c.before, c.by, err)
			}
			if _, err := s.Delete(t.Context(), scope, in, row.ID, table.Author{}); err != nil {
				t.Fatal(err)
			}
		}
	}
}

func TestRowsOfEveryType(t *testing.T) {
	t.Parallel()
	s, clock, _ := start(t)
	in := create(t, s, "things",
		column("text", value.String, true), column("n", value.Integer, false), column("f", value.Number, true),
		column("b", value.Boolean, false),
		column("list", value.Array, false), column("o", value.Object, false), column("file", value.File, false),
		column("at", value.Date, true), column("to", value.Pointer, false), column("where", value.Geojson, false),
		table.Column{Column: value.Column{Name: "numbers", Type: value.Array, Items: value.Integer}},
		table.Column{Column: value.Column{Name: "given", Type: value.String, Default: "default", Required: true}},
	)
	draft := map[string]any{
		"text": "", "n": 9007199254740991.0, "f": 1e-7, "b": false, "list": []any{},
		"o":    map[string]any{"a": []any{nil, 1.5, map[string]any{}}},
		"file": map[string]any{"id": "f1", "size": 12.0}, "at": "2026-11-21T08:00:00+08:00",
		"to":    map[string]any{"_table": "other", "id": 5.0},
		"where": map[string]any{"type": "Point", "coordinates": []any{1.5, -2.0}}, "numbers": []any{1.0, 2.0},
		"_read_perm": []any{"user:7"},
	}
	made := insert(t, s, in, draft)[0]
	got, err := s.Read(t.Context(), scope, in, made.ID)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(made, got); diff != "" {
		t.Errorf("read back: %s", diff)
	}
	want := map[string]any{
		"id": string(made.ID), "created_at": clock.Now().Unix(), "updated_at": clock.Now().Unix(),
		"created_by": int64(36395395),
		"_read_perm": []any{"user:7"}, "_write_perm": []any{"user:*"}, "text": "", "n": int64(9007199254740991), "f": 1e-7,
		"b":    false,
		"list": []any{}, "o": map[string]any{"a": []any{nil, 1.5, map[string]any{}}},
		"file": map[string]any{"id": "f1", "size": 12.0},
		"at":   "2026-11-21T08:00:00+08:00", "to": map[string]any{"_table": "other", "id": int64(5)},
		"numbers": []any{int64(1), int64(2)}, "given": "default",
	}
	record := in.Record(got)
	delete(record, "where")
	if diff := cmp.Diff(want, record); diff != "" {
		t.Errorf("record: %s", diff)
	}
}

func TestRefusedRows(t *testing.T) {
	s, _, _ := start(t)
	in := create(t, s, "things", column(
		"text", value.String, true,
	), column("f", value.Number, false), column("note", value.String, false),
		table.Column{Column: value.Column{Name: "must", Type: value.Integer, Required: true}})
	for _, c := range []struct {
		draft map[string]any
		want  string
	}{
		{map[string]any{}, `"must" is required`},
		{map[string]any{"must": "1"}, `"must" must be an integer`},
		{map[string]any{"must": 1, "other": 1}, `"other" does not exist`},
		{map[string]any{"must": 1, "f": 1e130}, `"f" holds a number`},
		{map[string]any{"must": 1, "_read_perm": "user:*"}, `"_read_perm"`},
		{map[string]any{"must": 1, "text": strings.Repeat("x", table.MaxRowBytes+1)}, `over 350 KB`},
	} {
		o := s.Insert(t.Context(), scope, in, []map[string]any{c.draft, {"must": 2}}, author)
		if !errs.Is(o[0].Err, errs.KindInvalid) || !strings.Contains(o[0].Err.Error(), c.want) || o[1].Err != nil {
			t.Errorf("want %s, got %v and %v", c.want, o[0].Err, o[1].Err)
		}
	}
	row := insert(t, s, in, map[string]any{"must": 1, "text": "y"})[0]
	for body, kind := range map[string]errs.Kind{
		`{"must": {"$incr_by": 9007199254740991}}`: errs.KindInvalid,
		`{"f": 1e200}`: errs.KindInvalid,
		`{"text": "` + strings.Repeat("x", table.MaxRowBytes+1) + `"}`: errs.KindInvalid,
		`{"note": "` + strings.Repeat("x", table.MaxRowBytes+1) + `"}`: errs.KindInvalid, // a column without an index
	} {
		if _, err := s.Update(t.Context(), scope, in, row.ID, operations(t, in, body), table.Author{}); !errs.Is(err, kind) {
			t.Errorf("%.50s: %v", body, err)
		}
	}
	for _, body := range []string{`{"f": 1}`, `{"text": "z"}`} {
		if _, err := s.Update(
			t.Context(), scope, in, "0123456789abcdef01234567", operations(t, in, body), table.Author{},
		); !errs.Is(err, errs.KindNotFound) {
			t.Errorf("unknown row: %v", err)
		}
	}
	recount(t, s, in)
}

func TestBulk(t *testing.T) {
	t.Parallel()
	s, clock, _ := start(t)
	in := create(t, s, "things", column("n", value.Integer, true), column("note", value.String, false))
	var drafts []map[string]any
	for i := range 400 {
		drafts = append(drafts, map[string]any{"n": i % 10})
	}
	insert(t, s, in, drafts...)
	recount(t, s, in)
	where, err := in.Grammar().Where(`{"n": {"$lt": 5}}`)
	if err != nil {
		t.Fatal(err)
	}
	clock.move(time.Minute)
	q := table.Query{Where: where, Total: true, Page: page.Request{Limit: 120}}
	done := 0
	for pages := 0; ; pages++ {
		bulk, err := s.UpdateMatching(
			t.Context(), scope, in, q, operations(t, in, `{"n": {"$incr_by": 100}, "note": "moved"}`), table.Origin{},
		)
		if err != nil {
			t.Fatal(err)
		}
		if pages == 0 && bulk.Total != 200 {
			t.Errorf("total %d", bulk.Total)
		}
		done += bulk.Succeeded()
		if q.Page.After = bulk.Next; bulk.Next == "" {
			break
		}
	}
	if done != 200 {
		t.Errorf("%d rows updated, want 200", done)
	}
	recount(t, s, in)
	if where, err = in.Grammar().Where(`{"note": "moved"}`); err != nil {
		t.Fatal(err)
	}
	gone, err := s.DeleteMatching(
		t.Context(), scope, in, table.Query{Where: where, Page: page.Request{Limit: 1000}}, table.Origin{},
	)
	if err != nil || gone.Succeeded() != 200 {
		t.Errorf("%d rows deleted, %v", gone.Succeeded(), err)
	}
	recount(t, s, in)
}

func TestEnvironmentsAreIsolated(t *testing.T) {
	s, _, _ := start(t)
	in := create(t, s, "things", column("n", value.Integer, true))
	row := insert(t, s, in, map[string]any{"n": 1})[0]
	for _, other := range []tenant.Scope{{App: 7, Env: "0123456789abcdef0123"}, {App: 70, Env: tenant.Production}} {
		if _, err := s.Table(t.Context(), other, in.ID); !errs.Is(err, errs.KindNotFound) {
			t.Errorf("%v: table: %v", other, err)
		}
		if _, err := s.Named(t.Context(), other, "things"); !errs.Is(err, errs.KindNotFound) {
			t.Errorf("%v: table by name: %v", other, err)
		}
		if _, err := s.Read(t.Context(), other, in, row.ID); !errs.Is(err, errs.KindNotFound) {
			t.Errorf("%v: row: %v", other, err)
		}
		if _, err := s.Update(t.Context(), other, in, row.ID, nil, table.Author{}); !errs.Is(err, errs.KindNotFound) {
			t.Errorf("%v: update: %v", other, err)
		}
		for _, where := range []string{`{}`, `{"n": 1}`, `{"id": "` + string(row.ID) + `"}`} {
			p, err := in.Grammar().Where(where)
			if err != nil {
				t.Fatal(err)
			}
			got, err := s.Find(t.Context(), other, in, table.Query{Where: p, Total: true, Page: page.Request{Limit: 5}})
			if err != nil || len(got.Objects) != 0 || got.Total != 0 {
				t.Errorf("%v: %s finds %d of %d, %v", other, where, len(got.Objects), got.Total, err)
			}
		}
		name := "things"
		if _, err := s.Create(t.Context(), other, table.Definition{Name: &name}); err != nil {
			t.Errorf("%v: the same name: %v", other, err)
		}
	}
}

// TestPagesOfLargeRows walks a list of rows so large that few fit one response.
func TestPagesOfLargeRows(t *testing.T) {
	t.Parallel()
	s, _, _ := start(t)
	in := create(
		t, s, "things", column("n", value.Integer, true), column("m", value.Integer, false),
		column("text", value.String, false),
	)
	const rows = 24
	var large []table.Row
	for i := range rows {
		draft := map[string]any{"n": i, "m": rows - i, "text": strings.Repeat("x", 300<<10)}
		large = append(large, insert(t, s, in, draft)...)
	}
	s.Rows = inMemory(in, large, 10)
	for _, orderText := range []string{"", "n", "-m"} {
		order, err := in.Grammar().OrderBy(orderText)
		if err != nil {
			t.Fatal(err)
		}
		seen, q := map[table.RowID]bool{}, table.Query{Order: order, Page: page.Request{Limit: 100}}
		for pages := 1; ; pages++ {
			got, err := s.Find(t.Context(), scope, in, q)
			if err != nil {
				t.Fatal(err)
			}
			bytes := 0
			for _, row := range got.Objects {
				seen[row.ID], bytes = true, bytes+table.Size(row.Fields)
			}
			if bytes > 5<<20 || len(got.Objects) == 0 {
				t.Errorf("order %q: a page of %d rows, %d bytes", orderText, len(got.Objects), bytes)
			}
			if q.Page.After = got.Next; got.Next == "" || t.Failed() {
				break
			}
		}
		if len(seen) != rows {
			t.Errorf("order %q: %d of %d rows", orderText, len(seen), rows)
		}
	}
}
