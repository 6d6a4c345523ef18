// Package schedule parses the schedule expressions of EventBridge rules:
//
//	rate(1 minute)  rate(5 minutes)  rate(1 hour)  rate(7 days)
//	cron(minute hour day-of-month month day-of-week year), in UTC
//
// AWS numbers weekdays from 1 = Sunday, and one of the two day fields must be a question mark. The five-field cron
// rules of users (D33) are another language.
package schedule

import (
	"fmt"
	"regexp"
	"strconv"
	"strings"
	"time"

	"github.com/hashicorp/cronexpr"
)

// Schedule is a parsed schedule expression.
type Schedule struct {
	every time.Duration // interval of a rate
	cron  *cronexpr.Expression
}

// Parse parses a schedule expression.
func Parse(expression string) (Schedule, error) {
	kind, argument, ok := strings.Cut(strings.TrimSuffix(expression, ")"), "(")
	if !ok || !strings.HasSuffix(expression, ")") {
		return Schedule{}, fmt.Errorf("%q is neither rate(…) nor cron(…)", expression)
	}
	switch kind {
	case "rate":
		return parseRate(argument)
	case "cron":
		return parseCron(argument)
	}
	return Schedule{}, fmt.Errorf("%q is neither rate(…) nor cron(…)", expression)
}

var units = map[string]time.Duration{"minute": time.Minute, "hour": time.Hour, "day": 24 * time.Hour}

func parseRate(argument string) (Schedule, error) {
	number, unit, _ := strings.Cut(argument, " ")
	n, err := strconv.Atoi(number)
	singular := strings.TrimSuffix(unit, "s")
	if err != nil || n < 1 || units[singular] == 0 || (n == 1) != (unit == singular) {
		return Schedule{}, fmt.Errorf("rate(%s): want rate(1 minute), rate(5 minutes), hours or days", argument)
	}
	return Schedule{every: time.Duration(n) * units[singular]}, nil
}

func parseCron(argument string) (Schedule, error) {
	fields := strings.Fields(argument)
	if len(fields) != 6 {
		return Schedule{}, fmt.Errorf("cron(%s): want six fields", argument)
	}
	if (fields[2] == "?") == (fields[4] == "?") {
		return Schedule{}, fmt.Errorf("cron(%s): one of day-of-month and day-of-week must be ?", argument)
	}

	week, err := weekdays(fields[4])
	if err != nil {
		return Schedule{}, fmt.Errorf("cron(%s): %w", argument, err)
	}

	fields[4] = week
	parsed, err := cronexpr.Parse(strings.Join(fields, " "))
	if err != nil {
		return Schedule{}, fmt.Errorf("cron(%s): %w", argument, err)
	}

	return Schedule{cron: parsed}, nil
}

// dayNumber matches the numbers in a day-of-week field that are days, not steps (/2) or occurrences (#2).
var dayNumber = regexp.MustCompile(`(^|[,-])(\d+)`)

// weekdays converts AWS's weekdays, 1–7 from Sunday, to the 0–6 of the cron library.
func weekdays(field string) (string, error) {
	var wrong error
	mapped := dayNumber.ReplaceAllStringFunc(field, func(match string) string {
		digits := strings.TrimLeft(match, ",-")
		n, err := strconv.Atoi(digits)
		if err != nil || n < 1 || n > 7 {
			wrong = fmt.Errorf("days of the week are 1 (Sunday) to 7, not %s", digits)
		}
		return strings.TrimSuffix(match, digits) + strconv.Itoa(n-1)
	})
	if mapped == "L" {
		mapped = "6" // the last day of AWS's week is Saturday
	}
	return mapped, wrong
}

// Due reports whether the schedule is due in the minute of t. Rates count from the Unix epoch, so that the result does
// not depend on the start of the local cloud.
func (s Schedule) Due(t time.Time) bool {
	minute := t.UTC().Truncate(time.Minute)
	if s.cron == nil {
		return minute.Unix()%int64(s.every/time.Second) == 0
	}
	return s.cron.Next(minute.Add(-time.Second)).Equal(minute)
}

// EveryMinute reports whether the schedule is rate(1 minute).
func (s Schedule) EveryMinute() bool { return s.cron == nil && s.every == time.Minute }
