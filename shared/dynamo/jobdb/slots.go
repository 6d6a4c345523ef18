package jobdb

import (
	"context"
	"fmt"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"

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

// release frees the slot of a job, if it is in there as it began under that id.
func (s *Store) release(scope tenant.Scope, r job.Record, begun id.ID) types.TransactWriteItem {
	pk, sk := slotKey(job.Slot{App: scope.App, Plan: r.Plan, Number: r.Slot})
	held := s.remove(pk, sk)
	held.Delete.ConditionExpression = aws.String("id = :id AND #scope = :scope AND started = :started")
	held.Delete.ExpressionAttributeNames = map[string]string{"#scope": "scope"}
	held.Delete.ExpressionAttributeValues = dynamo.Item{
		":id": dynamo.Number(int64(begun)), ":scope": dynamo.Text(scope.String()),
		":started": dynamo.Number(dynamo.Millis(r.StartedAt)),
	}
	return held
}

// leave frees the slot of a job whose end is recorded, one DeleteItem.
func (s *Store) leave(ctx context.Context, scope tenant.Scope, r job.Record, begun id.ID) error {
	err := dynamo.Write(ctx, s.Client, s.release(scope, r, begun))
	if dynamo.ConditionFailed(err) {
		return nil // another process freed it
	}
	return dynamo.Wrap("free slot", err)
}

// Begin is one PutItem for a new job; a transaction for a pending one, or when a write token leads to the job.
func (s *Store) Begin(ctx context.Context, r job.Running, from job.Place) error {
	pk, sk := slotKey(r.In())
	it := encodeJob(pk, sk, r.Record)
	it.Scope, it.Slot, it.Lease, it.Claim = r.Scope.String(), r.Slot, dynamo.Millis(r.Lease), id.Hex(8)
	writes := []types.TransactWriteItem{s.putJob(it)}
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

// Renew is one UpdateItem of the slot.
func (s *Store) Renew(ctx context.Context, r job.Running, until time.Time) error {
	held := s.release(r.Scope, r.Record, r.ID).Delete
	held.ExpressionAttributeValues[":until"] = dynamo.Number(dynamo.Millis(until))
	return dynamo.Do(ctx, s.Client, "renew lease", errs.NotFound("job %d is not in slot %d", r.ID, r.Slot),
		types.TransactWriteItem{Update: &types.Update{
			TableName: held.TableName, Key: held.Key, UpdateExpression: aws.String("SET lease = :until"),
			ConditionExpression: held.ConditionExpression, ExpressionAttributeNames: held.ExpressionAttributeNames,
			ExpressionAttributeValues: held.ExpressionAttributeValues,
		}})
}

// Slots is one Query: some 50 KB at most, in one answer.
func (s *Store) Slots(ctx context.Context, app tenant.AppID) ([]job.Running, error) {
	var running []job.Running
	err := dynamo.EachItem(ctx, s.Client, dynamo.Query(
		s.Table, slotsKey(app), "", "", false, 0,
	), func(av dynamo.Item) error {
		it, err := decodeJob(av)
		if err != nil {
			return err
		}
		scope, err := tenant.Parse(it.Scope)
		running = append(running, job.Running{Record: it.record(), Scope: scope})
		return err
	})
	return running, err
}
