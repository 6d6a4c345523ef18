package rowdb_test

import (
	"fmt"
	"math/rand/v2"
	"testing"
	"time"

	"minicloud/infra/local/dynamotest"
	"minicloud/shared/clock"
	"minicloud/shared/count"
	"minicloud/shared/dynamo/countdb"
	"minicloud/shared/dynamo/rowdb"
	"minicloud/shared/id"
	"minicloud/shared/language/value"
	"minicloud/shared/page"
	"minicloud/shared/table"
	"minicloud/shared/table/manage"
)

// TestCostOfPages counts the calls for pages of a counted table: small tables are counted item by item, and a large
// offset is walked to.
func TestCostOfPages(t *testing.T) {
	client := dynamotest.Start(t, "RowsTable", "RowIndexesTable", "CountsTable")
	recorder := dynamotest.Record(client)
	rows := &rowdb.Rows{Client: recorder.Client, Table: "RowsTable", Indexes: "RowIndexesTable", Schemas: "TablesTable"}
	counts := &countdb.Store{Client: recorder.Client, Table: "CountsTable", Clock: clock.System}
	s := &manage.Service{Rows: rows, Counts: counts}
	in := table.Table{
		ID: 5, Name: "things", Columns: []table.Column{{Column: value.Column{Name: "n", Type: value.Integer}, Key: "n"}},
	}
	r := rand.New(rand.NewPCG(5, 6))
	begin := time.Unix(1795262400, 0)
	changes := make([]table.Change, 1300)
	var stream []count.Change
	for i := range changes {
		at := begin.Add(time.Duration(r.Int64N(int64(10 * 24 * time.Hour))))
		made := table.RowID(fmt.Sprintf("%014x%010x", int64(id.First(at)), r.Int64N(1<<40)))
		changes[i].New = &table.Row{ID: made, Revision: 1, Fields: map[string]any{"n": int64(1)}}
		stream = append(stream, count.Change{
			Sequence: count.Sequence(fmt.Sprint(i + 1)), Collection: table.Collection(rowScope, in.ID), ID: made.Number(),
			By: 1,
		})
	}

	find := func(what string, offset, calls, total int) {
		t.Helper()
		recorder.Take()
		got, err := s.Find(
			t.Context(), rowScope, in, table.Query{Total: total >= 0, Page: page.Request{Offset: offset, Limit: 2}},
		)
		if err != nil || got.Total != total {
			t.Errorf("%s: total %d, %v, want %d", what, got.Total, err, total)
		}
		if took := recorder.Take(); len(took) > calls {
			t.Errorf("%s: %q, want at most %d calls", what, took, calls)
		}
	}
	write := func(changes []table.Change) {
		t.Helper()
		for _, err := range rows.Write(t.Context(), rowScope, in, changes) {
			if err != nil {
				t.Fatal(err)
			}
		}
	}

	write(changes[:1])
	find("a whole table", 0, 1, 1)
	write(changes[1:100])
	find("a small one, nothing is counted yet", 0, 3, 100)
	find("the middle of it", 80, 4, 100)
	find("its end", 98, 2, 100)
	write(changes[100:])
	find("a large one, nothing is counted yet", 0, 3, 256)
	counter := count.Counter{Store: counts}
	if _, err := counter.Count(t.Context(), count.Shard{Stream: "rows", Name: "1"}, stream); err != nil {
		t.Fatal(err)
	}
	find("a large one", 0, 3, 1300)
	find("a page that is walked to", 1000, 2, -1)
	find("a page near the end", 1200, 2, -1)
}
