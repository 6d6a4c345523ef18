package dynamo

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"sync"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"

	"minicloud/shared/errs"
	"minicloud/shared/id"
	"minicloud/shared/job"
	"minicloud/shared/page"
	"minicloud/shared/tenant"
)

// kind is status, source and service type of an ended job, one letter each.
type kind string

func kindOf(r job.Record) kind {
	return kind([]byte{letter(job.Statuses, r.Status), letter(job.Sources, r.Source), letter(job.ServiceTypes, r.Service)})
}

func letter[T comparable](words []T, word T) byte { return 'a' + byte(slices.Index(words, word)) }

// selects reports whether jobs of this kind pass the filter.
func (k kind) selects(f job.Filter) bool {
	return (f.Status == "" || k[0] == letter(job.Statuses, f.Status)) &&
		(f.Source == "" || k[1] == letter(job.Sources, f.Source)) &&
		(f.Service == "" || k[2] == letter(job.ServiceTypes, f.Service))
}

func historyKey(scope tenant.Scope, fn id.ID, k kind, lane int) string {
	return fmt.Sprintf("%s#job#%s#%s%02d", scope, fn.Key(), k, lane)
}

// recordExpiry is the end of the 180th day after the job was made: records go
// in whole days, and their tallies with them.
func recordExpiry(created time.Time) time.Time {
	return created.Truncate(day).Add(job.KeepRecord + day)
}

// oldest is the first moment of which records are kept.
func oldest(now time.Time) time.Time { return now.Add(-job.KeepRecord).Truncate(day) }

const dayForm = "20060102"

// tally counts one ended job by kind and hour of creation.
func (s *Jobs) tally(scope tenant.Scope, r job.Record, lane int) types.TransactWriteItem {
	created := r.CreatedAt()
	return types.TransactWriteItem{Update: &types.Update{
		TableName: &s.Table, Key: itemKey(tallyKey(scope, r.Function), fmt.Sprintf("%s#%02d", created.Format(dayForm), lane)),
		UpdateExpression:         aws.String("SET expires_at = :expires ADD #n :one"),
		ExpressionAttributeNames: map[string]string{"#n": fmt.Sprintf("%02d%s", created.Hour(), kindOf(r))},
		ExpressionAttributeValues: item{
			":expires": instant(recordExpiry(created)), ":one": number(1),
		},
	}}
}

// partition is where ended jobs of one kind and lane lie, with how many were
// created in which hour since 1970.
type partition struct {
	pk    string
	hours map[int64]int
}

func hourOf(t time.Time) int64    { return t.Unix() / 3600 }
func hourStart(h int64) time.Time { return time.Unix(h*3600, 0).UTC() }

// holds reports whether jobs of the hours first … last are there.
func (p partition) holds(first, last int64) bool {
	for h, n := range p.hours {
		if n > 0 && h >= first && h <= last {
			return true
		}
	}
	return false
}

// partitions reads the tallies of the days from … to and returns where jobs are
// that pass the filter. It costs one Query per MB: a year's day of a busy
// function is about 2 KB per lane.
func (s *Jobs) partitions(ctx context.Context, scope tenant.Scope, fn id.ID, f job.Filter, from, to time.Time) ([]partition, error) {
	query := &dynamodb.QueryInput{
		TableName: &s.Table, ConsistentRead: aws.Bool(true),
		KeyConditionExpression: aws.String("pk = :pk AND sk BETWEEN :from AND :to"),
		ExpressionAttributeValues: item{
			":pk": text(tallyKey(scope, fn)), ":from": text(from.Format(dayForm)), ":to": text(to.Format(dayForm) + "#~"),
		},
	}
	found := make(map[string]partition)
	for {
		out, err := s.Client.Query(ctx, query)
		if err != nil {
			return nil, wrap("read tallies", err)
		}
		for _, av := range out.Items {
			if err := addTally(found, scope, fn, f, av); err != nil {
				return nil, err
			}
		}
		if query.ExclusiveStartKey = out.LastEvaluatedKey; query.ExclusiveStartKey == nil {
			return slices.Collect(maps.Values(found)), nil
		}
	}
}

func addTally(found map[string]partition, scope tenant.Scope, fn id.ID, f job.Filter, av item) error {
	sk := stringOf(av["sk"])
	var lane int
	start, err := time.Parse(dayForm, sk[:min(len(sk), len(dayForm))])
	if err == nil {
		lane, err = strconv.Atoi(sk[len(dayForm)+1:])
	}
	if err != nil {
		return fmt.Errorf("tally %q: %w", sk, err)
	}
	for name, value := range av {
		hour, err := strconv.Atoi(name[:min(len(name), 2)])
		if err != nil || len(name) != 5 || !kind(name[2:]).selects(f) {
			continue
		}
		pk := historyKey(scope, fn, kind(name[2:]), lane)
		if found[pk].hours == nil {
			found[pk] = partition{pk: pk, hours: make(map[int64]int)}
		}
		found[pk].hours[hourOf(start)+int64(hour)] += int(intOf(value))
	}
	return nil
}

