package dynamo

import (
	"context"
	"maps"
	"slices"
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
	found, err := BatchGetTables(ctx, client, map[string][]Item{table: keys})
	if err != nil {
		return nil, err
	}
	return bySortKey(found[table]), nil
}

// BatchGetTables reads up to 100 items of several tables consistently, and the item announced by WithPrefetch, in one
// call. It returns the items that exist, by table and in any order.
func BatchGetTables(
	ctx context.Context, client *dynamodb.Client, keys map[string][]Item,
) (map[string][]Item, error) {
	p, _ := ctx.Value(prefetchKey{}).(*prefetch)
	if p == nil {
		return batchGet(ctx, client, keys)
	}

	all := maps.Clone(keys)
	// DynamoDB rejects a batch with the same key twice.
	asked := slices.ContainsFunc(keys[p.table], p.is)
	if !asked {
		all[p.table] = append(slices.Clone(keys[p.table]), Key(p.pk, p.sk))
	}
	found, err := batchGet(ctx, client, all)
	if err != nil {
		return nil, err
	}

	p.mu.Lock()
	defer p.mu.Unlock()
	p.read = true
	if i := slices.IndexFunc(found[p.table], p.is); i >= 0 {
		p.item = found[p.table][i]
		if !asked {
			found[p.table] = slices.Delete(found[p.table], i, i+1)
		}
	}
	return found, nil
}

// is reports whether an item or a key is that of the prefetched item.
func (p *prefetch) is(it Item) bool { return TextOf(it["pk"]) == p.pk && TextOf(it["sk"]) == p.sk }
