package action

import (
	"fmt"
	"time"
)

// Failure is an error that says what becomes of its run.
type Failure struct {
	Type      string // of the error in the log, as not_found
	Message   string // for the owner of the trigger: no secrets
	Permanent bool   // trying again does not help
	// After is how long to wait at least before the next attempt, at most MaxAfter; zero leaves it to the schedule.
	After time.Duration
	// Disable says, with Permanent, that the action is not to run again until its owner saves the trigger again.
	Disable bool
}

// Types of failures that several types of action have.
const (
	NotConfigured = "not_configured" // the application's settings lack what is needed, or do not allow it (G26)
	NotFound      = "not_found"      // what the action names was removed (G21)
)

// MaxAfter is the longest that Failure.After and Result.After can hold a run back.
const MaxAfter = 7 * 24 * time.Hour

func (f *Failure) Error() string { return f.Type + ": " + f.Message }

// Permanent is a failure that stays.
func Permanent(kind, format string, args ...any) error {
	return &Failure{Type: kind, Message: fmt.Sprintf(format, args...), Permanent: true}
}

// Again is a failure that may pass: the next attempt comes by the schedule, and not before after.
func Again(after time.Duration, kind, format string, args ...any) error {
	return &Failure{Type: kind, Message: fmt.Sprintf(format, args...), After: after}
}

// Disable is a permanent failure after which the action does not run again until its owner saves the trigger again.
func Disable(kind, format string, args ...any) error {
	return &Failure{Type: kind, Message: fmt.Sprintf(format, args...), Permanent: true, Disable: true}
}
