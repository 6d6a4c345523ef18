// Package cron parses and evaluates cron rules of timers: five fields, with a resolution of one minute, in the time
// zone of the trigger (D33).
//
//	minute        0-59
//	hour          0-23
//	day-of-month  1-31
//	month         1-12 or JAN-DEC
//	day-of-week   0-7 or SUN-SAT; 0 and 7 are Sunday
//
// A field is * or a list of numbers and ranges (1,5-9). /n selects every n-th value of * or of a range; 5/n selects
// every n-th value starting at 5. Names are case-insensitive. If both day fields are restricted, a day that matches
// either field is sufficient. A field that starts with *, including */2, does not count as restricted here (as in
// vixie cron).
//
// On daylight saving changes, a rule with fixed hours still fires once a day: a skipped time fires in the first
// minute after the gap, and a repeated time fires only the first time. A rule with * or a step in its hour field
// follows the wall clock (G20).
package cron

import "time"

// Rule defines when a timer fires. The zero Rule never fires.
type Rule struct {
	text string
	// Bit n of a set means that n matches; Sunday is day 0 of the week.
	minutes, hours, days, months, weekdays uint64
	// eitherDay is set if both day fields are restricted: a day that matches either is sufficient.
	eitherDay bool
	// fixed is set if the hours are plain numbers and ranges (G20).
	fixed bool
}

// String returns the rule as written, with single spaces.
func (r Rule) String() string { return r.text }

// horizon is the number of years that Next searches. The rarest rule, 29 February on a certain weekday, fires within
// 40 years.
const horizon = 50

// Next returns the first whole minute after a time at which the rule fires on the wall clock of zone. The result is
// in zone; ok is false if there is none within 50 years.
func (r Rule) Next(after time.Time, zone *time.Location) (time.Time, bool) {
	at, limit := after.In(zone), after.AddDate(horizon, 0, 0)
	from := wall(at, offset(at)).Truncate(time.Minute).Add(time.Minute)

	// Between two clock changes, the search uses plain calendar time.
	for at.Before(limit) {
		east := offset(at)
		begin, end := at.ZoneBounds()
		if r.fixed && !begin.IsZero() {
			// Skip times that the clock already showed before it was set back.
			from = later(from, wall(begin, offset(begin.Add(-1))))
		}

		last := limit
		if !end.IsZero() && end.Before(limit) {
			last = end
		}
		if found, ok := r.match(from, wall(last, east)); ok {
			return found.Add(-east).In(zone), true
		}
		if end.IsZero() {
			break
		}

		from = wall(end, offset(end))
		if _, jumped := r.match(wall(end, east), from); jumped && r.fixed {
			return ceil(from).Add(-offset(end)).In(zone), true
		}
		at = end
	}
	return time.Time{}, false
}

// Between returns all minutes in (after, until] at which the rule fires. For example, Between(now.Add(-time.Hour),
// now, zone) returns the times missed in an outage of one hour.
func (r Rule) Between(after, until time.Time, zone *time.Location) []time.Time {
	var ticks []time.Time
	for {
		next, ok := r.Next(after, zone)
		if !ok || next.After(until) {
			return ticks
		}
		ticks = append(ticks, next)
		after = next
	}
}

// offset returns the UTC offset of t's zone at t.
func offset(t time.Time) time.Duration {
	_, seconds := t.Zone()
	return time.Duration(seconds) * time.Second
}

// wall returns the wall clock time at t with the given UTC offset, in UTC form: a calendar without gaps.
func wall(t time.Time, east time.Duration) time.Time { return t.UTC().Add(east) }

func later(a, b time.Time) time.Time {
	if a.After(b) {
		return a
	}
	return b
}

func ceil(t time.Time) time.Time {
	return t.Add(time.Minute - 1).Truncate(time.Minute)
}
