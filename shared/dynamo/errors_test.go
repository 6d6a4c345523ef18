package dynamo

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"testing"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"
	"github.com/aws/smithy-go"
	smithyhttp "github.com/aws/smithy-go/transport/http"

	"minicloud/shared/errs"
	"minicloud/shared/retry"
)

func cancelled(codes ...string) error {
	e := &types.TransactionCanceledException{}
	for _, c := range codes {
		e.CancellationReasons = append(e.CancellationReasons, types.CancellationReason{Code: aws.String(c)})
	}
	return fmt.Errorf("operation error: %w", e)
}

func answered(status int) error {
	return &smithyhttp.ResponseError{
		Response: &smithyhttp.Response{Response: &http.Response{StatusCode: status}},
		Err:      errors.New("no detail"),
	}
}

func TestTranslatesErrors(t *testing.T) {
	for _, c := range []struct {
		name      string
		err       error
		kind      errs.Kind
		after     int
		condition bool
		retried   bool // by the client's retryer
	}{
		{"single condition", &types.ConditionalCheckFailedException{}, errs.KindInternal, 0, true, false},
		{"condition in a transaction", cancelled("None", "ConditionalCheckFailed"), errs.KindInternal, 0, true, false},
		{
			"condition beside a conflict", cancelled("TransactionConflict", "ConditionalCheckFailed"), errs.KindInternal, 0,
			true, false,
		},
		{"conflict only", cancelled("None", "TransactionConflict"), errs.KindConflict, 0, false, true},
		{"conflict of a single write", &types.TransactionConflictException{}, errs.KindConflict, 0, false, true},
		{"nothing wrong in the reasons", cancelled("None"), errs.KindInternal, 0, false, false},
		{"throttled transaction", cancelled("None", "ThrottlingError"), errs.KindUnavailable, 1, false, true},
		{
			"transaction over a table's throughput", cancelled("ProvisionedThroughputExceeded", "None"), errs.KindUnavailable,
			1, false, true,
		},
		{
			"throttled beside a conflict", cancelled("ThrottlingError", "TransactionConflict"), errs.KindUnavailable, 1, false,
			true,
		},
		{
			"throttled beside a condition", cancelled("ThrottlingError", "ConditionalCheckFailed"), errs.KindUnavailable, 1,
			true, false,
		},
		{"throughput", &types.ProvisionedThroughputExceededException{}, errs.KindUnavailable, 1, false, true},
		{"throttling code", &smithy.GenericAPIError{Code: "ThrottlingException"}, errs.KindUnavailable, 1, false, true},
		{"server fails", answered(500), errs.KindUnavailable, 1, false, true},
		{"cannot connect", &smithyhttp.RequestSendError{Err: errors.New("refused")}, errs.KindUnavailable, 1, false, true},
		{"batch left undone", ErrUnprocessed, errs.KindUnavailable, 1, false, false},
		{"one attempt out of time", fmt.Errorf("call: %w", context.DeadlineExceeded), errs.KindTimeout, 0, false, true},
		{"bad expression", &smithy.GenericAPIError{Code: "ValidationException"}, errs.KindInternal, 0, false, false},
		{"no such table", &types.ResourceNotFoundException{}, errs.KindInternal, 0, false, false},
	} {
		t.Run(c.name, func(t *testing.T) {
			got := Wrap("reading", c.err)
			if errs.KindOf(got) != c.kind || errs.RetryAfter(got) != c.after {
				t.Errorf("kind %q after %d, want %q after %d", errs.KindOf(got), errs.RetryAfter(got), c.kind, c.after)
			}
			if !errors.Is(got, c.err) {
				t.Error("the cause is lost")
			}
			if ConditionFailed(c.err) != c.condition {
				t.Errorf("conditionFailed = %v", !c.condition)
			}
			if retried := newRetryer().IsErrorRetryable(c.err); retried != c.retried {
				t.Errorf("retried = %v", retried)
			}
		})
	}
	if Wrap("reading", nil) != nil {
		t.Error("wrap(nil) is an error")
	}
	if err := cancelled("None", "ConditionalCheckFailed"); ConditionFailedAt(err, 0) || !ConditionFailedAt(err, 1) ||
		ConditionFailedAt(err, 2) {
		t.Error("conditionFailedAt names the wrong part")
	}
}

func TestBackoffStaysShort(t *testing.T) {
	for attempt := range 70 {
		for range 20 {
			if d, err := backoff(attempt, nil); err != nil || d < 0 || d > retry.Calls.Longest {
				t.Fatalf("backoff(%d) = %v, %v", attempt, d, err)
			}
		}
	}
	if d, _ := backoff(0, nil); d > 25*time.Millisecond {
		t.Errorf("the first retry waits %v", d)
	}
}
