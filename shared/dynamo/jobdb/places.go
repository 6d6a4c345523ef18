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

// read reads what is pending, then what runs, then what ended, so that a job that moves on meanwhile is met at least
// once. Where it is met twice, the later place is right.
func (l *list) read(ctx context.Context, below id.ID, w counted.Want) (found []job.Record, all bool, err error) {
	var pending, late []job.Record
	allPending, allEnded := true, true
	if l.lists(job.StatusWaiting) {
		if pending, allPending, err = l.place(ctx, pendingPlace, below, w); err != nil {
			return nil, false, err
		}
	}
	// A job whose lease is over has failed.
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

	// Keys do not say when a lease ends.
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

// sameJob reports whether two records are of one job in two places. Two jobs may run under one id, until the later one
// ends under another.
func sameJob(a, b job.Record) bool {
	known := !a.StartedAt.IsZero() && !b.StartedAt.IsZero()
	running := a.Status == job.StatusExecuting && b.Status == job.StatusExecuting
	return a.ID == b.ID && !running && (!known || a.StartedAt.Equal(b.StartedAt))
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

// readSlots finds the jobs that run, and returns those that did and whose lease is over.
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

	// A worker records the end of an asynchronous run before it leaves the slot.
	var keys []dynamo.Item
	asked := map[id.ID]bool{} // DynamoDB refuses a key that is given twice
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
// Where the first 1,000 do not hold enough that pass the filter, the counters tell where the next one is. They may
// lag: what ended in the last 2 s is found among the first, unless it was accepted long ago, as a delayed job was.
func (l *list) place(ctx context.Context, place string, below id.ID, w counted.Want) ([]job.Record, bool, error) {
	walk := &counted.List{
		Client: l.store.Client, From: l.from,
		Selective: l.filter.Source != "" || l.filter.Service != "" || l.filter.Status == job.StatusFulfilled,
		Query:     func(from, below id.ID, keys bool) *dynamodb.QueryInput { return l.query(place, from, below, keys) },
	}
	// The counters do not know pending jobs.
	if place != pendingPlace {
		walk.Tree = &l.tree
	}
	return counted.Read(ctx, walk, below, w, func(av dynamo.Item) (job.Record, error) {
		it, err := dynamo.Decode[jobItem](av)
		return it.record(), err
	})
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
