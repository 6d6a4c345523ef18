package action

import (
	"fmt"
	"time"
)

// Failure is an error that decides how its run continues.
type Failure struct {
	Type      string // of the error in the log, such as not_found
	Message   string // for the owner of the trigger: no secrets
	Permanent bool   // not retryable
	// After is the shortest delay before the next attempt, at most MaxAfter; zero leaves it to the schedule.
	After time.Duration
	// Disable, with Permanent, disables the action until its owner saves the trigger again.
	Disable bool
}

// Failure types that several action types use.
const (
	NotConfigured = "not_configured" // the application's settings are incomplete, or do not allow it (G26)
	NotFound      = "not_found"      // something that the action names was deleted (G21)
)

// MaxAfter is the largest effective Failure.After and Result.After.
const MaxAfter = 7 * 24 * time.Hour

func (f *Failure) Error() string { return f.Type + ": " + f.Message }

// Permanent returns a failure that is not retried.
func Permanent(kind, format string, args ...any) error {
	return &Failure{Type: kind, Message: fmt.Sprintf(format, args...), Permanent: true}
}

// Again returns a retryable failure: the next attempt follows the schedule, and not before after.
func Again(after time.Duration, kind, format string, args ...any) error {
	return &Failure{Type: kind, Message: fmt.Sprintf(format, args...), After: after}
}

// Disable returns a permanent failure that also disables the action until its owner saves the trigger again.
func Disable(kind, format string, args ...any) error {
	return &Failure{Type: kind, Message: fmt.Sprintf(format, args...), Permanent: true, Disable: true}
}
