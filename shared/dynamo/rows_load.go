package dynamo

import (
	"context"
	"slices"
	"sync"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"

	"minicloud/shared/table"
	"minicloud/shared/tenant"
)

// Loader adds many rows to a table that nobody else is writing: rows and
// entries first, in transactions as large as there can be, the counters of all
// of them at the end. Until Close the table's totals and deep offsets do not
// know the rows. It is for seeds and imports.
type Loader struct {
	rows  *Rows
	scope tenant.Scope
	table table.Table
	mu    sync.Mutex
	delta counterDelta
}

// NewLoader returns a Loader for one table.
func (s *Rows) NewLoader(scope tenant.Scope, t table.Table) *Loader {
	return &Loader{rows: s, scope: scope, table: t, delta: counterDelta{}}
}

// Load adds rows. It may be called by several at once.
func (l *Loader) Load(ctx context.Context, rows []table.Row) error {
	var parts []types.TransactWriteItem
	delta := counterDelta{}
	bytes := 0
	for _, row := range rows {
		it, err := fromRow(l.scope, l.table, row)
		if err != nil {
			return err
		}
		put := types.TransactWriteItem{Put: &types.Put{TableName: &l.rows.Table, Item: it, ConditionExpression: aws.String("attribute_not_exists(pk)")}}
		added := append([]types.TransactWriteItem{put}, l.rows.entryParts(l.scope, l.table, nil, &row)...)
		size := table.Size(row.Fields)
		if len(parts)+len(added) > 100 || bytes+size > maxTransactionBytes {
			if err := l.transact(ctx, parts); err != nil {
				return err
			}
			parts, bytes = nil, 0
		}
		parts, bytes = append(parts, added...), bytes+size
		delta.count(row.ID.Number(), +1)
	}
	if err := l.transact(ctx, parts); err != nil {
		return err
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	l.delta.add(delta)
	return nil
}

// Close counts what was loaded.
func (l *Loader) Close(ctx context.Context) error {
	for len(l.delta) > 0 {
		parts := l.rows.counterParts(l.scope, l.table.ID, l.delta.split(maxChildren), 0)
		for some := range slices.Chunk(parts, 100) {
			if err := l.transact(ctx, some); err != nil {
				return err
			}
		}
	}
	// Not every transaction above had a root.
	return l.transact(ctx, l.rows.counterParts(l.scope, l.table.ID, counterDelta{table.NodeID{}: nil}, 0))
}

// maxChildren is how many children of a node one update names: an expression
// has at most 4 KB.
const maxChildren = 100

// split takes up to n children of each node out of the delta.
func (d counterDelta) split(n int) counterDelta {
	part := counterDelta{}
	for node, children := range d {
		part[node] = map[int]int{}
		for child, by := range children {
			if len(part[node]) == n {
				break
			}
			part[node][child] = by
			delete(children, child)
		}
		if len(children) == 0 {
			delete(d, node)
		}
	}
	return part
}

func (l *Loader) transact(ctx context.Context, parts []types.TransactWriteItem) error {
	if len(parts) == 0 {
		return nil
	}
	_, err := l.rows.Client.TransactWriteItems(ctx, &dynamodb.TransactWriteItemsInput{TransactItems: parts})
	return wrap("load rows", err)
}
