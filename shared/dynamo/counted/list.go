// Package counted reads lists of items with time-ordered ids, newest first, whose totals come from counters (D6):
// orders and ended jobs.
package counted

import (
	"context"
	"fmt"
	"iter"
	"strconv"
	"strings"

	"minicloud/shared/count"
	"minicloud/shared/dynamo"
	"minicloud/shared/id"
)

const (
	// Exact is the total from which counters are used; smaller totals are counted item by item (D6).
	Exact = 256
	// Among is the number of items to scan before counters are used to find the rare ones that pass a filter.
	Among = 1000
	// lookPerItem is how many items to scan per rare item rather than making one more query.
	lookPerItem = 10
)

// List reads the items of one key range, with From ≤ id, that pass a filter. It serves one request and is not safe for
// concurrent use.
type List struct {
	Client *dynamo.Client
	// Query returns the query for the items with from ≤ id < below that pass the filter, newest first. With keys, only
	// the attribute id is needed. Sort keys must end with "#" and the id.
	Query func(from, below id.ID, keys bool) *dynamo.QueryInput
	From  id.ID
	// Selective means that some items do not pass the filter, so a query may have to scan many items to find one.
	Selective bool
	// Tree counts the items that pass the filter, up to 2 s late; nil if they are not counted.
	Tree *count.Tree
	// Most is the maximum number of items that a walk scans, 0 for no limit.
	Most int

	// Looked is the number of items that the last walk scanned.
	Looked int
	// Rest is the exclusive upper bound of the ids that the last walk has not scanned, 0 at the end of the list.
	Rest id.ID
}

// Want selects the part of a list to read.
type Want struct {
	Items int  // number of items
	Keys  bool // read ids only
	Total bool // read as many more as an exact total needs
}

// enough reports whether found items are enough after scanning among items.
func (w Want) enough(found, among int) bool {
	return found >= w.Items && (!w.Total || found >= Exact || among >= Among)
}

// limit returns how many items the first query scans.
func (l *List) limit(w Want) int {
	switch {
	case l.Most > 0:
		return l.Most
	case l.Selective && w.Total:
		return Among
	case l.Selective:
		return min(w.Items, Among/4) * 4
	case w.Total:
		return max(w.Items, Exact)
	}
	return w.Items
}

// Walk yields the wanted items below an id that pass the filter, and all other matches of the last query. Each further
// query scans twice as many items. After 1,000 scanned items, counters lead to the rare ones.
func (l *List) Walk(ctx context.Context, below id.ID, w Want) iter.Seq2[dynamo.Item, error] {
	return func(yield func(dynamo.Item, error) bool) {
		l.Looked, l.Rest = 0, below
		first, found := l.limit(w), 0
		from, look := l.From, first
		for l.Rest > l.From && (l.Most == 0 || l.Looked < l.Most) {
			if l.Most > 0 {
				look = min(look, l.Most-l.Looked)
			}
			in := l.Query(from, l.Rest, w.Keys)
			// Limit counts scanned items, before the filter drops some.
			in.Limit = new(int32(look))
			out, err := l.Client.Query(ctx, in)
			if err != nil {
				yield(nil, dynamo.Wrap("read list", err))
				return
			}
			l.Looked, found = l.Looked+int(out.ScannedCount), found+len(out.Items)
			for _, it := range out.Items {
				if !yield(it, nil) {
					return
				}
			}

			if l.Rest, err = restOf(out.LastEvaluatedKey, from); err == nil && l.Rest > l.From {
				if w.enough(found, l.Looked) {
					return
				}
				from, err = l.lead(ctx, first)
			}
			if err != nil {
				yield(nil, err)
				return
			}
			look = max(first, min(2*look, Among))
		}
		if l.Rest <= l.From {
			l.Rest = 0
		}
	}
}

// Read returns the wanted items below an id, decoded, and whether the list has no more.
func Read[T any](
	ctx context.Context, l *List, below id.ID, w Want, decode func(dynamo.Item) (T, error),
) (items []T, all bool, err error) {
	for item, err := range dynamo.Decoded(l.Walk(ctx, below, w), decode) {
		if err != nil {
			return nil, false, err
		}
		items = append(items, item)
	}
	return items, l.Rest == 0, nil
}

// restOf returns the upper bound of the ids that a query has not scanned, given its LastEvaluatedKey; from if it has
// scanned all.
func restOf(last dynamo.Item, from id.ID) (id.ID, error) {
	if len(last) == 0 {
		return from, nil
	}
	sk := dynamo.TextOf(last["sk"])
	n, err := strconv.ParseInt(sk[strings.LastIndex(sk, "#")+1:], 10, 64)
	if err != nil {
		return 0, fmt.Errorf("key %q of a list has no id", sk)
	}
	return id.ID(n), nil
}

// lead moves Rest down to the next range in which the counters have items, and returns the start of that range. It
// skips nothing before Among items were scanned, because counters miss the writes of the last 2 s.
func (l *List) lead(ctx context.Context, wanted int) (from id.ID, err error) {
	if !l.Selective || l.Tree == nil || l.Looked < Among || l.Most > 0 && l.Looked >= l.Most {
		return l.From, nil
	}
	leaf, ok, err := l.Tree.Below(ctx, l.Rest, min(lookPerItem*wanted, Among))
	if !ok {
		l.Rest = l.From
		return l.From, err
	}
	l.Rest = leaf.To
	return max(leaf.From, l.From), nil
}
