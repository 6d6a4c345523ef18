package jobdb

import (
	"context"
	"fmt"
	"strings"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"

	"minicloud/shared/dynamo"
	"minicloud/shared/id"
	"minicloud/shared/job"
)

// readPlace reads the newest n jobs of a place that pass the filter.
//
// Where the first 1,000 do not hold enough of what is rare, the counters tell where the next one is. They may lag: what
// ended in the last 2 s is found among the first, unless it was accepted long ago, as a delayed job was.
func (l *jobList) readPlace(ctx context.Context, place string, n int, keys bool) (got stretch, err error) {
	rare := place != waitingPlace && l.selective() && l.counted <= exactTotal
	limit := n
	if l.selective() {
		limit = 3 * n
	}

	looked := 0
	for low, high := l.from, l.to; len(got.records) < n; limit = min(4*limit, exactAmong) {
		if high <= low {
			if got.all = low <= l.from; got.all {
				break
			}
			if low, high, err = l.counterBelow(ctx, low); err != nil {
				return got, err
			}
			continue
		}

		query := l.query(place, low, high)
		query.Limit = aws.Int32(int32(min(limit, exactAmong)))
		if keys {
			query.ProjectionExpression = aws.String("id")
		}
		found, scanned, rest, err := l.one(ctx, query, low)
		if err != nil {
			return got, err
		}
		got.records, high, looked = append(got.records, found...), rest, looked+scanned

		if rare && looked >= exactAmong && low == l.from && high > low {
			// From here on only where the counters know of some; first to the end of the leaf that was begun.
			_, leaf, err := l.tree.Before(ctx, high)
			if err != nil {
				return got, err
			}
			low = max(leaf, l.from)
		}
	}

	got.all = got.all || l.from >= l.to
	got.records = got.records[:min(n, len(got.records))]
	return got, nil
}

// counterBelow returns the range below an id where the counters know of the next job, an empty one at the list's end
// where they know of none.
func (l *jobList) counterBelow(ctx context.Context, below id.ID) (low, high id.ID, err error) {
	rank, _, err := l.tree.Before(ctx, below)
	if err != nil || rank <= 0 {
		return l.from, l.from, err
	}
	leaf, ok, err := l.tree.Nth(ctx, rank-1)
	switch {
	case err != nil:
		return l.from, l.from, err
	case !ok || leaf.From >= below:
		return l.from, below, nil // they do not fit together
	}
	return max(leaf.From, l.from), min(max(leaf.To, l.from), below), nil
}

// one makes a query. It returns also how many jobs it looked at, and the id below which it has not.
func (l *jobList) one(
	ctx context.Context, query *dynamodb.QueryInput, low id.ID,
) (records []job.Record, n int, rest id.ID, err error) {
	out, err := l.store.Client.Query(ctx, query)
	if err != nil {
		return nil, 0, 0, dynamo.Wrap("list jobs", err)
	}

	records = make([]job.Record, 0, len(out.Items))
	for _, av := range out.Items {
		it, err := decodeJob(av)
		if err != nil {
			return nil, 0, 0, err
		}
		r := it.record()
		r.Log.Stored = nil
		records = append(records, r)
	}

	if len(out.LastEvaluatedKey) == 0 {
		return records, int(out.ScannedCount), low, nil
	}
	_, last, _ := strings.Cut(dynamo.TextOf(out.LastEvaluatedKey["sk"]), "#")
	if _, err := fmt.Sscanf(last, "%d", &rest); err != nil {
		return nil, 0, 0, fmt.Errorf("list jobs: key %q: %w", last, err)
	}
	return records, int(out.ScannedCount), rest, nil
}

// query is for the jobs of a place that pass the filter, newest first.
func (l *jobList) query(place string, low, high id.ID) *dynamodb.QueryInput {
	query := dynamo.Query(l.store.Table, jobsKey(l.scope, l.fn), placeKey(place, low), placeKey(place, high-1), true, 0)
	l.where(query, "source", string(l.filter.Source))
	l.where(query, "service", string(l.filter.Service))
	if place == endedPlace {
		l.where(query, "status", string(l.filter.Status))
	}
	return query
}

func (l *jobList) where(query *dynamodb.QueryInput, name, value string) {
	if value == "" {
		return
	}
	condition := "#" + name + " = :" + name
	if query.FilterExpression != nil {
		condition = *query.FilterExpression + " AND " + condition
	} else {
		query.ExpressionAttributeNames = map[string]string{}
	}
	query.FilterExpression = &condition
	query.ExpressionAttributeNames["#"+name], query.ExpressionAttributeValues[":"+name] = name, dynamo.Text(value)
}

