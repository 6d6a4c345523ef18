// Package errs holds the kinds of error this platform distinguishes.
//
// An error says its kind once, where it is noticed, with a sentence for the
// caller; the edges (httpapi for answers, action for retries) turn the kind
// into a number once. Wrapping with fmt.Errorf("…: %w", err) adds detail for
// us and changes neither the kind nor the sentence the caller sees.
package errs

import (
	"errors"
	"fmt"
)

// Kind classifies an error by what the caller can do about it.
type Kind string

// The kinds, from the caller's faults to ours.
const (
	KindInvalid         Kind = "invalid"         // the input is wrong; the message names the field
	KindUnauthenticated Kind = "unauthenticated" // who is calling is not established
	KindForbidden       Kind = "forbidden"       // the caller is known and may not
	KindNotFound        Kind = "not_found"       // no such thing in this application and environment
	KindDuplicate       Kind = "duplicate"       // the name or value is taken
	KindConflict        Kind = "conflict"        // another request is changing the same thing now
	KindStale           Kind = "stale"           // the thing was changed since the caller read it; trying again does not help
	KindMismatch        Kind = "mismatch"        // an idempotency key was reused for another request (D8)
	KindTooLarge        Kind = "too_large"       // the body is over its limit (D49)
	KindMediaType       Kind = "media_type"      // the body is not of an accepted content type (D2)
	KindTooMany         Kind = "too_many"        // over a rate limit; RetryAfter says when to come back
	KindUnavailable     Kind = "unavailable"     // out of capacity or a part is down; try again
	KindTimeout         Kind = "timeout"         // the work did not end in time
	KindInternal        Kind = "internal"        // our fault; the cause is for the log only
)

// Error is an error with a kind and a sentence for the caller.
type Error struct {
	Kind       Kind
	Message    string // one sentence for the caller; never a cause, never a secret
	RetryAfter int    // seconds; 0 = not said
}

// Error returns the sentence for the caller.
func (e *Error) Error() string { return e.Message }

// Invalid reports bad input; the message names the field.
func Invalid(format string, args ...any) error { return newError(KindInvalid, format, args) }

// Unauthenticated reports missing or wrong credentials.
func Unauthenticated(format string, args ...any) error {
	return newError(KindUnauthenticated, format, args)
}

// Forbidden reports a known caller who may not do this.
func Forbidden(format string, args ...any) error { return newError(KindForbidden, format, args) }

// NotFound reports a thing that does not exist in the caller's scope.
func NotFound(format string, args ...any) error { return newError(KindNotFound, format, args) }

// Duplicate reports a name or value that is already taken.
func Duplicate(format string, args ...any) error { return newError(KindDuplicate, format, args) }

// Conflict reports that another request is changing the same thing right now.
func Conflict(format string, args ...any) error { return newError(KindConflict, format, args) }

// Stale reports a write that is based on a version of the thing which is not the last one.
func Stale(format string, args ...any) error { return newError(KindStale, format, args) }

// Mismatch reports an idempotency key reused for a different request (D8).
func Mismatch(format string, args ...any) error { return newError(KindMismatch, format, args) }

// TooLarge reports a body over its limit (D49).
func TooLarge(format string, args ...any) error { return newError(KindTooLarge, format, args) }

// MediaType reports a body of a content type that is not accepted (D2).
func MediaType(format string, args ...any) error { return newError(KindMediaType, format, args) }

// TooMany reports a rate limit; retryAfter is in seconds.
func TooMany(retryAfter int, format string, args ...any) error {
	return &Error{Kind: KindTooMany, Message: fmt.Sprintf(format, args...), RetryAfter: retryAfter}
}

// Unavailable reports missing capacity or a part that is down; retryAfter is in seconds.
func Unavailable(retryAfter int, format string, args ...any) error {
	return &Error{Kind: KindUnavailable, Message: fmt.Sprintf(format, args...), RetryAfter: retryAfter}
}

// Timeout reports work that did not end in time.
func Timeout(format string, args ...any) error { return newError(KindTimeout, format, args) }

func newError(kind Kind, format string, args []any) error {
	return &Error{Kind: kind, Message: fmt.Sprintf(format, args...)}
}

// KindOf returns the kind err carries, KindInternal when it carries none.
// KindOf(nil) is "".
func KindOf(err error) Kind {
	if err == nil {
		return ""
	}
	if e, ok := errors.AsType[*Error](err); ok {
		return e.Kind
	}
	return KindInternal
}

// Is reports whether err is of the given kind.
func Is(err error, kind Kind) bool { return err != nil && KindOf(err) == kind }

// Message returns the sentence for the caller; internal errors only say so.
func Message(err error) string {
	if e, ok := errors.AsType[*Error](err); ok {
		return e.Message
	}
	return "internal error"
}

// RetryAfter returns the seconds after which a retry may succeed, 0 when not said.
func RetryAfter(err error) int {
	if e, ok := errors.AsType[*Error](err); ok {
		return e.RetryAfter
	}
	return 0
}
