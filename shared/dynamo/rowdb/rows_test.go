package rowdb_test

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"
	"github.com/aws/smithy-go/middleware"
	"github.com/google/go-cmp/cmp"

	"minicloud/infra/local/dynamotest"
	"minicloud/shared/clock"
	"minicloud/shared/dynamo/rowdb"
	"minicloud/shared/errs"
	"minicloud/shared/id"
	"minicloud/shared/language/value"
	"minicloud/shared/table"
	"minicloud/shared/table/manage"
	"minicloud/shared/tenant"
)

var rowScope = tenant.Scope{App: 7, Env: tenant.Production}

// conflicting returns a client one in three of whose transactions fails with a conflict, which the local engine never
// returns.
func conflicting(client *dynamodb.Client, met *atomic.Int64) *dynamodb.Client {
	conflict := middleware.InitializeMiddlewareFunc("conflict", func(ctx context.Context, in middleware.InitializeInput, next middleware.InitializeHandler) (middleware.InitializeOutput, middleware.Metadata, error) {
		if write, ok := in.Parameters.(*dynamodb.TransactWriteItemsInput); ok && rand.IntN(3) == 0 {
			met.Add(1)
			reasons := make([]types.CancellationReason, len(write.TransactItems))
			for i := range reasons {
				reasons[i].Code = aws.String("None")
			}
			reasons[len(reasons)-1].Code = aws.String("TransactionConflict")
			return middleware.InitializeOutput{}, middleware.Metadata{}, &types.TransactionCanceledException{
				CancellationReasons: reasons,
			}
		}
		return next.HandleInitialize(ctx, in)
	})
	return dynamodb.New(client.Options(), func(o *dynamodb.Options) {
		o.APIOptions = append(slices.Clone(o.APIOptions), func(stack *middleware.Stack) error {
			return stack.Initialize.Add(conflict, middleware.After)
		})
	})
}

// TestConflictingTransactions: all writes succeed although one transaction in three conflicts.
func TestConflictingTransactions(t *testing.T) {
	client := dynamotest.Start(t, "TablesTable", "RowsTable", "RowIndexesTable")
	var met atomic.Int64
	rows := &rowdb.Rows{Client: conflicting(client, &met), Table: "RowsTable", Indexes: "RowIndexesTable", Schemas: "TablesTable"}
	s := &manage.Service{
		Schemas: &rowdb.Tables{Client: client, Name: "TablesTable"}, Rows: rows, Clock: clock.System, IDs: new(id.Source),
	}
	name := "things"
	in, err := s.Create(
		t.Context(), rowScope,
		table.Definition{
			Name: &name, Columns: []table.Column{{Column: value.Column{Name: "n", Type: value.Integer, Indexed: true}}},
		},
	)
	if err != nil {
		t.Fatal(err)
	}
	var wg sync.WaitGroup
	for range 20 {
		wg.Go(func() {
			for range 4 {
				made := s.Insert(t.Context(), rowScope, in, []map[string]any{{"n": 1}, {"n": 2}}, table.Author{})
				for _, o := range made {
					if o.Err != nil {
						t.Error(o.Err)
					}
				}
				if _, err := s.Delete(t.Context(), rowScope, in, made[0].Row.ID, table.Author{}); err != nil {
					t.Error(err)
				}
			}
		})
	}
	wg.Wait()
	if n := rowsThere(t, rows, in); n != 80 || met.Load() == 0 {
		t.Errorf("%d rows after %d conflicts, want 80", n, met.Load())
	}
}

// rowsThere returns the number of rows in a table.
func rowsThere(t *testing.T, rows table.RowStore, in table.Table) (n int) {
	t.Helper()
	for scan := (table.RowScan{IDsOnly: true}); ; {
		step, err := rows.ScanRows(t.Context(), rowScope, in, scan)
		if err != nil {
			t.Fatal(err)
		}
		n += len(step.Rows)
		if step.Last == "" {
			return n
		}
		scan.From = step.Last + "0"
	}
}

