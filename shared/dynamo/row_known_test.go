package dynamo_test

import (
	"context"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/aws/aws-sdk-go-v2/service/dynamodb"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"
	"github.com/aws/smithy-go/middleware"

	"minicloud/infra/local/dynamotest"
	"minicloud/shared/dynamo"
	"minicloud/shared/id"
	"minicloud/shared/page"
	"minicloud/shared/table"
	"minicloud/shared/value"
)

// spread are the ids of rows of a table, ascending.
type spread struct {
	in  table.Table
	ids []table.RowID
}

func newSpread() *spread {
	return &spread{in: table.Table{ID: 5, Name: "things", Columns: []table.Column{{Column: value.Column{Name: "n", Type: value.Integer}, Key: "n"}}}}
}

// insert adds n rows at random moments of ten days, many of them in one minute.
func (s *spread) insert(t testing.TB, rows *dynamo.Rows, r *rand.Rand, n int) {
	t.Helper()
	changes := make([]table.Change, n)
	for i := range changes {
		at := time.Unix(1795262400, 0).Add(time.Duration(r.Int64N(int64(time.Minute))))
		if r.IntN(3) == 0 {
			at = at.Add(time.Duration(r.Int64N(int64(10 * 24 * time.Hour))))
		}
		made := table.RowID(fmt.Sprintf("%014x%010x", int64(id.First(at)), r.Int64N(1<<40)))
		changes[i].New = &table.Row{ID: made, Revision: 1, Fields: map[string]any{"n": int64(1)}}
		s.ids = append(s.ids, made)
	}
	for _, err := range rows.Write(t.Context(), rowScope, s.in, changes) {
		if err != nil {
			t.Fatal(err)
		}
	}
	slices.Sort(s.ids)
}

func (s *spread) delete(t testing.TB, rows *dynamo.Rows, r *rand.Rand) {
	t.Helper()
	i := r.IntN(len(s.ids))
	old := table.Row{ID: s.ids[i], Revision: 1, Fields: map[string]any{"n": int64(1)}}
	if err := rows.Write(t.Context(), rowScope, s.in, []table.Change{{Old: &old}})[0]; err != nil {
		t.Fatal(err)
	}
	s.ids = slices.Delete(s.ids, i, i+1)
}

// page asks for two rows at the offset, newest first.
func (s *spread) page(t testing.TB, rows *dynamo.Rows, offset int) {
	t.Helper()
	service := &table.Service{Rows: rows}
	got, err := service.Find(t.Context(), rowScope, s.in, table.Query{Total: true, Page: page.Request{Offset: offset, Limit: 2}})
	if err != nil {
		t.Fatal(err)
	}
	var ids, want []table.RowID
	for _, row := range got.Objects {
		ids = append(ids, row.ID)
	}
	for i := len(s.ids) - 1 - offset; i >= 0 && len(want) < 2; i-- {
		want = append(want, s.ids[i])
	}
	if !slices.Equal(ids, want) || got.Total != len(s.ids) {
		t.Fatalf("offset %d: %q of %d, want %q of %d", offset, ids, got.Total, want, len(s.ids))
	}
}

// TestDeepPagesSeeEveryWrite has a process that knows counters ask for pages
// between the writes of others, on all copies.
func TestDeepPagesSeeEveryWrite(t *testing.T) {
	client := dynamotest.Start(t, "RowsTable", "RowIndexesTable")
	var met atomic.Int64
	reader := &dynamo.Rows{Client: client, Table: "RowsTable", Indexes: "RowIndexesTable"}
	writers := []*dynamo.Rows{reader, {Client: client, Table: "RowsTable", Indexes: "RowIndexesTable"}, {Client: crowded(client, &met), Table: "RowsTable", Indexes: "RowIndexesTable"}}
	r := rand.New(rand.NewPCG(1, 2))
	s := newSpread()
	s.insert(t, writers[1], r, 300)
	for i := range 100 {
		writer := writers[r.IntN(min(1+i/20, len(writers)))]
		switch r.IntN(4) {
		case 0:
			s.insert(t, writer, r, 1+r.IntN(3))
		case 1, 2:
			s.delete(t, writer, r)
		}
		for range 1 + r.IntN(3) {
			s.page(t, reader, 65+r.IntN(len(s.ids)-50))
		}
	}
}

// meanwhile is a client that calls do once, when a counter below the root's
// children has been read and its reader does not have it yet.
func meanwhile(client *dynamodb.Client, do *func()) *dynamodb.Client {
	late := middleware.InitializeMiddlewareFunc("late", func(ctx context.Context, in middleware.InitializeInput, next middleware.InitializeHandler) (middleware.InitializeOutput, middleware.Metadata, error) {
		out, metadata, err := next.HandleInitialize(ctx, in)
		if query, ok := in.Parameters.(*dynamodb.QueryInput); ok && *do != nil {
			if from, ok := query.ExpressionAttributeValues[":from"].(*types.AttributeValueMemberS); ok && strings.HasPrefix(from.Value, "2#") {
				now := *do
				*do = nil
				now()
			}
		}
		return out, metadata, err
	})
	return dynamodb.New(client.Options(), func(o *dynamodb.Options) {
		o.APIOptions = append(slices.Clone(o.APIOptions), func(stack *middleware.Stack) error {
			return stack.Initialize.Add(late, middleware.After)
		})
	})
}

// TestACounterIsNotTakenForANewerOne: while one request waits for a counter,
// the counter changes, and another request sees the new root.
func TestACounterIsNotTakenForANewerOne(t *testing.T) {
	client := dynamotest.Start(t, "RowsTable", "RowIndexesTable")
	var do func()
	reader := &dynamo.Rows{Client: meanwhile(client, &do), Table: "RowsTable", Indexes: "RowIndexesTable"}
	writer := &dynamo.Rows{Client: client, Table: "RowsTable", Indexes: "RowIndexesTable"}
	r := rand.New(rand.NewPCG(3, 4))
	s := newSpread()
	s.insert(t, writer, r, 300)
	done := false
	do = func() {
		done = true
		for range 50 {
			s.delete(t, writer, r)
		}
		if _, err := reader.Counters(t.Context(), rowScope, s.in.ID); err != nil {
			t.Error(err)
		}
	}
	service := &table.Service{Rows: reader}
	if _, err := service.Find(t.Context(), rowScope, s.in, table.Query{Page: page.Request{Offset: 200, Limit: 2}}); err != nil {
		t.Fatal(err)
	}
	if !done {
		t.Fatal("no counter was read")
	}
	for offset := 70; offset < len(s.ids); offset += 23 {
		s.page(t, reader, offset)
	}
}

// TestCostOfDeepPages counts the calls of a page at a deep offset.
func TestCostOfDeepPages(t *testing.T) {
	client := dynamotest.Start(t, "RowsTable", "RowIndexesTable")
	recorder := record(client)
	rows := &dynamo.Rows{Client: recorder.Client, Table: "RowsTable", Indexes: "RowIndexesTable"}
	service := &table.Service{Rows: rows}
	s := newSpread()
	s.insert(t, rows, rand.New(rand.NewPCG(5, 6)), 300)
	for i, want := range []int{table.CountLevels, 2, 3, 2, 2} {
		recorder.take()
		if _, err := service.Find(t.Context(), rowScope, s.in, table.Query{Page: page.Request{Offset: 200, Limit: 2}}); err != nil {
			t.Fatal(err)
		}
		if got := recorder.take(); len(got) > want {
			t.Errorf("page %d: %q, want at most %d calls", i+1, got, want)
		}
	}
}
