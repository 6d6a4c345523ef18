package jobdb

import (
	"context"
	"time"

	"minicloud/shared/count"
	"minicloud/shared/dynamo"
	"minicloud/shared/dynamo/counted"
	"minicloud/shared/id"
	"minicloud/shared/job"
	"minicloud/shared/page"
	"minicloud/shared/tenant"
)

const lastID id.ID = 1<<53 - 1

// list is one list: of the jobs with from ≤ id < top that pass the filter.
type list struct {
	store     *Store
	scope     tenant.Scope
	fn        id.ID
	filter    job.Filter
	now       time.Time
	from, top id.ID

	tree    count.Tree // counts those that ended
	pending int        // how many jobs are, -1 while that is not known
	running []job.Record
	overdue []job.Record
}

// List is a Query of what is pending, one of what runs and one of what ended, and one of the counters for a total of
// 256 and more. There are more
//
//	for an offset, or a cursor        these three, for its keys, or to count the first 255: each MB of jobs is one
//	for a source or service type      as many as it takes to find it, guided by the counters where it is rare
func (s *Store) List(
	ctx context.Context, scope tenant.Scope, fn id.ID, f job.Filter, now time.Time, req page.Request,
) (job.Listing, error) {
	l := &list{
		store: s, scope: scope, fn: fn, filter: f, now: now, from: id.First(oldest(now)), top: lastID + 1, pending: -1,
		tree: count.Tree{Reader: s.Counts, Collection: Collection(scope, fn), Kinds: selects(f)},
	}
	if !f.From.IsZero() {
		l.from = max(l.from, id.First(f.From))
	}
	// Top is exclusive, and To includes its whole second.
	if !f.To.IsZero() {
		l.top = id.First(f.To.Add(time.Second))
	}

	got, err := l.page(ctx, req)
	return job.Listing{Page: got, Overdue: l.overdue}, err
}

func (l *list) page(ctx context.Context, req page.Request) (got page.Page[job.Record], err error) {
	below, err := l.begin(ctx, req)
	if err != nil {
		return got, err
	}

	// The first page of a short history is read together with what its total takes.
	_, long := l.store.long.Load(l.tree.Collection)
	first := below == l.top
	found, err := l.read(ctx, below, want{jobs: req.Limit + 1, total: first && !long})
	if err != nil {
		return got, err
	}
	total, err := l.total(ctx, found, first, long)
	if err != nil {
		return got, err
	}

	got = page.Cut(found.records, req.Limit, job.Record.Wire,
		func(r job.Record) page.Cursor { return page.Cursor(r.ID.Key()) })
	got.Total = total
	return got, nil
}

// begin returns the id below which the page begins: behind the cursor, or behind as many jobs as the offset says, whose
// keys are read.
func (l *list) begin(ctx context.Context, req page.Request) (below id.ID, err error) {
	if req.After != "" {
		below, err = req.After.ID()
		return min(l.top, below), err
	}
	if req.Offset == 0 {
		return l.top, nil
	}

	// Read one more to know whether the list continues after the largest offset.
	skipped, err := l.read(ctx, l.top, want{jobs: min(req.Offset, page.MaxOffset+1), keys: true})
	switch n := len(skipped.records); {
	case err != nil:
		return 0, err
	case n > page.MaxOffset:
		return 0, page.ErrOffset()
	case n < req.Offset:
		return l.from, nil
	}
	return skipped.records[req.Offset-1].ID, nil
}

// total returns how many jobs there are, given the page. Below 256 they are counted, unless those that are wanted are
// too rare; else the counters tell how many have ended (D6).
func (l *list) total(ctx context.Context, found segment, first, long bool) (int, error) {
	if first && found.all {
		return len(found.records), nil
	}
	if long {
		if n, err := l.counted(ctx); err != nil || n >= counted.Exact {
			return n, err
		}
	}
	if long || !first {
		var err error
		if found, err = l.read(ctx, l.top, want{keys: true, total: true}); err != nil || found.all {
			return len(found.records), err
		}
	}

	// The next total of this list begins with the counters and saves the count of single jobs.
	if !l.selective() {
		l.store.long.Store(l.tree.Collection, true)
	}
	n, err := l.counted(ctx)
	return max(len(found.records), n), err
}

// counted returns how many jobs there are by the counters, which know those that ended, and those that are open.
func (l *list) counted(ctx context.Context) (n int, err error) {
	if l.listsEnded() {
		// A list begins and ends with a second, and so with a leaf.
		if n, err = l.tree.Between(ctx, l.from, l.top); err != nil {
			return 0, err
		}
	}
	if l.pending < 0 && l.lists(job.StatusWaiting) && l.from < l.top {
		l.pending, err = dynamo.Count(ctx, l.store.Client, l.query(pendingPlace, l.from, l.top, true))
	}
	return n + max(l.pending, 0) + len(l.running), err
}
