package dynamo

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/aws/retry"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"
	"github.com/aws/smithy-go"
	smithyhttp "github.com/aws/smithy-go/transport/http"

	"minicloud/shared/errs"
)

// ErrUnprocessed means that DynamoDB left a part of a batch unprocessed at every attempt.
var ErrUnprocessed = errors.New("batch left unprocessed")

// Reason codes of a cancelled transaction.
const (
	reasonNone      = "None"
	ReasonCondition = "ConditionalCheckFailed"
	reasonConflict  = "TransactionConflict"
	ReasonInvalid   = "ValidationError"
	reasonThrottled = "ThrottlingError"
	reasonExceeded  = "ProvisionedThroughputExceeded"
)

// Wrap translates an error of DynamoDB into one of ours; it is the only place that does. Throttling and an unreachable
// or failing server become errs.Unavailable (retry after 1 s), a missed deadline becomes errs.Timeout, and a conflict
// that outlasted the retries becomes errs.Conflict. Every other error is internal and gets the prefix doing. Wrap of
// nil is nil. Check ConditionFailed before Wrap: a failed condition means something else to every caller.
func Wrap(doing string, err error) error {
	switch {
	case err == nil:
		return nil
	case errors.Is(err, context.DeadlineExceeded):
		return fmt.Errorf("%s: %w: %w", doing, errs.Timeout("the request did not end in time"), err)
	case errors.Is(err, context.Canceled):
		return fmt.Errorf("%s: %w", doing, err)
	case Conflicted(err):
		return fmt.Errorf("%s: %w: %w", doing, errs.Conflict("another request is changing the same thing, try again"), err)
	case Overloaded(err):
		return fmt.Errorf("%s: %w: %w", doing, errs.Unavailable(1, "the platform is busy, try again"), err)
	}
	return fmt.Errorf("%s: %w", doing, err)
}

// ConditionFailed reports whether err says that the condition of a single write, or of any part of a transaction,
// failed.
func ConditionFailed(err error) bool {
	if _, ok := errors.AsType[*types.ConditionalCheckFailedException](err); ok {
		return true
	}
	return slices.Contains(Reasons(err), ReasonCondition)
}

// ConditionFailedAt reports whether the condition of part i of a transaction failed. Parts count from 0; a single write
// is part 0.
func ConditionFailedAt(err error, i int) bool {
	if _, single := errors.AsType[*types.ConditionalCheckFailedException](err); single {
		return i == 0
	}
	codes := Reasons(err)
	return i < len(codes) && codes[i] == ReasonCondition
}

// ItemAt returns the stored item that failed the condition of part i; nil if no item exists or the condition held.
func ItemAt(err error, i int) Item {
	if single, ok := errors.AsType[*types.ConditionalCheckFailedException](err); ok && i == 0 {
		return single.Item
	}
	cancelled, ok := errors.AsType[*types.TransactionCanceledException](err)
	if !ok || i >= len(cancelled.CancellationReasons) {
		return nil
	}
	return cancelled.CancellationReasons[i].Item
}

// Conflicted reports whether err is a write that failed only because it conflicted with another write.
func Conflicted(err error) bool {
	if _, ok := errors.AsType[*types.TransactionConflictException](err); ok {
		return true
	}
	return onlyFor(err, reasonConflict)
}

// Passing reports whether err is a transaction that failed only because of conflicts or throttling, so a retry may
// succeed.
func Passing(err error) bool {
	return onlyFor(err, reasonConflict, reasonThrottled, reasonExceeded)
}

// onlyFor reports whether err is a transaction that was cancelled for one or more of these reasons and for no other.
func onlyFor(err error, codes ...string) bool {
	found := false
	for _, code := range Reasons(err) {
		if code != reasonNone && !slices.Contains(codes, code) {
			return false
		}
		found = found || code != reasonNone
	}
	return found
}

// Overloaded reports whether err is throttling or a failing server, so the same call may succeed soon.
func Overloaded(err error) bool {
	if errors.Is(err, ErrUnprocessed) {
		return true
	}
	if answer, ok := errors.AsType[*smithyhttp.ResponseError](err); ok && answer.HTTPStatusCode() >= 500 {
		return true
	}
	if _, ok := errors.AsType[*smithyhttp.RequestSendError](err); ok {
		return true
	}

	if api, ok := errors.AsType[smithy.APIError](err); ok {
		if _, throttled := retry.DefaultThrottleErrorCodes[api.ErrorCode()]; throttled {
			return true
		}
	}

	// A cancelled transaction reports throttling as the reason of a part, not as its error code.
	codes := Reasons(err)
	return slices.Contains(codes, reasonThrottled) || slices.Contains(codes, reasonExceeded)
}

// Reasons returns the reason codes of a cancelled transaction, one per part; nil for any other error.
func Reasons(err error) []string {
	cancelled, ok := errors.AsType[*types.TransactionCanceledException](err)
	if !ok {
		return nil
	}
	codes := make([]string, len(cancelled.CancellationReasons))
	for i, r := range cancelled.CancellationReasons {
		codes[i] = reasonNone
		if r.Code != nil {
			codes[i] = *r.Code
		}
	}
	return codes
}

// TooLargeAt reports whether part i of a transaction failed because its item would exceed 400 KB.
func TooLargeAt(err error, i int) bool {
	cancelled, ok := errors.AsType[*types.TransactionCanceledException](err)
	if !ok || i >= len(cancelled.CancellationReasons) {
		return false
	}
	reason := cancelled.CancellationReasons[i]
	return aws.ToString(reason.Code) == ReasonInvalid && AboutSize(aws.ToString(reason.Message))
}

// AboutDigits reports whether an update failed because a sum needs more than 38 digits or is too close to 0.
func AboutDigits(err error) bool {
	api, ok := errors.AsType[smithy.APIError](err)
	return ok && api.ErrorCode() == "ValidationException" && strings.Contains(api.ErrorMessage(), "Number")
}

// AboutSize reports whether a message of DynamoDB is about the size of an item.
func AboutSize(message string) bool { return strings.Contains(strings.ToLower(message), "size") }