// span is a range of ids: from ≤ id < to.
type span struct{ from, to id.ID }

const lastID id.ID = 1<<53 - 1

// List costs: one Query for the line and one GetItem that says whether the slots
// are worth two BatchGetItem, one Query for the tallies, then one Query per kind and lane that has jobs on the page. An
// offset costs reading the keys of at most the hour it ends in; a bound of
// creation within an hour costs counting that hour. A rare kind lies apart, so
// it never costs reading the others.
func (s *Jobs) List(ctx context.Context, scope tenant.Scope, fn id.ID, f job.Filter, now time.Time, req page.Request) (page.Page[job.Record], error) {
	var got page.Page[job.Record]
	// Open jobs first: one that ends meanwhile is then found in the history.
	open, err := s.open(ctx, scope, fn, f)
	if err != nil {
		return got, err
	}
	within, days := bounds(f, now)
	if within.to <= within.from {
		return got, nil
	}
	history, err := s.partitions(ctx, scope, fn, f, days.from, days.to)
	if err != nil {
		return got, err
	}
	if err := s.trim(ctx, history, f, within, days.from); err != nil {
		return got, err
	}
	l := list{store: s, open: open, history: history, within: within}
	got.Total = l.total()
	more, err := l.start(ctx, req)
	if err != nil || !more {
		return got, err
	}
	records, err := l.read(ctx, req.Limit+1, false)
	if err != nil {
		return got, err
	}
	if len(records) > req.Limit {
		records = records[:req.Limit]
		got.Next = page.Cursor(records[req.Limit-1].ID.Key())
	}
	got.Objects = records
	return got, nil
}

type period struct{ from, to time.Time }

// bounds returns the ids and the days a list covers.
func bounds(f job.Filter, now time.Time) (span, period) {
	days := period{oldest(now), now.Add(day)}
	within := span{id.First(days.from), lastID}
	if f.From.After(days.from) {
		days.from, within.from = f.From.UTC(), id.First(f.From)
	}
	if !f.To.IsZero() {
		within.to = id.First(f.To.Add(time.Second))
		if f.To.Before(days.to) {
			days.to = f.To.UTC()
		}
	}
	return within, days
}

// open returns the waiting and executing jobs that pass the filter, newest first.
func (s *Jobs) open(ctx context.Context, scope tenant.Scope, fn id.ID, f job.Filter) ([]job.Record, error) {
	if f.Status.Terminal() && f.Status != "" {
		return nil, nil
	}
	var open []job.Record
	if f.Status != job.StatusExecuting {
		line, err := s.Line(ctx, scope, fn, 1<<30)
		if err != nil {
			return nil, err
		}
		for _, w := range line {
			open = append(open, w.Record)
		}
	}
	if f.Status != job.StatusWaiting {
		running, err := s.running(ctx, scope, fn)
		if err != nil {
			return nil, err
		}
		for _, r := range running {
			if r.Scope == scope && r.Function == fn {
				open = append(open, r.Record)
			}
		}
	}
	open = slices.DeleteFunc(open, func(r job.Record) bool { return !f.Matches(r) })
	slices.SortFunc(open, func(a, b job.Record) int { return int(b.ID - a.ID) })
	// A job that was begun between the two reads is in both.
	return slices.CompactFunc(open, func(a, b job.Record) bool { return a.ID == b.ID }), nil
}

