package cron

import (
	"slices"
	"strconv"
	"strings"

	"minicloud/shared/errs"
)

// MaxLength is the maximum length of a rule in bytes. A list of all values of every field is shorter.
const MaxLength = 500

// field describes one of the five fields of a rule.
type field struct {
	name      string
	low, high int
	names     []string // names of low, low+1, …; case-insensitive
	must      string   // valid values, for errors
}

var fields = [5]field{
	{name: "minute", low: 0, high: 59, must: "0-59"},
	{name: "hour", low: 0, high: 23, must: "0-23"},
	{name: "day-of-month", low: 1, high: 31, must: "1-31"},
	{name: "month", low: 1, high: 12, must: "1-12 or JAN-DEC",
		names: []string{"JAN", "FEB", "MAR", "APR", "MAY", "JUN", "JUL", "AUG", "SEP", "OCT", "NOV", "DEC"}},
	{name: "day-of-week", low: 0, high: 7, must: "0-7 or SUN-SAT",
		names: []string{"SUN", "MON", "TUE", "WED", "THU", "FRI", "SAT"}},
}

// Parse parses a rule. It returns an errs.Invalid that names the invalid field. A rule that never fires, such as 0 0
// 30 2 *, is also an error.
func Parse(rule string) (Rule, error) {
	if len(rule) > MaxLength {
		return Rule{}, errs.Invalid("cron: the rule is longer than %d bytes", MaxLength)
	}
	texts := strings.Fields(rule)
	if len(texts) != len(fields) {
		return Rule{}, errs.Invalid(
			"cron: a rule has five fields (minute hour day-of-month month day-of-week), this one has %d", len(texts))
	}

	var sets [5]uint64
	for i, f := range fields {
		set, err := f.parse(texts[i])
		if err != nil {
			return Rule{}, err
		}
		sets[i] = set
	}

	// Cron writes Sunday as 0 or 7: set both bits, because time.Weekday uses 0.
	const sunday = 1<<0 | 1<<7
	if sets[4]&sunday != 0 {
		sets[4] |= sunday
	}
	r := Rule{
		text:      strings.Join(texts, " "),
		minutes:   sets[0],
		hours:     sets[1],
		days:      sets[2],
		months:    sets[3],
		weekdays:  sets[4],
		eitherDay: texts[2][0] != '*' && texts[4][0] != '*',
		fixed:     !strings.ContainsAny(texts[1], "*/"),
	}
	if !r.comes() {
		return Rule{}, errs.Invalid(
			"cron: the rule %q never comes: the day-of-month field %q is no day of month %q", r.text, texts[2], texts[3])
	}
	return r, nil
}

// comes reports whether the rule ever matches a day. Every date, including 29 February, eventually falls on every day
// of the week, so only the lengths of the months matter.
func (r Rule) comes() bool {
	first := next(r.days, 1)
	for month, length := range [...]int{1: 31, 29, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31} {
		if has(r.months, month) && first <= length {
			return true
		}
	}
	return r.eitherDay
}

func (f field) parse(text string) (uint64, error) {
	var set uint64
	for item := range strings.SplitSeq(text, ",") {
		members, err := f.item(item)
		if err != nil {
			return 0, err
		}
		set |= members
	}
	return set, nil
}

// item parses *, 5, 5-9, */n, 5-9/n or 5/n.
func (f field) item(text string) (uint64, error) {
	span, stepText, stepped := strings.Cut(text, "/")
	lowText, highText, isRange := strings.Cut(span, "-")

	low, ok := f.number(lowText)
	high, highOK := low, true
	switch {
	case span == "*":
		low, high, ok = f.low, f.high, true
	case isRange:
		high, highOK = f.number(highText)
	case stepped:
		high = max(low, f.last())
	}
	if !ok || !highOK {
		return 0, f.wrong(text, "be "+f.must)
	}
	if f.names != nil && f.low == 0 && high == 0 && low > 0 {
		high = f.high // FRI-SUN
	}
	if high < low {
		return 0, f.wrong(text, "not be a range that ends before it begins")
	}

	step := 1
	if stepped {
		if step, ok = digits(stepText); !ok || step < 1 || step > f.high {
			return 0, f.wrong(text, "have a step of 1-"+strconv.Itoa(f.high))
		}
	}
	var set uint64
	for n := low; n <= high; n += step {
		set |= 1 << n
	}
	return set, nil
}

// last returns the largest number that is not an alias of a smaller one.
func (f field) last() int {
	if f.names != nil {
		return f.low + len(f.names) - 1
	}
	return f.high
}

// number parses a number or name of the field.
func (f field) number(text string) (int, bool) {
	if i := slices.Index(f.names, strings.ToUpper(text)); i >= 0 {
		return f.low + i, true
	}
	n, ok := digits(text)
	return n, ok && f.low <= n && n <= f.high
}

func (f field) wrong(item, must string) error {
	return errs.Invalid("cron: the %s field %q must %s", f.name, item, must)
}

// digits parses one or two digits, without sign or space.
func digits(text string) (int, bool) {
	if text == "" || len(text) > 2 || strings.Trim(text, "0123456789") != "" {
		return 0, false
	}
	n, err := strconv.Atoi(text)
	return n, err == nil
}
