package manage_test

import (
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"minicloud/shared/errs"
	"minicloud/shared/language/value"
	"minicloud/shared/page"
	"minicloud/shared/table"
	"minicloud/shared/table/manage"
)

// unique adds a unique index and returns the table with it.
func unique(t *testing.T, s *manage.Service, in table.Table, fields ...string) table.Table {
	t.Helper()
	next, x, err := s.CreateIndex(t.Context(), scope, in.ID, fields, true)
	if err != nil || x.Name() != strings.Join(fields, "_1_")+"_1" {
		t.Fatal(x.Name(), err)
	}
	return next
}

// built lets the background complete all indexes.
func built(t *testing.T, s *manage.Service, clock *watch, worker *tasks, in table.Table) table.Table {
	t.Helper()
	clock.move(2 * table.Grace)
	for list := worker.take(); len(list) > 0; list = worker.take() {
		for _, task := range list {
			if err := s.Work(t.Context(), task); err != nil {
				t.Fatal(err)
			}
		}
	}
	now, err := s.Table(t.Context(), scope, in.ID)
	if err != nil {
		t.Fatal(err)
	}
	return now
}

// claims returns the number of claims and of rows that have values in all fields of the first index. It fails the test
// if two rows have the same values, or a row has no claim.
func claims(t *testing.T, s *manage.Service, in table.Table) (claims, rows int) {
	t.Helper()
	seen := map[string]table.RowID{}
	for _, row := range everything(t, s, scope, in) {
		if key := in.Claim(in.FieldIndexes[0], row); key != "" {
			if seen[key] != "" {
				t.Errorf("rows %s and %s have %q", seen[key], row.ID, key)
			}
			seen[key] = row.ID
		}
	}
	step, err := s.Rows.ScanIndex(t.Context(), scope, in, in.FieldIndexes[0].Index.ID, table.IndexScan{CountOnly: true})
	if err != nil {
		t.Fatal(err)
	}
	return step.Count, len(seen)
}

func notUnique(err error) bool {
	_, ok := errors.AsType[*table.NotUnique](err)
	return ok && errs.Is(err, errs.KindInvalid)
}

// TestUniqueWrites: creating, changing and deleting rows keeps values unique, one by one, in bulk and by patches.
func TestUniqueWrites(t *testing.T) {
	t.Parallel()
	s, clock, worker := start(t)
	in := create(t, s, "codes", column("code", value.String, false), column("n", value.Integer, false))
	in = built(t, s, clock, worker, unique(t, s, in, "code"))
	if x, _ := in.FieldIndex("code_1"); !in.Ready(x) {
		t.Fatalf("not ready: %+v", x)
	}
	made := insert(t, s, in, map[string]any{"code": "a"}, map[string]any{"code": "b"}, map[string]any{}, map[string]any{})

	// Of two rows with the same value, the first one is created; nulls do not collide.
	long := strings.Repeat("x", 2000)
	for i, o := range s.Insert(t.Context(), scope, in, []map[string]any{
		{"code": "c"}, {"code": "a"}, {"code": "c"}, {}, {"code": long}, {"code": long + "y"}, {"code": long}, {"code": ""}, {"code": ""},
	}, author) {
		if want := []bool{false, true, true, false, false, false, true, false, true}[i]; notUnique(o.Err) != want || !want && o.Err != nil {
			t.Errorf("row %d: %v", i, o.Err)
		}
	}

	change := func(row table.Row, body string) error {
		_, err := s.Update(t.Context(), scope, in, row.ID, operations(t, in, body), author)
		return err
	}
	for _, c := range []struct {
		row     int
		body    string
		refused bool
	}{
		{0, `{"code":"b"}`, true}, {0, `{"code":"a"}`, false}, {2, `{"code":"a"}`, true}, {0, `{"code":"d"}`, false},
		{2, `{"code":"a"}`, false}, {2, `{"$unset":{"code":""}}`, false}, {3, `{"code":"a"}`, false},
		{1, `{"n":{"$incr_by":1}}`, false}, {1, `{"code":"d","n":5}`, true},
	} {
		if err := change(made[c.row], c.body); notUnique(err) != c.refused || !c.refused && err != nil {
			t.Errorf("row %d %s: %v", c.row, c.body, err)
		}
	}
	if in.Patchable(operations(t, in, `{"code":"z"}`)) {
		t.Error("a patch would not move the claim")
	}

	// A deleted row frees its value.
	if _, err := s.Delete(t.Context(), scope, in, made[1].ID, author); err != nil {
		t.Fatal(err)
	}
	insert(t, s, in, map[string]any{"code": "b"})

	// A bulk write gives the value to one row.
	bulk, err := s.UpdateMatching(t.Context(), scope, in, table.Query{Page: page.Request{Limit: 100}}, operations(t, in, `{"code":"all"}`), table.Origin{})
	if err != nil || bulk.Succeeded() != 1 {
		t.Errorf("%d succeeded: %v", bulk.Succeeded(), err)
	}
	if got, want := claims(t, s, in); got != want {
		t.Errorf("%d claims of %d values", got, want)
	}
	if _, err := s.DeleteMatching(t.Context(), scope, in, table.Query{Page: page.Request{Limit: 100}}, table.Origin{}); err != nil {
		t.Fatal(err)
	}
	if got, _ := claims(t, s, in); got != 0 {
		t.Errorf("%d claims of no rows", got)
	}
}

