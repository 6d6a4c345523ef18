package rowdb_test

import (
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"

	"minicloud/infra/local/dynamotest"
	"minicloud/shared/clock"
	"minicloud/shared/dynamo/rowdb"
	"minicloud/shared/errs"
	"minicloud/shared/id"
	"minicloud/shared/language/value"
	"minicloud/shared/language/value/update"
	"minicloud/shared/table"
	"minicloud/shared/table/manage"
)

// newTable returns a table with a row, and a connection that can lose answers.
func newTable(t *testing.T) (*manage.Service, table.Table, table.RowID, *dynamotest.Lossy) {
	l := &dynamotest.Lossy{}
	hard := l.Over(dynamotest.Start(t, "TablesTable", "RowsTable", "RowIndexesTable"))
	s := &manage.Service{
		Rows:  &rowdb.Rows{Client: hard, Table: "RowsTable", Indexes: "RowIndexesTable", Schemas: "TablesTable"},
		Clock: clock.System, IDs: new(id.Source),
	}
	in := table.Table{ID: 5, Name: "things", Columns: []table.Column{
		{Column: value.Column{Name: "n", Type: value.Integer}, Key: "n"},
		{
			Column: value.Column{Name: "level", Type: value.Integer, Indexed: true}, Key: "level",
			Index: &table.Index{ID: "level"},
		},
		{Column: value.Column{Name: "list", Type: value.Array, Items: value.Integer}, Key: "list"},
	}}
	made := s.Insert(
		t.Context(), rowScope, in, []map[string]any{{"n": 1, "level": 1, "list": []any{1.0, 2.0, 3.0}}}, table.Author{},
	)[0]
	if made.Err != nil {
		t.Fatal(made.Err)
	}
	return s, in, made.Row.ID, l
}

func operations(t *testing.T, in table.Table, body map[string]any) update.Operations {
	t.Helper()
	o, err := update.FromObject(body, in.Writable(), nil)
	if err != nil {
		t.Fatal(err)
	}
	return o
}

// changes has one example of each kind of write: two patches, a write of the whole row, and a transaction.
var changes = []map[string]any{
	{"n": map[string]any{"$incr_by": 1.0}},
	{"list": map[string]any{"$append": []any{9.0}}},
	{"list": map[string]any{"$pop": -1.0}},
	{"level": map[string]any{"$incr_by": 1.0}},
}

// TestLostAnswerOfATransaction: each kind of write has one effect when it is repeated after a lost answer (D28).
func TestLostAnswerOfATransaction(t *testing.T) {
	s, in, row, l := newTable(t)
	fields := map[string]any{"n": int64(1), "level": int64(1), "list": []any{int64(1), int64(2), int64(3)}}
	for i, body := range changes {
		change := operations(t, in, body)
		want, err := change.Apply(fields)
		if err != nil {
			t.Fatal(err)
		}
		fields = want
		l.Cut.Store(true)
		got, err := s.Update(t.Context(), rowScope, in, row, change, table.Author{})
		if err != nil || l.Lost != i+1 {
			t.Fatalf("%v: %v after %d lost answers", body, err, l.Lost)
		}
		if diff := cmp.Diff(want, got.Fields); diff != "" {
			t.Errorf("%v: answered %s", body, diff)
		}
		stored, err := s.Read(t.Context(), rowScope, in, row)
		if diff := cmp.Diff(want, stored.Fields); diff != "" || err != nil || stored.Revision != int64(i+2) {
			t.Errorf("%v: stored revision %d, %v: %s", body, stored.Revision, err, diff)
		}
	}
	l.Cut.Store(true)
	if _, err := s.Delete(t.Context(), rowScope, in, row, table.Author{Origin: table.Origin{Quiet: true}}); err != nil {
		t.Error(err)
	}
	if _, err := s.Read(t.Context(), rowScope, in, row); !errs.Is(err, errs.KindNotFound) {
		t.Errorf("deleted row: %v", err)
	}
}

// TestLostAnswerOfASingleWrite: rows without an index are created and deleted by single writes, and a repeated write
// has no effect.
func TestLostAnswerOfASingleWrite(t *testing.T) {
	s, in, _, l := newTable(t)
	in.Columns[1].Index = nil
	l.Cut.Store(true)
	made := s.Insert(t.Context(), rowScope, in, []map[string]any{{"n": 1}}, table.Author{})[0]
	if made.Err != nil || l.Lost != 1 {
		t.Fatalf("%v after %d lost answers", made.Err, l.Lost)
	}

	// Other writes change the row before the write is repeated.
	l.Then = func() {
		l.Then = nil
		for page := range 3 {
			change := operations(t, in, map[string]any{"n": map[string]any{"$incr_by": 1.0}})
			found, err := s.Rows.ScanRows(t.Context(), rowScope, in, table.RowScan{Descending: true, Limit: 1})
			if err != nil || len(found.Rows) != 1 {
				t.Fatalf("%d: %v", page, err)
			}
			if _, err := s.Update(t.Context(), rowScope, in, found.Rows[0].ID, change, table.Author{}); err != nil {
				t.Error(err)
			}
		}
	}
	l.Cut.Store(true)
	made = s.Insert(t.Context(), rowScope, in, []map[string]any{{"n": 10}}, table.Author{})[0]
	if got, err := s.Read(t.Context(), rowScope, in, made.Row.ID); made.Err != nil || err != nil ||
		got.Fields["n"] != int64(13) {
		t.Errorf("made %v, read %v, %v, want 13", made.Err, got.Fields["n"], err)
	}

	l.Cut.Store(true)
	if _, err := s.Delete(t.Context(), rowScope, in, made.Row.ID, table.Author{}); err != nil || l.Lost != 3 {
		t.Errorf("%v after %d lost answers", err, l.Lost)
	}
	if _, err := s.Delete(t.Context(), rowScope, in, made.Row.ID, table.Author{}); !errs.Is(err, errs.KindNotFound) {
		t.Errorf("deleted twice: %v", err)
	}
}