// TestAnnouncesDeletionsToTriggers: a deletion is announced, and costs nothing extra without triggers.
func TestAnnouncesDeletionsToTriggers(t *testing.T) {
	client := dynamotest.Start(t, "TablesTable", "RowsTable", "RowIndexesTable")
	recorder := dynamotest.Record(client)
	s := &manage.Service{
		Schemas: &rowdb.Tables{Client: client, Name: "TablesTable"}, Clock: clock.System, IDs: new(id.Source),
		Rows: &rowdb.Rows{Client: recorder.Client, Table: "RowsTable", Indexes: "RowIndexesTable", Schemas: "TablesTable"},
	}
	in := table.Table{
		ID: 5, Name: "things", Columns: []table.Column{{Column: value.Column{Name: "n", Type: value.Integer}, Key: "n"}},
	}
	for listeners, quiet := range map[table.Listeners]bool{
		{}: false, {Create: 1, Update: 1}: false, {Delete: 1}: true, {Delete: 2}: false,
	} {
		in.Listeners = listeners
		made := s.Insert(t.Context(), rowScope, in, []map[string]any{{"n": 1.0}}, table.Author{})[0]
		recorder.Take()
		if _, err := s.Delete(t.Context(), rowScope, in, made.Row.ID, table.Author{Origin: table.Origin{Quiet: quiet}}); err != nil {
			t.Fatal(err)
		}

		want := []string{"GetItem", "DeleteItem"}
		if listeners.Delete > 0 && !quiet {
			want = []string{"GetItem", "UpdateItem", "DeleteItem"}
		}
		if got := recorder.Take(); !slices.Equal(got, want) {
			t.Errorf("with %+v, quiet %v: %q", listeners, quiet, got)
		}
		if _, err := s.Read(t.Context(), rowScope, in, made.Row.ID); !errs.Is(err, errs.KindNotFound) {
			t.Errorf("deleted row: %v", err)
		}
	}
}

// TestCostOfRows counts the calls of row operations and the write units that AWS charges: one per KB of an item, two in
// a transaction.
func TestCostOfRows(t *testing.T) {
	client := dynamotest.Start(t, "TablesTable", "RowsTable", "RowIndexesTable")
	recorder := dynamotest.Record(client)
	var written atomic.Int64
	rows := &rowdb.Rows{Client: countingItems(recorder.Client, &written), Table: "RowsTable", Indexes: "RowIndexesTable", Schemas: "TablesTable"}
	s := &manage.Service{
		Schemas: &rowdb.Tables{Client: client, Name: "TablesTable"}, Rows: rows, Clock: clock.System, IDs: new(id.Source),
	}
	in := table.Table{ID: 5, Name: "things", Columns: []table.Column{
		{Column: value.Column{Name: "n", Type: value.Integer, Indexed: true}, Key: "n", Index: &table.Index{ID: "n"}},
		{Column: value.Column{Name: "m", Type: value.Integer, Indexed: true}, Key: "m", Index: &table.Index{ID: "m"}},
		{Column: value.Column{Name: "note", Type: value.String}, Key: "note"},
	}}
	plain := table.Table{ID: 6, Name: "plain", Columns: in.Columns[2:]}
	var row table.RowID
	insert := func(in table.Table, drafts ...map[string]any) func() error {
		return func() (err error) {
			for _, made := range s.Insert(t.Context(), rowScope, in, drafts, table.Author{}) {
				row, err = made.Row.ID, errors.Join(err, made.Err)
			}
			return err
		}
	}
	update := func(in table.Table, body map[string]any) func() error {
		return func() error {
			_, err := s.Update(t.Context(), rowScope, in, row, operations(t, in, body), table.Author{})
			return err
		}
	}
	remove := func(in table.Table) func() error {
		return func() error {
			_, err := s.Delete(t.Context(), rowScope, in, row, table.Author{})
			return err
		}
	}
	half := strings.Repeat("x", 400)

	for _, c := range []struct {
		name  string
		do    func() error
		calls []string
		units int64
	}{
		{"insert, no index", insert(plain, map[string]any{"note": half}), []string{"PutItem"}, 1},
		{
			"insert of many, no index", insert(plain, slices.Repeat([]map[string]any{{"note": half}}, 30)...),
			[]string{"BatchWriteItem", "BatchWriteItem"}, 30,
		},
		{"update, no index", update(plain, map[string]any{"note": "x"}), []string{"UpdateItem"}, 1},
		{"delete, no index", remove(plain), []string{"GetItem", "DeleteItem"}, 1},
		{"insert, two indexes", insert(in, map[string]any{"n": 1, "m": 1, "note": half}), []string{"TransactWriteItems"}, 6},
		{"update of a column without one", update(in, map[string]any{"note": "x"}), []string{"UpdateItem"}, 1},
		{"update of one with", update(in, map[string]any{"n": 5.0}), []string{"GetItem", "TransactWriteItems"}, 6},
		{"update to the same value", update(in, map[string]any{"n": 5.0}), []string{"GetItem", "UpdateItem"}, 1},
		{"delete, two indexes", remove(in), []string{"GetItem", "TransactWriteItems"}, 6},
	} {
		recorder.Take()
		written.Store(0)
		if err := c.do(); err != nil {
			t.Errorf("%s: %v", c.name, err)
		}
		if got := recorder.Take(); !slices.Equal(got, c.calls) || written.Load() != c.units {
			t.Errorf("%s: %q, %d units, want %q, %d", c.name, got, written.Load(), c.calls, c.units)
		}
	}
}

