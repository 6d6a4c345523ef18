package dynamo

import (
	"context"
	"slices"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"
	"golang.org/x/sync/errgroup"

	"minicloud/shared/retry"
)

const (
	// MaxBatchGet is how many items one BatchGetItem reads.
	MaxBatchGet = 100
	// MaxBatchWrite is how many writes one BatchWriteItem makes.
	MaxBatchWrite = 25
	// purgeStep is how many items one purge removes at most.
	purgeStep = 1000
	// Writers is how many calls of one request write side by side.
	Writers = 4
)

// BatchGet reads up to 100 items of one table consistently and in one call. It returns those that exist, by sort key.
// The keys must differ in theirs.
func BatchGet(ctx context.Context, client *dynamodb.Client, table string, keys ...Item) (map[string]Item, error) {
	found := make(map[string]Item, len(keys))
	request := map[string]types.KeysAndAttributes{table: {Keys: keys, ConsistentRead: aws.Bool(true)}}
	for attempt := range retry.Calls.Tries {
		out, err := client.BatchGetItem(ctx, &dynamodb.BatchGetItemInput{RequestItems: request})
		if err != nil {
			return nil, err
		}
		for _, it := range out.Responses[table] {
			found[TextOf(it["sk"])] = it
		}
		if request = out.UnprocessedKeys; len(request) == 0 {
			return found, nil
		}
		// DynamoDB leaves a part undone when it is throttled.
		if err := retry.Calls.Sleep(ctx, attempt+1); err != nil {
			return nil, err
		}
	}
	return nil, ErrUnprocessed
}

// BatchWrite makes up to 25 writes, those that are left undone again.
func BatchWrite(ctx context.Context, client *dynamodb.Client, tableName string, requests []types.WriteRequest) error {
	work := map[string][]types.WriteRequest{tableName: requests}
	for attempt := range retry.Calls.Tries {
		out, err := client.BatchWriteItem(ctx, &dynamodb.BatchWriteItemInput{RequestItems: work})
		if err != nil {
			return err
		}
		if work = out.UnprocessedItems; len(work) == 0 {
			return nil
		}
		// DynamoDB leaves a part undone when it is throttled.
		if err := retry.Calls.Sleep(ctx, attempt+1); err != nil {
			return err
		}
	}
	return ErrUnprocessed
}

// BatchDelete deletes the items of those sort keys.
func BatchDelete(ctx context.Context, client *dynamodb.Client, tableName, pk string, keys []string) error {
	group, ctx := errgroup.WithContext(ctx)
	group.SetLimit(Writers)
	for some := range slices.Chunk(keys, MaxBatchWrite) {
		requests := make([]types.WriteRequest, len(some))
		for i, sk := range some {
			requests[i].DeleteRequest = &types.DeleteRequest{Key: Key(pk, sk)}
		}
		group.Go(func() error { return BatchWrite(ctx, client, tableName, requests) })
	}
	return group.Wait()
}

// Purge deletes up to 1,000 items of a partition. It reports whether all are gone now.
func Purge(ctx context.Context, client *dynamodb.Client, tableName, pk string) (done bool, err error) {
	in := Query(tableName, pk, "", "", false, purgeStep)
	in.ProjectionExpression = aws.String("sk")
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
