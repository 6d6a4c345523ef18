package sms

import (
	"slices"
	"time"
)

// How often a number gets a message of one application: what vendors allow.
const (
	perMinute = time.Minute // between two
	perDay    = 10          // in any 24 hours
	day       = 24 * time.Hour
)

// Limit says how long a number must be left alone, to which messages went at these times.
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
