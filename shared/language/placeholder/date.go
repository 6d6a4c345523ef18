package placeholder

import (
	"math"
	"strconv"
	"strings"
	"time"

	"minicloud/shared/language/value"
)

// dateLetters lists the letters of a date format (D35).
const dateLetters = "yYmndjhHgGisuA"

// layouts maps letters to Go layouts. Go has no layout for G and u, so format handles them.
var layouts = map[rune]string{
	'y': "06",   // year, two digits
	'Y': "2006", // year
	'm': "01",   // month, two digits
	'n': "1",    // month
	'd': "02",   // day, two digits
	'j': "2",    // day
	'h': "03",   // hour of twelve, two digits
	'H': "15",   // hour, two digits
	'g': "3",    // hour of twelve
	'i': "04",   // minute, two digits
	's': "05",   // second, two digits
	'A': "PM",   // AM or PM
}

func format(at time.Time, format string) string {
	var out strings.Builder
	literal := false
	for _, r := range format {
		layout, known := layouts[r]
		switch {
		case literal:
			out.WriteRune(r)
			literal = false
		case r == '\\':
			literal = true
		case r == 'G': // hour
			out.WriteString(strconv.Itoa(at.Hour()))
		case r == 'u': // microseconds, six digits
			out.WriteString(at.Format(".000000")[1:])
		case known:
			out.WriteString(at.Format(layout))
		default:
			out.WriteRune(r)
		}
	}

	return out.String()
}

// localLayouts are date formats without an offset; they are parsed in the given time zone.
var localLayouts = []string{"2006-01-02T15:04:05", "2006-01-02 15:04:05", "2006-01-02T15:04", "2006-01-02"}

// lastSecond is the end of the year 9999 in Unix seconds. Larger numbers are milliseconds or not a time.
const lastSecond = 253402300799

// instant converts a value to a time: Unix seconds or ISO 8601. ok is false for other values, which render unchanged.
func instant(v any, zone *time.Location) (time.Time, bool) {
	if text, ok := v.(string); ok {
		return instantOf(text, zone)
	}
	seconds, ok := value.ToFloat(v)
	if !ok || math.Abs(seconds) > lastSecond {
		return time.Time{}, false
	}
	whole, fraction := math.Modf(seconds)
	return time.Unix(int64(whole), int64(math.Round(fraction*1e6))*1e3).In(zone), true
}

func instantOf(text string, zone *time.Location) (time.Time, bool) {
	if at, ok := value.Instant(text); ok {
		return at.In(zone), true
	}
	for _, layout := range localLayouts {
		if at, err := time.ParseInLocation(layout, text, zone); err == nil {
			return at, true
		}
	}
	return time.Time{}, false
}
