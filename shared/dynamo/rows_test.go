package dynamo_test

import (
	"context"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"
	"github.com/aws/smithy-go/middleware"

	"minicloud/infra/local/dynamotest"
	"minicloud/shared/clock"
	"minicloud/shared/dynamo"
	"minicloud/shared/errs"
	"minicloud/shared/id"
	"minicloud/shared/table"
	"minicloud/shared/tenant"
	"minicloud/shared/value"
	"minicloud/shared/value/update"
)

var rowScope = tenant.Scope{App: 7, Env: tenant.Production}

// crowded is a client whose transactions meet others half of the time, which
// the local engine does not show.
func crowded(client *dynamodb.Client, met *atomic.Int64) *dynamodb.Client {
	conflict := middleware.InitializeMiddlewareFunc("conflict", func(ctx context.Context, in middleware.InitializeInput, next middleware.InitializeHandler) (middleware.InitializeOutput, middleware.Metadata, error) {
		if write, ok := in.Parameters.(*dynamodb.TransactWriteItemsInput); ok && rand.IntN(2) == 0 {
			met.Add(1)
			reasons := make([]types.CancellationReason, len(write.TransactItems))
			for i := range reasons {
				reasons[i].Code = aws.String("None")
			}
			reasons[len(reasons)-1].Code = aws.String("TransactionConflict")
			return middleware.InitializeOutput{}, middleware.Metadata{}, &types.TransactionCanceledException{CancellationReasons: reasons}
		}
		return next.HandleInitialize(ctx, in)
	})
	return dynamodb.New(client.Options(), func(o *dynamodb.Options) {
		o.APIOptions = append(slices.Clone(o.APIOptions), func(stack *middleware.Stack) error {
			return stack.Initialize.Add(conflict, middleware.After)
		})
	})
}

// TestCountersInACrowd has many writers meet on the counters: they move to
// other copies, and the sums stay exact.
func TestCountersInACrowd(t *testing.T) {
	client := dynamotest.Start(t, "TablesTable", "RowsTable", "RowIndexesTable")
	var met atomic.Int64
	rows := &dynamo.Rows{Client: crowded(client, &met), Table: "RowsTable", Indexes: "RowIndexesTable"}
	s := &table.Service{Schemas: &dynamo.Tables{Client: client, Name: "TablesTable"}, Rows: rows, Clock: clock.System, IDs: new(id.Source)}
	name := "things"
	in, err := s.Create(t.Context(), rowScope, table.Definition{Name: &name, Columns: []table.Column{{Column: value.Column{Name: "n", Type: value.Integer, Indexed: true}}}})
	if err != nil {
		t.Fatal(err)
	}
	var wg sync.WaitGroup
	for range 20 {
		wg.Go(func() {
			for range 10 {
				made := s.Insert(t.Context(), rowScope, in, []map[string]any{{"n": 1}, {"n": 2}}, table.Author{})
				for _, o := range made {
					if o.Err != nil {
						t.Error(o.Err)
					}
				}
				if _, err := s.Delete(t.Context(), rowScope, in, made[0].Row.ID, table.Origin{}); err != nil {
					t.Error(err)
				}
			}
		})
	}
	wg.Wait()
	total, err := rows.Total(t.Context(), rowScope, in.ID)
	if err != nil || total != 200 {
		t.Errorf("counted %d rows, want 200 (%v)", total, err)
	}
	out, err := client.Query(t.Context(), &dynamodb.QueryInput{
		TableName: aws.String("RowIndexesTable"), KeyConditionExpression: aws.String("pk = :pk AND begins_with(sk, :root)"),
		ExpressionAttributeValues: map[string]types.AttributeValue{
			":pk": &types.AttributeValueMemberS{Value: rowScope.String() + "#" + in.ID.String() + "#count"}, ":root": &types.AttributeValueMemberS{Value: "0#"},
		},
	})
	if err != nil || len(out.Items) < 2 {
		t.Errorf("after %d conflicts the root has %d copies (%v)", met.Load(), len(out.Items), err)
	}
}