// countingItems returns a client that adds up the write units of small items.
func countingItems(client *dynamodb.Client, units *atomic.Int64) *dynamodb.Client {
	add := middleware.InitializeMiddlewareFunc("units", func(ctx context.Context, in middleware.InitializeInput, next middleware.InitializeHandler) (middleware.InitializeOutput, middleware.Metadata, error) {
		switch write := in.Parameters.(type) {
		case *dynamodb.PutItemInput, *dynamodb.UpdateItemInput, *dynamodb.DeleteItemInput:
			units.Add(1)
		case *dynamodb.BatchWriteItemInput:
			for _, requests := range write.RequestItems {
				units.Add(int64(len(requests)))
			}
		case *dynamodb.TransactWriteItemsInput:
			units.Add(2 * int64(len(write.TransactItems)))
		}
		return next.HandleInitialize(ctx, in)
	})
	return dynamodb.New(client.Options(), func(o *dynamodb.Options) {
		o.APIOptions = append(
			slices.Clone(o.APIOptions),
			func(stack *middleware.Stack) error { return stack.Initialize.Add(add, middleware.After) },
		)
	})
}

// TestPatchRefusesLargeRows: a row stays within its maximum size (D49), and a change of a small row takes one call.
func TestPatchRefusesLargeRows(t *testing.T) {
	client := dynamotest.Start(t, "TablesTable", "RowsTable", "RowIndexesTable")
	recorder := dynamotest.Record(client)
	s := &manage.Service{
		Rows: &rowdb.Rows{Client: recorder.Client, Table: "RowsTable", Indexes: "RowIndexesTable", Schemas: "TablesTable"}, Clock: clock.System,
		IDs: new(id.Source),
	}
	in := table.Table{ID: 5, Name: "things", Columns: []table.Column{
		{Column: value.Column{Name: "a", Type: value.String}, Key: "a"},
		{Column: value.Column{Name: "list", Type: value.Array, Items: value.String}, Key: "list"},
	}}

	made := s.Insert(t.Context(), rowScope, in, []map[string]any{{}}, table.Author{})[0]
	if made.Err != nil {
		t.Fatal(made.Err)
	}

	long := func(kb int) string { return strings.Repeat("x", kb<<10) }
	add := func(kb int) map[string]any { return map[string]any{"list": map[string]any{"$append": []any{long(kb)}}} }
	recorder.Take()
	for i, c := range []struct {
		body map[string]any
		ok   bool
		want []string
	}{
		{map[string]any{"a": long(351)}, false, nil},
		{add(351), false, nil},
		{map[string]any{"a": long(200)}, true, []string{"UpdateItem"}},
		{map[string]any{"a": long(200)}, true, []string{"UpdateItem", "GetItem", "UpdateItem"}}, // 264 KB at most, and 200 more
		{add(100), true, []string{"UpdateItem"}},
		{add(100), false, []string{"UpdateItem", "GetItem"}},
		{map[string]any{"a": nil}, true, []string{"UpdateItem"}},
		{add(100), true, []string{"UpdateItem", "GetItem", "UpdateItem"}},
		{add(100), true, []string{"UpdateItem"}},
		{add(100), false, []string{"UpdateItem", "GetItem"}},
	} {

		row, err := s.Update(t.Context(), rowScope, in, made.Row.ID, operations(t, in, c.body), table.Author{})
		if c.ok != (err == nil) || err != nil && !errs.Is(err, errs.KindInvalid) {
			t.Errorf("step %d: %v", i, err)
		}
		if size := table.Size(row.Fields); size > table.MaxRowBytes {
			t.Errorf("step %d: the row has %d bytes", i, size)
		}
		if got := recorder.Take(); !slices.Equal(got, c.want) {
			t.Errorf("step %d: %q, want %q", i, got, c.want)
		}
	}
}

