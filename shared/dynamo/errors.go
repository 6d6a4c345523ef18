package dynamo

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"github.com/aws/aws-sdk-go-v2/aws/retry"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"
	"github.com/aws/smithy-go"
	smithyhttp "github.com/aws/smithy-go/transport/http"

	"minicloud/shared/errs"
)

// errUnprocessed is a batch of which DynamoDB left a part undone every time.
var errUnprocessed = errors.New("batch left unprocessed")

// Codes in the reasons of a cancelled transaction.
const (
	reasonNone      = "None"
	reasonCondition = "ConditionalCheckFailed"
	reasonConflict  = "TransactionConflict"
	reasonInvalid   = "ValidationError"
	reasonThrottled = "ThrottlingError"
	reasonExceeded  = "ProvisionedThroughputExceeded"
)

// wrap is the one place where a vendor's error becomes ours: throttling, an
// unreachable or failing server are errs.Unavailable (try again in 1 s), a
// conflict that outlasted the retries is errs.Conflict, everything else is
// internal and says what we were doing. wrap of nil is nil. A failed condition
// means something else to every caller: ask conditionFailed before.
func wrap(doing string, err error) error {
	switch {
	case err == nil:
		return nil
	case errors.Is(err, context.DeadlineExceeded):
		return fmt.Errorf("%s: %w: %w", doing, errs.Timeout("the request did not end in time"), err)
	case errors.Is(err, context.Canceled):
		return fmt.Errorf("%s: %w", doing, err)
	case conflicted(err):
		return fmt.Errorf("%s: %w: %w", doing, errs.Conflict("another request is changing the same thing, try again"), err)
	case overloaded(err):
		return fmt.Errorf("%s: %w: %w", doing, errs.Unavailable(1, "the platform is busy, try again"), err)
	}
	return fmt.Errorf("%s: %w", doing, err)
}

// conditionFailed reports whether err says that a condition of a single write,
// or of any part of a transaction, did not hold.
func conditionFailed(err error) bool {
	if _, ok := errors.AsType[*types.ConditionalCheckFailedException](err); ok {
		return true
	}
	for _, code := range reasons(err) {
		if code == reasonCondition {
			return true
		}
	}
	return false
}

// conditionFailedAt reports whether part i of a transaction, counted from 0,
// is one whose condition did not hold.
func conditionFailedAt(err error, i int) bool {
	codes := reasons(err)
	return i < len(codes) && codes[i] == reasonCondition
}

// itemAt returns what was there where the condition of part i of a transaction,
// which asks for it, did not hold.
func itemAt(err error, i int) item {
	cancelled, ok := errors.AsType[*types.TransactionCanceledException](err)
	if !ok || i >= len(cancelled.CancellationReasons) {
		return nil
	}
	return cancelled.CancellationReasons[i].Item
}

// conflicted reports whether err is a write that met another one and would
// succeed alone: no part of it failed for any other reason.
func conflicted(err error) bool {
	if _, ok := errors.AsType[*types.TransactionConflictException](err); ok {
		return true
	}
	return onlyFor(err, reasonConflict)
}

// passing reports whether err is a transaction that may succeed in a moment:
// nothing but other writes and too much work at once kept it from it.
func passing(err error) bool {
	return onlyFor(err, reasonConflict, reasonThrottled, reasonExceeded)
}

// onlyFor reports whether err is a transaction that was cancelled for one of
// these reasons, or several, and for no other.
func onlyFor(err error, codes ...string) bool {
	found := false
	for _, code := range reasons(err) {
		if code != reasonNone && !slices.Contains(codes, code) {
			return false
		}
		found = found || code != reasonNone
	}
	return found
}

// overloaded reports whether the same call may succeed in a moment.
func overloaded(err error) bool {
	if errors.Is(err, errUnprocessed) {
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
	for _, code := range reasons(err) {
		if code == reasonThrottled || code == reasonExceeded {
			return true
		}
	}
	return false
}

// reasons returns the codes of a cancelled transaction, one per part.
func reasons(err error) []string {
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