// TestUniqueTogether: an index of two fields refuses equal pairs only.
func TestUniqueTogether(t *testing.T) {
	t.Parallel()
	s, _, _ := start(t)
	in := create(t, s, "seats", column("row", value.String, false), column("seat", value.Number, false))
	in = unique(t, s, in, "row", "seat")
	for i, c := range []struct {
		draft   map[string]any
		refused bool
	}{
		{map[string]any{"row": "a", "seat": 1}, false}, {map[string]any{"row": "a", "seat": 2}, false},
		{map[string]any{"row": "b", "seat": 1}, false}, {map[string]any{"row": "a", "seat": 1.0}, true},
		{map[string]any{"row": "a"}, false}, {map[string]any{"row": "a"}, false}, {map[string]any{"seat": 1}, false},
		{map[string]any{"row": "", "seat": 1}, false}, {map[string]any{"row": "a\x011", "seat": 1}, false},
		{map[string]any{"row": "z", "seat": 0}, false}, {map[string]any{"row": "z", "seat": math.Copysign(0, -1)}, true},
	} {
		err := s.Insert(t.Context(), scope, in, []map[string]any{c.draft}, author)[0].Err
		if notUnique(err) != c.refused || !c.refused && err != nil {
			t.Errorf("%d %v: %v", i, c.draft, err)
		}
		if c.refused && errs.Message(err) != `fields "row", "seat" must be unique together: another row has these values` {
			t.Errorf("message %q", errs.Message(err))
		}
	}
}

// TestOneWriterGetsTheValue: of writers of one value at the same time, exactly one has it at any time.
func TestOneWriterGetsTheValue(t *testing.T) {
	t.Parallel()
	s, _, _ := start(t)
	in := unique(t, s, create(t, s, "codes", column("code", value.Integer, false)), "code")
	for round := range 5 {
		var won atomic.Int64
		var wg sync.WaitGroup
		rows := insert(t, s, in, map[string]any{}, map[string]any{}, map[string]any{})
		write := func(do func() error) {
			wg.Go(func() {
				if err := do(); err == nil {
					won.Add(1)
				} else if !notUnique(err) {
					t.Error(err)
				}
			})
		}
		for range 4 {
			write(func() error {
				return s.Insert(t.Context(), scope, in, []map[string]any{{"code": round}}, author)[0].Err
			})
		}
		for _, row := range rows {
			write(func() error {
				_, err := s.Update(t.Context(), scope, in, row.ID, operations(t, in, fmt.Sprintf(`{"code":%d}`, round)), author)
				return err
			})
		}
		wg.Wait()
		if won.Load() != 1 {
			t.Errorf("round %d: %d writers have the value", round, won.Load())
		}
	}
	if got, want := claims(t, s, in); got != want || got != 5 {
		t.Errorf("%d claims of %d values", got, want)
	}
}

