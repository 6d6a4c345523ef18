package safehttp

import (
	"net/http"
	"strconv"
	"strings"
	"time"
)

// maxSeconds is as far ahead as any Retry-After is read.
const maxSeconds = 365 * 24 * 60 * 60

// RetryAfter reads the header of that name: seconds or an HTTP date. What is neither, or past, says nothing.
func RetryAfter(text string, now time.Time) time.Duration {
	text = strings.TrimSpace(text)
	if text == "" {
		return 0
	}

	if strings.Trim(text, "0123456789") == "" {
		seconds, err := strconv.Atoi(text)
		if err != nil { // more digits than an int has
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
