package jobdb

import (
	"context"
	"time"

	"minicloud/shared/dynamo"
	"minicloud/shared/errs"
	"minicloud/shared/id"
	"minicloud/shared/job"
	"minicloud/shared/job/runlog"
	"minicloud/shared/tenant"
)

// Read makes one BatchGetItem, a Query of the slots if that finds nothing, and one GetItem per 300 KB of a large log.
func (s *Store) Read(ctx context.Context, scope tenant.Scope, fn, jobID id.ID, now time.Time) (job.Record, error) {
	if jobID < id.First(oldest(now)) || jobID > lastID {
		return job.Record{}, errs.NotFound("job %d does not exist", jobID)
	}

	pk, ended, pending := jobsKey(scope, fn), placeKey(endedPlace, jobID), placeKey(pendingPlace, jobID)
	for range 2 {
		found, err := dynamo.BatchGet(ctx, s.Client, s.Table, dynamo.Key(pk, ended), dynamo.Key(pk, pending))
		if err != nil {
			return job.Record{}, dynamo.Wrap("read job", err)
		}
		if av := found[ended]; av != nil {
			return s.withLog(ctx, scope, av, now)
		}
		if av := found[pending]; av != nil {
			it, err := dynamo.Decode[jobItem](av)
			return it.record(), err
		}

		running, err := s.Slots(ctx, scope.App)
		if err != nil {
			return job.Record{}, err
		}
		for _, r := range running {
			if r.Scope == scope && r.Function == fn && r.ID == jobID {
				return r.Record, nil
			}
		}
		// The job may have moved from its slot to its record between the two reads, so read once more.
	}
	return job.Record{}, errs.NotFound("job %d does not exist", jobID)
}

func (s *Store) withLog(ctx context.Context, scope tenant.Scope, av dynamo.Item, now time.Time) (job.Record, error) {
	it, err := dynamo.Decode[jobItem](av)
	if err != nil {
		return job.Record{}, err
	}
	r := it.record()
	// DynamoDB deletes expired items late; do not show the log meanwhile.
	if now.After(r.CreatedAt().Add(job.KeepLog)) {
		r.Log = runlog.Log{}
		return r, nil
	}

	if it.LogChunks > 0 {
		r.Log.Stored, err = dynamo.ReadChunks(ctx, s.Client, s.Table, logKey(scope, r.Function), logSK(r), it.LogChunks)
	}
	return r, err
}
