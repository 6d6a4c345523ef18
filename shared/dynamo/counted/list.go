// Package counted reads lists of items with time-ordered ids, newest first, whose totals counters know (D6): orders,
// and jobs that ended.
package counted

import (
	"context"
	"fmt"
	"iter"
	"strconv"
	"strings"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb"

	"minicloud/shared/count"
	"minicloud/shared/dynamo"
	"minicloud/shared/id"
)

const (
	// Exact is below what a total is counted item by item and not read from counters (D6).
	Exact = 256
	// Among is how many items are looked at before counters lead to the rare ones that pass a filter.
	Among = 1000
	// lookPerItem is how many items are looked at for one that is rare, sooner than asking once more.
	lookPerItem = 10
)

// List is the items of one range of keys with From ≤ id that pass a filter. It is for one request and one goroutine.
type List struct {
	Client *dynamodb.Client
	// Query returns the query of the items with from ≤ id < below that pass the filter, newest first; of keys only the
	// attribute id is wanted. Sort keys end with "#" and the id.
	Query func(from, below id.ID, keys bool) *dynamodb.QueryInput
	From  id.ID
	// Selective says that items do not pass the filter, so that many may be looked at for one that does.
	Selective bool
	// Tree counts those that pass, up to 2 s late; nil where nothing does.
	Tree *count.Tree
	// Most is how many items a walk looks at, 0 for all.
	Most int

	// Looked is how many items the last walk has looked at.
	Looked int
	// Rest is below what id the last walk stopped, 0 at the end of the list.
	Rest id.ID
}

// Want selects the part of a list to read.
type Want struct {
	Items int  // so many, or all there are
	Keys  bool // only their ids
	Total bool // and as many more as an exact total takes
}

// enough reports whether so many have been found, among so many.
func (w Want) enough(found, among int) bool {
	return found >= w.Items && (!w.Total || found >= Exact || among >= Among)
}

// limit is how many items the first query looks at.
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

// Walk yields the wanted items below an id that pass the filter, and those that the last query has found beside them.
// Each further query looks at twice as many. Where 1,000 were looked at, counters lead to what is rare.
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
			// Limit counts the items that DynamoDB looks at, before its filter drops some.
			in.Limit = aws.Int32(int32(look))
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

// Read returns the wanted items below an id, decoded, and whether they are all.
func Read[T any](
	ctx context.Context, l *List, below id.ID, w Want, decode func(dynamo.Item) (T, error),
) (items []T, all bool, err error) {
	for it, err := range l.Walk(ctx, below, w) {
		var item T
		if err == nil {
			item, err = decode(it)
		}
		if err != nil {
			return nil, false, err
		}
		items = append(items, item)
	}
	return items, l.Rest == 0, nil
}

// restOf returns below what id a query has left items, from where it has left none.
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

// lead moves Rest down to the next items that counters know of, and returns where these begin. Before many items
// were looked at nothing is skipped: counters miss the writes of the last 2 s.
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
