package people

import (
	"context"
	"errors"
	"maps"
	"slices"

	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"

	"minicloud/shared/count"
	"minicloud/shared/dynamo"
	"minicloud/shared/dynamo/countdb"
	"minicloud/shared/dynamo/rowdb"
	"minicloud/shared/table"
	"minicloud/shared/tenant"
)

// Load writes rows to a table with an index through a client without streams, and therefore also updates the
// counters.
func Load(
	ctx context.Context, to *rowdb.Rows, counts *countdb.Store, scope tenant.Scope, t table.Table, rows []table.Row,
) error {
	changes := make([]table.Change, len(rows))
	delta := count.Delta{}
	for i := range rows {
		changes[i].New = &rows[i]
		delta.Add(table.Collection(scope, t.ID), "", rows[i].ID.Number(), 1)
	}
	if err := errors.Join(to.Write(ctx, scope, t, changes)...); err != nil {
		return err
	}

	var parts []types.TransactWriteItem
	for key, children := range delta {
		for some := range slices.Chunk(slices.Collect(maps.Keys(children)), countdb.MaxChildren) {
			added := map[int]int{}
			for _, child := range some {
				added[child] = children[child]
			}
			parts = append(parts, counts.AddToNode(key, added))
		}
	}
	for some := range slices.Chunk(parts, 100) {
		if err := dynamo.Transact(ctx, to.Client, some...); err != nil {
			return err
		}
	}
	return nil
}
