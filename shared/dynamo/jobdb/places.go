package jobdb

import (
	"context"
	"fmt"
	"math"
	"slices"
	"strings"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb"

	"minicloud/shared/count"
	"minicloud/shared/dynamo"
	"minicloud/shared/id"
	"minicloud/shared/job"
)

// want says what is to be read of a list.
type want struct {
	jobs  int  // so many, or all there are
	keys  bool // nothing but their ids
	total bool // and as many more as an exact total takes
}

// enough reports whether so many have been found, among so many.
func (w want) enough(found, among int) bool {
	return found >= w.jobs && (!w.total || found >= exactTotal || among >= exactAmong)
}

// limit is how many jobs the first query looks at.
func (w want) limit(selective bool) int {
	switch {
	case selective && w.total:
		return exactAmong
	case selective:
		return min(w.jobs, exactAmong/4) * 4
	case w.total:
		return max(w.jobs, exactTotal)
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
		l.pending = ids(pending.records)
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

// endedPlace is where the jobs of the list's status are.
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

// ids returns those of the records, not nil.
func ids(records []job.Record) []id.ID {
	all := make([]id.ID, len(records))
	for i, r := range records {
		all[i] = r.ID
	}
	return all
}

// readPending reads the keys of all that are pending, unless they are known: one Query for each MB.
func (l *list) readPending(ctx context.Context) error {
	if l.pending != nil || !l.lists(job.StatusWaiting) {
		return nil
	}
	pending, err := l.place(ctx, pendingPlace, l.top, want{jobs: math.MaxInt32, keys: true})
	l.pending = ids(pending.records)
	return err
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
	for some := range slices.Chunk(keys, dynamo.MaxBatchGet) {
		ended, err := dynamo.BatchGet(ctx, l.store.Client, l.store.Table, some...)
		if err != nil {
			return dynamo.Wrap("list jobs", err)
		}
		l.running = slices.DeleteFunc(l.running, func(r job.Record) bool { return ended[placeKey(endedPlace, r.ID)] != nil })
	}
	return nil
}

// sparse is how many jobs are looked through where the counters know of one.
const sparse = 100

// place reads the newest jobs of one place.
//
// Where the first 1,000 do not hold enough that pass the filter, the counters tell where the next one is. They may
// lag: what ended in the last 2 s is found among the first, unless it was accepted long ago, as a delayed job was.
func (l *list) place(ctx context.Context, place string, below id.ID, w want) (got segment, err error) {
	looked, limit := 0, w.limit(l.selective())
	for below > l.from {
		out, err := l.store.Client.Query(ctx, l.query(place, below, limit, w.keys))
		if err != nil {
			return got, dynamo.Wrap("list jobs", err)
		}
		if got.records, err = appendJobs(got.records, out.Items); err != nil {
			return got, err
		}

		looked += int(out.ScannedCount)
		if len(out.LastEvaluatedKey) == 0 {
			break
		}
		if w.enough(len(got.records), looked) {
			return got, nil
		}

		_, last, _ := strings.Cut(dynamo.TextOf(out.LastEvaluatedKey["sk"]), "#")
		if _, err := fmt.Sscanf(last, "%d", &below); err != nil {
			return got, fmt.Errorf("list jobs: key %q: %w", last, err)
		}
		if !l.selective() {
			continue
		}
		limit = exactAmong
		if place == pendingPlace || looked < exactAmong {
			continue
		}
		counted, err := l.countedBelow(ctx, below)
		if err != nil {
			return got, err
		}
		if counted < below {
			below, limit = counted, sparse
		}
	}
	got.all = true
	return got, nil
}

func appendJobs(records []job.Record, items []dynamo.Item) ([]job.Record, error) {
	for _, av := range items {
		it, err := decodeJob(av)
		if err != nil {
			return nil, err
		}
		records = append(records, it.record())
	}
	return records, nil
}

// countedBelow returns an id below which there is the next job that the counters know of, l.from where they know of
// none.
func (l *list) countedBelow(ctx context.Context, below id.ID) (id.ID, error) {
	// Those in the leaf that was begun are not told apart.
	node, child := count.NodeOf(below-1, count.Levels-1)
	n, _, err := l.tree.Before(ctx, node.First(child+1))
	if err != nil || n <= 0 {
		return l.from, err
	}

	leaf, ok, err := l.tree.Nth(ctx, n-1)
	if !ok {
		return below, err // they do not fit together
	}
	return min(below, leaf.To), nil
}

// listed are the attributes of a job in a list.
var listed = []string{
	"id", "function", "name", "status", "source", "service", "plan", "started", "finished", "ready", "mem", "execution",
	"message", "type", "log_bytes", "acted_by", "acted_as",
}

// query is for the newest jobs of a place that pass the filter, without their logs.
func (l *list) query(place string, below id.ID, limit int, keys bool) *dynamodb.QueryInput {
	from, to := placeKey(place, l.from), placeKey(place, below-1)
	query := dynamo.Query(l.store.Table, jobsKey(l.scope, l.fn), from, to, true, limit)
	names := listed
	if keys {
		names = []string{"id"}
	}
	query.ProjectionExpression = aws.String("#" + strings.Join(names, ", #"))
	query.ExpressionAttributeNames = map[string]string{}
	for _, name := range names {
		query.ExpressionAttributeNames["#"+name] = name
	}

	var conditions []string
	where := func(name, value string) {
		if value != "" {
			conditions = append(conditions, "#"+name+" = :"+name)
			query.ExpressionAttributeNames["#"+name], query.ExpressionAttributeValues[":"+name] = name, dynamo.Text(value)
		}
	}
	where("source", string(l.filter.Source))
	where("service", string(l.filter.Service))
	where("status", string(l.filter.Status))
	if conditions != nil {
		query.FilterExpression = aws.String(strings.Join(conditions, " AND "))
	}
	return query
}