// TestManyFieldsAtOnce: an update of every field of the widest table fits DynamoDB's limit of 4 KB per expression.
func TestManyFieldsAtOnce(t *testing.T) {
	client := dynamotest.Start(t, "TablesTable", "RowsTable", "RowIndexesTable")
	longest := 0
	measure := middleware.InitializeMiddlewareFunc("measure", func(ctx context.Context, in middleware.InitializeInput, next middleware.InitializeHandler) (middleware.InitializeOutput, middleware.Metadata, error) {
		if u, ok := in.Parameters.(*dynamodb.UpdateItemInput); ok {
			longest = max(longest, len(aws.ToString(u.UpdateExpression)), len(aws.ToString(u.ConditionExpression)))
		}
		return next.HandleInitialize(ctx, in)
	})
	measured := dynamodb.New(client.Options(), func(o *dynamodb.Options) {
		o.APIOptions = append(
			slices.Clone(o.APIOptions),
			func(stack *middleware.Stack) error { return stack.Initialize.Add(measure, middleware.After) },
		)
	})
	s := &manage.Service{
		Rows: &rowdb.Rows{Client: measured, Table: "RowsTable", Indexes: "RowIndexesTable", Schemas: "TablesTable"}, Clock: clock.System,
		IDs: new(id.Source),
	}
	in := table.Table{ID: 5, Name: "things"}
	for i := range table.MaxColumns {
		name := fmt.Sprintf("n%d", i)
		in.Columns = append(in.Columns, table.Column{Column: value.Column{Name: name, Type: value.Integer}, Key: name})
	}
	made := s.Insert(t.Context(), rowScope, in, []map[string]any{{}}, table.Author{})[0]
	for n := 1; n <= table.MaxColumns; n = min(n+13, max(n+1, table.MaxColumns)) {
		body := map[string]any{}
		for _, c := range in.Columns[:n] {
			body[c.Name] = map[string]any{"$incr_by": 1.0}
		}
		if _, err := s.Update(t.Context(), rowScope, in, made.Row.ID, operations(t, in, body), table.Author{}); err != nil {
			t.Errorf("%d fields: %v", n, err)
		}
	}
	if longest == 0 || longest > 4096 {
		t.Errorf("an expression has %d bytes", longest)
	}
}

