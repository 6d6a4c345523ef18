package jobdb

import (
	"context"
	"slices"

	"github.com/aws/aws-sdk-go-v2/service/dynamodb"

	"minicloud/shared/dynamo"
	"minicloud/shared/dynamo/counted"
	"minicloud/shared/id"
	"minicloud/shared/job"
)

// want selects the part of a list to read.
type want struct {
	jobs  int  // so many, or all there are
	keys  bool // nothing but their ids
	total bool // and as many more as an exact total takes
}

// enough reports whether so many have been found, among so many.
func (w want) enough(found, among int) bool {
	return found >= w.jobs && (!w.total || found >= counted.Exact || among >= counted.Among)
}

// limit is how many jobs the first query looks at.
func (w want) limit(selective bool) int {
	switch {
	case selective && w.total:
		return counted.Among
	case selective:
		return min(w.jobs, counted.Among/4) * 4
	case w.total:
		return max(w.jobs, counted.Exact)
	}
	return w.jobs
}

// segment is what was read of a list, or of one place of it, newest first. all says that there are no more.
type segment struct {
	records []job.Record
	all     bool
}

// read reads what is pending, then what runs, then what ended, so that a job that moves on meanwhile is met at least
// once. Where it is met twice, the later place is right.
func (l *list) read(ctx context.Context, below id.ID, w want) (segment, error) {
	pending, ended := segment{all: true}, segment{all: true}
	var err error
	if l.lists(job.StatusWaiting) {
		if pending, err = l.place(ctx, pendingPlace, below, w); err != nil {
			return segment{}, err
		}
	}
	// A job whose lease is over has failed.
	if l.lists(job.StatusExecuting) || l.lists(job.StatusExecutionFailed) {
		if err = l.readSlots(ctx); err != nil {
			return segment{}, err
		}
	}
	if l.listsEnded() {
		if ended, err = l.place(ctx, l.endedPlace(), below, w); err != nil {
			return segment{}, err
		}
	}
	if below == l.top && pending.all {
		l.pending = len(pending.records)
	}

	found := segment{records: ended.records, all: pending.all && ended.all}
	for _, r := range l.running {
		if r.ID < below {
			found.records = append(found.records, r)
		}
	}
	found.records = append(found.records, pending.records...)
	slices.SortStableFunc(found.records, func(a, b job.Record) int { return int(b.ID - a.ID) })
	found.records = slices.CompactFunc(found.records, func(a, b job.Record) bool { return a.ID == b.ID })

	for _, r := range found.records {
		if r.Overdue(l.now) {
			l.overdue = append(l.overdue, r)
		}
	}
	return found, nil
}

// lists reports whether jobs of this status are listed.
func (l *list) lists(s job.Status) bool { return l.filter.Status == "" || l.filter.Status == s }

// listsEnded reports whether jobs that ended are listed.
func (l *list) listsEnded() bool { return l.filter.Status == "" || l.filter.Status.Terminal() }

// endedPlace is the place of the jobs with the list's status.
func (l *list) endedPlace() string {
	if l.filter.Status == "" || l.filter.Status == job.StatusFulfilled {
		return endedPlace
	}
	return string(l.filter.Status)
}

// selective reports whether jobs have to be looked through for those that pass the filter.
func (l *list) selective() bool {
	return l.filter.Source != "" || l.filter.Service != "" || l.filter.Status == job.StatusFulfilled
}

// readSlots finds the jobs that run, and those that did and whose lease is over.
func (l *list) readSlots(ctx context.Context) error {
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
	if l.filter.Status != job.StatusExecuting {
		return nil
	}

	// A worker records the end of an asynchronous run before it leaves the slot.
	var keys []dynamo.Item
	for _, r := range l.running {
		keys = append(keys, dynamo.Key(jobsKey(l.scope, l.fn), placeKey(endedPlace, r.ID)))
	}
	ended, err := dynamo.BatchGet(ctx, l.store.Client, l.store.Table, keys...)
	if err != nil {
		return dynamo.Wrap("list jobs", err)
	}
	l.running = slices.DeleteFunc(l.running, func(r job.Record) bool { return ended[placeKey(endedPlace, r.ID)] != nil })
	return nil
}

// place reads the newest jobs of one place.
//
// Where the first 1,000 do not hold enough that pass the filter, the counters tell where the next one is. They may
// lag: what ended in the last 2 s is found among the first, unless it was accepted long ago, as a delayed job was.
func (l *list) place(ctx context.Context, place string, below id.ID, w want) (got segment, err error) {
	walk := counted.List{
		Client: l.store.Client, From: l.from, Top: l.top, Selective: l.selective(),
		Query: func(from, below id.ID, keys bool) *dynamodb.QueryInput { return l.query(place, from, below, keys) },
	}
	walk.Enough = func() bool { return w.enough(len(got.records), walk.Looked) }
	// The counters do not know pending jobs.
	if place != pendingPlace {
		walk.Tree = &l.tree
	}
	for av, err := range walk.Walk(ctx, below, w.limit(l.selective()), w.keys) {
		if err != nil {
			return got, err
		}
		it, err := dynamo.Decode[jobItem](av)
		if err != nil {
			return got, err
		}
		got.records = append(got.records, it.record())
	}
	got.all = walk.Rest == 0
	return got, nil
}

// listed are the attributes of a job in a list.
var listed = []string{
	"id", "function", "name", "status", "source", "service", "plan", "started", "finished", "ready", "mem", "execution",
	"message", "type", "log_bytes", "acted_by", "acted_as",
}

// query is for the newest jobs of a place with from ≤ id < below that pass the filter, without their logs.
func (l *list) query(place string, from, below id.ID, keys bool) *dynamodb.QueryInput {
	query := dynamo.Query(
		l.store.Table, jobsKey(l.scope, l.fn), placeKey(place, from), placeKey(place, below-1), true, 0,
	)
	if keys {
		dynamo.Project(query, "id")
	} else {
		dynamo.Project(query, listed...)
	}
	where := func(name, value string) {
		if value != "" {
			dynamo.Where(query, "#"+name+" = :"+name, dynamo.Item{":" + name: dynamo.Text(value)})
		}
	}
	where("source", string(l.filter.Source))
	where("service", string(l.filter.Service))
	where("status", string(l.filter.Status))
	return query
}
