package jobdb

import (
	"context"
	"strconv"
	"time"

	"minicloud/shared/count"
	"minicloud/shared/errs"
	"minicloud/shared/id"
	"minicloud/shared/job"
	"minicloud/shared/page"
	"minicloud/shared/tenant"
)

const (
	lastID id.ID = 1<<53 - 1
	// exactTotal is below what a total is counted and not read from counters (D6).
	exactTotal = 256
	// exactAmong is how many jobs are looked through, or skipped, before counters are asked.
	exactAmong = 1000
)

// list is one list: of the jobs with from ≤ id < top that pass the filter.
type list struct {
	store     *Store
	scope     tenant.Scope
	fn        id.ID
	filter    job.Filter
	now       time.Time
	from, top id.ID

	tree    count.Tree // counts those that ended
	pending []id.ID    // all that are, nil when that is not known
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
		store: s, scope: scope, fn: fn, filter: f, now: now, from: id.First(oldest(now)), top: lastID + 1,
		tree: count.Tree{Reader: jobCounts{s.Counts}, Collection: Collection(scope, fn), Kinds: selects(f), Deep: true},
	}
	if !f.From.IsZero() {
		l.from = max(l.from, id.First(f.From))
	}
	if !f.To.IsZero() {
		l.top = id.First(f.To.Add(time.Second))
	}

	got, err := l.page(ctx, req)
	return job.Listing{Page: got, Overdue: l.overdue}, err
}

func (l *list) page(ctx context.Context, req page.Request) (got page.Page[job.Record], err error) {
	below := l.top
	switch {
	case req.After != "":
		last, err := strconv.ParseInt(string(req.After), 10, 64)
		if err != nil {
			return got, errs.Invalid("cursor is not one this list gave")
		}
		below = min(below, id.ID(last))

	default:
		if below, err = l.skip(ctx, req.Offset); err != nil {
			return got, err
		}
	}

	// The first page of a short history is read together with what its total takes.
	_, long := l.store.long.Load(l.tree.Collection)
	first := below == l.top
	found, err := l.read(ctx, below, want{jobs: req.Limit + 1, total: first && !long})
	if err != nil {
		return got, err
	}
	if got.Total, err = l.total(ctx, found, first, long); err != nil {
		return got, err
	}

	records := found.records[:min(len(found.records), req.Limit+1)]
	if n := min(page.Fit(records, job.Record.Wire), req.Limit); n < len(records) {
		records = records[:n]
		got.Next = page.Cursor(records[n-1].ID.Key())
	}
	got.Objects = records
	return got, nil
}

// total returns how many jobs there are, given the page. Below 256 they are counted, unless those that are wanted are
// too rare; else the counters tell how many have ended (D6).
func (l *list) total(ctx context.Context, found segment, first, long bool) (n int, err error) {
	if first && found.all {
		return len(found.records), nil
	}

	counted := 0
	if long {
		if counted, _, err = l.counted(ctx); err != nil {
			return 0, err
		}
	}
	if counted < exactTotal && (long || !first) {
		found, err = l.read(ctx, l.top, want{keys: true, total: true})
		if err != nil || found.all {
			return len(found.records), err
		}
	}

	if !l.selective() {
		l.store.long.Store(l.tree.Collection, true)
	}
	if counted, _, err = l.counted(ctx); err != nil {
		return 0, err
	}
	if err := l.readPending(ctx); err != nil {
		return 0, err
	}
	return max(len(found.records), len(l.pending)+len(l.running)+counted), nil
}

// counted returns how many of the jobs have ended, by the counters, and how many before the list begins.
func (l *list) counted(ctx context.Context) (n, before int, err error) {
	if !l.listsEnded() {
		return 0, 0, nil
	}

	// A list begins and ends with a second, and so with a leaf.
	below, err := l.tree.Total(ctx)
	if err == nil && l.top <= lastID {
		below, _, err = l.tree.Before(ctx, l.top)
	}
	if err != nil {
		return 0, 0, err
	}
	before, _, err = l.tree.Before(ctx, l.from)
	return max(below-before, 0), before, err
}

// skip returns the id below which a list goes on after as many jobs. The keys of up to 1,000 are read, which is exact
// (D6).
func (l *list) skip(ctx context.Context, offset int) (below id.ID, err error) {
	below = l.top
	if offset > exactAmong {
		if below, offset, err = l.jump(ctx, offset); err != nil {
			return 0, err
		}
	}
	if offset == 0 {
		return below, nil
	}

	skipped, err := l.read(ctx, below, want{jobs: offset, keys: true})
	if err != nil || len(skipped.records) < offset {
		return l.from, err
	}
	return skipped.records[offset-1].ID, nil
}

// jump returns an id up to which the counters lead, and what is left of the offset there. They know of ended jobs
// only: first it is as if all that are open were above.
func (l *list) jump(ctx context.Context, offset int) (below id.ID, left int, err error) {
	counted, before, err := l.counted(ctx)
	if err == nil && l.lists(job.StatusExecuting) {
		err = l.readSlots(ctx)
	}
	if err == nil {
		err = l.readPending(ctx)
	}
	open := append(ids(l.running), l.pending...)
	if err != nil || len(open) >= offset || counted <= offset-len(open) {
		return l.top, offset, err
	}

	leaf, ok, err := l.tree.Nth(ctx, before+counted-1-(offset-len(open)))
	if !ok {
		return l.top, offset, err
	}
	left = offset - (before + counted - leaf.Before - leaf.Records)
	for _, other := range open {
		if other >= leaf.To {
			left--
		}
	}
	return min(l.top, leaf.To), left, nil
}