// running returns the jobs in the slots of the function's application. What has
// not been announced does not run, so most lists do not look.
func (s *Jobs) running(ctx context.Context, scope tenant.Scope, fn id.ID) ([]job.Running, error) {
	_, err := s.get(ctx, "active", activeKey(scope, fn))
	if errs.Is(err, errs.KindNotFound) {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	return s.Slots(ctx, scope.App)
}

// trim makes the counts of the hours exact in which the list begins or ends,
// and drops those outside.
func (s *Jobs) trim(ctx context.Context, history []partition, f job.Filter, within span, from time.Time) error {
	first, last := hourOf(from), hourOf(lastID.Time())
	var edges []int64
	if f.From.Equal(from) && !from.Equal(hourStart(first)) {
		edges = append(edges, first)
	}
	if end := f.To.Add(time.Second); !f.To.IsZero() {
		last = hourOf(f.To)
		if !end.Equal(hourStart(last + 1)) {
			edges = append(edges, last)
		}
	}
	for _, p := range history {
		maps.DeleteFunc(p.hours, func(h int64, _ int) bool { return h < first || h > last })
		for _, h := range slices.Compact(edges) {
			if !p.holds(h, h) {
				continue
			}
			n, err := s.countIDs(ctx, p.pk, span{max(within.from, id.First(hourStart(h))), min(within.to, id.First(hourStart(h+1)))})
			if err != nil {
				return err
			}
			p.hours[h] = n
		}
	}
	return nil
}

func (s *Jobs) countIDs(ctx context.Context, pk string, ids span) (int, error) {
	query := s.between(pk, ids)
	query.Select = types.SelectCount
	n := 0
	for {
		out, err := s.Client.Query(ctx, query)
		if err != nil {
			return 0, wrap("count jobs", err)
		}
		n += int(out.Count)
		if query.ExclusiveStartKey = out.LastEvaluatedKey; query.ExclusiveStartKey == nil {
			return n, nil
		}
	}
}

// between reads a partition of history newest first.
func (s *Jobs) between(pk string, ids span) *dynamodb.QueryInput {
	return &dynamodb.QueryInput{
		TableName: &s.Table, ConsistentRead: aws.Bool(true), ScanIndexForward: aws.Bool(false),
		KeyConditionExpression: aws.String("pk = :pk AND sk BETWEEN :from AND :to"),
		ExpressionAttributeValues: item{
			":pk": text(pk), ":from": text(ids.from.Key()), ":to": text((ids.to - 1).Key()),
		},
	}
}

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

// Read looks where most jobs are first: one Query for the tally of its day, one
// BatchGetItem; an open job costs its line and the slots, too.
func (s *Jobs) Read(ctx context.Context, scope tenant.Scope, fn, jobID id.ID, now time.Time) (job.Record, error) {
	if jobID < id.First(oldest(now)) || jobID > lastID {
		return job.Record{}, errs.NotFound("job %d does not exist", jobID)
	}
	for range 2 {
		r, err := s.ended(ctx, scope, fn, jobID, now)
		if !errs.Is(err, errs.KindNotFound) {
			return r, err
		}
		if av, err := s.get(ctx, lineKey(scope, fn), jobID.Key()); !errs.Is(err, errs.KindNotFound) {
			it, _ := decodeJob(av)
			return it.record(), err
		}
		running, err := s.running(ctx, scope, fn)
		if err != nil {
			return job.Record{}, err
		}
		for _, r := range running {
			if r.Scope == scope && r.Function == fn && r.ID == jobID {
				return r.Record, nil
			}
		}
		// It may have ended while we looked: look in the history once more.
	}
	return job.Record{}, errs.NotFound("job %d does not exist", jobID)
}

func (s *Jobs) ended(ctx context.Context, scope tenant.Scope, fn, jobID id.ID, now time.Time) (job.Record, error) {
	created := jobID.Time()
	places, err := s.partitions(ctx, scope, fn, job.Filter{}, created, created)
	if err != nil {
		return job.Record{}, err
	}
	var keys []item
	for _, p := range places {
		if p.holds(hourOf(created), hourOf(created)) {
			keys = append(keys, itemKey(p.pk, jobID.Key()))
		}
	}
	for some := range slices.Chunk(keys, 100) {
		found, err := batchGet(ctx, s.Client, s.Table, some...)
		if err != nil {
			return job.Record{}, wrap("read job", err)
		}
		if av := found[jobID.Key()]; av != nil {
			return s.withLog(ctx, scope, av, now)
		}
	}
	return job.Record{}, errs.NotFound("job %d does not exist", jobID)
}

func (s *Jobs) withLog(ctx context.Context, scope tenant.Scope, av item, now time.Time) (job.Record, error) {
	it, err := decodeJob(av)
	if err != nil {
		return job.Record{}, err
	}
	r := it.record()
	if now.After(r.CreatedAt().Add(job.KeepLog)) {
		r.Log = job.Log{}
		return r, nil
	}
	for n := range it.LogChunks {
		chunk, err := s.get(ctx, logKey(scope, r.Function), fmt.Sprintf("%s#%02d", r.ID.Key(), n))
		if err != nil {
			return r, err
		}
		if part, ok := chunk["part"].(*types.AttributeValueMemberB); ok {
			r.Log.Gzip = append(r.Log.Gzip, part.Value...)
		}
	}
	return r, nil
}
