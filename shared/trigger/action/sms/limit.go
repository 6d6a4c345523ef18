package sms

import (
	"slices"
	"time"
)

// Limits of the messages of one application to one number, as vendors allow them.
const (
	perMinute = time.Minute // between two messages
	perDay    = 10          // in any 24 hours
	day       = 24 * time.Hour
)

// Limit returns how long a number must wait for the next message, by the times of the messages sent to it.
func Limit(sent []time.Time, now time.Time) time.Duration {
	recent := slices.DeleteFunc(slices.Clone(sent), func(at time.Time) bool { return now.Sub(at) >= day })
	if len(recent) == 0 {
		return 0
	}

	slices.SortFunc(recent, time.Time.Compare)
	wait := perMinute - now.Sub(recent[len(recent)-1])
	if len(recent) >= perDay {
		wait = max(wait, day-now.Sub(recent[len(recent)-perDay]))
	}
	return max(wait, 0)
}