// readCounters asks them how many jobs have ended that pass the filter.
func (l *jobList) readCounters(ctx context.Context) error {
	if l.counted >= 0 {
		return nil
	}

	// The list begins and ends with a second, and so with a leaf.
	below, err := l.tree.Total(ctx)
	if err == nil && l.top <= lastID {
		below, _, err = l.tree.Before(ctx, l.top)
	}
	if err != nil {
		return err
	}
	l.before, _, err = l.tree.Before(ctx, l.from)
	l.counted = max(below-l.before, 0)
	return err
}

// jump moves the upper end of the list down to where the counters say that an offset leads, and returns what is left of
// the offset there. It stays where it is when that is not clear: then keys tell.
func (l *jobList) jump(ctx context.Context, offset int) (left int, err error) {
	if err := l.readCounters(ctx); err != nil {
		return offset, err
	}
	if l.lists(job.StatusExecuting) {
		if err := l.readSlots(ctx); err != nil {
			return offset, err
		}
	}

	// How many open jobs are skipped depends on where the offset leads, and the other way round.
	for skipped, try := 0, 0; try < jumpTries && l.counted > offset-skipped; try++ {
		leaf, ok, err := l.tree.Nth(ctx, l.before+l.counted-1-(offset-skipped))
		if err != nil || !ok {
			return offset, err
		}
		open, err := l.openFrom(ctx, leaf.To)
		if err != nil {
			return offset, err
		}
		ended := l.before + l.counted - leaf.Before - leaf.Records
		if open == skipped && open+ended <= offset {
			l.to = min(l.to, leaf.To)
			return offset - open - ended, nil
		}
		skipped = open
	}
	return offset, nil
}

const jumpTries = 4

// openFrom counts the open jobs of the list from an id on.
func (l *jobList) openFrom(ctx context.Context, low id.ID) (n int, err error) {
	if l.lists(job.StatusWaiting) {
		if n, _, err = l.count(ctx, waitingPlace, low, int(lastID)); err != nil {
			return 0, err
		}
	}
	for _, r := range l.running {
		if r.ID >= low {
			n++
		}
	}
	return n, nil
}

// total is how many jobs pass the filter. What ended is counted as far as D6 wants it, if not all of it was read.
func (l *jobList) total(ctx context.Context, waiting, ended stretch) (n int, err error) {
	n = len(l.running) + len(waiting.records)
	if !waiting.all && l.lists(job.StatusWaiting) {
		counted, _, err := l.count(ctx, waitingPlace, l.from, int(lastID))
		if err != nil {
			return 0, err
		}
		n = len(l.running) + counted
	}

	switch {
	case ended.all || !l.listsEnded():
		return n + len(ended.records), nil
	case l.counted >= exactTotal:
		return n + l.counted, nil
	}
	most := exactTotal
	if l.selective() {
		most = exactAmong
	}
	counted, all, err := l.count(ctx, l.endedPlace(), l.from, most)
	if err != nil || all {
		return n + counted, err
	}

	if !l.selective() {
		l.store.long.note(l.tree.Collection)
	}
	err = l.readCounters(ctx)
	return n + max(counted, l.counted), err
}

// count counts the jobs of a place from an id on, among so many as it may look through; all says that these are all. A job that is
// about to leave its slot is one that runs.
func (l *jobList) count(ctx context.Context, place string, low id.ID, most int) (n int, all bool, err error) {
	if low >= l.top {
		return 0, true, nil
	}
	query := l.query(place, low, l.top)
	query.Select = types.SelectCount
	l.whereNot(query, l.running)

	for left := most; left > 0; {
		query.Limit = nil
		if most < int(lastID) {
			query.Limit = aws.Int32(int32(left))
		}
		out, err := l.store.Client.Query(ctx, query)
		if err != nil {
			return n, false, dynamo.Wrap("count jobs", err)
		}
		n, left = n+int(out.Count), left-int(out.ScannedCount)
		if query.ExclusiveStartKey = out.LastEvaluatedKey; query.ExclusiveStartKey == nil {
			return n, true, nil
		}
	}
	return n, false, nil
}

// maxOperands is how many values an IN takes.
const maxOperands = 100

// whereNot leaves out some jobs.
func (l *jobList) whereNot(query *dynamodb.QueryInput, records []job.Record) {
	var ids []string
	for i, r := range records[:min(len(records), maxOperands)] {
		name := fmt.Sprintf(":id%d", i)
		ids, query.ExpressionAttributeValues[name] = append(ids, name), dynamo.Number(int64(r.ID))
	}
	if len(ids) == 0 {
		return
	}
	condition := "NOT id IN (" + strings.Join(ids, ", ") + ")"
	if query.FilterExpression != nil {
		condition = *query.FilterExpression + " AND " + condition
	}
	query.FilterExpression = &condition
}
