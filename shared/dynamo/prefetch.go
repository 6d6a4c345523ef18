package dynamo

import (
	"context"
	"maps"
	"slices"
	"sync"

	"github.com/aws/aws-sdk-go-v2/service/dynamodb"
)

// prefetch is what the request will need after authentication: items of one table, which the call that reads the
// caller's credentials reads too. It is stored in the request's context. Each item is used once, by the read of exactly
// this item.
type prefetch struct {
	table string
	keys  []Item

	mu    sync.Mutex
	items map[itemKey]Item // those that were read and are not used yet; nil = does not exist
}

type prefetchKey struct{}

// itemKey identifies an item in its table.
type itemKey struct{ pk, sk string }

func keyOf(it Item) itemKey { return itemKey{TextOf(it["pk"]), TextOf(it["sk"])} }

// WithPrefetch announces items of one table that the request will read later, by their keys.
func WithPrefetch(ctx context.Context, table string, keys ...Item) context.Context {
	return context.WithValue(ctx, prefetchKey{}, &prefetch{table: table, keys: keys})
}

// FindPrefetched is Find that makes no call if the item was prefetched and is not used yet.
func FindPrefetched(ctx context.Context, client *dynamodb.Client, table, pk, sk string, missing error) (Item, error) {
	it, prefetched := prefetched(ctx, table, pk, sk)
	switch {
	case !prefetched:
		return Find(ctx, client, table, pk, sk, missing)
	case len(it) == 0:
		return nil, missing
	}
	return it, nil
}

// prefetched returns a prefetched item and marks it as used; false if it was not prefetched or is already used.
func prefetched(ctx context.Context, table, pk, sk string) (Item, bool) {
	p, _ := ctx.Value(prefetchKey{}).(*prefetch)
	if p == nil || p.table != table {
		return nil, false
	}

	p.mu.Lock()
	defer p.mu.Unlock()
	it, was := p.items[itemKey{pk, sk}]
	delete(p.items, itemKey{pk, sk})
	return it, was
}

// BatchGetPrefetch is BatchGet that also reads the items announced by WithPrefetch, in the same call.
func BatchGetPrefetch(
	ctx context.Context, client *dynamodb.Client, table string, keys ...Item,
) (map[string]Item, error) {
	found, err := BatchGetTables(ctx, client, map[string][]Item{table: keys})
	return bySortKey(found[table]), err
}

// BatchGetTables reads up to 100 items of several tables consistently, and the items announced by WithPrefetch, in one
// call. It returns the items that exist, by table and in any order.
func BatchGetTables(ctx context.Context, client *dynamodb.Client, keys map[string][]Item) (map[string][]Item, error) {
	p, _ := ctx.Value(prefetchKey{}).(*prefetch)
	if p == nil {
		return batchGet(ctx, client, keys)
	}

	all, asked := maps.Clone(keys), map[itemKey]bool{}
	for _, key := range keys[p.table] {
		asked[keyOf(key)] = true
	}
	all[p.table] = slices.Clone(keys[p.table])
	for _, key := range p.keys {
		if !asked[keyOf(key)] { // DynamoDB rejects a batch with the same key twice
			all[p.table] = append(all[p.table], key)
		}
	}
	found, err := batchGet(ctx, client, all)
	if err != nil {
		return nil, err
	}

	p.keep(found[p.table])
	found[p.table] = slices.DeleteFunc(found[p.table], func(it Item) bool { return !asked[keyOf(it)] })
	return found, nil
}

// keep makes the items that were found, and what is known of the others, available to Prefetched.
func (p *prefetch) keep(found []Item) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.items = map[itemKey]Item{}
	for _, key := range p.keys {
		p.items[keyOf(key)] = nil
	}
	for _, it := range found {
		if _, announced := p.items[keyOf(it)]; announced {
			p.items[keyOf(it)] = it
		}
	}
}
