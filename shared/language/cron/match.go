package cron

import (
	"math/bits"
	"time"
)

// match returns the first whole minute in [from, limit) that matches the fields. from and limit are wall clock times
// in UTC form.
func (r Rule) match(from, limit time.Time) (time.Time, bool) {
	from = ceil(from)
	for from.Before(limit) {
		year, month, day := from.Date()
		if !has(r.months, int(month)) {
			// Skip a month that does not match: for 29 February, a walk by days could take years of days.
			from = time.Date(year, month+1, 1, 0, 0, 0, 0, time.UTC)
			continue
		}

		hour, minute, ok := r.inDay(from)
		if !ok {
			// time.Date normalizes day 32 into the next month.
			from = time.Date(year, month, day+1, 0, 0, 0, 0, time.UTC)
			continue
		}
		found := time.Date(year, month, day, hour, minute, 0, 0, time.UTC)
		return found, found.Before(limit)
	}
	return time.Time{}, false
}

// inDay returns the first matching minute from a time to the end of its day.
func (r Rule) inDay(from time.Time) (hour, minute int, ok bool) {
	if !r.onDay(from) {
		return 0, 0, false
	}
	hour, minute = next(r.hours, from.Hour()), next(r.minutes, 0)
	if hour == from.Hour() {
		minute = next(r.minutes, from.Minute())
		if minute == none {
			hour, minute = next(r.hours, hour+1), next(r.minutes, 0)
		}
	}
	return hour, minute, hour != none && minute != none
}

func (r Rule) onDay(t time.Time) bool {
	day, weekday := has(r.days, t.Day()), has(r.weekdays, int(t.Weekday()))
	if r.eitherDay {
		return day || weekday
	}
	return day && weekday
}

func has(set uint64, n int) bool { return set>>n&1 == 1 }

// none is the result of next if the set has no such element.
const none = 64

// next returns the smallest element of the set that is at least n, or none.
func next(set uint64, n int) int {
	rest := set >> n << n
	return bits.TrailingZeros64(rest) // 64 if empty
}
