package dynamo

import (
	"context"
	"fmt"
	"maps"
	"slices"
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

// span is a range of ids: from ≤ id < to.
type span struct{ from, to id.ID }

const lastID id.ID = 1<<53 - 1

// List costs one Query for the line, one GetItem that says whether the slots are
// worth two BatchGetItem, one Query for the tallies, then one Query per kind and
// lane that has jobs on the page. An offset costs reading the keys of at most the
// hour it ends in; a bound of creation within an hour costs counting that hour. A
// rare kind lies apart, so it never costs reading the others.
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
