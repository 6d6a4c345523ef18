package jobdb

import (
	"context"
	"encoding/json"
	"fmt"
	"time"

	"minicloud/shared/dynamo"
	"minicloud/shared/errs"
	"minicloud/shared/id"
	"minicloud/shared/job"
	"minicloud/shared/language/value"
	"minicloud/shared/tenant"
)

// Accept makes one PutItem, or a transaction if the job needs more items: a large input, a due-list entry, a write
// token.
func (s *Store) Accept(ctx context.Context, scope tenant.Scope, w job.PendingJob, delayed bool) error {
	writes, err := s.putPending(scope, w)
	if err != nil {
		return err
	}
	if delayed {
		due, err := s.putDue(ctx, job.Due{Scope: scope, Function: w.Function, Job: w.ID, RunAt: w.Ready})
		if err != nil {
			return err
		}
		writes = append(writes, due)
	}
	marked := len(writes)
	err = dynamo.Write(ctx, s.Client, append(writes, s.mark(scope, w.Record)...)...)

	switch {
	case dynamo.ConditionFailedAt(err, marked): // without a token there is no such part
		return errStarted(w.Record)
	case dynamo.ConditionFailedAt(err, 0):
		return errs.Conflict("job id %d is taken", w.ID)
	}
	return dynamo.Wrap("accept job", err)
}

// putPending returns the writes of a pending job: its item, and one for a large input.
func (s *Store) putPending(scope tenant.Scope, w job.PendingJob) ([]dynamo.Part, error) {
	input, err := value.Encode(w.Input) // without added bytes: MaxEventData must fit an item
	if err != nil {
		return nil, fmt.Errorf("encode input: %w", err)
	}

	it := encodeJob(jobsKey(scope, w.Function), placeKey(pendingPlace, w.ID), w.Record)
	it.Ready, it.Claim, it.Apart = w.Ready, id.Hex(8), len(input) > inlineInput
	if !it.Apart {
		it.Input = input
	}
	put := s.putJob(it)
	if !it.Apart {
		return []dynamo.Part{put}, nil
	}

	av := dynamo.Key(inputKey(scope, w.Function), w.ID.Key())
	av["input"] = dynamo.Binary(input)
	// A deletion would cost as much as the write; TTL is free.
	av["expires_at"] = dynamo.Instant(w.Ready.Add(keepInput))
	return []dynamo.Part{put, dynamo.Put(s.Table, av, "", nil)}, nil
}

// PutBack runs one transaction.
func (s *Store) PutBack(ctx context.Context, r job.Running, w job.PendingJob) error {
	writes, err := s.putPending(r.Scope, w)
	if err != nil {
		return err
	}
	err = dynamo.Write(ctx, s.Client, append([]dynamo.Part{s.release(r.Scope, r.Record, r.ID)}, writes...)...)
	if dynamo.ConditionFailedAt(err, 0) {
		return errs.NotFound("job %d is not in slot %d", r.ID, r.Slot)
	}
	return dynamo.Wrap("put job back", err)
}

// ReadPending makes one GetItem, and one for a separate input.
func (s *Store) ReadPending(ctx context.Context, scope tenant.Scope, fn, jobID id.ID) (job.PendingJob, error) {
	it, err := dynamo.Get[jobItem](ctx, s.Client, s.Table, jobsKey(scope, fn), placeKey(pendingPlace, jobID), noJob())
	if err != nil {
		return job.PendingJob{}, err
	}

	// A large input has an item of its own, so that lists of pending jobs do not read it.
	if it.Apart {
		apart, err := s.get(ctx, inputKey(scope, fn), jobID.Key())
		if err != nil {
			return job.PendingJob{}, err
		}
		it.Input = dynamo.BytesOf(apart["input"])
	}

	w := job.PendingJob{Record: it.record(), Ready: it.Ready}
	if err := json.Unmarshal(it.Input, &w.Input); err != nil {
		return w, fmt.Errorf("decode input: %w", err)
	}
	return w, nil
}

// Pending makes one Query per MB, which also reads delayed jobs.
func (s *Store) Pending(ctx context.Context, scope tenant.Scope, fn id.ID, before time.Time) ([]job.PendingJob, error) {
	query := dynamo.Query(
		s.Table, jobsKey(scope, fn), placeKey(pendingPlace, 0), placeKey(pendingPlace, lastID), false, 0,
	)
	// The sort key has the time of acceptance, so delayed jobs are filtered out.
	if !before.IsZero() {
		dynamo.Where(query, "#ready < :before", dynamo.Item{":before": dynamo.Number(before.UnixMilli())})
	}

	return dynamo.Collect(ctx, s.Client, query, func(av dynamo.Item) (job.PendingJob, error) {
		it, err := dynamo.Decode[jobItem](av)
		return job.PendingJob{Record: it.record(), Ready: it.Ready}, err
	})
}

// takePending returns the deletion of a pending job, on the condition that it is pending.
func (s *Store) takePending(scope tenant.Scope, r job.Record) dynamo.Part {
	return dynamo.Delete(s.Table, jobsKey(scope, r.Function), placeKey(pendingPlace, r.ID), dynamo.Exists, nil)
}