// TestOriginStaysUntilTheNextChange looks at what triggers will see.
func TestOriginStaysUntilTheNextChange(t *testing.T) {
	client := dynamotest.Start(t, "TablesTable", "RowsTable", "RowIndexesTable")
	recorder := record(client)
	rows := &dynamo.Rows{Client: recorder.Client, Table: "RowsTable", Indexes: "RowIndexesTable"}
	s := &table.Service{Schemas: &dynamo.Tables{Client: client, Name: "TablesTable"}, Rows: rows, Clock: clock.Fixed(time.Unix(1795262400, 0)), IDs: new(id.Source)}
	in := table.Table{ID: 5, Name: "things", Columns: []table.Column{{Column: value.Column{Name: "n", Type: value.Integer}, Key: "n"}}}
	quiet := table.Origin{Quiet: true, Depth: 3}
	made := s.Insert(t.Context(), rowScope, in, []map[string]any{{"n": 1}}, table.Author{Origin: quiet})[0]
	if made.Err != nil {
		t.Fatal(made.Err)
	}
	if got, err := s.Read(t.Context(), rowScope, in, made.Row.ID); err != nil || got.Origin != quiet {
		t.Errorf("created by %+v, %v", got.Origin, err)
	}
	if got, err := s.Update(t.Context(), rowScope, in, made.Row.ID, nil, table.Origin{}); err != nil || got.Origin != (table.Origin{}) {
		t.Errorf("updated by %+v, %v", got.Origin, err)
	}
	recorder.take()
	if _, err := s.Delete(t.Context(), rowScope, in, made.Row.ID, quiet); err != nil {
		t.Fatal(err)
	}
	if got := recorder.take(); !slices.Equal(got, []string{"GetItem", "UpdateItem", "TransactWriteItems"}) {
		t.Errorf("a quiet deletion is %q", got)
	}
	if _, err := s.Read(t.Context(), rowScope, in, made.Row.ID); !errs.Is(err, errs.KindNotFound) {
		t.Errorf("deleted row: %v", err)
	}
}

// TestCostOfRows counts calls, which is what AWS charges for.
func TestCostOfRows(t *testing.T) {
	client := dynamotest.Start(t, "TablesTable", "RowsTable", "RowIndexesTable")
	recorder := record(client)
	rows := &dynamo.Rows{Client: recorder.Client, Table: "RowsTable", Indexes: "RowIndexesTable"}
	s := &table.Service{Schemas: &dynamo.Tables{Client: client, Name: "TablesTable"}, Rows: rows, Clock: clock.System, IDs: new(id.Source)}
	in := table.Table{ID: 5, Name: "things", Columns: []table.Column{
		{Column: value.Column{Name: "n", Type: value.Integer, Indexed: true}, Key: "n", Index: &table.Index{ID: "n"}},
		{Column: value.Column{Name: "note", Type: value.String}, Key: "note"},
	}}
	made := s.Insert(t.Context(), rowScope, in, []map[string]any{{"n": 1}}, table.Author{})[0]
	if got := recorder.take(); made.Err != nil || !slices.Equal(got, []string{"TransactWriteItems"}) {
		t.Errorf("insert: %q, %v", got, made.Err)
	}
	for _, c := range []struct {
		body map[string]any
		want []string
	}{
		{map[string]any{"note": "x"}, []string{"UpdateItem"}},
		{map[string]any{"n": 5.0}, []string{"GetItem", "TransactWriteItems"}},
		{map[string]any{"n": 5.0}, []string{"GetItem", "UpdateItem"}}, // the entry stays where it is
	} {
		operations, err := update.FromObject(c.body, in.Writable(), nil)
		if err != nil {
			t.Fatal(err)
		}
		if _, err := s.Update(t.Context(), rowScope, in, made.Row.ID, operations, table.Origin{}); err != nil {
			t.Error(err)
		}
		if got := recorder.take(); !slices.Equal(got, c.want) {
			t.Errorf("%v: %q, want %q", c.body, got, c.want)
		}
	}
}

