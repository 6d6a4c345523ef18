// Package cron knows the rules of timers: five fields, minute by minute, in the
// time zone of the trigger (D33).
//
//	minute        0-59
//	hour          0-23
//	day-of-month  1-31
//	month         1-12 or JAN-DEC
//	day-of-week   0-7 or SUN-SAT; 0 and 7 are Sunday
//
// A field is * or a list of numbers and ranges (1,5-9); /n takes every n-th of
// * or of a range, and 5/n every n-th from 5 on. Names are read in any case.
// When both day fields are restricted, one that matches is enough; a field that
// begins with *, also */2, restricts nothing in this sense (vixie cron).
//
// When clocks change, a rule with fixed hours fires once a day all the same: a
// time that is jumped over counts for the first minute after the gap, one that
// comes twice fires the first time only. A rule with * or a step in its hour
// follows the clock (G20).
package cron

import "time"

// Rule says when a timer fires. The zero Rule never does.
type Rule struct {
	text string
	// Bit n of a set says that n matches; Sunday is day 0 of the week.
	minutes, hours, days, months, weekdays uint64
	// eitherDay tells that both day fields are restricted: one that matches is enough.
	eitherDay bool
	// fixed tells that the hours are plain numbers and ranges (G20).
	fixed bool
}

// String returns the rule as it was written, with single spaces.
func (r Rule) String() string { return r.text }

// horizon is how many years Next looks ahead. The rarest rule that comes at
// all, a 29 February on one day of the week, comes within 40.
const horizon = 50

// Next returns the first whole minute after a time at which the rule fires by
// the clocks of a zone, in that zone; false when there is none within 50 years.
func (r Rule) Next(after time.Time, zone *time.Location) (time.Time, bool) {
	at, limit := after.In(zone), after.AddDate(horizon, 0, 0)
	from := wall(at, offset(at)).Truncate(time.Minute).Add(time.Minute)

	// Between two changes of the clocks the search is in plain calendar time.
	for at.Before(limit) {
		east := offset(at)
		begin, end := at.ZoneBounds()
		if r.fixed && !begin.IsZero() {
			// Times that the clock showed before it was put back do not count again.
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

// Between returns all minutes after one time, up to and including another, at
// which the rule fires: what an outage of an hour has missed is
// Between(now.Add(-time.Hour), now, zone).
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

// offset is how far the clocks of t's zone are east of Greenwich at t.
func offset(t time.Time) time.Duration {
	_, seconds := t.Zone()
	return time.Duration(seconds) * time.Second
}

// wall is what clocks east of Greenwich show at t, as if it were UTC: a calendar
// without gaps.
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
