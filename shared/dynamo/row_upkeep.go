package dynamo

import (
	"context"
	"errors"
	"slices"
	"sync"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"

	"minicloud/shared/table"
	"minicloud/shared/tenant"
)

const (
	purgeStep    = 1000 // items one Purge call removes at most
	maxBatch     = 25   // of BatchWriteItem
	reindexGroup = 40   // rows, two items each in a transaction
)

// Reindex writes each entry under the condition that the row still has the
// revision whose value it is: a row that changes meanwhile is read again.
func (s *Rows) Reindex(ctx context.Context, scope tenant.Scope, t table.Table, c table.Column, rows []table.Row) error {
	for len(rows) > 0 {
		n := min(len(rows), reindexGroup)
		changed, err := s.reindex(ctx, scope, t, c, rows[:n])
		if err != nil {
			return err
		}
		rows = rows[n:]
		if len(changed) == 0 {
			continue
		}
		again, err := s.ReadRows(ctx, scope, t, changed)
		if err != nil {
			return err
		}
		for _, row := range again {
			rows = append(rows, row)
		}
	}
	return nil
}

// reindex returns the rows that were not as given.
func (s *Rows) reindex(ctx context.Context, scope tenant.Scope, t table.Table, c table.Column, rows []table.Row) ([]table.RowID, error) {
	var parts []types.TransactWriteItem
	for _, row := range rows {
		parts = append(parts,
			types.TransactWriteItem{ConditionCheck: &types.ConditionCheck{
				TableName: &s.Table, Key: itemKey(rowPK(scope, t.ID), string(row.ID)),
				ConditionExpression: aws.String(isRevision), ExpressionAttributeNames: revisionName,
				ExpressionAttributeValues: item{":revision": number(row.Revision)},
			}},
			types.TransactWriteItem{Put: &types.Put{
				TableName: &s.Indexes, Item: itemKey(indexPK(scope, t.ID, c.Index.ID), c.Entry(row).Key()),
			}})
	}
	_, err := s.Client.TransactWriteItems(ctx, &dynamodb.TransactWriteItemsInput{TransactItems: parts})
	if err == nil {
		return nil, nil
	}
	if !conditionFailed(err) {
		return nil, wrap("build index", err)
	}
	// Nothing was written: those that have changed are read again, the others as they are.
	ids := make([]table.RowID, len(rows))
	for i, row := range rows {
		ids[i] = row.ID
	}
	return ids, nil
}

// PurgeRows deletes rows, then the counters.
func (s *Rows) PurgeRows(ctx context.Context, scope tenant.Scope, id table.ID) (bool, error) {
	done, err := s.purge(ctx, s.Table, rowPK(scope, id))
	if err != nil || !done {
		return false, err
	}
	return s.purge(ctx, s.Indexes, countPK(scope, id))
}

// PurgeIndex deletes entries.
func (s *Rows) PurgeIndex(ctx context.Context, scope tenant.Scope, id table.ID, index string) (bool, error) {
	return s.purge(ctx, s.Indexes, indexPK(scope, id, index))
}

// purge deletes up to purgeStep items under pk.
func (s *Rows) purge(ctx context.Context, tableName, pk string) (done bool, err error) {
	in := queryInput(tableName, pk, "", "", false, purgeStep)
	in.ProjectionExpression = aws.String("sk")
	out, err := s.Client.Query(ctx, in)
	if err != nil {
		return false, wrap("purge", err)
	}
	room := make(chan struct{}, writers)
	failed := make([]error, 0, purgeStep/maxBatch)
	var wg sync.WaitGroup
	var mu sync.Mutex
	for items := range slices.Chunk(out.Items, maxBatch) {
		room <- struct{}{}
		wg.Go(func() {
			err := deleteItems(ctx, s.Client, tableName, pk, items)
			mu.Lock()
			failed = append(failed, err)
			mu.Unlock()
			<-room
		})
	}
	wg.Wait()
	if err := errors.Join(failed...); err != nil {
		return false, wrap("purge", err)
	}
	return len(out.LastEvaluatedKey) == 0, nil
}

func deleteItems(ctx context.Context, client *dynamodb.Client, tableName, pk string, items []item) error {
	requests := make([]types.WriteRequest, len(items))
	for i, it := range items {
		requests[i].DeleteRequest = &types.DeleteRequest{Key: itemKey(pk, textOf(it["sk"]))}
	}
	return batchWrite(ctx, client, tableName, requests)
}

// batchWrite makes up to 25 writes, those that are left undone again.
func batchWrite(ctx context.Context, client *dynamodb.Client, tableName string, requests []types.WriteRequest) error {
	work := map[string][]types.WriteRequest{tableName: requests}
	for attempt := range maxAttempts {
		out, err := client.BatchWriteItem(ctx, &dynamodb.BatchWriteItemInput{RequestItems: work})
		if err != nil {
			return err
		}
		if work = out.UnprocessedItems; len(work) == 0 {
			return nil
		}
		if err := rest(ctx, attempt); err != nil {
			return err
		}
	}
	return errUnprocessed
}
