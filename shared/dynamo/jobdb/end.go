package jobdb

import (
	"context"
	"fmt"
	"strings"

	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"

	"minicloud/shared/dynamo"
	"minicloud/shared/errs"
	"minicloud/shared/id"
	"minicloud/shared/job"
	"minicloud/shared/tenant"
)

// End is one transaction: the record, its copy where the job was not fulfilled, the place it leaves, a large log, and
// what the job's write token leads to, and what is to be told of it.
//
// Of an asynchronous job that was fulfilled it is two single writes, at half the price, since nobody waits: first the
// record, which can be made once, then the slot. A caller that finds the slot of a dead worker frees it.
func (s *Store) End(ctx context.Context, scope tenant.Scope, r job.Record, from job.Place) (id.ID, error) {
	return s.end(ctx, scope, r, from, endClaim(r))
}

// Expire is End, in one transaction. When the worker has written the record and died, Expire only frees the slot.
func (s *Store) Expire(ctx context.Context, scope tenant.Scope, r job.Record) (id.ID, error) {
	return s.end(ctx, scope, r, job.InSlot, endClaim(r)+expired)
}

func (s *Store) end(
	ctx context.Context, scope tenant.Scope, r job.Record, from job.Place, claim string,
) (id.ID, error) {
	expires := strings.HasSuffix(claim, expired)
	apart := from == job.InSlot && !expires && r.Service == job.Batch && r.Status == job.StatusFulfilled &&
		r.Token == "" && r.Callback == "" && len(r.Log.Stored) <= inlineLog

	// Where two processes drew one id in the same millisecond, the later record moves; it stays odd or even.
	for begun := r.ID; ; r.ID += 2 {
		writes, err := s.ending(scope, r, begun, from, claim)
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
			// Another process may have freed the slot.
			return r.ID, dynamo.Do(ctx, s.Client, "free slot", nil, s.release(scope, r, begun))
		case !dynamo.ConditionFailedAt(err, 0):
			return r.ID, dynamo.Wrap("end job", err)
		}
	}
}

// expired ends the claim of a record that Expire wrote, so that the worker's retry does not take it for its own record.
const expired = "x"

// endClaim returns the claim that all tries of a worker to end a job share, and that no other job of the same id has.
func endClaim(r job.Record) string {
	return fmt.Sprintf("%s%d@%d", r.Plan, r.Slot, dynamo.Millis(r.StartedAt))
}

// ending is the transaction that ends a job begun under that id. The record is first, the place it leaves second.
func (s *Store) ending(
	scope tenant.Scope, r job.Record, begun id.ID, from job.Place, claim string,
) ([]types.TransactWriteItem, error) {
	it := encodeJob(jobsKey(scope, r.Function), placeKey(endedPlace, r.ID), r)
	it.Expires, it.LogBytes = recordExpiry(r.CreatedAt()), r.Log.Bytes
	copied := it
	copied.SK, copied.Stack = placeKey(string(r.Status), r.ID), ""

	// An item holds 400 KB, so a large log is stored in chunks beside its record.
	var logs []types.TransactWriteItem
	if len(r.Log.Stored) <= inlineLog {
		it.Log = r.Log.Stored
	} else {
		logs = dynamo.Chunks(s.Table, logKey(scope, r.Function), logSK(r), r.Log.Stored, r.CreatedAt().Add(job.KeepLog))
		it.LogChunks = len(logs)
	}
	if from == job.InSlot {
		it.Claim = claim
	}
	writes := []types.TransactWriteItem{s.putJob(it)}
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
	return append(append(writes, logs...), s.putCallback(scope, r)...), nil
}

func logSK(r job.Record) func(n int) string {
	return func(n int) string { return fmt.Sprintf("%s#%02d", r.ID.Key(), n) }
}
