package rowdb

import (
	"context"
	"slices"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"

	"minicloud/shared/dynamo"
	"minicloud/shared/errs"
	"minicloud/shared/table"
	"minicloud/shared/tenant"
)

const (
	reindexGroup = 40 // rows, two items each in a transaction
	// reindexPatience is how often a row alone is tried whose value changes.
	reindexPatience = 100
)

// Reindex writes each entry under the condition that the row still has the
// value: others may change the row meanwhile, as often as they like. A row whose
// own value changes is read again, and then tried alone.
func (s *Rows) Reindex(ctx context.Context, scope tenant.Scope, t table.Table, c table.Column, rows []table.Row) error {
	for attempt := 0; len(rows) > 0; {
		n := reindexable(rows)
		if attempt > 0 {
			n = 1
		}
		stale, err := s.reindex(ctx, scope, t, c, rows[:n])
		switch {
		case err != nil:
			return err
		case len(stale) == 0:
			rows, attempt = rows[n:], 0
			continue
		case len(stale) < n: // nothing was written, but these will be
			attempt = 0
		default:
			attempt++
		}
		if attempt > reindexPatience || attempt > 0 && !pause(ctx, attempt) {
			return errs.Conflict("row %s changes too often to be indexed, try again", stale[0])
		}
		fresh, err := s.ReadRows(ctx, scope, t, stale)
		if err != nil {
			return err
		}
		rows = instead(rows, n, stale, fresh)
	}
	return nil
}

// reindexable is how many of the rows one transaction takes.
func reindexable(rows []table.Row) int {
	bytes := 0
	for i, row := range rows {
		if bytes += table.Size(row.Fields); i == reindexGroup || i > 0 && bytes > maxTransactionBytes {
			return i
		}
	}
	return len(rows)
}

// instead puts rows that were read again in the place of the stale ones among
// the first n: behind all others, or, when there are no others, where they were.
func instead(rows []table.Row, n int, stale []table.RowID, fresh map[table.RowID]table.Row) []table.Row {
	var cool, hot []table.Row
	for _, row := range rows[:n] {
		if !slices.Contains(stale, row.ID) {
			cool = append(cool, row)
		} else if now, exists := fresh[row.ID]; exists {
			hot = append(hot, now)
		}
	}
	if len(cool) == 0 {
		return append(hot, rows[n:]...)
	}
	return slices.Concat(cool, rows[n:], hot)
}

// reindex writes the entries of all rows or, when some have another value by
// now, of none, and returns these.
func (s *Rows) reindex(ctx context.Context, scope tenant.Scope, t table.Table, c table.Column, rows []table.Row) ([]table.RowID, error) {
	var parts []types.TransactWriteItem
	for _, row := range rows {
		parts = append(parts,
			types.TransactWriteItem{ConditionCheck: s.hasValue(scope, t, c, row)},
			types.TransactWriteItem{Put: &types.Put{
				TableName: &s.Indexes, Item: dynamo.Key(indexPK(scope, t.ID, c.Index.ID), c.Entry(row).Key()),
			}})
	}
	_, err := s.Client.TransactWriteItems(ctx, &dynamodb.TransactWriteItemsInput{TransactItems: parts})
	var stale []table.RowID
	for i, row := range rows {
		if dynamo.ConditionFailedAt(err, 2*i) {
			stale = append(stale, row.ID)
		}
	}
	if len(stale) > 0 {
		return stale, nil
	}
	return nil, dynamo.Wrap("build index", err)
}

// hasValue is the condition that the row exists and has this value in the column.
func (s *Rows) hasValue(scope tenant.Scope, t table.Table, c table.Column, row table.Row) *types.ConditionCheck {
	check := &types.ConditionCheck{
		TableName: &s.Table, Key: dynamo.Key(rowPK(scope, t.ID), string(row.ID)),
		ConditionExpression:      aws.String("attribute_exists(#fields) AND attribute_not_exists(#fields.#column)"),
		ExpressionAttributeNames: map[string]string{"#fields": attrFields, "#column": c.Key},
	}
	if v := row.Fields[c.Name]; v != nil {
		check.ConditionExpression = aws.String("#fields.#column = :value")
		check.ExpressionAttributeValues = dynamo.Item{":value": toAttribute(v)}
	}
	return check
}

// PurgeRows deletes rows.
func (s *Rows) PurgeRows(ctx context.Context, scope tenant.Scope, id table.ID) (bool, error) {
	return dynamo.Purge(ctx, s.Client, s.Table, rowPK(scope, id))
}

// PurgeIndex deletes entries.
func (s *Rows) PurgeIndex(ctx context.Context, scope tenant.Scope, id table.ID, index string) (bool, error) {
	return dynamo.Purge(ctx, s.Client, s.Indexes, indexPK(scope, id, index))
}
