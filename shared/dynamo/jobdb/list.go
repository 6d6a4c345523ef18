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

// list is the state of one List call: the jobs with from ≤ id < top that pass the filter.
type list struct {
	store     *Store
	scope     tenant.Scope
	fn        id.ID
	filter    job.Filter
	now       time.Time
	from, top id.ID

	tree    count.Tree // counters of ended jobs
	pending int        // number of pending jobs, -1 while unknown
	running []job.Record
	overdue []job.Record
}

// List makes three Queries, for pending, running and ended jobs, and one of the counters for a total of 256 or more. It
// makes more
//
//	for an offset or a cursor       these three again for keys, or to count the first 255: one Query per MB
//	for a source or service type    until enough jobs are found, guided by the counters if it is rare
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

	got, err := counted.Pages[job.Record]{
		From: l.from, Top: l.top, Read: l.read, Count: l.count, Long: &s.long, Name: l.tree.Collection,
		ID: func(r job.Record) id.ID { return r.ID }, Wire: job.Record.Wire,
	}.Page(ctx, req)
	return job.Listing{Page: got, Overdue: l.overdue}, err
}

// count returns the number of jobs: ended ones from the counters, plus the pending and running ones.
func (l *list) count(ctx context.Context) (n int, err error) {
	if l.listsEnded() {
		// from and top are full seconds, so they are borders of leaves.
		if n, err = l.tree.Between(ctx, l.from, l.top); err != nil {
			return 0, err
		}
	}
	if l.pending < 0 && l.lists(job.StatusWaiting) && l.from < l.top {
		l.pending, err = dynamo.Count(ctx, l.store.Client, l.query(pendingPlace, l.from, l.top, true))
	}
	return n + max(l.pending, 0) + len(l.running), err
}
