package dynamo

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"sync"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"

	"minicloud/shared/errs"
	"minicloud/shared/id"
	"minicloud/shared/job"
	"minicloud/shared/tenant"
)

// slotLanes are the partitions that hold the slots of an application. Looking at
// them costs a read unit each; looking for each of 110 slots would cost one for
// every slot, held or not.
const slotLanes = 4

func slotKey(s job.Slot) (pk, sk string) {
	return slotLane(s.App, s.Number%slotLanes), fmt.Sprintf("%s#%03d", s.Plan, s.Number)
}

func slotLane(app tenant.AppID, lane int) string { return fmt.Sprintf("%d#slots#%d", app, lane) }

// release frees a slot, if the job is in it that began then under that id.
func (s *Jobs) release(scope tenant.Scope, r job.Record, begun id.ID, slot int) types.TransactWriteItem {
	pk, sk := slotKey(job.Slot{App: scope.App, Plan: r.Plan, Number: slot})
	held := s.remove(pk, sk)
	held.Delete.ConditionExpression = aws.String("id = :id AND #scope = :scope AND started = :started")
	held.Delete.ExpressionAttributeNames = map[string]string{"#scope": "scope"}
	held.Delete.ExpressionAttributeValues = item{":id": number(int64(begun)), ":scope": text(scope.String()), ":started": number(millis(r.StartedAt))}
	return held
}

// Begin is one PutItem for a new job; a transaction from the line, or when the
// function is announced, or a write token leads to the job.
func (s *Jobs) Begin(ctx context.Context, r job.Running, from job.Place, announce time.Time) error {
	pk, sk := slotKey(r.In())
	it := encodeJob(pk, sk, r.Record)
	it.Scope, it.Slot, it.Lease, it.Claim = r.Scope.String(), r.Slot, millis(r.Lease), id.Hex(8)
	slot, err := s.claim(it)
	if err != nil {
		return err
	}
	writes := []types.TransactWriteItem{slot}
	if from == job.InLine {
		writes = append(writes, s.leave(lineKey(r.Scope, r.Function), r.ID))
	} else {
		writes = append(writes, s.mark(r.Scope, r.Record)...)
	}
	err = s.write(ctx, append(writes, s.announce(r.Scope, r.Function, announce)...))
	switch {
	case from == job.Nowhere && r.Token != "" && failedAt(err, 1):
		return errStarted(r.Record)
	case failedAt(err, 0):
		return errs.Conflict("slot %d is taken", r.Slot)
	case from == job.InLine && failedAt(err, 1):
		return s.began(ctx, it)
	}
	return wrap("begin job", err)
}

// Renew is one UpdateItem of the slot.
func (s *Jobs) Renew(ctx context.Context, r job.Running, until time.Time) error {
	held := s.release(r.Scope, r.Record, r.ID, r.Slot).Delete
	held.ExpressionAttributeValues[":until"] = number(millis(until))
	_, err := s.Client.UpdateItem(ctx, &dynamodb.UpdateItemInput{
		TableName: held.TableName, Key: held.Key, UpdateExpression: aws.String("SET lease = :until"),
		ConditionExpression: held.ConditionExpression, ExpressionAttributeNames: held.ExpressionAttributeNames,
		ExpressionAttributeValues: held.ExpressionAttributeValues,
	})
	if conditionFailed(err) {
		return errs.NotFound("job %d is not in slot %d", r.ID, r.Slot)
	}
	return wrap("renew lease", err)
}

// began tells a write that was answered late, and repeated, from one that came
// too late: only the first finds its own claim in the slot.
func (s *Jobs) began(ctx context.Context, it jobItem) error {
	av, err := s.get(ctx, it.PK, it.SK)
	if err == nil && stringOf(av["claim"]) == it.Claim {
		return nil
	}
	return errs.NotFound("job %d is not waiting", it.ID)
}

// Slots is one Query per lane, side by side.
func (s *Jobs) Slots(ctx context.Context, app tenant.AppID) ([]job.Running, error) {
	var lanes [slotLanes][]job.Running
	var failures [slotLanes]error
	var wg sync.WaitGroup
	for n := range slotLanes {
		wg.Go(func() { lanes[n], failures[n] = s.slotsOf(ctx, slotLane(app, n)) })
	}
	wg.Wait()
	return slices.Concat(lanes[:]...), errors.Join(failures[:]...)
}

// slotsOf returns the jobs in the slots of a lane: some 30 KB at most, in one answer.
func (s *Jobs) slotsOf(ctx context.Context, lane string) ([]job.Running, error) {
	out, err := s.Client.Query(ctx, &dynamodb.QueryInput{
		TableName: &s.Table, ConsistentRead: aws.Bool(true),
		KeyConditionExpression: aws.String("pk = :pk"), ExpressionAttributeValues: item{":pk": text(lane)},
	})
	if err != nil {
		return nil, wrap("read slots", err)
	}
	var running []job.Running
	for _, av := range out.Items {
		it, err := decodeJob(av)
		if err != nil {
			return nil, err
		}
		scope, err := tenant.Parse(it.Scope)
		if err != nil {
			return nil, err
		}
		running = append(running, job.Running{Record: it.record(), Scope: scope, Slot: it.Slot, Lease: fromMillis(it.Lease)})
	}
	return running, nil
}
