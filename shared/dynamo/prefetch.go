package dynamo

import (
	"context"
	"maps"
	"slices"
	"sync"
)

// prefetch is what the request will need after authentication: items which the call that reads the caller's credentials
// reads too. It is stored in the request's context. Each item is used once, by the read of exactly this item.
type prefetch struct {
	keys map[string][]Item // by table

	mu    sync.Mutex
	items map[itemKey]Item // those that were read and are not used yet; nil = does not exist
}

type prefetchKey struct{}

// itemKey identifies an item.
type itemKey struct{ table, pk, sk string }

func keyOf(table string, it Item) itemKey { return itemKey{table, TextOf(it["pk"]), TextOf(it["sk"])} }

// WithPrefetch announces items that the request will read later, by table and key.
func WithPrefetch(ctx context.Context, keys map[string][]Item) context.Context {
	return context.WithValue(ctx, prefetchKey{}, &prefetch{keys: keys})
}

// FindPrefetched is Find that makes no call if the item was prefetched and is not used yet.
func FindPrefetched(ctx context.Context, client *Client, table, pk, sk string, missing error) (Item, error) {
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
	if p == nil {
		return nil, false
	}

	p.mu.Lock()
	defer p.mu.Unlock()
	it, was := p.items[itemKey{table, pk, sk}]
	delete(p.items, itemKey{table, pk, sk})
	return it, was
}

// BatchGetPrefetch is BatchGet that also reads the items announced by WithPrefetch, in the same call.
func BatchGetPrefetch(ctx context.Context, client *Client, table string, keys ...Item) (map[string]Item, error) {
	found, err := BatchGetTables(ctx, client, map[string][]Item{table: keys})
	return bySortKey(found[table]), err
}

// BatchGetTables reads up to 100 items of several tables consistently, and the items announced by WithPrefetch, in one
// call. It returns the items that exist, by table and in any order.
func BatchGetTables(ctx context.Context, client *Client, keys map[string][]Item) (map[string][]Item, error) {
	p, _ := ctx.Value(prefetchKey{}).(*prefetch)
	if p == nil {
		return batchGet(ctx, client, keys)
	}

	all, asked := maps.Clone(keys), map[itemKey]bool{}
	for table, some := range p.keys {
		for _, key := range keys[table] {
			asked[keyOf(table, key)] = true
		}
		all[table] = slices.Clone(keys[table])
		for _, key := range some {
			if !asked[keyOf(table, key)] { // DynamoDB rejects a batch with the same key twice
				all[table] = append(all[table], key)
			}
		}
	}
	found, err := batchGet(ctx, client, all)
	if err != nil {
		return nil, err
	}

	p.keep(found)
	for table := range p.keys {
		found[table] = slices.DeleteFunc(found[table], func(it Item) bool { return !asked[keyOf(table, it)] })
	}
	return found, nil
}

// keep makes the items that were found, and what is known of the others, available to Prefetched.
func (p *prefetch) keep(found map[string][]Item) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.items = map[itemKey]Item{}
	for table, keys := range p.keys {
		for _, key := range keys {
			p.items[keyOf(table, key)] = nil
		}
		for _, it := range found[table] {
			if _, announced := p.items[keyOf(table, it)]; announced {
				p.items[keyOf(table, it)] = it
			}
		}
	}
}