// TestReindexOfRowsThatChange: changes of other columns do not matter, and only rows with a changed value are read
// again.
func TestReindexOfRowsThatChange(t *testing.T) {
	client := dynamotest.Start(t, "TablesTable", "RowsTable", "RowIndexesTable")
	recorder := dynamotest.Record(client)
	rows := &rowdb.Rows{Client: recorder.Client, Table: "RowsTable", Indexes: "RowIndexesTable", Schemas: "TablesTable"}
	s := &manage.Service{Rows: rows, Clock: clock.System, IDs: new(id.Source)}
	before := table.Table{ID: 5, Name: "things", Columns: []table.Column{
		{Column: value.Column{Name: "n", Type: value.Integer}, Key: "n"},
		{Column: value.Column{Name: "hits", Type: value.Integer}, Key: "hits"},
	}}
	after := before
	after.Columns = slices.Clone(before.Columns)
	after.Columns[0].Index = &table.Index{ID: "n"}

	var seen []table.Row
	for _, o := range s.Insert(
		t.Context(), rowScope, before, []map[string]any{{"n": 1}, {"n": 2}, {}, {"n": 4}, {"n": 5}}, table.Author{},
	) {
		seen = append(seen, o.Row)
	}
	change := func(i int, body map[string]any) {
		if _, err := s.Update(
			t.Context(), rowScope, before, seen[i].ID, operations(t, before, body), table.Author{},
		); err != nil {
			t.Fatal(err)
		}
	}

	recount := func(want []string, calls ...string) {
		t.Helper()
		recorder.Take()
		if err := rows.Reindex(t.Context(), rowScope, after, after.Columns[0], seen); err != nil {
			t.Fatal(err)
		}
		if got := recorder.Take(); !slices.Equal(got, calls) {
			t.Errorf("calls %q, want %q", got, calls)
		}

		step, err := rows.ScanIndex(t.Context(), rowScope, after, "n", table.IndexScan{})
		if err != nil {
			t.Fatal(err)
		}
		var got []string
		for _, e := range step.Entries {
			got = append(got, e.Value)
		}
		if !slices.Equal(got, want) {
			t.Errorf("entries %q, want %q", got, want)
		}

		done := true
		for more := true; more; more = !done {
			if done, err = rows.PurgeIndex(t.Context(), rowScope, after.ID, "n"); err != nil {
				t.Fatal(err)
			}
		}
	}

	values := func(rows ...table.Row) (keys []string) {
		for _, row := range rows {
			keys = append(keys, after.Columns[0].Entry(row).Value)
		}
		slices.Sort(keys)
		return keys
	}

	for i := range seen {
		change(i, map[string]any{"hits": map[string]any{"$incr_by": 1.0}})
	}
	recount(values(seen...), "TransactWriteItems")

	change(1, map[string]any{"n": 7.0})
	moved := seen[1]
	moved.Fields = map[string]any{"n": int64(7)}
	recount(values(seen[0], moved, seen[2], seen[3], seen[4]),
		"TransactWriteItems", "TransactWriteItems", "GetItem", "TransactWriteItems") // all; all others; the changed one

	if _, err := s.Delete(t.Context(), rowScope, before, seen[2].ID, table.Author{}); err != nil { // it has no value
		t.Fatal(err)
	}
	recount(values(seen[0], moved, seen[3], seen[4]),
		"TransactWriteItems", "TransactWriteItems", "BatchGetItem", "TransactWriteItems")
}

