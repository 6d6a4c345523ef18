package rundb

import (
	"context"
	"fmt"
	"strings"

	"minicloud/shared/dynamo"
	"minicloud/shared/tenant"
	"minicloud/shared/trigger"
	"minicloud/shared/trigger/run"
)

// byTrace is the index of runs by trace. It projects keys only, so the creation of a run costs one more write unit, and
// its updates cost none.
//
//	trace = <scope>#<trace>    sk = <time>#<run>
const byTrace = "by_trace"

// traceKey returns the partition key of a trace in the index, "" for no trace.
func traceKey(scope tenant.Scope, trace string) string {
	if trace == "" {
		return ""
	}
	return scope.String() + "#" + trace
}

// Traced makes one Query of the index, and one BatchGetItem per 100 runs.
func (s *Runs) Traced(ctx context.Context, scope tenant.Scope, trace string, limit int) ([]run.Run, error) {
	if trace == "" {
		return nil, nil
	}
	// A global index is eventually consistent: DynamoDB rejects a ConsistentRead of it.
	out, err := s.Client.Query(ctx, &dynamo.QueryInput{
		TableName: &s.Table, IndexName: new(byTrace), Limit: new(int32(limit)),
		KeyConditionExpression:    new("#trace = :trace"),
		ExpressionAttributeNames:  map[string]string{"#trace": "trace"},
		ExpressionAttributeValues: dynamo.Item{":trace": dynamo.Text(traceKey(scope, trace))},
	})
	if err != nil {
		return nil, dynamo.Wrap("find the runs of a trace", err)
	}

	keys := make([]dynamo.Item, len(out.Items))
	for i, it := range out.Items {
		keys[i] = dynamo.Key(dynamo.TextOf(it["pk"]), dynamo.TextOf(it["sk"]))
	}
	found, err := dynamo.BatchGet(ctx, s.Client, s.Table, keys...)
	if err != nil {
		return nil, dynamo.Wrap("read the runs of a trace", err)
	}

	runs := make([]run.Run, 0, len(keys))
	// A batch returns items in any order; the keys have the order of the index. Expired runs are skipped.
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
