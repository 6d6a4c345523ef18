package dynamo

import (
	"context"
	"sync"

	"github.com/aws/aws-sdk-go-v2/service/dynamodb"
)

// prefetch is an item that a request will ask for after it has read who calls: both are read in one call. It is in the
// request's context only, and is used once, by whoever asks for just this item.
type prefetch struct {
	table  string
	pk, sk string

	mu   sync.Mutex
	read bool
	item Item // nil = there is none
}

type prefetchKey struct{}

// WithPrefetch announces an item that the request will read later.
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

// BatchGetPrefetch is BatchGet, and reads what the request wants to have prefetched in the same call.
func BatchGetPrefetch(
	ctx context.Context, client *dynamodb.Client, table string, keys ...Item,
) (map[string]Item, error) {
	p, _ := ctx.Value(prefetchKey{}).(*prefetch)
	// In the same table the answer would not tell the prefetched item from the others.
	if p == nil || p.table == table {
		return BatchGet(ctx, client, table, keys...)
	}

	found, err := batchGet(ctx, client, map[string][]Item{table: keys, p.table: {Key(p.pk, p.sk)}})
	if err != nil {
		return nil, err
	}

	p.mu.Lock()
	defer p.mu.Unlock()
	p.read = true
	for _, it := range found[p.table] {
		p.item = it
	}
	return bySortKey(found[table]), nil
}
