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
	"minicloud/shared/page"
)

const (
	// Exact is below what a total is counted item by item and not read from counters (D6).
	Exact = 256
	// Among is how many items are looked at before counters lead to the rare ones that pass a filter.
	Among = 1000
	// lookPerItem is how many items are looked at for one that is rare, sooner than asking once more.
	lookPerItem = 10
)

// List is the items with From ≤ id < Top that pass a filter. It is for one request and one goroutine.
type List struct {
	Client *dynamodb.Client
	// Query returns the query of the items with from ≤ id < below that pass the filter, newest first; of keys only the
	// attribute id is wanted. Sort keys end with "#" and the id.
	Query     func(from, below id.ID, keys bool) *dynamodb.QueryInput
	From, Top id.ID
	// Selective says that items do not pass the filter, so that many may be looked at for one that does.
	Selective bool
	// Tree counts those that pass, up to 2 s late; nil where nothing does.
	Tree *count.Tree
	// Most is how many items a walk looks at, 0 for all.
	Most int
	// Enough is asked after each query whether the walk ends; nil is never.
	Enough func() bool

	// Looked is how many items the last walk has looked at.
	Looked int
	// Rest is below what id the last walk stopped, 0 at the end of the list.
	Rest id.ID
}

// Walk yields the items below an id that pass the filter. The first query looks at so many, each further one at twice
// as many. Where the first 1,000 were looked at, counters lead to what is rare.
func (l *List) Walk(ctx context.Context, below id.ID, first int, keys bool) iter.Seq2[dynamo.Item, error] {
	return func(yield func(dynamo.Item, error) bool) {
		l.Looked, l.Rest = 0, below
		from, look := l.From, first
		for l.Rest > l.From && (l.Most == 0 || l.Looked < l.Most) {
			if l.Most > 0 {
				look = min(look, l.Most-l.Looked)
			}
			in := l.Query(from, l.Rest, keys)
			// Limit counts the items that DynamoDB looks at, before its filter drops some.
			in.Limit = aws.Int32(int32(look))
			out, err := l.Client.Query(ctx, in)
			if err != nil {
				yield(nil, dynamo.Wrap("read list", err))
				return
			}
			l.Looked += int(out.ScannedCount)
			for _, it := range out.Items {
				if !yield(it, nil) {
					return
				}
			}

			if l.Rest, err = restOf(out.LastEvaluatedKey, from); err == nil && l.Rest > l.From {
				if l.Enough != nil && l.Enough() {
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

// Begin returns below what id a page begins: behind its cursor, or behind as many items as its offset says, whose ids
// are read. It is From behind the end of the list.
func (l *List) Begin(ctx context.Context, req page.Request) (below id.ID, err error) {
	if req.After != "" {
		below, err = req.After.ID()
		return min(below, l.Top), err
	}
	left := req.Offset
	if left == 0 {
		return l.Top, nil
	}

	// Read one more to know whether the list continues after the largest offset.
	n := 0
	for it, err := range l.Walk(ctx, l.Top, min(left, page.MaxOffset+1), true) {
		switch n++; {
		case err != nil:
			return 0, err
		case n > page.MaxOffset:
			return 0, page.ErrOffset()
		case n == left:
			return id.ID(dynamo.IntegerOf(it["id"])), nil
		}
	}
	return l.From, nil
}

// Total returns how many items pass. Below 256 they are counted, unless they are too rare among the others. Where
// nothing counts them, they are counted as far as a walk goes.
func (l *List) Total(ctx context.Context) (total int, err error) {
	if l.Tree != nil {
		if total, err = l.Tree.Between(ctx, l.From, l.Top); err != nil || total >= Exact {
			return total, err
		}
	}

	// The rare ones are not looked for any further: counters know their number.
	near, first := *l, Exact
	if l.Selective && l.Tree != nil {
		near.Most, first = Among, Among
	}
	n := 0
	for _, err := range near.Walk(ctx, l.Top, max(first, l.Most), true) {
		if err != nil {
			return 0, err
		}
		if n++; n == Exact && l.Tree != nil {
			break
		}
	}
	if near.Rest == 0 { // the whole list
		return n, nil
	}
	return max(n, total), nil
}
