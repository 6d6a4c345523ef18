package jobdb

import (
	"context"
	"fmt"
	"strings"

	"minicloud/shared/dynamo"
	"minicloud/shared/errs"
	"minicloud/shared/id"
	"minicloud/shared/job"
	"minicloud/shared/tenant"
)

// End runs one transaction: the record, its copy if the job was not fulfilled, the place that the job leaves, a large
// log, the result for the write token, and the callback.
//
// For a fulfilled job without these it makes two single writes, at half the price: first the record, whose condition
// lets it be written once, then the slot. If the worker dies between the two, the next caller that finds the slot frees
// it.
func (s *Store) End(ctx context.Context, scope tenant.Scope, r job.Record, from job.Place) (id.ID, error) {
	return s.end(ctx, scope, r, from, endClaim(r))
}

// Expire is End in one transaction. If the worker died after it had written the record, Expire only frees the slot.
func (s *Store) Expire(ctx context.Context, scope tenant.Scope, r job.Record) (id.ID, error) {
	return s.end(ctx, scope, r, job.InSlot, endClaim(r)+expired)
}

func (s *Store) end(
	ctx context.Context, scope tenant.Scope, r job.Record, from job.Place, claim string,
) (id.ID, error) {
	expires := strings.HasSuffix(claim, expired)
	apart := from == job.InSlot && !expires && r.Status == job.StatusFulfilled &&
		r.Token == "" && r.Callback == "" && len(r.Log.Stored) <= inlineLog

	// If two processes drew the same id in a millisecond, the later record gets the next free id of the same parity.
	for begun := r.ID; ; r.ID += 2 {
		writes, err := s.ending(ctx, scope, r, begun, from, claim)
		if err != nil {
			return begun, err
		}
		if apart {
			writes = writes[:1]
		}
		err = dynamo.Write(ctx, s.Client, writes...)
		claim := dynamo.TextOf(dynamo.ItemAt(err, 0)["claim"])
		recorded := dynamo.ConditionFailedAt(err, 0) && strings.TrimSuffix(claim, expired) == endClaim(r)

		switch {
		case from == job.Nowhere && dynamo.ConditionFailedAt(err, 1):
			return begun, errStarted(r)
		case from != job.Nowhere && dynamo.ConditionFailedAt(err, 1), recorded && !expires:
			return begun, errs.NotFound("job %d has ended already", r.ID)
		case recorded, err == nil && apart:
			// Another process may have freed the slot already: that is no error.
			return r.ID, dynamo.Do(ctx, s.Client, "free slot", nil, s.release(scope, r, begun))
		case !dynamo.ConditionFailedAt(err, 0):
			return r.ID, dynamo.Wrap("end job", err)
		}
	}
}

// expired is the suffix of the claim of a record that Expire wrote, so that a retry of the worker does not take the
// record for its own.
const expired = "x"

// endClaim returns the claim that identifies a worker's end of a job. All attempts of the worker share it; another job
// with the same id has a different one.
func endClaim(r job.Record) string {
	return fmt.Sprintf("%s%d@%d", r.Plan, r.Slot, dynamo.Millis(r.StartedAt))
}

// ending returns the writes that end a job that began under the id begun: the record first, then the place that the job
// leaves.
func (s *Store) ending(
	ctx context.Context, scope tenant.Scope, r job.Record, begun id.ID, from job.Place, claim string,
) ([]dynamo.Part, error) {
	it := encodeJob(jobsKey(scope, r.Function), placeKey(endedPlace, r.ID), r)
	it.Expires, it.LogBytes = recordExpiry(r.CreatedAt()), r.Log.Bytes
	copied := it
	copied.SK, copied.Stack = placeKey(string(r.Status), r.ID), ""

	// An item holds at most 400 KB, so a large log is stored in chunks beside its record.
	var logs []dynamo.Part
	if len(r.Log.Stored) <= inlineLog {
		it.Log = r.Log.Stored
	} else {
		logs = dynamo.Chunks(s.Table, logKey(scope, r.Function), logSK(r), r.Log.Stored, r.CreatedAt().Add(job.KeepLog))
		it.LogChunks = len(logs)
	}
	if from == job.InSlot {
		it.Claim = claim
	}
	writes := []dynamo.Part{s.putJob(it)}
	switch from {
	case job.Nowhere:
		writes = append(writes, s.mark(scope, r)...)
	case job.InSlot:
		result, err := s.keepResult(scope, r)
		if err != nil {
			return nil, err
		}
		writes = append(append(writes, s.release(scope, r, begun)), result...)
	case job.Pending:
		writes = append(writes, s.takePending(scope, r))
	}
	if r.Status != job.StatusFulfilled {
		writes = append(writes, dynamo.Put(s.Table, dynamo.Encode(copied.PK, copied.SK, copied), "", nil))
	}
	callback, err := s.putCallback(ctx, scope, r)
	return append(append(writes, logs...), callback...), err
}

func logSK(r job.Record) func(n int) string {
	return func(n int) string { return fmt.Sprintf("%s#%02d", r.ID.Key(), n) }
}
