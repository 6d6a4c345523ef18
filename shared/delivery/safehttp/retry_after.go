package safehttp

import (
	"net/http"
	"strconv"
	"strings"
	"time"
)

// maxSeconds is the longest Retry-After that is honoured.
const maxSeconds = 365 * 24 * 60 * 60

// RetryAfter parses a Retry-After header: seconds or an HTTP date. It returns 0 for any other text and for a past
// date.
func RetryAfter(text string, now time.Time) time.Duration {
	text = strings.TrimSpace(text)
	if text == "" {
		return 0
	}

	if strings.Trim(text, "0123456789") == "" {
		seconds, err := strconv.Atoi(text)
		if err != nil { // more digits than fit an int
			seconds = maxSeconds
		}
		return time.Duration(min(seconds, maxSeconds)) * time.Second
	}

	at, err := http.ParseTime(text)
	if err != nil {
		return 0
	}

	return min(max(at.Sub(now), 0), maxSeconds*time.Second)
}
