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

// The write token of a request with an Idempotency-Key leads to its job. The token's item is written in the transaction
// of the job's first item, so that only one of all tries of the request starts a job (D8).

func jobTokenPK(scope tenant.Scope, token string) string { return scope.String() + "#token#" + token }

const tokenSK = "job"

// mark returns the token's part of the transaction that starts a job; none for a job without a token.
func (s *Store) mark(scope tenant.Scope, r job.Record) []dynamo.Part {
	if r.Token == "" {
		return nil
	}
	it := dynamo.Key(jobTokenPK(scope, r.Token), tokenSK)
	it["id"], it["function"] = dynamo.Number(int64(r.ID)), dynamo.Number(int64(r.Function))
	it["expires_at"] = keepToken(r.Token)
	return []dynamo.Part{dynamo.Put(s.Table, it, dynamo.NotExists, nil)}
}

// keepToken returns the expiry of a token's item. A request made in the last minute of the token's day may still run
// after it.
func keepToken(token string) types.AttributeValue {
	return dynamo.Instant(writetoken.Expires(token).Add(time.Hour))
}

// keepResult returns the token's writes for the transaction that ends a job in its slot: its result, or, if nothing
// ran, the deletion of the token, so that the request can be retried.
func (s *Store) keepResult(scope tenant.Scope, r job.Record) ([]dynamo.Part, error) {
	if r.Token == "" {
		return nil, nil
	}

	pk := jobTokenPK(scope, r.Token)
	if r.Status == job.StatusScheduleFailed {
		return []dynamo.Part{dynamo.Delete(s.Table, pk, tokenSK, "", nil)}, nil
	}

	// A repeated request whose result is too large to keep is refused; see job.MaxKeptResult.
	packed := compress.Gzip(r.Result)
	if len(packed) > job.MaxKeptResult {
		return nil, nil
	}

	return []dynamo.Part{dynamo.Update(s.Table, pk, tokenSK,
		"SET id = :id, #function = :function, #result = :result, expires_at = :expires", "", dynamo.Item{
			":id": dynamo.Number(int64(r.ID)), ":function": dynamo.Number(int64(r.Function)),
			":expires": keepToken(r.Token), ":result": dynamo.Binary(packed),
		},
	)}, nil
}

// Started makes one GetItem.
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

// errStarted returns the errs.Duplicate for a job whose request has already started one in another try.
func errStarted(r job.Record) error {
	return errs.Duplicate("an earlier try of the request that job %d belongs to has started one", r.ID)
}
