package dynamo

import (
	"context"
	"errors"
	"fmt"
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
// worth four Query, two GetItem and one Query for the counts, then one Query per
// kind and lane that has jobs on the page, four of each kind at most. An offset
// costs two GetItem more and the keys of at most the minute it ends in; a bound of
// creation within a minute costs counting that minute. A rare kind lies apart, so it
// never costs reading the others. None of it depends on how long the history is,
// but for 17 bytes a day and kind in the summary.
func (s *Jobs) List(ctx context.Context, scope tenant.Scope, fn id.ID, f job.Filter, now time.Time, req page.Request) (page.Page[job.Record], error) {
	// Open jobs first: one that ends meanwhile is then found in the history.
	open, err := s.open(ctx, scope, fn, f)
	if err != nil {
		return page.Page[job.Record]{}, err
	}
	within, days := bounds(f, now)
	if within.to <= within.from {
		return page.Page[job.Record]{}, nil
	}
	for range folding {
		l := list{store: s, open: open, within: within}
		got, more, err := l.count(ctx, scope, fn, f, days, req)
		if errors.Is(err, errFolded) {
			continue
		}
		if err != nil || !more {
			return got, err
		}
		return l.page(ctx, got, req)
	}
	return page.Page[job.Record]{}, errs.Unavailable(1, "the jobs of this function are being counted, try again")
}

// folding is how often a list is begun, anew when its counts were folded while it
// read them, which happens once an hour.
const folding = 5

// count fills in the total and finds where the page starts.
func (l *list) count(ctx context.Context, scope tenant.Scope, fn id.ID, f job.Filter, days period, req page.Request) (got page.Page[job.Record], more bool, err error) {
	if l.history, err = l.store.counted(ctx, scope, fn, f, days); err != nil {
		return got, false, err
	}
	if err := l.trim(ctx, f, days.from); err != nil {
		return got, false, err
	}
	got.Total = l.total()
	if more, err = l.start(ctx, req); err != nil {
		return got, false, err
	}
	return got, more, l.history.stillTrue(ctx)
}

// page reads the page.
func (l *list) page(ctx context.Context, got page.Page[job.Record], req page.Request) (page.Page[job.Record], error) {
	records, err := l.read(ctx, req.Limit+1, false)
	if err != nil {
		return got, err
	}
	if n := min(page.Fit(records, job.Record.Wire), req.Limit); n < len(records) {
		records = records[:n]
		got.Next = page.Cursor(records[n-1].ID.Key())
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
		line, err := s.Line(ctx, scope, fn, time.Time{})
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

// Read looks where most jobs are first: one Query for the tally of its hour, one
// GetItem for the summary, one BatchGetItem; an open job costs its line and the
// slots, too.
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
	keys, err := s.placesOf(ctx, scope, fn, jobID)
	if err != nil {
		return job.Record{}, err
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

// placesOf returns the keys an ended job may have: those of every kind and lane
// that has jobs of its day. Tallies are read before the summary, so that a fold
// between hides nothing.
func (s *Jobs) placesOf(ctx context.Context, scope tenant.Scope, fn, jobID id.ID) ([]item, error) {
	created := jobID.Time()
	h := s.newCounts(scope, fn, job.Filter{})
	tallies, err := s.tallies(ctx, scope, fn, created, created)
	if err != nil {
		return nil, err
	}
	h.addTallies(tallies)
	if h.folded, err = s.summary(ctx, scope, fn); err != nil {
		return nil, err
	}
	h.addFolded(dayOf(created))
	var keys []item
	for k, held := range h.days[dayOf(created)] {
		for _, p := range h.parts(k, held) {
			keys = append(keys, itemKey(p.pk, jobID.Key()))
		}
	}
	return keys, nil
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
			r.Log.Stored = append(r.Log.Stored, part.Value...)
		}
	}
	return r, nil
}
