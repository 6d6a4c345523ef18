package jobdb

import (
	"context"
	"errors"
	"slices"
	"strconv"
	"sync"
	"time"

	"minicloud/shared/count"
	"minicloud/shared/dynamo"
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
	// exactAmong is how many jobs are looked through to count those of a source or service type.
	exactAmong = 1000
	// exactOffset is how far an offset leads by keys and not by counters (D6).
	exactOffset = 1000
)

// jobList is one listing, of the jobs from ≤ id < top; the page is of those below to.
type jobList struct {
	store         *Store
	scope         tenant.Scope
	fn            id.ID
	filter        job.Filter
	now           time.Time
	from, to, top id.ID

	running []job.Record // those that pass the filter, newest first
	overdue []job.Record
	tree    count.Tree // of those that ended and pass the filter
	counted int        // what the tree says, below 0 before it was asked
	before  int        // what it says of those before from
}

// List reads what waits, then what runs, then what ended, so that a job that moves on meanwhile is met at least once.
// That is a Query each, and one for the total, where there are more jobs than the page: it counts up to 255 of them, or
// asks the counters. More are made
//
//	for a total                         one where this process does not know yet that there are more than 255; of those
//	                                    that wait one for each MB, when they are more than the page
//	for an offset                       about 5 for keys, or counters and what is left of the keys
//	for a source or service type        as many as it takes to find it, guided by the counters where it is rare
func (s *Store) List(
	ctx context.Context, scope tenant.Scope, fn id.ID, f job.Filter, now time.Time, req page.Request,
) (job.Listing, error) {
	l := &jobList{
		store: s, scope: scope, fn: fn, filter: f, now: now, from: id.First(oldest(now)), top: lastID + 1, counted: -1,
		tree: count.Tree{Reader: jobCounts{s.Counts}, Collection: Collection(scope, fn), Kinds: selects(f), Deep: true},
	}
	if !f.From.IsZero() {
		l.from = max(l.from, id.First(f.From))
	}
	if !f.To.IsZero() {
		l.top = id.First(f.To.Add(time.Second))
	}
	if l.to = l.top; l.to <= l.from {
		return job.Listing{}, nil
	}

	got, err := l.list(ctx, req)
	return job.Listing{Page: got, Overdue: l.overdue}, err
}

// stretch is what was read of the jobs in one place, newest first. all says that there are no more.
type stretch struct {
	records []job.Record
	all     bool
}

func (l *jobList) list(ctx context.Context, req page.Request) (got page.Page[job.Record], err error) {
	fromTop := req.After == "" && req.Offset == 0
	if req.After != "" {
		last, err := strconv.ParseInt(string(req.After), 10, 64)
		if err != nil {
			return got, errs.Invalid("cursor is not one this list gave")
		}
		l.to = min(l.to, id.ID(last))
	} else if req.Offset > 0 {
		if err := l.skip(ctx, req.Offset); err != nil {
			return got, err
		}
	}

	records, waiting, ended, err := l.read(ctx, req.Limit+1, false)
	if err != nil {
		return got, err
	}
	if !fromTop {
		waiting.all, ended.all = false, false
	}
	if got.Total, err = l.total(ctx, waiting, ended); err != nil {
		return got, err
	}

	if n := min(page.Fit(records, job.Record.Wire), req.Limit); n < len(records) {
		records = records[:n]
		got.Next = page.Cursor(records[n-1].ID.Key())
	}
	got.Objects = records
	return got, nil
}

// skip moves the upper end of the list below as many jobs. The keys of up to 1,000 are read, which is exact (D6).
func (l *jobList) skip(ctx context.Context, offset int) (err error) {
	if offset > exactOffset && l.listsEnded() {
		if offset, err = l.jump(ctx, offset); err != nil || offset == 0 {
			return err
		}
	}

	skipped, _, _, err := l.read(ctx, offset, true)
	if err != nil {
		return err
	}
	if len(skipped) < offset {
		l.to = l.from
		return nil
	}
	l.to = skipped[offset-1].ID
	return nil
}

