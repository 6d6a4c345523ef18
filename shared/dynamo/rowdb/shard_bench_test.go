package rowdb_test

import (
	"errors"
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"
	"time"

	"minicloud/infra/local/dynamotest"
	"minicloud/shared/dynamo/rowdb"
	"minicloud/shared/id"
	"minicloud/shared/table"
	"minicloud/shared/table/shard"
)

// BenchmarkShards reads random pages of 4,000 rows of 0.5 KB in 1, 4 and 16 shards, and reports the calls and read units
// of a page.
func BenchmarkShards(b *testing.B) {
	var cost dynamotest.Cost
	client := dynamotest.Metered(dynamotest.Start(b, "RowsTable", "RowIndexesTable"), &cost)
	rows := &rowdb.Rows{Client: client, Table: "RowsTable", Indexes: "RowIndexesTable", Schemas: "TablesTable"}
	first, text := id.First(time.Unix(1795262400, 0)), strings.Repeat("x", 400)
	for i, shards := range []int{1, 4, 16} {
		in := table.Table{ID: table.ID(20 + i), Name: "things", Columns: indexed.Columns[1:], Epochs: shard.Epochs{{Shards: shards}}}
		in.Columns = append(in.Columns[:1:1], in.Columns[0])
		in.Columns[1].Name, in.Columns[1].Key = "text", "text"
		const many = 4000
		changes := make([]table.Change, many)
		for n := range changes {
			row := table.Row{ID: in.FirstRowID(first + id.ID(4096*n)), Revision: 1, Fields: map[string]any{"hits": int64(n), "text": text}}
			changes[n] = table.Change{New: &row, Fresh: true}
		}
		if err := errors.Join(rows.Write(b.Context(), rowScope, in, changes)...); err != nil {
			b.Fatal(err)
		}
		for _, limit := range []int{20, 100} {
			b.Run(fmt.Sprintf("shards=%d/rows=%d", shards, limit), func(b *testing.B) {
				cost = dynamotest.Cost{}
				rng := rand.New(rand.NewPCG(1, 2))
				for range b.N {
					to, left := in.FirstRowID(first+id.ID(4096*(many/4+rng.IntN(many/2)))), limit
					for left > 0 {
						step, err := rows.ScanRows(b.Context(), rowScope, in, table.RowScan{To: to, Descending: true, Limit: left})
						if err != nil {
							b.Fatal(err)
						}
						left, to = left-len(step.Rows), step.Last
					}
				}
				b.ReportMetric(float64(cost.Calls)/float64(b.N), "calls/op")
				b.ReportMetric(cost.Units/float64(b.N), "units/op")
			})
		}
	}
}
