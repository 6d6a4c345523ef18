package dynamo

import (
	"context"
	"sync"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"
)

// prefetch is an item that a request will ask for after it has read who calls: both are read in one call. What was
// Prefetched is used once, by whoever asks for just this item, and is in the request's context only.
type prefetch struct {
	table  string
	pk, sk string

	mu   sync.Mutex
	read bool
	item Item // nil = there is none
}

type prefetchKey struct{}

// WithPrefetch notes what a request will ask for.
func WithPrefetch(ctx context.Context, table, pk, sk string) context.Context {
	return context.WithValue(ctx, prefetchKey{}, &prefetch{table: table, pk: pk, sk: sk})
}

// Prefetched returns an item, false when it was not prefetched.
func Prefetched(ctx context.Context, table, pk, sk string) (Item, bool) {
	p, _ := ctx.Value(prefetchKey{}).(*prefetch)
	if p == nil || p.table != table || p.pk != pk || p.sk != sk {
		return nil, false
	}

	p.mu.Lock()
	defer p.mu.Unlock()
	was := p.read
	p.read = false
	return p.item, was
}

// BatchGetPrefetch is batchGet, and brings what the request wants to have prefetched. A part that DynamoDB leaves undone is
// read again without it.
func BatchGetPrefetch(ctx context.Context, client *dynamodb.Client, table string, keys ...Item) (map[string]Item, error) {
	p, _ := ctx.Value(prefetchKey{}).(*prefetch)
	if p == nil || p.table == table {
		return BatchGet(ctx, client, table, keys...)
	}

	out, err := client.BatchGetItem(ctx, &dynamodb.BatchGetItemInput{RequestItems: map[string]types.KeysAndAttributes{
		table:   {Keys: keys, ConsistentRead: aws.Bool(true)},
		p.table: {Keys: []Item{Key(p.pk, p.sk)}, ConsistentRead: aws.Bool(true)},
	}})
	if err != nil {
		return nil, err
	}
	if len(out.UnprocessedKeys) > 0 {
		return BatchGet(ctx, client, table, keys...)
	}

	found := make(map[string]Item, len(keys))
	for _, it := range out.Responses[table] {
		found[TextOf(it["sk"])] = it
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	p.read = true
	for _, it := range out.Responses[p.table] {
		p.item = it
	}
	return found, nil
}
