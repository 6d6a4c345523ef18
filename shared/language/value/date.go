package value

import (
	"strings"
	"time"
)

// dateLayouts are the ISO 8601 forms with an offset that clients send; Go
// accepts a fraction of the seconds in each of them.
var dateLayouts = []string{
	time.RFC3339,
	"2006-01-02T15:04:05Z0700",
	"2006-01-02T15:04:05Z07",
	"2006-01-02T15:04Z07:00",
	"2006-01-02T15:04Z0700",
	"2006-01-02 15:04:05Z07:00",
}

// Instant reads an ISO 8601 date with an offset; ok is false for anything
// else, also for a local time without an offset.
func Instant(text string) (at time.Time, ok bool) {
	// Go takes a comma before the fraction; then a list of dates would be one.
	if len(text) > 40 || strings.Contains(text, ",") {
		return time.Time{}, false
	}
	for _, layout := range dateLayouts {
		if at, err := time.Parse(layout, text); err == nil {
			return at, true
		}
	}
	return time.Time{}, false
}

// FormatDate writes a date in its canonical form, RFC 3339 with the offset it
// came with.
func FormatDate(at time.Time) string { return at.Format(time.RFC3339Nano) }
