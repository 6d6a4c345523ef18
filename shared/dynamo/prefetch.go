package dynamo

import (
	"context"
	"sync"

	"github.com/aws/aws-sdk-go-v2/service/dynamodb"
)

// prefetch is an item that the request will need after authentication; the call that reads the caller's credentials
// reads it too. It is stored in the request's context and used once, by the read of exactly this item.
type prefetch struct {
	table  string
	pk, sk string

	mu   sync.Mutex
	read bool
	item Item // nil = does not exist
}

type prefetchKey struct{}

// WithPrefetch announces an item that the request will read later.
func WithPrefetch(ctx context.Context, table, pk, sk string) context.Context {
	return context.WithValue(ctx, prefetchKey{}, &prefetch{table: table, pk: pk, sk: sk})
}

// Prefetched returns a prefetched item and marks it as used; false if it was not prefetched or is already used.
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

// BatchGetPrefetch is BatchGet that also reads the item announced by WithPrefetch, in the same call.
func BatchGetPrefetch(
	ctx context.Context, client *dynamodb.Client, table string, keys ...Item,
) (map[string]Item, error) {
	p, _ := ctx.Value(prefetchKey{}).(*prefetch)
	// In the same table the prefetched item could not be told from the others: they are returned by sort key.
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
