package jobdb

import (
	"context"
	"slices"

	"minicloud/shared/dynamo"
	"minicloud/shared/dynamo/counted"
	"minicloud/shared/id"
	"minicloud/shared/job"
)

// read reads pending, then running, then ended jobs, so that a job that moves on concurrently is found at least once.
// If it is found twice, the later place is right.
func (l *list) read(ctx context.Context, below id.ID, w counted.Want) (found []job.Record, all bool, err error) {
	var pending, late []job.Record
	allPending, allEnded := true, true
	if l.lists(job.StatusWaiting) {
		if pending, allPending, err = l.place(ctx, pendingPlace, below, w); err != nil {
			return nil, false, err
		}
	}
	// A job with an expired lease has failed.
	if l.lists(job.StatusExecuting) || l.lists(job.StatusExecutionFailed) {
		if late, err = l.readSlots(ctx); err != nil {
			return nil, false, err
		}
	}
	if l.listsEnded() {
		if found, allEnded, err = l.place(ctx, l.endedPlace(), below, w); err != nil {
			return nil, false, err
		}
	}
	if below == l.top && allPending {
		l.pending = len(pending)
	}

	for _, r := range l.running {
		if r.ID < below {
			found = append(found, r)
		}
	}
	found = append(found, pending...)
	slices.SortStableFunc(found, func(a, b job.Record) int { return int(b.ID - a.ID) })
	found = slices.CompactFunc(found, sameJob)

	// A read of keys does not return leases.
	if !w.Keys {
		l.overdue = late
		for _, r := range found {
			if r.Overdue(l.now) {
				l.overdue = append(l.overdue, r)
			}
		}
	}
	return found, allPending && allEnded, nil
}

// sameJob reports whether two records are the same job in two places. Two jobs may run under the same id, until the
// later one ends and gets another id.
func sameJob(a, b job.Record) bool {
	known := !a.StartedAt.IsZero() && !b.StartedAt.IsZero()
	running := a.Status == job.StatusExecuting && b.Status == job.StatusExecuting
	return a.ID == b.ID && !running && (!known || a.StartedAt.Equal(b.StartedAt))
}

// lists reports whether the list includes jobs of this status.
func (l *list) lists(s job.Status) bool { return l.filter.Status == "" || l.filter.Status == s }

// listsEnded reports whether the list includes ended jobs.
func (l *list) listsEnded() bool { return l.filter.Status == "" || l.filter.Status.Terminal() }

// endedPlace returns the place of the ended jobs with the list's status.
func (l *list) endedPlace() string {
	if l.filter.Status == "" || l.filter.Status == job.StatusFulfilled {
		return endedPlace
	}
	return string(l.filter.Status)
}

// readSlots sets running to the running jobs, and returns those whose lease has expired.
func (l *list) readSlots(ctx context.Context) (late []job.Record, err error) {
	held, err := l.store.Slots(ctx, l.scope.App)
	if err != nil {
		return nil, err
	}

	l.running = nil
	for _, r := range held {
		switch {
		case r.Scope != l.scope || r.Function != l.fn:
		case r.Overdue(l.now):
			late = append(late, r.Record)
		case l.filter.Matches(r.Record):
			l.running = append(l.running, r.Record)
		}
	}
	if l.filter.Status != job.StatusExecuting {
		return late, nil
	}

	// A worker writes the record of an asynchronous run before it frees the slot: drop the jobs that have a record.
	var keys []dynamo.Item
	asked := map[id.ID]bool{} // DynamoDB rejects duplicate keys
	for _, r := range l.running {
		if !asked[r.ID] {
			keys = append(keys, dynamo.Key(jobsKey(l.scope, l.fn), placeKey(endedPlace, r.ID)))
		}
		asked[r.ID] = true
	}
	ended, err := dynamo.BatchGet(ctx, l.store.Client, l.store.Table, keys...)
	l.running = slices.DeleteFunc(l.running, func(r job.Record) bool {
		it := ended[placeKey(endedPlace, r.ID)]
		return it != nil && dynamo.IntegerOf(it["started"]) == dynamo.Millis(r.StartedAt)
	})
	return late, dynamo.Wrap("list jobs", err)
}

// place reads the newest jobs of one place.
//
// If the first 1,000 contain too few matches, the counters tell where the next ones are. Counters lag, but jobs that
// ended in the last 2 s are among the first 1,000, unless they were accepted long before, as delayed jobs are.
func (l *list) place(ctx context.Context, place string, below id.ID, w counted.Want) ([]job.Record, bool, error) {
	walk := &counted.List{
		Client: l.store.Client, From: l.from,
		Selective: l.filter.Source != "" || l.filter.Service != "" || l.filter.Status == job.StatusFulfilled,
		Query:     func(from, below id.ID, keys bool) *dynamo.QueryInput { return l.query(place, from, below, keys) },
	}
	// Pending jobs are not counted.
	if place != pendingPlace {
		walk.Tree = &l.tree
	}
	return counted.Read(ctx, walk, below, w, func(av dynamo.Item) (job.Record, error) {
		it, err := dynamo.Decode[jobItem](av)
		return it.record(), err
	})
}

// listed names the attributes of a job in a list.
var listed = []string{
	"id", "function", "name", "status", "source", "service", "plan", "started", "finished", "ready", "mem", "execution",
	"message", "type", "log_bytes", "acted_by", "acted_as",
}

// query returns the query for the jobs of a place with from ≤ id < below that pass the filter, newest first, without
// their logs.
func (l *list) query(place string, from, below id.ID, keys bool) *dynamo.QueryInput {
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