// read merges the next n jobs of every place; keys reads nothing but their ids.
func (l *jobList) read(ctx context.Context, n int, keys bool) (next []job.Record, waiting, ended stretch, err error) {
	waiting, ended = stretch{all: true}, stretch{all: true}
	if l.lists(job.StatusWaiting) {
		if waiting, err = l.readPlace(ctx, waitingPlace, n, keys); err != nil {
			return nil, waiting, ended, err
		}
	}
	// A job whose lease is over has failed.
	if l.lists(job.StatusExecuting) || l.lists(job.StatusExecutionFailed) {
		if err = l.readSlots(ctx); err != nil {
			return nil, waiting, ended, err
		}
	}
	if l.listsEnded() {
		if ended, err = l.readEnded(ctx, n, keys); err != nil {
			return nil, waiting, ended, err
		}
	}

	if l.filter.Status == job.StatusExecuting {
		justEnded, err := l.justEnded(ctx)
		if err != nil {
			return nil, waiting, ended, err
		}
		l.running = without(l.running, justEnded)
	}
	waiting.records = l.merge(waiting.records, ended.records)

	next = slices.Concat(waiting.records, ended.records)
	for _, r := range l.running {
		if r.ID < l.to {
			next = append(next, r)
		}
	}
	slices.SortFunc(next, func(a, b job.Record) int { return int(b.ID - a.ID) })
	return next[:min(n, len(next))], waiting, ended, nil
}

// merge leaves who was met in several places in the last of them, and returns those that wait.
func (l *jobList) merge(waiting, ended []job.Record) []job.Record {
	l.running = without(l.running, ended)
	waiting = without(without(waiting, l.running), ended)
	for _, r := range waiting {
		if r.Overdue(l.now) {
			l.overdue = append(l.overdue, r)
		}
	}
	return waiting
}

// lists reports whether jobs of this status are listed.
func (l *jobList) lists(s job.Status) bool { return l.filter.Status == "" || l.filter.Status == s }

// listsEnded reports whether jobs that ended are listed.
func (l *jobList) listsEnded() bool { return l.filter.Status == "" || l.filter.Status.Terminal() }

// without returns the records that are not among others, by id. Both are sorted.
func without(records, others []job.Record) []job.Record {
	return slices.DeleteFunc(slices.Clone(records), func(r job.Record) bool {
		_, found := slices.BinarySearchFunc(others, r.ID, func(o job.Record, n id.ID) int { return int(n - o.ID) })
		return found
	})
}

// readSlots finds the jobs that run, and those that did and whose lease is over.
func (l *jobList) readSlots(ctx context.Context) error {
	held, err := l.store.Slots(ctx, l.scope.App)
	if err != nil {
		return err
	}

	l.running, l.overdue = nil, nil
	for _, r := range held {
		switch {
		case r.Scope != l.scope || r.Function != l.fn:
		case r.Overdue(l.now):
			l.overdue = append(l.overdue, r.Record)
		case l.filter.Matches(r.Record):
			l.running = append(l.running, r.Record)
		}
	}
	slices.SortFunc(l.running, func(a, b job.Record) int { return int(b.ID - a.ID) })
	return nil
}

// justEnded returns those of the jobs in slots whose end is recorded: their workers are about to leave, or died.
func (l *jobList) justEnded(ctx context.Context) (ended []job.Record, err error) {
	var keys []dynamo.Item
	for _, r := range l.running {
		if r.Service == job.Batch {
			keys = append(keys, dynamo.Key(jobsKey(l.scope, l.fn), placeKey(endedPlace, r.ID)))
		}
	}

	for some := range slices.Chunk(keys, 100) {
		found, err := dynamo.BatchGet(ctx, l.store.Client, l.store.Table, some...)
		if err != nil {
			return nil, dynamo.Wrap("list jobs", err)
		}
		for _, r := range l.running {
			if found[placeKey(endedPlace, r.ID)] != nil {
				ended = append(ended, r)
			}
		}
	}
	return ended, nil
}

// readEnded reads jobs that ended, and what the counters say of them, where that is needed: side by side, unless the
// way to them is taken from the counters.
func (l *jobList) readEnded(ctx context.Context, n int, keys bool) (got stretch, err error) {
	if l.selective() {
		if err := l.readCounters(ctx); err != nil {
			return got, err
		}
		return l.readPlace(ctx, l.endedPlace(), n, keys)
	}

	var uncounted error
	var counting sync.WaitGroup
	if l.store.long.has(l.tree.Collection) {
		counting.Go(func() { uncounted = l.readCounters(ctx) })
	}
	got, err = l.readPlace(ctx, l.endedPlace(), n, keys)
	counting.Wait()
	return got, errors.Join(err, uncounted)
}

// endedPlace is where the jobs of the list's status are.
func (l *jobList) endedPlace() string {
	if l.filter.Status == "" || l.filter.Status == job.StatusFulfilled {
		return endedPlace
	}
	return string(l.filter.Status)
}

// selective reports whether jobs that ended have to be looked through for those that pass the filter.
func (l *jobList) selective() bool {
	return l.filter.Source != "" || l.filter.Service != "" || l.filter.Status == job.StatusFulfilled
}
