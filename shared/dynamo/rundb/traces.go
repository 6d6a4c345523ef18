package rundb

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb"

	"minicloud/shared/dynamo"
	"minicloud/shared/tenant"
	"minicloud/shared/trigger"
	"minicloud/shared/trigger/run"
)

// byTrace is the index of runs by trace. It has their keys alone, so that a run costs one write unit more when it is
// made, and none when it changes.
//
//	trace = <scope>#<trace>    sk = <time>#<run>
const byTrace = "by_trace"

// traceKey is the partition of a trace's runs in the index, "" for no trace.
func traceKey(scope tenant.Scope, trace string) string {
	if trace == "" {
		return ""
	}
	return scope.String() + "#" + trace
}

// Traced is one Query of the index and a BatchGetItem for each 100 runs.
func (s *Runs) Traced(ctx context.Context, scope tenant.Scope, trace string, limit int) ([]run.Run, error) {
	if trace == "" {
		return nil, nil
	}
	// A global index is eventually consistent: DynamoDB refuses a ConsistentRead of it.
	out, err := s.Client.Query(ctx, &dynamodb.QueryInput{
		TableName: &s.Table, IndexName: aws.String(byTrace), Limit: aws.Int32(int32(limit)),
		KeyConditionExpression:    aws.String("#trace = :trace"),
		ExpressionAttributeNames:  map[string]string{"#trace": "trace"},
		ExpressionAttributeValues: dynamo.Item{":trace": dynamo.Text(traceKey(scope, trace))},
	})
	if err != nil {
		return nil, dynamo.Wrap("find the runs of a trace", err)
	}

	runs := make([]run.Run, 0, len(out.Items))
	for keys := range slices.Chunk(out.Items, dynamo.MaxBatchGet) {
		some, err := s.keyed(ctx, scope, keys)
		if err != nil {
			return nil, err
		}
		runs = append(runs, some...)
	}
	return runs, nil
}

// keyed reads the runs that an index has named, in its order, without runs that have expired meanwhile.
func (s *Runs) keyed(ctx context.Context, scope tenant.Scope, named []dynamo.Item) ([]run.Run, error) {
	keys := make([]dynamo.Item, len(named))
	for i, it := range named {
		keys[i] = dynamo.Key(dynamo.TextOf(it["pk"]), dynamo.TextOf(it["sk"]))
	}
	found, err := dynamo.BatchGet(ctx, s.Client, s.Table, keys...)
	if err != nil {
		return nil, dynamo.Wrap("read the runs of a trace", err)
	}

	runs := make([]run.Run, 0, len(named))
	// A batch answers in any order; the keys have the order of the index.
	for _, key := range keys {
		it, there := found[dynamo.TextOf(key["sk"])]
		if !there {
			continue
		}
		var t trigger.ID
		pk := dynamo.TextOf(key["pk"])
		if _, err := fmt.Sscanf(strings.TrimPrefix(pk, scope.String()), "#run#%d", &t); err != nil {
			return nil, fmt.Errorf("run of a trace: its key is %q", pk)
		}
		r, err := listedRun(scope, t, it)
		if err != nil {
			return nil, err
		}
		runs = append(runs, r)
	}
	return runs, nil
}