// TestReadsRowsAsWritten: rows are read back as written, whole and by the fields of a scan.
func TestReadsRowsAsWritten(t *testing.T) {
	client, ctx := dynamotest.Start(t, "RowsTable", "RowIndexesTable"), t.Context()
	rows := &rowdb.Rows{Client: client, Table: "RowsTable", Indexes: "RowIndexesTable", Schemas: "TablesTable"}
	in := table.Table{ID: 5, Name: "things"}
	for _, c := range []value.Column{
		{Name: "n", Type: value.Integer}, {Name: "list", Type: value.Array, Items: value.Integer},
		{Name: "extra", Type: value.Object}, {Name: "to", Type: value.Pointer}, {Name: "yes", Type: value.Boolean},
	} {
		in.Columns = append(in.Columns, table.Column{Column: c, Key: c.Name})
	}
	row := table.Row{
		ID: "0153c04a2d4042022c6dc14f", Revision: 3, UpdatedAt: 7, CreatedBy: 9, Tokens: []string{"token"},
		Perm: table.RowPerm{Read: []string{"user:*"}, Write: []string{"user:1"}},
		Fields: map[string]any{
			"n": int64(1), "list": []any{int64(2)}, "extra": map[string]any{"f": 1.5, "l": []any{2.0}, "s": nil},
			"to": map[string]any{"_table": "users", "id": int64(77)}, "yes": true,
		},
	}
	if err := errors.Join(rows.Write(ctx, rowScope, in, []table.Change{{New: &row}})...); err != nil {
		t.Fatal(err)
	}

	read, err := rows.ReadRows(ctx, rowScope, in, []table.RowID{row.ID})
	if diff := cmp.Diff(row, read[row.ID]); diff != "" || err != nil {
		t.Errorf("%v (-want +got):\n%s", err, diff)
	}
	for name, c := range map[string]struct {
		scan table.RowScan
		want []table.Row
	}{
		"ids": {table.RowScan{IDsOnly: true}, []table.Row{{ID: row.ID}}},
		"some fields": {
			table.RowScan{Only: []string{"n", "updated_at", "id"}},
			[]table.Row{{ID: row.ID, UpdatedAt: 7, Fields: map[string]any{"n": int64(1)}}},
		},
		"permissions": {table.RowScan{Only: []string{"_read_perm"}}, []table.Row{{ID: row.ID, Perm: row.Perm}}},
		"from it":     {table.RowScan{From: row.ID, IDsOnly: true}, []table.Row{{ID: row.ID}}},
		"up to it":    {table.RowScan{To: row.ID}, []table.Row{}},
		"of it alone": {table.RowScan{From: row.ID, To: row.ID + "0", IDsOnly: true}, []table.Row{{ID: row.ID}}},
		"none":        {table.RowScan{From: row.ID, To: row.ID}, []table.Row{}},
	} {
		step, err := rows.ScanRows(ctx, rowScope, in, c.scan)
		if diff := cmp.Diff(c.want, step.Rows); diff != "" || err != nil {
			t.Errorf("%s: %v (-want +got):\n%s", name, err, diff)
		}
	}

	// Updates of deleted, stale, too large and out-of-range rows fail.
	gone, stale, large, huge := row, row, row, row
	gone.ID, gone.Revision, stale.Revision = "0153c04a2d4042022c6dc150", 1, 2
	large.ID, huge.ID = "0153c04a2d4042022c6dc151", "0153c04a2d4042022c6dc152"
	large.Fields = map[string]any{"extra": map[string]any{"text": strings.Repeat("x", 401<<10)}}
	huge.Fields = map[string]any{"extra": map[string]any{"list": []any{1e200}}}
	indexed := in
	indexed.Columns = slices.Clone(in.Columns)
	indexed.Columns[0].Index = &table.Index{ID: "n"}
	next := row
	next.Revision, next.Fields = 4, map[string]any{"n": int64(5)}
	for name, c := range map[string]struct {
		change table.Change
		kind   errs.Kind
		now    bool // the error contains the stored row
	}{
		"twice":           {table.Change{New: &row}, errs.KindConflict, false},
		"of another time": {table.Change{Old: &stale, New: &next}, errs.KindConflict, true},
		"not any more":    {table.Change{Old: &stale}, errs.KindConflict, true},
		"gone":            {table.Change{Old: &gone, New: &next}, errs.KindConflict, false},
		"too large":       {table.Change{New: &large}, errs.KindInvalid, false},
		"out of range":    {table.Change{New: &huge}, errs.KindInvalid, false},
	} {
		for _, in := range []table.Table{in, indexed} {
			err := rows.Write(ctx, rowScope, in, []table.Change{c.change})[0]
			was, now := errors.AsType[*table.Stale](err)
			if err == nil || now != c.now || now && !cmp.Equal(was.Row, row) || c.kind != errs.KindOf(err) && name != "twice" {
				t.Errorf("%s: %v", name, err)
			}
		}
	}

	change := func(id table.RowID, body map[string]any) error {
		_, err := rows.Patch(ctx, rowScope, in, id, table.Patch{Operations: operations(t, in, body)})
		return err
	}
	most := map[string]any{"$incr_by": float64(value.MaxInteger)}
	if err := change(gone.ID, map[string]any{"n": 1.0}); !errs.Is(err, errs.KindNotFound) {
		t.Errorf("a patch of none: %v", err)
	}
	if err := change(row.ID, map[string]any{"n": most}); !errs.Is(err, errs.KindInvalid) {
		t.Errorf("a number that gets too large: %v", err)
	}
	if err := errors.Join(
		change(row.ID, map[string]any{"n": map[string]any{"$incr_by": -2.0}}), change(row.ID, map[string]any{"n": most}),
		change(row.ID, map[string]any{"n": nil}), change(row.ID, map[string]any{"n": most}),
		change(row.ID, map[string]any{"n": map[string]any{"$incr_by": -float64(value.MaxInteger)}}),
		change(row.ID, map[string]any{"n": map[string]any{"$incr_by": -float64(value.MaxInteger)}}),
	); err != nil {
		t.Error(err)
	}
	if err := change(row.ID, map[string]any{"n": map[string]any{"$incr_by": -1.0}}); !errs.Is(err, errs.KindInvalid) {
		t.Errorf("one that gets too small: %v", err)
	}
}