// TestUniqueUnderStorm: concurrent creations, changes, bulk writes and deletions on few values keep claims and rows
// the same.
func TestUniqueUnderStorm(t *testing.T) {
	t.Parallel()
	s, clock, worker := start(t)
	in := create(t, s, "codes", column("code", value.Integer, false), column("tag", value.String, false))
	insert(t, s, in, map[string]any{"code": 1, "tag": "a"}, map[string]any{"code": 2, "tag": "b"})
	in = unique(t, s, in, "code")
	var wg sync.WaitGroup
	for writer := range 6 {
		wg.Go(func() {
			random := rand.New(rand.NewPCG(uint64(writer), 7))
			for range 25 {
				code := random.IntN(8)
				rows, err := s.Find(t.Context(), scope, in, table.Query{Page: page.Request{Limit: 20}})
				if err != nil || len(rows.Objects) == 0 {
					continue
				}
				row := rows.Objects[random.IntN(len(rows.Objects))]
				switch random.IntN(6) {
				case 0, 1:
					s.Insert(t.Context(), scope, in, []map[string]any{{"code": code}, {"code": random.IntN(8)}}, author)
				case 2, 3:
					_, err = s.Update(t.Context(), scope, in, row.ID, operations(t, in, fmt.Sprintf(`{"code":%d}`, code)), author)
				case 4:
					_, err = s.UpdateMatching(t.Context(), scope, in, table.Query{Page: page.Request{Limit: 3}},
						operations(t, in, `{"code":{"$incr_by":1}}`), table.Origin{})
				case 5:
					_, err = s.Delete(t.Context(), scope, in, row.ID, author)
				}
				if err != nil && !errs.Is(err, errs.KindInvalid) && !errs.Is(err, errs.KindNotFound) && !errs.Is(err, errs.KindConflict) {
					t.Error(err)
				}
			}
		})
	}
	wg.Wait()
	in = built(t, s, clock, worker, in)
	if x, _ := in.FieldIndex("code_1"); !in.Ready(x) {
		t.Errorf("not ready: %+v", x)
	}
	if got, want := claims(t, s, in); got != want {
		t.Errorf("%d claims of %d values", got, want)
	}
	recount(t, s, in)
}

// TestRefusesDuplicatesThatExist: no index is left, and rows with the same values can still be written.
func TestRefusesDuplicatesThatExist(t *testing.T) {
	t.Parallel()
	s, _, worker := start(t)
	in := create(t, s, "codes", column("code", value.String, false))
	rows := insert(t, s, in, map[string]any{"code": "a"}, map[string]any{}, map[string]any{}, map[string]any{"code": "a"})
	in, err := s.Table(t.Context(), scope, in.ID) // the first row was noted
	if err != nil {
		t.Fatal(err)
	}
	_, _, err = s.CreateIndex(t.Context(), scope, in.ID, []string{"code"}, true)
	if !errs.Is(err, errs.KindInvalid) || !strings.Contains(errs.Message(err), string(rows[0].ID)) || !strings.Contains(errs.Message(err), string(rows[3].ID)) {
		t.Errorf("%v", err)
	}
	if now, err := s.Table(t.Context(), scope, in.ID); err != nil || now.Revision != in.Revision || len(worker.take()) > 0 {
		t.Errorf("the table was changed: %+v, %v", now, err)
	}
	insert(t, s, in, map[string]any{"code": "a"})
}