// TestPatchesKnowTheLimit: a row stays within its size, however it grows (D49),
// and one that has room is still changed by one call.
func TestPatchesKnowTheLimit(t *testing.T) {
	client := dynamotest.Start(t, "TablesTable", "RowsTable", "RowIndexesTable")
	recorder := record(client)
	s := &table.Service{Rows: &dynamo.Rows{Client: recorder.Client, Table: "RowsTable", Indexes: "RowIndexesTable"}, Clock: clock.System, IDs: new(id.Source)}
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
	recorder.take()
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
		row, err := s.Update(t.Context(), rowScope, in, made.Row.ID, operations(t, in, c.body), table.Origin{})
		if c.ok != (err == nil) || err != nil && !errs.Is(err, errs.KindInvalid) {
			t.Errorf("step %d: %v", i, err)
		}
		if size := table.Size(row.Fields); size > table.MaxRowBytes {
			t.Errorf("step %d: the row has %d bytes", i, size)
		}
		if got := recorder.take(); !slices.Equal(got, c.want) {
			t.Errorf("step %d: %q, want %q", i, got, c.want)
		}
	}
}

// TestManyFieldsAtOnce: an update of every field of the widest table fits what
// DynamoDB takes, 4 KB of expression.
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
		o.APIOptions = append(slices.Clone(o.APIOptions), func(stack *middleware.Stack) error { return stack.Initialize.Add(measure, middleware.After) })
	})
	s := &table.Service{Rows: &dynamo.Rows{Client: measured, Table: "RowsTable", Indexes: "RowIndexesTable"}, Clock: clock.System, IDs: new(id.Source)}
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
		if _, err := s.Update(t.Context(), rowScope, in, made.Row.ID, operations(t, in, body), table.Origin{}); err != nil {
			t.Errorf("%d fields: %v", n, err)
		}
	}
	if longest == 0 || longest > 4096 {
		t.Errorf("an expression has %d bytes", longest)
	}
}

// TestReindexOfRowsThatChange: what happens to other columns does not matter, and
// only rows with another value are read again.
func TestReindexOfRowsThatChange(t *testing.T) {
	client := dynamotest.Start(t, "TablesTable", "RowsTable", "RowIndexesTable")
	recorder := record(client)
	rows := &dynamo.Rows{Client: recorder.Client, Table: "RowsTable", Indexes: "RowIndexesTable"}
	s := &table.Service{Rows: rows, Clock: clock.System, IDs: new(id.Source)}
	before := table.Table{ID: 5, Name: "things", Columns: []table.Column{
		{Column: value.Column{Name: "n", Type: value.Integer}, Key: "n"}, {Column: value.Column{Name: "hits", Type: value.Integer}, Key: "hits"},
	}}
	after := before
	after.Columns = slices.Clone(before.Columns)
	after.Columns[0].Index = &table.Index{ID: "n"}
	var seen []table.Row
	for _, o := range s.Insert(t.Context(), rowScope, before, []map[string]any{{"n": 1}, {"n": 2}, {}, {"n": 4}, {"n": 5}}, table.Author{}) {
		seen = append(seen, o.Row)
	}
	change := func(i int, body map[string]any) {
		if _, err := s.Update(t.Context(), rowScope, before, seen[i].ID, operations(t, before, body), table.Origin{}); err != nil {
			t.Fatal(err)
		}
	}
	recount := func(want []string, calls ...string) {
		t.Helper()
		recorder.take()
		if err := rows.Reindex(t.Context(), rowScope, after, after.Columns[0], seen); err != nil {
			t.Fatal(err)
		}
		if got := recorder.take(); !slices.Equal(got, calls) {
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
	recount(values(seen[0], moved, seen[2], seen[3], seen[4]), "TransactWriteItems", "GetItem", "TransactWriteItems")
	if _, err := s.Delete(t.Context(), rowScope, before, seen[2].ID, table.Origin{}); err != nil { // one without a value
		t.Fatal(err)
	}
	recount(values(seen[0], moved, seen[3], seen[4]), "TransactWriteItems", "BatchGetItem", "TransactWriteItems")
}