// TestTableNamesAreUnique: names are unique, and a change of an outdated table is refused.
func TestTableNamesAreUnique(t *testing.T) {
	s, ctx := &rowdb.Tables{Client: dynamotest.Start(t, "TablesTable"), Name: "TablesTable"}, t.Context()
	one, two := table.Table{ID: 5, Name: "one", Revision: 1}, table.Table{ID: 6, Name: "two", Revision: 1}
	if err := errors.Join(s.InsertTable(ctx, rowScope, one), s.InsertTable(ctx, rowScope, two)); err != nil {
		t.Fatal(err)
	}
	taken, other, next, stale := one, one, one, one
	taken.ID, other.Name, next.Name, next.Revision, stale.Revision = 7, "other", "two", 2, 4
	_, byID := s.Table(ctx, rowScope, 9)
	_, byName := s.TableByName(ctx, rowScope, "none")
	moved := errs.Conflict(`another request is changing table "one", try again`)
	for what, c := range map[string]struct{ err, want error }{
		"a name twice":     {s.InsertTable(ctx, rowScope, taken), errs.Duplicate(`a table named "one" exists`)},
		"an id twice":      {s.InsertTable(ctx, rowScope, other), errs.Duplicate("table 5 exists")},
		"renamed to one":   {s.ReplaceTable(ctx, rowScope, one, next), errs.Duplicate(`a table named "two" exists`)},
		"of another time":  {s.ReplaceTable(ctx, rowScope, stale, one), moved},
		"deleted meantime": {s.DeleteTable(ctx, rowScope, stale), moved},
		"no such id":       {byID, errs.NotFound("table 9 not found")},
		"no such name":     {byName, errs.NotFound(`table "none" not found`)},
	} {
		if c.err == nil || c.err.Error() != c.want.Error() {
			t.Errorf("%s: %v", what, c.err)
		}
	}
}

// TestLimitsTransactionsToTwoMegabytes: a transaction has at most 2 MB of old or new rows. Also: a new deletion removes
// the mark of an interrupted one first.
func TestLimitsTransactionsToTwoMegabytes(t *testing.T) {
	recorder, ctx := dynamotest.Record(dynamotest.Start(t, "RowsTable", "RowIndexesTable")), t.Context()
	rows := &rowdb.Rows{Client: recorder.Client, Table: "RowsTable", Indexes: "RowIndexesTable", Schemas: "TablesTable"}
	in := indexed
	in.Listeners.Delete = 0
	in.Columns = append(slices.Clone(in.Columns), table.Column{
		Column: value.Column{Name: "text", Type: value.String}, Key: "text",
	})
	var made, gone []table.Change
	for i := range 6 {
		row := &table.Row{
			ID: table.RowID(fmt.Sprintf("0153c04a2d4042022c6dc14%d", i)), Revision: 1,
			Fields: map[string]any{"n": int64(i), "text": strings.Repeat("x", 390<<10)},
		}
		made, gone = append(made, table.Change{New: row}), append(gone, table.Change{Old: row})
	}
	for _, changes := range [][]table.Change{made, gone} {
		recorder.Take()
		err := errors.Join(rows.Write(ctx, rowScope, in, changes)...)
		if calls := recorder.Take(); err != nil || len(calls) != 2 {
			t.Errorf("%v, by %q", err, calls)
		}
	}

	row := *made[0].New
	row.Fields = map[string]any{"n": int64(1)}
	if err := errors.Join(rows.Write(ctx, rowScope, in, []table.Change{{New: &row}})...); err != nil {
		t.Fatal(err)
	}
	old := row
	old.Deleting = true
	recorder.Take()
	err := errors.Join(rows.Write(ctx, rowScope, in, []table.Change{{Old: &old}})...)
	if calls := recorder.Take(); err != nil || !slices.Equal(calls, []string{"UpdateItem", "TransactWriteItems"}) {
		t.Errorf("a deletion that was interrupted: %v, by %q", err, calls)
	}
}
