package dynamo

import (
	"context"
	"errors"
	"slices"

	"github.com/aws/aws-sdk-go-v2/service/dynamodb"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"
	"golang.org/x/sync/errgroup"

	"minicloud/shared/retry"
)

const (
	// MaxBatchGet is the maximum number of items that one BatchGetItem reads.
	MaxBatchGet = 100
	// MaxBatchWrite is the maximum number of writes in one BatchWriteItem.
	MaxBatchWrite = 25
	// purgeStep is the maximum number of items that one Purge deletes.
	purgeStep = 1000
	// Writers is the maximum number of concurrent write calls of one request.
	Writers = 4
)

// BatchGet reads items of one table consistently, in one call per 100 keys. It returns the items that exist, by sort
// key. The sort keys must differ.
func BatchGet(ctx context.Context, client *Client, table string, keys ...Item) (map[string]Item, error) {
	found, err := BatchGetItems(ctx, client, table, keys...)
	return bySortKey(found), err
}

// BatchGetItems is BatchGet for keys that may share a sort key: it returns the items that exist, in any order.
func BatchGetItems(ctx context.Context, client *Client, table string, keys ...Item) (all []Item, err error) {
	for some := range slices.Chunk(keys, MaxBatchGet) {
		found, err := batchGet(ctx, client, map[string][]Item{table: some})
		if err != nil {
			return nil, err
		}
		all = append(all, found[table]...)
	}
	return all, nil
}

func bySortKey(items []Item) map[string]Item {
	found := make(map[string]Item, len(items))
	for _, it := range items {
		found[TextOf(it["sk"])] = it
	}
	return found
}

// batchGet reads items by table and requests unprocessed keys again. It skips keys that no item can have.
func batchGet(ctx context.Context, client *Client, keys map[string][]Item) (map[string][]Item, error) {
	work := map[string]types.KeysAndAttributes{}
	for table, some := range keys {
		// DynamoDB rejects the whole batch if one key is empty or too long.
		some = slices.DeleteFunc(slices.Clone(some), func(key Item) bool { return !possible(key) })
		if len(some) > 0 {
			work[table] = types.KeysAndAttributes{Keys: some, ConsistentRead: new(true)}
		}
	}

	found := map[string][]Item{}
	if len(work) == 0 {
		return found, nil
	}
	err := untilDone(ctx, func() (left int, err error) {
		out, err := client.BatchGetItem(ctx, &dynamodb.BatchGetItemInput{RequestItems: work})
		if err != nil {
			return 0, err
		}
		for table, items := range out.Responses {
			found[table] = append(found[table], items...)
		}
		work = out.UnprocessedKeys
		return len(work), nil
	})
	return found, err
}

// untilDone repeats a batch call until nothing is unprocessed: DynamoDB leaves a part unprocessed when it is throttled.
func untilDone(ctx context.Context, call func() (left int, err error)) error {
	isLeft := func(err error) bool { return errors.Is(err, ErrUnprocessed) }

	return retry.Calls.Do(ctx, isLeft, func(int) error {
		left, err := call()
		if err == nil && left > 0 {
			return ErrUnprocessed
		}
		return err
	})
}

// BatchWrite makes writes of one table, in one call per 25, and requests unprocessed ones again.
func BatchWrite(ctx context.Context, client *Client, tableName string, requests []types.WriteRequest) error {
	group, ctx := errgroup.WithContext(ctx)
	group.SetLimit(Writers)
	for some := range slices.Chunk(requests, MaxBatchWrite) {
		work := map[string][]types.WriteRequest{tableName: some}
		group.Go(func() error {
			return untilDone(ctx, func() (left int, err error) {
				out, err := client.BatchWriteItem(ctx, &dynamodb.BatchWriteItemInput{RequestItems: work})
				if err != nil {
					return 0, err
				}
				work = out.UnprocessedItems
				return len(work), nil
			})
		})
	}
	return group.Wait()
}

// BatchDelete deletes the items with these sort keys from one partition.
func BatchDelete(ctx context.Context, client *Client, tableName, pk string, keys []string) error {
	requests := make([]types.WriteRequest, len(keys))
	for i, sk := range keys {
		requests[i].DeleteRequest = &types.DeleteRequest{Key: Key(pk, sk)}
	}
	return BatchWrite(ctx, client, tableName, requests)
}

// Purge deletes up to 1,000 items of a partition and reports whether the partition is empty now.
func Purge(ctx context.Context, client *Client, tableName, pk string) (done bool, err error) {
	in := Query(tableName, pk, "", "", false, purgeStep)
	// A deletion needs only keys: the projection saves transfer but no read units.
	in.ProjectionExpression = new("sk")
	out, err := client.Query(ctx, in)
	if err != nil {
		return false, Wrap("purge", err)
	}

	keys := make([]string, len(out.Items))
	for i, it := range out.Items {
		keys[i] = TextOf(it["sk"])
	}
	if err := BatchDelete(ctx, client, tableName, pk, keys); err != nil {
		return false, Wrap("purge", err)
	}
	return len(out.LastEvaluatedKey) == 0, nil
}
