package rowdb

import (
	"context"
	"slices"
	"sync"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"

	"minicloud/shared/count"
	"minicloud/shared/dynamo"
	"minicloud/shared/dynamo/countdb"
	"minicloud/shared/table"
	"minicloud/shared/tenant"
)

// Loader adds many rows to a table that nobody else is writing, by a client whose
// writes are in no stream: rows and entries in transactions as large as there can
// be, the counters of all of them at the end. Until Close the table's totals and
// deep offsets do not know the rows. It is for seeds and benchmarks.
type Loader struct {
	rows   *Rows
	counts *countdb.Store
	scope  tenant.Scope
	table  table.Table
	mu     sync.Mutex
	delta  count.Delta
}

// NewLoader returns a Loader for one table. counts is nil where the writes are in the
// stream after all, whose consumer counts them.
func (s *Rows) NewLoader(counts *countdb.Store, scope tenant.Scope, t table.Table) *Loader {
	return &Loader{rows: s, counts: counts, scope: scope, table: t, delta: count.Delta{}}
}

// Load adds rows. It may be called by several at once.
func (l *Loader) Load(ctx context.Context, rows []table.Row) error {
	var parts []types.TransactWriteItem
	bytes := 0
	for _, row := range rows {
		it, err := fromRow(l.scope, l.table, row)
		if err != nil {
			return err
		}
		put := types.TransactWriteItem{Put: &types.Put{TableName: &l.rows.Table, Item: it, ConditionExpression: aws.String(dynamo.NotExists)}}
		added := append([]types.TransactWriteItem{put}, l.rows.entryParts(l.scope, l.table, nil, &row)...)
		size := table.Size(row.Fields)
		if len(parts)+len(added) > 100 || bytes+size > maxTransactionBytes {
			if err := l.transact(ctx, parts); err != nil {
				return err
			}
			parts, bytes = nil, 0
		}
		parts, bytes = append(parts, added...), bytes+size
	}
	if err := l.transact(ctx, parts); err != nil {
		return err
	}

	if l.counts == nil {
		return nil
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	for _, row := range rows {
		l.delta.Add(table.Collection(l.scope, l.table.ID), "", row.ID.Number(), 1)
	}
	return nil
}

// Close counts what was loaded.
func (l *Loader) Close(ctx context.Context) error {
	for len(l.delta) > 0 {
		var parts []types.TransactWriteItem
		for key, children := range l.delta {
			parts = append(parts, l.counts.AddToNode(key, taken(children, countdb.MaxChildren)))
			if len(children) == 0 {
				delete(l.delta, key)
			}
		}

		for some := range slices.Chunk(parts, 100) {
			if err := l.transact(ctx, some); err != nil {
				return err
			}
		}
	}

	return nil
}

// taken takes up to n of the children away.
func taken(children map[int]int, n int) map[int]int {
	some := map[int]int{}
	for child, by := range children {
		if len(some) == n {
			break
		}
		some[child] = by
		delete(children, child)
	}

	return some
}

func (l *Loader) transact(ctx context.Context, parts []types.TransactWriteItem) error {
	if len(parts) == 0 {
		return nil
	}

	_, err := l.rows.Client.TransactWriteItems(ctx, &dynamodb.TransactWriteItemsInput{TransactItems: parts})
	return dynamo.Wrap("load rows", err)
}
