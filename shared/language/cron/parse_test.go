package cron_test

import (
	"strings"
	"testing"
	"time"

	"minicloud/shared/errs"
	"minicloud/shared/language/cron"
)

// TestNext checks the first tick of rules after Saturday, 21 November 2026, 12:34:56 UTC.
func TestNext(t *testing.T) {
	after := time.Date(2026, 11, 21, 12, 34, 56, 0, time.UTC)
	for rule, want := range map[string]string{
		"* * * * *":            "2026-11-21 12:35",
		"35 12 * * *":          "2026-11-21 12:35",
		"34 12 * * *":          "2026-11-22 12:34",
		"0 0 1 1 *":            "2027-01-01 00:00",
		"0 0 1 * *":            "2026-12-01 00:00",
		"0 0 * * 0":            "2026-11-22 00:00",
		"0 0 * * 7":            "2026-11-22 00:00",
		"0 0 * * sun":          "2026-11-22 00:00",
		"0 0 * * *":            "2026-11-22 00:00",
		"0 * * * *":            "2026-11-21 13:00",
		" 0\t *  * * * ":       "2026-11-21 13:00",
		"*/15 * * * *":         "2026-11-21 12:45",
		"5/20 * * * *":         "2026-11-21 12:45",
		"10-30/7 * * * *":      "2026-11-21 13:10",
		"59,1-3,2 * * * *":     "2026-11-21 12:59",
		"05 08 * * *":          "2026-11-22 08:05",
		"0 9-17/4 * * *":       "2026-11-21 13:00",
		"0 0 29 2 *":           "2028-02-29 00:00",
		"0 0 31 * *":           "2026-12-31 00:00",
		"0 0 31 JAN-dec/3 *":   "2027-01-31 00:00",
		"0 0 * Feb,mar *":      "2027-02-01 00:00",
		"0 18 * * MON-FRI":     "2026-11-23 18:00",
		"0 18 * * 5-7":         "2026-11-21 18:00",
		"0 0 * * FRI-SUN":      "2026-11-22 00:00",
		"0 0 * * SAT-SUN":      "2026-11-22 00:00",
		"0 0 * * 1/2":          "2026-11-23 00:00", // Monday, Wednesday, Friday: 7 is excluded
		"0 0 13 * 5":           "2026-11-27 00:00", // either day field: a Friday
		"0 0 22 * 5":           "2026-11-22 00:00", // either day field: the 22nd
		"0 0 13 * *":           "2026-12-13 00:00",
		"0 0 */2 * 2":          "2026-12-01 00:00", // both day fields: a Tuesday with an odd date
		"0 0 1-7 * */7":        "2026-12-06 00:00", // both day fields: the first Sunday
		"0 0 30 2 1":           "2027-02-01 00:00", // either day field, so the rule fires: a Monday in February
		"59 23 31 12 *":        "2026-12-31 23:59",
		"0 0 29 FEB */7":       "2032-02-29 00:00", // a Sunday
		"0-59 0-23 1-31 * 0-7": "2026-11-21 12:35",
	} {
		r, err := cron.Parse(rule)
		if err != nil {
			t.Errorf("%q: %v", rule, err)
			continue
		}
		next, ok := r.Next(after, time.UTC)
		if got := next.Format("2006-01-02 15:04"); !ok || got != want || next.Second() != 0 {
			t.Errorf("%q comes at %v %t, want %s", rule, next, ok, want)
		}
		if got, want := r.String(), strings.Join(strings.Fields(rule), " "); got != want {
			t.Errorf("%q prints as %q", want, got)
		}
	}
}

