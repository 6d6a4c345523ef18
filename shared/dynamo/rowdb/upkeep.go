package rowdb

import (
	"context"

	"github.com/aws/aws-sdk-go-v2/feature/dynamodb/expression"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"

	"minicloud/shared/dynamo"
	"minicloud/shared/dynamo/partition"
	"minicloud/shared/errs"
	"minicloud/shared/permission"
	"minicloud/shared/retry"
	"minicloud/shared/table"
	"minicloud/shared/tenant"
)

// Reindex writes each entry on the condition that the row still has the indexed value, so other changes of the row do
// not interfere. It reads a row again if the value itself has changed.
func (s *Rows) Reindex(ctx context.Context, scope tenant.Scope, t table.Table, c table.Column, rows []table.Row) error {
	return s.reindexAll(ctx, scope, t, rows, func(w *write, row table.Row) error {
		// Without the check, the entry of an old value could remain after a concurrent change of the row.
		check, err := s.hasValue(scope, t, c, row)
		entry := dynamo.Put(s.Indexes, dynamo.Key(indexPK(scope, t.ID, c.Index.ID), c.Entry(row).Key()), "", nil)
		w.parts = []dynamo.Part{check, entry}
		return err
	})
}

// ReindexReaders writes the entries of each row on the condition that its permissions and creator are as read.
func (s *Rows) ReindexReaders(ctx context.Context, scope tenant.Scope, t table.Table, rows []table.Row) error {
	return s.reindexAll(ctx, scope, t, rows, func(w *write, row table.Row) error {
		entries := s.readerParts(scope, t, nil, &row)
		if len(entries) == 0 { // most rows of most tables
			return nil
		}
		check, err := s.check(scope, t, row.ID, permits(row))
		w.parts = append([]dynamo.Part{check}, entries...)
		return err
	})
}

// permits returns the condition that a row has these permissions and this creator.
func permits(row table.Row) expression.ConditionBuilder {
	perm := permission.Lists(row.Perm.Read, row.Perm.Write)
	return expression.Name(attrPerm).Equal(expression.Value(perm)).
		And(expression.Name(attrCreatedBy).Equal(expression.Value(row.CreatedBy)))
}

// reindexAll makes the write of each row whose parts plan sets; the first of them checks that the row is as read. It
// reads a row again if it is not.
func (s *Rows) reindexAll(
	ctx context.Context, scope tenant.Scope, t table.Table, rows []table.Row, plan func(*write, table.Row) error,
) error {
	return retry.Writes.Do(ctx, retry.OnConflict, func(try int) error {
		if try > 0 {
			now, err := s.ReadRows(ctx, scope, t, ids(rows))
			if err != nil {
				return err
			}
			rows = inOrder(now, rows)
		}

		var err error
		rows, err = s.reindex(ctx, scope, t, rows, plan)
		if err == nil && len(rows) > 0 {
			err = errs.Conflict("row %s changes too often to be indexed, try again", rows[0].ID)
		}
		return err
	})
}

// reindex makes the writes of rows and returns the rows that have changed.
func (s *Rows) reindex(
	ctx context.Context, scope tenant.Scope, t table.Table, rows []table.Row, plan func(*write, table.Row) error,
) (stale []table.Row, err error) {
	var writes []write
	for i, row := range rows {
		w := write{place: i, change: table.Change{Old: &row}}
		if err := plan(&w, row); err != nil {
			return nil, err
		}
		if len(w.parts) > 0 {
			writes = append(writes, w)
		}
	}

	failed := make([]error, len(rows))
	s.writeApart(ctx, scope, t, writes, 1, failed)
	for i, err := range failed {
		if retry.OnConflict(err) {
			stale = append(stale, rows[i])
		} else if err != nil {
			return nil, err
		}
	}
	return stale, nil
}

// hasValue returns the check that the row exists and has this value in the column.
func (s *Rows) hasValue(scope tenant.Scope, t table.Table, c table.Column, row table.Row) (dynamo.Part, error) {
	condition := expression.Name(attrFields).AttributeExists().And(fieldName(c).AttributeNotExists())
	if v := row.Fields[c.Name]; v != nil {
		condition = fieldName(c).Equal(expression.Value(toAttribute(v)))
	}

	return s.check(scope, t, row.ID, condition)
}

// check returns the check that the row meets the condition.
func (s *Rows) check(
	scope tenant.Scope, t table.Table, id table.RowID, condition expression.ConditionBuilder,
) (dynamo.Part, error) {
	e, err := expression.NewBuilder().WithCondition(condition).Build()
	return dynamo.Part{ConditionCheck: &types.ConditionCheck{
		TableName: &s.Table, Key: Key(scope, t, id), ConditionExpression: e.Condition(),
		ExpressionAttributeNames: e.Names(), ExpressionAttributeValues: e.Values(),
	}}, err
}

// fieldName returns the path of the column's value in a row's item.
func fieldName(c table.Column) expression.NameBuilder {
	return expression.Name(attrFields).AppendName(expression.NameNoDotSplit(c.Key))
}

// inOrder returns the rows that were read again, in the order of the former ones, so that the same retry has the same
// transactions. Deleted rows are not among them.
func inOrder(now map[table.RowID]table.Row, former []table.Row) (rows []table.Row) {
	for _, row := range former {
		if again, there := now[row.ID]; there {
			rows = append(rows, again)
		}
	}
	return rows
}

func ids(rows []table.Row) []table.RowID {
	list := make([]table.RowID, len(rows))
	for i, row := range rows {
		list[i] = row.ID
	}
	return list
}

// PurgeRows deletes up to 1,000 rows of each partition, until one has more.
func (s *Rows) PurgeRows(ctx context.Context, scope tenant.Scope, id table.ID, shards int) (done bool, err error) {
	for _, pk := range partition.All(scope, id, shards) {
		if done, err = dynamo.Purge(ctx, s.Client, s.Table, pk); !done || err != nil {
			return false, err
		}
	}
	return true, nil
}

// PurgeIndex deletes up to 1,000 entries.
func (s *Rows) PurgeIndex(ctx context.Context, scope tenant.Scope, id table.ID, index string) (bool, error) {
	return dynamo.Purge(ctx, s.Client, s.Indexes, indexPK(scope, id, index))
}
