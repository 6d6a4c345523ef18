package dynamo

import (
	"context"
	"encoding/json"
	"fmt"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"

	"minicloud/shared/errs"
	"minicloud/shared/id"
	"minicloud/shared/job"
	"minicloud/shared/sandbox"
	"minicloud/shared/tenant"
)

// Accept is one write: the line alone, or a transaction with what else is needed.
func (s *Jobs) Accept(ctx context.Context, scope tenant.Scope, w job.Waiting, delayed bool, announce time.Time) error {
	writes, err := s.line(scope, w)
	if err != nil {
		return err
	}
	if delayed {
		due := itemKey("due", dueKey(job.Due{Scope: scope, Function: w.Function, Job: w.ID, RunAt: w.Ready}))
		writes = append(writes, types.TransactWriteItem{Put: &types.Put{TableName: &s.Table, Item: due}})
	}
	marked := len(writes)
	writes = append(writes, s.mark(scope, w.Record)...)
	err = s.write(ctx, append(writes, s.announce(scope, w.Function, announce)...))
	if w.Token != "" && failedAt(err, marked) {
		return errStarted(w.Record)
	}
	if failedAt(err, 0) {
		return errs.Conflict("job id %d is taken", w.ID)
	}
	return wrap("accept job", err)
}

// line puts a job in the line: the item there, and one for a large input.
func (s *Jobs) line(scope tenant.Scope, w job.Waiting) ([]types.TransactWriteItem, error) {
	input, err := sandbox.Encode(w.Input) // byte for byte: data of 256 KB must fit an item
	if err != nil {
		return nil, fmt.Errorf("encode input: %w", err)
	}
	it := encodeJob(lineKey(scope, w.Function), w.ID.Key(), w.Record)
	it.Ready, it.Claim, it.Apart = millis(w.Ready), id.Hex(8), len(input) > inlineInput
	if !it.Apart {
		it.Input = input
	}
	put, err := s.claim(it)
	if err != nil || !it.Apart {
		return []types.TransactWriteItem{put}, err
	}
	av := itemKey(inputKey(scope, w.Function), w.ID.Key())
	av["input"] = &types.AttributeValueMemberB{Value: input}
	// Deleting it would cost as much as writing it; TTL is free.
	av["expires_at"] = instant(w.Ready.Add(keepInput))
	return []types.TransactWriteItem{put, {Put: &types.Put{TableName: &s.Table, Item: av}}}, nil
}

// PutBack is one transaction.
func (s *Jobs) PutBack(ctx context.Context, r job.Running, w job.Waiting) error {
	line, err := s.line(r.Scope, w)
	if err != nil {
		return err
	}
	err = s.write(ctx, append([]types.TransactWriteItem{s.release(r.Scope, r.Record, r.ID, r.Slot)}, line...))
	if failedAt(err, 0) {
		return errs.NotFound("job %d is not in slot %d", r.ID, r.Slot)
	}
	return wrap("put job back", err)
}

// Waiting is one GetItem, and one for an input apart.
func (s *Jobs) Waiting(ctx context.Context, scope tenant.Scope, fn, jobID id.ID) (job.Waiting, error) {
	av, err := s.get(ctx, lineKey(scope, fn), jobID.Key())
	if err != nil {
		return job.Waiting{}, err
	}
	it, err := decodeJob(av)
	if err != nil {
		return job.Waiting{}, err
	}
	if it.Apart {
		apart, err := s.get(ctx, inputKey(scope, fn), jobID.Key())
		if err != nil {
			return job.Waiting{}, err
		}
		if input, ok := apart["input"].(*types.AttributeValueMemberB); ok {
			it.Input = input.Value
		}
	}
	return it.waiting()
}

func (it jobItem) waiting() (job.Waiting, error) {
	w := job.Waiting{Record: it.record(), Ready: fromMillis(it.Ready)}
	if len(it.Input) > 0 {
		if err := json.Unmarshal(it.Input, &w.Input); err != nil {
			return w, fmt.Errorf("decode input: %w", err)
		}
	}
	return w, nil
}

// Line is one Query per MB of line, delayed jobs included.
func (s *Jobs) Line(ctx context.Context, scope tenant.Scope, fn id.ID, before time.Time) ([]job.Waiting, error) {
	query := &dynamodb.QueryInput{
		TableName: &s.Table, ConsistentRead: aws.Bool(true),
		KeyConditionExpression: aws.String("pk = :pk"), ExpressionAttributeValues: item{":pk": text(lineKey(scope, fn))},
	}
	if !before.IsZero() {
		query.FilterExpression, query.ExpressionAttributeNames = aws.String("#ready < :before"), map[string]string{"#ready": "ready"}
		query.ExpressionAttributeValues[":before"] = number(before.UnixMilli())
	}
	var line []job.Waiting
	for {
		out, err := s.Client.Query(ctx, query)
		if err != nil {
			return nil, wrap("read line", err)
		}
		for _, av := range out.Items {
			it, err := decodeJob(av)
			if err != nil {
				return nil, err
			}
			line = append(line, job.Waiting{Record: it.record(), Ready: fromMillis(it.Ready)})
		}
		if query.ExclusiveStartKey = out.LastEvaluatedKey; query.ExclusiveStartKey == nil {
			return line, nil
		}
	}
}

// leave takes a job out of a line where it must be.
func (s *Jobs) leave(line string, jobID id.ID) types.TransactWriteItem {
	w := s.remove(line, jobID.Key())
	w.Delete.ConditionExpression = aws.String("attribute_exists(pk)")
	return w
}