// TestGivesUpUniqueIndex: duplicates that the request did not see, because a writer had an earlier schema, end the build
// with a reason, and claims with it.
func TestGivesUpUniqueIndex(t *testing.T) {
	t.Parallel()
	s, clock, worker := start(t)
	old := create(t, s, "codes", column("code", value.String, false))
	insert(t, s, old, map[string]any{"code": "a"})
	in := unique(t, s, old, "code")
	late := insert(t, s, old, map[string]any{"code": "a"}, map[string]any{"code": "b"}) // by a program with the earlier schema

	in = built(t, s, clock, worker, in)
	x, _ := in.FieldIndex("code_1")
	if want := `rows have the same values in fields ["code"]`; x.Failed != want || in.Ready(x) {
		t.Fatalf("%+v", x)
	}
	step, err := s.Rows.ScanIndex(t.Context(), scope, in, x.Index.ID, table.IndexScan{})
	if err != nil || step.Count != 0 {
		t.Errorf("%d claims are left: %v", step.Count, err)
	}
	insert(t, s, in, map[string]any{"code": "a"})
	if _, _, err := s.CreateIndex(t.Context(), scope, in.ID, []string{"code"}, true); !errs.Is(err, errs.KindInvalid) {
		t.Errorf("with duplicates: %v", err)
	}
	for _, row := range everything(t, s, scope, in) {
		if row.ID != late[1].ID {
			if _, err := s.Delete(t.Context(), scope, in, row.ID, author); err != nil {
				t.Fatal(err)
			}
		}
	}
	in = built(t, s, clock, worker, unique(t, s, in, "code"))
	if x, _ := in.FieldIndex("code_1"); !in.Ready(x) {
		t.Errorf("again: %+v", x)
	}
}

// TestClaimsOfEarlierSchemas: rows that a program with an earlier schema changed or deleted keep claims, which bar
// nobody.
func TestClaimsOfEarlierSchemas(t *testing.T) {
	t.Parallel()
	s, clock, worker := start(t)
	old := create(t, s, "codes", column("code", value.String, false))
	rows := insert(t, s, old, map[string]any{"code": "a"}, map[string]any{"code": "b"}, map[string]any{"code": "c"})
	in := unique(t, s, old, "code")
	if _, err := s.Update(t.Context(), scope, old, rows[0].ID, operations(t, old, `{"code":"x"}`), author); err != nil {
		t.Fatal(err)
	}
	if _, err := s.Delete(t.Context(), scope, old, rows[1].ID, author); err != nil {
		t.Fatal(err)
	}
	insert(t, s, in, map[string]any{"code": "a"}, map[string]any{"code": "b"})
	if err := s.Insert(t.Context(), scope, in, []map[string]any{{"code": "c"}}, author)[0].Err; !notUnique(err) {
		t.Errorf("a value that its row still has: %v", err)
	}
	in = built(t, s, clock, worker, in)
	if x, _ := in.FieldIndex("code_1"); !in.Ready(x) {
		t.Errorf("not ready: %+v", x)
	}
	if err := s.Insert(t.Context(), scope, in, []map[string]any{{"code": "x"}}, author)[0].Err; !notUnique(err) {
		t.Errorf("the value of a row changed by the earlier schema: %v", err)
	}
}

// TestFreesNothingOfOthers: before its index is built, a row may have the values of another one, whose claim stays when
// the row changes or goes.
func TestFreesNothingOfOthers(t *testing.T) {
	t.Parallel()
	s, clock, worker := start(t)
	old := create(t, s, "codes", column("code", value.String, false))
	insert(t, s, old, map[string]any{"code": "a"})
	in := unique(t, s, old, "code")
	twins := insert(t, s, old, map[string]any{"code": "a"}, map[string]any{"code": "a"})
	if _, err := s.Update(t.Context(), scope, in, twins[0].ID, operations(t, in, `{"code":"b"}`), author); err != nil {
		t.Fatal(err)
	}
	if _, err := s.Delete(t.Context(), scope, in, twins[1].ID, author); err != nil {
		t.Fatal(err)
	}
	in = built(t, s, clock, worker, in)
	if got, want := claims(t, s, in); got != want || got != 2 {
		t.Errorf("%d claims of %d values", got, want)
	}
}

