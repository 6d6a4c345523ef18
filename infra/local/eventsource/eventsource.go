// Package eventsource implements Lambda's event source mappings: it invokes functions with the records of queues and
// table streams.
//
//	queue:  receive ─► gather a batch ─► filter ─► invoke ─► delete successful messages
//	stream: read ─► filter ─► invoke ─► advance the checkpoint
package eventsource

import (
	"context"
	"encoding/json"
	"errors"
	"log/slog"
	"net/http"
	"slices"
	"time"

	"minicloud/infra/local/lambdahost"
	"minicloud/shared/clock"
)

// errFailed means that the function failed on a batch.
var errFailed = errors.New("the function failed")

// errThrottled means that the function had no concurrency until the deadline. The function has not seen the batch.
var errThrottled = errors.New("the function was throttled")

// invoke invokes the function with an event, within the chain of requests of a trace header. It retries while it is throttled until the deadline, and returns the
// response, which may report partial failures.
func invoke(
	ctx context.Context, invoker lambdahost.Invoker, function, trace string, event any, deadline time.Time,
) ([]byte, error) {
	payload, err := json.Marshal(event)
	if err != nil {
		return nil, err
	}

	for wait := 50 * time.Millisecond; ; wait = min(2*wait, 2*time.Second) {
		result, err := invoker.Invoke(ctx, lambdahost.Request{Function: function, Payload: payload, Trace: trace})
		// Lambda retries throttled batches itself; a throttle is not a failure of the function.
		refusal, refused := errors.AsType[*lambdahost.Error](err)
		if refused && refusal.Status == http.StatusTooManyRequests {
			if !time.Now().Add(wait).Before(deadline) {
				return nil, errThrottled
			}
			if err := clock.Sleep(ctx, wait); err != nil {
				return nil, err
			}
			continue
		}

		if err != nil {
			return nil, err
		}
		if result.FunctionError != "" {
			return result.Payload, errFailed
		}

		return result.Payload, nil
	}
}

// failedItems returns the items that a response reports as failed. Like Lambda, it treats a malformed response or an
// unknown item as failure of the whole batch.
func failedItems(answer []byte, known []string) (failed []string, all bool) {
	var said *struct {
		BatchItemFailures *[]struct {
			ItemIdentifier string `json:"itemIdentifier"`
		} `json:"batchItemFailures"`
	}
	// Lambda treats an empty response, like null, as complete success.
	if err := json.Unmarshal(answer, &said); err != nil {
		return nil, len(answer) > 0
	}
	if said == nil || said.BatchItemFailures == nil {
		return nil, false
	}

	for _, item := range *said.BatchItemFailures {
		if !slices.Contains(known, item.ItemIdentifier) {
			return nil, true
		}
		failed = append(failed, item.ItemIdentifier)
	}

	return failed, false
}

// complain logs a failed batch, unless the local cloud is stopping.
func complain(log *slog.Logger, function string, err error, answer []byte) {
	if errors.Is(err, context.Canceled) {
		return
	}
	log.Error(
		"a batch failed", "function", function, "error", err.Error(), "answer", string(answer[:min(len(answer), 500)]),
	)
}
