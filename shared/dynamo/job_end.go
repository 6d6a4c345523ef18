package dynamo

import (
	"context"
	"fmt"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/feature/dynamodb/attributevalue"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"

	"minicloud/shared/errs"
	"minicloud/shared/id"
	"minicloud/shared/job"
	"minicloud/shared/tenant"
)

// End is one transaction: the place it leaves, history, tally, a large log, and
// what the job's write token leads to.
func (s *Jobs) End(ctx context.Context, scope tenant.Scope, r job.Record, from job.Place, slot int) error {
	begun := r.ID
	for {
		writes, err := s.ending(scope, r, begun, from, slot)
		if err != nil {
			return err
		}
		err = s.write(ctx, writes)
		switch {
		case from == job.Nowhere && r.Token != "" && failedAt(err, 1):
			return errStarted(r)
		case from != job.Nowhere && failedAt(err, 1):
			return errs.NotFound("job %d has ended already", r.ID)
		case failedAt(err, 0):
			// Two processes drew one id in the same millisecond: the later record moves.
			r.ID++
		default:
			return wrap("end job", err)
		}
	}
}

// ending is the transaction that ends a job begun under that id.
func (s *Jobs) ending(scope tenant.Scope, r job.Record, begun id.ID, from job.Place, slot int) ([]types.TransactWriteItem, error) {
	lane := int(begun % tallyLanes)
	if from == job.InSlot {
		lane = slot % tallyLanes
	}
	it := encodeJob(historyKey(scope, r.Function, kindOf(r), lane%jobLanes), r.ID.Key(), r)
	it.Expires, it.LogBytes = recordExpiry(r.CreatedAt()).Unix(), r.Log.Bytes
	var logs []types.TransactWriteItem
	if len(r.Log.Stored) <= inlineLog {
		it.Log = r.Log.Stored
	} else {
		logs = s.putLog(scope, r)
		it.LogChunks = len(logs)
	}
	av, err := attributevalue.MarshalMap(it)
	if err != nil {
		return nil, fmt.Errorf("encode job: %w", err)
	}
	writes := []types.TransactWriteItem{{Put: &types.Put{TableName: &s.Table, Item: av, ConditionExpression: aws.String("attribute_not_exists(pk)")}}}
	switch from {
	case job.Nowhere:
		writes = append(writes, s.mark(scope, r)...)
	case job.InSlot:
		result, err := s.keepResult(scope, r)
		if err != nil {
			return nil, err
		}
		writes = append(append(writes, s.release(scope, r, begun, slot)), result...)
	case job.InLine:
		writes = append(writes, s.leave(lineKey(scope, r.Function), begun))
	}
	return append(append(writes, s.tally(scope, r, lane)), logs...), nil
}

func (s *Jobs) putLog(scope tenant.Scope, r job.Record) []types.TransactWriteItem {
	var writes []types.TransactWriteItem
	for n := 0; n*logChunk < len(r.Log.Stored); n++ {
		it := itemKey(logKey(scope, r.Function), fmt.Sprintf("%s#%02d", r.ID.Key(), n))
		it["part"] = &types.AttributeValueMemberB{Value: r.Log.Stored[n*logChunk : min((n+1)*logChunk, len(r.Log.Stored))]}
		it["expires_at"] = instant(r.CreatedAt().Add(job.KeepLog))
		writes = append(writes, types.TransactWriteItem{Put: &types.Put{TableName: &s.Table, Item: it}})
	}
	return writes
}
