package jobdb

import (
	"context"
	"fmt"
	"time"

	"minicloud/shared/dynamo"
	"minicloud/shared/errs"
	"minicloud/shared/id"
	"minicloud/shared/job"
	"minicloud/shared/tenant"
)

func slotsKey(app tenant.AppID) string { return fmt.Sprintf("%d#slots", app) }

func slotKey(s job.Slot) (pk, sk string) {
	return slotsKey(s.App), fmt.Sprintf("%s#%03d", s.Plan, s.Number)
}

// release returns the deletion of a job's slot, on the condition that the slot holds this job under the id begun.
func (s *Store) release(scope tenant.Scope, r job.Record, begun id.ID) dynamo.Part {
	pk, sk := slotKey(job.Slot{App: scope.App, Plan: r.Plan, Number: r.Slot})
	return dynamo.Delete(s.Table, pk, sk, inSlot, slotValues(scope, r, begun))
}

// inSlot is the condition that a slot holds a job.
const inSlot = "id = :id AND #scope = :scope AND started = :started"

func slotValues(scope tenant.Scope, r job.Record, begun id.ID) dynamo.Item {
	return dynamo.Item{
		":id": dynamo.Number(int64(begun)), ":scope": dynamo.Text(scope.String()),
		":started": dynamo.Number(dynamo.Millis(r.StartedAt)),
	}
}

// Begin makes one PutItem for a new job, or a transaction for a pending job or a job with a write token.
func (s *Store) Begin(ctx context.Context, r job.Running, from job.Place) error {
	pk, sk := slotKey(r.In())
	it := encodeJob(pk, sk, r.Record)
	it.Scope, it.Slot, it.Lease, it.Claim = r.Scope.String(), r.Slot, r.Lease, id.Hex(8)
	writes := []dynamo.Part{s.putJob(it)}
	if from == job.Pending {
		writes = append(writes, s.takePending(r.Scope, r.Record))
	} else {
		writes = append(writes, s.mark(r.Scope, r.Record)...)
	}
	err := dynamo.Write(ctx, s.Client, writes...)

	// The slot is the first write; the second is the write token of a new job, or the pending job.
	switch {
	case from == job.Nowhere && dynamo.ConditionFailedAt(err, 1):
		return errStarted(r.Record)
	case dynamo.ConditionFailedAt(err, 0):
		return errs.Conflict("slot %d is taken", r.Slot)
	case dynamo.ConditionFailedAt(err, 1):
		return errs.NotFound("job %d is not pending", r.ID)
	}
	return dynamo.Wrap("begin job", err)
}

// Renew makes one UpdateItem of the slot.
func (s *Store) Renew(ctx context.Context, r job.Running, until time.Time) error {
	pk, sk := slotKey(r.In())
	values := slotValues(r.Scope, r.Record, r.ID)
	values[":until"] = dynamo.Number(dynamo.Millis(until))
	return dynamo.Do(ctx, s.Client, "renew lease", errs.NotFound("job %d is not in slot %d", r.ID, r.Slot),
		dynamo.Update(s.Table, pk, sk, "SET lease = :until", inSlot, values))
}

// Slots makes one Query, which returns about 50 KB at most.
func (s *Store) Slots(ctx context.Context, app tenant.AppID) ([]job.Running, error) {
	query := dynamo.Query(s.Table, slotsKey(app), "", "", false, 0)
	return dynamo.Collect(ctx, s.Client, query, func(av dynamo.Item) (r job.Running, err error) {
		it, err := dynamo.Decode[jobItem](av)
		if err == nil {
			r.Record = it.record()
			r.Scope, err = tenant.Parse(it.Scope)
		}
		return r, err
	})
}
