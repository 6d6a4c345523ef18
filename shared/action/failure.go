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
	// After is how long to wait at least before the next attempt; zero leaves it to the schedule.
	After time.Duration
	// Disable says that the action is not to run again until its owner enables it.
	Disable bool
}

func (f *Failure) Error() string { return f.Type + ": " + f.Message }

// Permanent is a failure that stays.
func Permanent(kind, format string, args ...any) error {
	return &Failure{Type: kind, Message: fmt.Sprintf(format, args...), Permanent: true}
}

// Again is a failure that may pass: the next attempt comes by the schedule, and not before after.
func Again(after time.Duration, kind, format string, args ...any) error {
	return &Failure{Type: kind, Message: fmt.Sprintf(format, args...), After: after}
}
