package dynamo

import (
	"context"
	"maps"
	"slices"
	"strconv"
	"sync"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb"

	"minicloud/shared/errs"
	"minicloud/shared/id"
	"minicloud/shared/job"
	"minicloud/shared/page"
)

// list is one listing: what is open, and where what ended lies.
type list struct {
	store   *Jobs
	open    []job.Record
	history []partition
	within  span
}

func (l *list) total() int {
	n := len(l.open)
	for _, p := range l.history {
		for _, count := range p.hours {
			n += count
		}
	}
	return n
}

// start moves the upper end of the list to where the page starts, and reports
// whether there is anything.
func (l *list) start(ctx context.Context, req page.Request) (bool, error) {
	if req.After != "" {
		last, err := strconv.ParseInt(string(req.After), 10, 64)
		if err != nil {
			return false, errs.Invalid("cursor is not one this list gave")
		}
		l.within.to = min(l.within.to, id.ID(last))
		return l.within.to > l.within.from, nil
	}
	if l.within.to <= l.within.from {
		return false, nil
	}
	hour, skip, found := l.locate(req.Offset)
	if !found {
		return false, nil
	}
	l.within.to = min(l.within.to, id.First(hourStart(hour+1)))
	if skip == 0 {
		return true, nil
	}
	skipped, err := l.read(ctx, skip, true)
	if err != nil || len(skipped) < skip {
		return false, err
	}
	l.within.to = skipped[skip-1].ID
	return true, nil
}

// locate returns the hour the offset-th job was created in, and how many jobs of
// that hour are before it.
func (l *list) locate(offset int) (hour int64, skip int, found bool) {
	count := make(map[int64]int)
	for _, p := range l.history {
		for h, n := range p.hours {
			count[h] += n
		}
	}
	for _, r := range l.open {
		count[hourOf(r.CreatedAt())]++
	}
	for _, h := range slices.Backward(slices.Sorted(maps.Keys(count))) {
		if offset < count[h] {
			return h, offset, true
		}
		offset -= count[h]
	}
	return 0, 0, false
}

// read merges the next n jobs below the upper end, newest first; keys reads
// nothing but ids.
func (l *list) read(ctx context.Context, n int, keys bool) ([]job.Record, error) {
	streams, err := l.streams(ctx, n, keys)
	if err != nil {
		return nil, err
	}
	open := slices.DeleteFunc(slices.Clone(l.open), func(r job.Record) bool { return r.ID >= l.within.to || r.ID < l.within.from })
	var records []job.Record
	for len(records) < n {
		best, err := newestOf(ctx, streams)
		if err != nil {
			return nil, err
		}
		switch {
		case len(open) > 0 && (best == nil || open[0].ID > best.buffer[0].ID):
			records, open = append(records, open[0]), open[1:]
		case best == nil:
			return records, nil
		default:
			// It ended after the open jobs were read: the history is right.
			if len(open) > 0 && open[0].ID == best.buffer[0].ID {
				open = open[1:]
			}
			records, best.buffer = append(records, best.buffer[0]), best.buffer[1:]
		}
	}
	return records, nil
}

// reach returns the hours in which the next n jobs were created. The first of
// them may be used up by earlier pages, so what it holds does not count.
func (l *list) reach(n int) (first, last int64) {
	last = hourOf((l.within.to - 1).Time())
	count := make(map[int64]int)
	for _, p := range l.history {
		for h, held := range p.hours {
			if h < last {
				count[h] += held
			}
		}
	}
	for _, h := range slices.Backward(slices.Sorted(maps.Keys(count))) {
		if n -= count[h]; n <= 0 {
			return h, last
		}
	}
	return 0, last
}

// streams opens every partition that has a job on the page, side by side.
func (l *list) streams(ctx context.Context, n int, keys bool) ([]*stream, error) {
	var streams []*stream
	first, last := l.reach(n)
	for _, p := range l.history {
		if !p.holds(first, last) {
			continue
		}
		query := l.store.between(p.pk, l.within)
		query.Limit = aws.Int32(int32(min(n, 1000)))
		if keys {
			query.ProjectionExpression = aws.String("id")
		}
		streams = append(streams, &stream{client: l.store.Client, query: query})
	}
	failures := make([]error, len(streams))
	var wg sync.WaitGroup
	for i, st := range streams {
		wg.Go(func() { failures[i] = st.fill(ctx) })
	}
	wg.Wait()
	for _, err := range failures {
		if err != nil {
			return nil, err
		}
	}
	return streams, nil
}

// stream is one partition of history, read as far as needed.
type stream struct {
	client *dynamodb.Client
	query  *dynamodb.QueryInput
	buffer []job.Record
	done   bool
}

func (st *stream) fill(ctx context.Context) error {
	for len(st.buffer) == 0 && !st.done {
		out, err := st.client.Query(ctx, st.query)
		if err != nil {
			return wrap("list jobs", err)
		}
		for _, av := range out.Items {
			it, err := decodeJob(av)
			if err != nil {
				return err
			}
			r := it.record()
			r.Log.Gzip = nil
			st.buffer = append(st.buffer, r)
		}
		st.query.ExclusiveStartKey = out.LastEvaluatedKey
		st.done = out.LastEvaluatedKey == nil
	}
	return nil
}

// newestOf returns the stream whose next job is the newest, nil when all ended.
func newestOf(ctx context.Context, streams []*stream) (*stream, error) {
	var best *stream
	for _, st := range streams {
		if err := st.fill(ctx); err != nil {
			return nil, err
		}
		if len(st.buffer) > 0 && (best == nil || st.buffer[0].ID > best.buffer[0].ID) {
			best = st
		}
	}
	return best, nil
}
