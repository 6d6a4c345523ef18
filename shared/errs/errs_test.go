package errs_test

import (
	"errors"
	"fmt"
	"testing"

	"minicloud/shared/errs"
)

func TestWrappingKeepsKindAndMessage(t *testing.T) {
	err := fmt.Errorf("modify %q: %w", "hello", errs.NotFound("function %q not found", "hello"))
	if got := errs.KindOf(err); got != errs.KindNotFound {
		t.Errorf("KindOf = %q, want not_found", got)
	}
	if got, want := errs.Message(err), `function "hello" not found`; got != want {
		t.Errorf("Message = %q, want %q", got, want)
	}
	if !errs.Is(err, errs.KindNotFound) || errs.Is(err, errs.KindInvalid) {
		t.Error("Is does not follow KindOf")
	}
}

func TestUnknownErrorsAreInternalWithoutDetails(t *testing.T) {
	err := errors.New("dial tcp 10.0.0.1: secret detail")
	if got := errs.KindOf(err); got != errs.KindInternal {
		t.Errorf("KindOf = %q, want internal", got)
	}
	if got := errs.Message(err); got != "internal error" {
		t.Errorf("Message = %q leaks the cause", got)
	}
	if errs.KindOf(nil) != "" || errs.Is(nil, errs.KindInternal) {
		t.Error("nil has a kind")
	}
}

func TestWrappingKeepsRetryAfter(t *testing.T) {
	err := fmt.Errorf("hook: %w", errs.TooMany(1, "over %d requests per second", 5))
	if errs.RetryAfter(err) != 1 || errs.KindOf(err) != errs.KindTooMany {
		t.Errorf("got kind %q after %d", errs.KindOf(err), errs.RetryAfter(err))
	}
}
