package dynamo

import (
	"context"
	"errors"
	"maps"
	"slices"
	"strconv"
	"sync"
	"time"

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
	history counts
	within  span
}

func (l *list) total() int {
	n := len(l.open)
	for d := range l.history.days {
		n += l.history.days.sum(d)
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
	if req.Offset == 0 {
		return l.total() > 0, nil
	}
	minute, skip, err := l.locate(ctx, req.Offset)
	if err != nil || minute == nowhere {
		return false, err
	}
	l.within.to = min(l.within.to, id.First(minuteStart(minute+1)))
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

// nowhere is the minute of an offset behind the last job.
const nowhere = -1

// locate returns the minute the offset-th job was created in, and how many jobs of
// that minute are before it.
func (l *list) locate(ctx context.Context, offset int) (minute int64, skip int, err error) {
	day, offset := l.walk(offset, l.history.days, dayOf)
	if day == nowhere {
		return nowhere, 0, nil
	}
	if err := l.history.look(ctx, day); err != nil {
		return nowhere, 0, err
	}
	hour, offset := l.walk(offset, partsOf(l.history.hours, day, 24), func(t time.Time) int64 {
		if dayOf(t) != day {
			return nowhere
		}
		return hourOf(t)
	})
	if hour == nowhere {
		return nowhere, 0, errFolded
	}
	if err := l.history.lookHour(ctx, hour); err != nil {
		return nowhere, 0, err
	}
	minute, skip = l.walk(offset, partsOf(l.history.minutes, hour, 60), func(t time.Time) int64 {
		if hourOf(t) != hour {
			return nowhere
		}
		return minuteOf(t)
	})
	if minute == nowhere {
		return nowhere, 0, errFolded
	}
	return minute, skip, nil
}

// partsOf returns those of the parts that belong to one whole.
func partsOf(parts shares, whole, each int64) shares {
	some := make(shares)
	for n := whole * each; n < (whole+1)*each; n++ {
		some[n] = parts[n]
	}
	return some
}

// walk skips jobs, the newest first, and returns the time the offset-th is in,
// of those at names, and what is left of the offset there.
func (l *list) walk(offset int, ended shares, at func(time.Time) int64) (int64, int) {
	count := make(map[int64]int)
	for i := range ended {
		count[i] = ended.sum(i)
	}
	for _, r := range l.open {
		count[at(r.CreatedAt())]++
	}
	delete(count, nowhere)
	for _, i := range slices.Backward(slices.Sorted(maps.Keys(count))) {
		if offset < count[i] {
			return i, offset
		}
		offset -= count[i]
	}
	return nowhere, 0
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

// reach returns of which kinds the next n jobs may be, with how many of them
// there are in the days where these are. The first day may be used up by earlier
// pages, so what it holds does not count.
func (l *list) reach(n int) map[kind]share {
	last := dayOf((l.within.to - 1).Time())
	kinds := make(map[kind]share)
	for _, d := range slices.Backward(slices.Sorted(maps.Keys(l.history.days))) {
		if d > last {
			continue
		}
		for k, held := range l.history.days[d] {
			if held.n > 0 {
				kinds[k] = kinds[k].plus(held)
			}
		}
		if d < last {
			if n -= l.history.days.sum(d); n <= 0 {
				break
			}
		}
	}
	return kinds
}

// streams opens every partition that may have a job on the page, side by side.
// Each gives at first somewhat more than its part of the n jobs is likely to be.
func (l *list) streams(ctx context.Context, n int, keys bool) ([]*stream, error) {
	var streams []*stream
	kinds := l.reach(n)
	all := 0
	for _, held := range kinds {
		all += held.n
	}
	for k, held := range kinds {
		likely := n*held.n*3/(2*all*held.width()) + 8
		for _, p := range l.history.parts(k, held) {
			query := l.store.between(p.pk, l.within)
			query.Limit = aws.Int32(int32(min(n, likely, 1000)))
			if keys {
				query.ProjectionExpression = aws.String("id")
			}
			streams = append(streams, &stream{client: l.store.Client, query: query})
		}
	}
	failures := make([]error, len(streams))
	var wg sync.WaitGroup
	for i, st := range streams {
		wg.Go(func() { failures[i] = st.fill(ctx) })
	}
	wg.Wait()
	return streams, errors.Join(failures...)
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
			r.Log.Stored = nil
			st.buffer = append(st.buffer, r)
		}
		st.query.ExclusiveStartKey = out.LastEvaluatedKey
		st.done = out.LastEvaluatedKey == nil
		// It has more of the page than was likely.
		st.query.Limit = aws.Int32(min(2**st.query.Limit, 1000))
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
