package jobdb

import (
	"context"
	"fmt"
	"time"

	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"

	"minicloud/shared/compress"
	"minicloud/shared/dynamo"
	"minicloud/shared/errs"
	"minicloud/shared/id"
	"minicloud/shared/idempotency/writetoken"
	"minicloud/shared/job"
	"minicloud/shared/tenant"
)

// The job of a request with an Idempotency-Key is found by its write token. The
// Item is written with the job's first one, in its transaction, so that of all
// tries of the request only one starts a job (D8).

func jobTokenPK(scope tenant.Scope, token string) string { return scope.String() + "#token#" + token }

const tokenSK = "job"

// mark is the token's part of the transaction that starts a job; none without one.
func (s *Store) mark(scope tenant.Scope, r job.Record) []types.TransactWriteItem {
	if r.Token == "" {
		return nil
	}
	it := dynamo.Key(jobTokenPK(scope, r.Token), tokenSK)
	it["id"], it["function"] = dynamo.Number(int64(r.ID)), dynamo.Number(int64(r.Function))
	it["expires_at"] = keepToken(r.Token)
	return []types.TransactWriteItem{dynamo.Put(s.Table, it, dynamo.NotExists, nil)}
}

// keepToken returns when the item of a token expires. A request of the token's last minute may still be running after
// its day.
func keepToken(token string) types.AttributeValue {
	return dynamo.Instant(writetoken.Expires(token).Add(time.Hour))
}

// keepResult returns the writes of the token for the transaction that ends a job in its slot: its result, or, when
// nothing ran, the deletion of the token, so that the request may be tried again.
func (s *Store) keepResult(scope tenant.Scope, r job.Record) ([]types.TransactWriteItem, error) {
	if r.Token == "" {
		return nil, nil
	}

	pk := jobTokenPK(scope, r.Token)
	if r.Status == job.StatusScheduleFailed {
		return []types.TransactWriteItem{dynamo.Delete(s.Table, pk, tokenSK, "", nil)}, nil
	}

	// A repetition of a run whose result is too large is refused; see job.MaxKeptResult.
	packed := compress.Gzip(r.Result)
	if len(packed) > job.MaxKeptResult {
		return nil, nil
	}

	return []types.TransactWriteItem{dynamo.Update(s.Table, pk, tokenSK,
		"SET id = :id, #function = :function, #result = :result, expires_at = :expires", "", dynamo.Item{
			":id": dynamo.Number(int64(r.ID)), ":function": dynamo.Number(int64(r.Function)),
			":expires": keepToken(r.Token), ":result": dynamo.Binary(packed),
		},
	)}, nil
}

// Started is one GetItem.
func (s *Store) Started(ctx context.Context, scope tenant.Scope, token string) (job.Started, error) {
	av, err := s.get(ctx, jobTokenPK(scope, token), tokenSK)
	if err != nil {
		return job.Started{}, err
	}
	started := job.Started{Function: id.ID(dynamo.IntegerOf(av["function"])), Job: id.ID(dynamo.IntegerOf(av["id"]))}
	if result, known := av["result"].(*types.AttributeValueMemberB); known {
		if started.Result, err = compress.Gunzip(result.Value); err != nil {
			return started, fmt.Errorf("result of job %d: %w", started.Job, err)
		}
		started.Known = true
	}
	return started, nil
}

// errStarted says that another try of the request has started a job.
func errStarted(r job.Record) error {
	return errs.Duplicate("an earlier try of the request that job %d belongs to has started one", r.ID)
}