// TestParseNamesTheField checks that the error names the invalid field and its valid values.
func TestParseNamesTheField(t *testing.T) {
	for rule, want := range map[string]string{
		"":                                      "cron: a rule has five fields (minute hour day-of-month month day-of-week), this one has 0",
		"@daily":                                "cron: a rule has five fields (minute hour day-of-month month day-of-week), this one has 1",
		"0 0 0 * * *":                           "cron: a rule has five fields (minute hour day-of-month month day-of-week), this one has 6",
		"60 * * * *":                            `cron: the minute field "60" must be 0-59`,
		"0 25 * * *":                            `cron: the hour field "25" must be 0-23`,
		"0 1,24 * * *":                          `cron: the hour field "24" must be 0-23`,
		"0 0 0 * *":                             `cron: the day-of-month field "0" must be 1-31`,
		"0 0 1-32 * *":                          `cron: the day-of-month field "1-32" must be 1-31`,
		"0 0 * 13 *":                            `cron: the month field "13" must be 1-12 or JAN-DEC`,
		"0 0 * JUNE *":                          `cron: the month field "JUNE" must be 1-12 or JAN-DEC`,
		"0 0 * * 8":                             `cron: the day-of-week field "8" must be 0-7 or SUN-SAT`,
		"0 0 * * JAN":                           `cron: the day-of-week field "JAN" must be 0-7 or SUN-SAT`,
		"MON 0 * * *":                           `cron: the minute field "MON" must be 0-59`,
		"0, 0 * * *":                            `cron: the minute field "" must be 0-59`,
		"-5 0 * * *":                            `cron: the minute field "-5" must be 0-59`,
		"5- 0 * * *":                            `cron: the minute field "5-" must be 0-59`,
		"1-2-3 0 * * *":                         `cron: the minute field "1-2-3" must be 0-59`,
		"*-5 0 * * *":                           `cron: the minute field "*-5" must be 0-59`,
		"+5 0 * * *":                            `cron: the minute field "+5" must be 0-59`,
		"** 0 * * *":                            `cron: the minute field "**" must be 0-59`,
		"0 17-9 * * *":                          `cron: the hour field "17-9" must not be a range that ends before it begins`,
		"0 0 * * FRI-1":                         `cron: the day-of-week field "FRI-1" must not be a range that ends before it begins`,
		"*/0 * * * *":                           `cron: the minute field "*/0" must have a step of 1-59`,
		"*/90 * * * *":                          `cron: the minute field "*/90" must have a step of 1-59`,
		"* */24 * * *":                          `cron: the hour field "*/24" must have a step of 1-23`,
		"*/ * * * *":                            `cron: the minute field "*/" must have a step of 1-59`,
		"*/2/2 * * * *":                         `cron: the minute field "*/2/2" must have a step of 1-59`,
		"0 0 L * *":                             `cron: the day-of-month field "L" must be 1-31`,
		"0 0 ? * *":                             `cron: the day-of-month field "?" must be 1-31`,
		"0 0 * * 5#2":                           `cron: the day-of-week field "5#2" must be 0-7 or SUN-SAT`,
		"0 0 30 2 *":                            `cron: the rule "0 0 30 2 *" never comes: the day-of-month field "30" is no day of month "2"`,
		"0 0 31 4,6 */2":                        `cron: the rule "0 0 31 4,6 */2" never comes: the day-of-month field "31" is no day of month "4,6"`,
		"0 0 30,31 2 *":                         `cron: the rule "0 0 30,31 2 *" never comes: the day-of-month field "30,31" is no day of month "2"`,
		strings.Repeat("1,", 250) + "1 * * * *": "cron: the rule is longer than 500 bytes",
	} {
		if _, err := cron.Parse(rule); !errs.Is(err, errs.KindInvalid) || errs.Message(err) != want {
			t.Errorf("%q: %v\nwant %s", rule, err, want)
		}
	}
}

func TestZeroRuleHasNoTime(t *testing.T) {
	if next, ok := (cron.Rule{}).Next(time.Unix(0, 0), zone(t, "Europe/Berlin")); ok {
		t.Errorf("it comes at %v", next)
	}
}

// TestFindsTheRarestTime checks the longest gap: 2100 is not a leap year, so there are 40 years between two Sundays
// on 29 February.
func TestFindsTheRarestTime(t *testing.T) {
	next, ok := parse(t, "0 0 29 2 */7").Next(time.Date(2088, 3, 1, 0, 0, 0, 0, time.UTC), time.UTC)
	if !ok || next.Format(time.DateOnly) != "2128-02-29" {
		t.Errorf("it comes at %v, %t", next, ok)
	}
}

func parse(t testing.TB, rule string) cron.Rule {
	t.Helper()
	r, err := cron.Parse(rule)
	if err != nil {
		t.Fatal(err)
	}
	return r
}

func zone(t testing.TB, name string) *time.Location {
	t.Helper()
	loc, err := time.LoadLocation(name)
	if err != nil {
		t.Fatal(err)
	}
	return loc
}
