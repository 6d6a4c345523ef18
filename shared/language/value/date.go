package value

import (
	"strings"
	"time"
)

// dateLayouts lists the ISO 8601 formats with an offset that clients send. Go accepts a fraction of a second in each
// of them.
var dateLayouts = []string{
	time.RFC3339,
	"2006-01-02T15:04:05Z0700",
	"2006-01-02T15:04:05Z07",
	"2006-01-02T15:04Z07:00",
	"2006-01-02T15:04Z0700",
	"2006-01-02 15:04:05Z07:00",
}

// Instant parses an ISO 8601 date with an offset. ok is false for other text, including local times without an
// offset.
func Instant(text string) (at time.Time, ok bool) {
	// Go accepts a comma before the fraction, so a list of dates could be parsed as one date.
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

// FormatDate returns the canonical form of a date: RFC 3339 with its original offset.
func FormatDate(at time.Time) string { return at.Format(time.RFC3339Nano) }
