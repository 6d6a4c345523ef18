// Package errs defines the kinds of errors of the platform.
//
// Code creates an error with its kind and a message for the caller where it detects the problem. The edges convert
// the kind once: httpapi to a status, action to a retry decision. Wrapping with fmt.Errorf("…: %w", err) adds details
// for logs and changes neither the kind nor the caller's message.
package errs

import (
	"errors"
	"fmt"
)

// Kind classifies an error by what the caller can do about it.
type Kind string

// The kinds, from client errors to server errors.
const (
	KindInvalid         Kind = "invalid"         // the input is wrong; the message names the field
	KindUnauthenticated Kind = "unauthenticated" // credentials are missing or invalid
	KindForbidden       Kind = "forbidden"       // the caller is authenticated but not allowed to do this
	KindNotFound        Kind = "not_found"       // the object does not exist in this application and environment
	KindDuplicate       Kind = "duplicate"       // the name or value is already taken
	KindConflict        Kind = "conflict"        // another request is changing the same object
	KindStale           Kind = "stale"           // the object has changed since the caller read it; a retry does not help
	KindMismatch        Kind = "mismatch"        // an idempotency key was reused for a different request (D8)
	KindTooLarge        Kind = "too_large"       // the body exceeds its limit (D49)
	KindMediaType       Kind = "media_type"      // the content type of the body is not accepted (D2)
	KindDisabled        Kind = "disabled"        // the application has switched this off (C8)
	KindTooMany         Kind = "too_many"        // a rate limit is exceeded; RetryAfter is the time to wait
	KindUnavailable     Kind = "unavailable"     // capacity is exhausted or a dependency is down; retry later
	KindTimeout         Kind = "timeout"         // the work did not finish in time
	KindInternal        Kind = "internal"        // a server error; its cause appears in logs only
)

// Error is an error with a kind and a message for the caller.
type Error struct {
	Kind       Kind
	Message    string // one sentence for the caller, without causes or secrets
	RetryAfter int    // seconds; 0 = unspecified
}

// Error returns the message for the caller.
func (e *Error) Error() string { return e.Message }

// Invalid returns an error for invalid input; the message names the field.
func Invalid(format string, args ...any) error { return newError(KindInvalid, format, args) }

// Unauthenticated returns an error for missing or invalid credentials.
func Unauthenticated(format string, args ...any) error {
	return newError(KindUnauthenticated, format, args)
}

// Forbidden returns an error for an authenticated caller without permission.
func Forbidden(format string, args ...any) error { return newError(KindForbidden, format, args) }

// NotFound returns an error for an object that does not exist in the caller's scope.
func NotFound(format string, args ...any) error { return newError(KindNotFound, format, args) }

// Duplicate returns an error for a name or value that is already taken.
func Duplicate(format string, args ...any) error { return newError(KindDuplicate, format, args) }

// Conflict returns an error for an object that another request is changing.
func Conflict(format string, args ...any) error { return newError(KindConflict, format, args) }

// Stale returns an error for a write based on an outdated version of the object.
func Stale(format string, args ...any) error { return newError(KindStale, format, args) }

// Mismatch returns an error for an idempotency key reused for a different request (D8).
func Mismatch(format string, args ...any) error { return newError(KindMismatch, format, args) }

// TooLarge returns an error for a body that exceeds its limit (D49).
func TooLarge(format string, args ...any) error { return newError(KindTooLarge, format, args) }

// MediaType returns an error for a content type that is not accepted (D2).
func MediaType(format string, args ...any) error { return newError(KindMediaType, format, args) }

// Disabled returns an error for a call that the application has switched off.
func Disabled(format string, args ...any) error { return newError(KindDisabled, format, args) }

// TooMany returns an error for an exceeded rate limit; retryAfter is in seconds.
func TooMany(retryAfter int, format string, args ...any) error {
	return &Error{Kind: KindTooMany, Message: fmt.Sprintf(format, args...), RetryAfter: retryAfter}
}

// Unavailable returns an error for exhausted capacity or a dependency that is down; retryAfter is in seconds.
func Unavailable(retryAfter int, format string, args ...any) error {
	return &Error{Kind: KindUnavailable, Message: fmt.Sprintf(format, args...), RetryAfter: retryAfter}
}

// Timeout returns an error for work that did not finish in time.
func Timeout(format string, args ...any) error { return newError(KindTimeout, format, args) }

func newError(kind Kind, format string, args []any) error {
	return &Error{Kind: kind, Message: fmt.Sprintf(format, args...)}
}

// KindOf returns the kind of err: KindInternal if err has none, "" if err is nil.
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

// Message returns the message for the caller; for errors without a kind, it is "internal error".
func Message(err error) string {
	if e, ok := errors.AsType[*Error](err); ok {
		return e.Message
	}
	return "internal error"
}

// RetryAfter returns the seconds to wait before a retry, or 0 if unspecified.
func RetryAfter(err error) int {
	if e, ok := errors.AsType[*Error](err); ok {
		return e.RetryAfter
	}
	return 0
}