// TestLostAnswerOfABatch: new rows without an index are written in batches. A repeated batch does not undo later
// changes of other writers.
func TestLostAnswerOfABatch(t *testing.T) {
	s, in, _, l := newTable(t)
	in.Columns[1].Index = nil
	recorder := dynamotest.Record(s.Rows.(*rowdb.Rows).Client)
	s.Rows = &rowdb.Rows{Client: recorder.Client, Table: "RowsTable", Indexes: "RowIndexesTable", Schemas: "TablesTable"}
	drafts := make([]map[string]any, 60)
	for i := range drafts {
		drafts[i] = map[string]any{"n": i}
	}

	change := operations(t, in, map[string]any{"n": map[string]any{"$incr_by": 1000.0}})
	changed := map[table.RowID]bool{}
	l.Then = func() {
		found, err := s.Rows.ScanRows(t.Context(), rowScope, in, table.RowScan{})
		if err != nil {
			t.Error(err)
		}
		for _, row := range found.Rows {
			_, err := s.Update(t.Context(), rowScope, in, row.ID, change, table.Author{})
			if changed[row.ID] = true; err != nil {
				t.Error(err)
			}
		}
	}
	recorder.Take()
	l.Cut.Store(true)
	made := s.Insert(t.Context(), rowScope, in, drafts, table.Author{})
	if l.Lost != 1 || len(changed) < 10 {
		t.Errorf("%d answers lost, %d rows changed", l.Lost, len(changed))
	}
	if calls := recorder.Take(); calls[0] != "BatchWriteItem" || slices.Contains(calls, "TransactWriteItems") {
		t.Errorf("%q", calls)
	}

	for i, o := range made {
		want := int64(i)
		if changed[o.Row.ID] {
			want += 1000
		}
		if got, err := s.Read(t.Context(), rowScope, in, o.Row.ID); o.Err != nil || err != nil || got.Fields["n"] != want {
			t.Errorf("row %d: %v, %v, %v, want %d", i, o.Err, got.Fields["n"], err, want)
		}
	}

	// The ids of a request with a key may exist already, so its rows are not written in batches.
	for range 2 {
		for _, o := range s.Insert(keyed(t.Context(), "one"), rowScope, in, drafts[:2], table.Author{}) {
			if o.Err != nil {
				t.Error(o.Err)
			}
		}
	}
	if calls := recorder.Take(); slices.Contains(calls, "BatchWriteItem") {
		t.Errorf("with a key: %q", calls)
	}
}

// TestFinishesPartOfABatch: rows that DynamoDB returns as unprocessed are written one by one, and each is stored once.
func TestFinishesPartOfABatch(t *testing.T) {
	s, in, _, _ := newTable(t)
	in.Columns[1].Index = nil
	recorder := dynamotest.Record(dynamotest.Undone(s.Rows.(*rowdb.Rows).Client))
	s.Rows = &rowdb.Rows{Client: recorder.Client, Table: "RowsTable", Indexes: "RowIndexesTable", Schemas: "TablesTable"}
	drafts := make([]map[string]any, 60)
	for i := range drafts {
		drafts[i] = map[string]any{"n": i}
	}

	for i, o := range s.Insert(t.Context(), rowScope, in, drafts, table.Author{}) {
		if o.Err != nil {
			t.Fatal(o.Err)
		}
		if got, err := s.Read(t.Context(), rowScope, in, o.Row.ID); err != nil || got.Fields["n"] != int64(i) {
			t.Errorf("row %d: %v, %v", i, got.Fields["n"], err)
		}
	}
	calls := map[string]int{}
	for _, call := range recorder.Take() {
		calls[call]++
	}
	if calls["BatchWriteItem"] != 3 || calls["PutItem"] != 12+12+5 {
		t.Errorf("calls %v", calls)
	}
}

// TestLostAnswerAmongOthers: other writers change the row before a finished write is repeated, and each change has one
// effect.
func TestLostAnswerAmongOthers(t *testing.T) {
	s, in, row, l := newTable(t)
	for _, body := range changes {
		before, err := s.Read(t.Context(), rowScope, in, row)
		if err != nil {
			t.Fatal(err)
		}
		fields := before.Fields
		apply := func(body map[string]any) update.Operations {
			change := operations(t, in, body)
			if fields, err = change.Apply(fields); err != nil {
				t.Fatal(err)
			}
			return change
		}
		l.Then = func() {
			for _, other := range slices.Repeat([]map[string]any{
				{"n": map[string]any{"$incr_by": 10.0}}, {"level": map[string]any{"$incr_by": 10.0}},
				{"list": map[string]any{"$append_unique": []any{7.0}}}, {"n": 50.0},
			}, 2) {
				if _, err := s.Update(t.Context(), rowScope, in, row, apply(other), table.Author{}); err != nil {
					t.Error(err)
				}
			}
		}
		change := apply(body)
		l.Cut.Store(true)
		if _, err := s.Update(t.Context(), rowScope, in, row, change, table.Author{}); err != nil {
			t.Errorf("%v: %v", body, err)
		}
		after, err := s.Read(t.Context(), rowScope, in, row)
		if diff := cmp.Diff(fields, after.Fields); diff != "" || err != nil || after.Revision != before.Revision+9 {
			t.Errorf("%v: revision %d, was %d (%v): %s", body, after.Revision, before.Revision, err, diff)
		}
	}
}