// TestIndexesByName: what exists, what is needed by others, and what cannot be indexed.
func TestIndexesByName(t *testing.T) {
	t.Parallel()
	s, clock, worker := start(t)
	in := create(t, s, "things", column("a", value.String, false), column("b", value.Integer, true), column("o", value.Object, false))
	names := func() string {
		now, err := s.Table(t.Context(), scope, in.ID)
		if err != nil {
			t.Fatal(err)
		}
		var list []string
		for _, x := range now.AllIndexes() {
			list = append(list, x.Name())
			if x.Claims() {
				list[len(list)-1] += "!"
			}
		}
		return strings.Join(list, " ")
	}
	for _, step := range []struct {
		make   []string
		unique bool
		drop   string
		says   string // why it is refused
		left   string
	}{
		{make: []string{"a", "b"}, left: "a_1 a_1_b_1 b_1"},
		{make: []string{"a", "b"}, says: `index "a_1_b_1" exists`},
		{make: []string{"a", "b"}, unique: true, left: "a_1 a_1_b_1! b_1"},
		{make: []string{"b"}, says: `index "b_1" exists`},
		{make: []string{"b"}, unique: true, left: "a_1 a_1_b_1! b_1!"},
		{make: []string{"b"}, says: `index "b_1" exists`},
		{drop: "a_1", says: `index "a_1" is needed by index "a_1_b_1"`},
		{drop: "b_1", left: "a_1 a_1_b_1! b_1"},
		{drop: "nothing_1", says: `index "nothing_1" not found`},
		{drop: "a_1_b_1", left: "b_1"},
		{drop: "b_1", left: ""},
		{make: []string{"a"}, left: "a_1"},
		{make: []string{}, says: "fields must be 1 to 5"},
		{make: []string{"a", "a"}, says: `column "a" is named twice`},
		{make: []string{"z"}, says: `column "z" does not exist`},
		{make: []string{"created_at"}, says: `column "created_at" does not exist`},
		{make: []string{"o"}, unique: true, says: `field "o" of type object cannot be indexed`},
	} {
		clock.move(time.Second)
		var err error
		if step.drop != "" {
			_, err = s.DeleteIndex(t.Context(), scope, in.ID, step.drop)
		} else {
			_, _, err = s.CreateIndex(t.Context(), scope, in.ID, step.make, step.unique)
		}
		if step.says == "" && (err != nil || names() != step.left) {
			t.Fatalf("%+v: %v, left %q", step, err, names())
		}
		if step.says != "" && (err == nil || !strings.Contains(errs.Message(err), step.says)) {
			t.Errorf("%+v: %v", step, err)
		}
	}
	in = built(t, s, clock, worker, in)
	if x, ok := in.FieldIndex("a_1"); !ok || !in.Ready(x) {
		t.Errorf("%+v", x)
	}

	// The columns of an index stay, and stay indexed.
	in = unique(t, s, in, "b", "a")
	if _, err := s.Modify(t.Context(), scope, in.ID, table.Definition{Remove: []string{"b"}}); err == nil || !strings.Contains(err.Error(), `"b_1_a_1"`) {
		t.Errorf("removed: %v", err)
	}
	in, err := s.Modify(t.Context(), scope, in.ID, table.Definition{Columns: []table.Column{column("b", value.Integer, false)}})
	if b, _ := in.Column("b"); err != nil || !b.Indexed || !slices.Equal(in.FieldIndexes[0].Fields, []string{"b", "a"}) {
		t.Errorf("%+v: %v", in, err)
	}
}
