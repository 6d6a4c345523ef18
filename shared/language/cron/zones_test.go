package cron_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/hashicorp/cronexpr"
	"pgregory.net/rapid"

	"minicloud/shared/language/cron"
)

// zones lists time zones with different kinds of clock changes, and the first of two years in which they occur.
var zones = []struct {
	name    string
	year    int
	library bool // whether the library supports the zone: in the others it never returns
}{
	{"Asia/Shanghai", 2026, true},       // no clock changes
	{"America/New_York", 2026, true},    // one hour at 2:00
	{"Europe/Berlin", 2026, true},       // forward at 2:00, back at 3:00
	{"Australia/Lord_Howe", 2026, true}, // half an hour
	{"America/St_Johns", 2026, true},    // offset of a half hour
	{"America/St_Johns", 2010, false},   // changes at 0:01
	{"Africa/Casablanca", 2026, true},   // back for Ramadan
	{"Pacific/Apia", 2011, false},       // 30 December 2011 is skipped
	{"America/Havana", 2026, false},     // midnight is skipped
}

// TestAgreesWithALibrary compares a year in every zone, except days with a clock change, for which the library has
// different rules.
func TestAgreesWithALibrary(t *testing.T) {
	rules := []string{
		"0 0 1 1 *", "0 0 1 * *", "0 0 * * 0", "0 0 * * *", "0 * * * *", // the periods of the contract
		"*/20 5 * * *", "30 2 * * *", "59 23 31 * *", "15,45 */3 * * *", "0 9-17 * * 1-5", "7 0-22/2 1,15 * *",
		"0 12 13 * 5", "30 6 1-7 2,7 3", "0 0 29 2 *", "10-20/3 1-4 * 3-11 *", "* 3 * * 6", "0 0 * * 7", "5 4 28-31 * *",
	}
	for _, z := range zones {
		if !z.library {
			continue
		}
		loc := zone(t, z.name)
		ticks := 0
		for _, rule := range rules {
			ours, theirs := parse(t, rule), cronexpr.MustParse(rule)
			begin, end := time.Date(z.year, 1, 1, 0, 0, 0, 0, loc), time.Date(z.year+1, 1, 1, 0, 0, 0, 0, loc)

			got := ours.Between(begin, end, loc)
			var want []time.Time
			for next := theirs.Next(begin); !next.IsZero() && !next.After(end); next = theirs.Next(next) {
				want = append(want, next)
			}
			changing := func(at time.Time) bool {
				return offsetAt(at.Add(-24*time.Hour)) != offsetAt(at.Add(24*time.Hour))
			}
			got, want = slices.DeleteFunc(got, changing), slices.DeleteFunc(want, changing)
			if diff := different(want, got); diff != "" {
				t.Errorf("%q in %s (-library +ours):\n%.1000s", rule, z.name, diff)
			}
			ticks += len(got)
		}
		t.Logf("%s: %d minutes agree", z.name, ticks)
	}
}

// TestRulesAroundDaylightSaving compares rules with an implementation that checks each minute around every clock change,
// and random rules from random start times.
func TestRulesAroundDaylightSaving(t *testing.T) {
	type change struct {
		at  time.Time
		loc *time.Location
	}
	var changes []change
	for _, z := range zones {
		loc := zone(t, z.name)
		_, at := time.Date(z.year, 1, 1, 0, 0, 0, 0, loc).ZoneBounds()
		for ; !at.IsZero() && at.Year() < z.year+2; _, at = at.ZoneBounds() {
			changes = append(changes, change{at, loc})
		}
	}
	if len(changes) < 24 {
		t.Fatalf("only %d changes of the clocks", len(changes))
	}

	// A twin starts earlier to record the minutes already shown.
	around := func(t errorf, c change, rule string, from time.Time) {
		slow, until := newTwin(rule), c.at.Add(26*time.Hour)
		walk(c.at.Add(-49*time.Hour), until, slow)
		slow.fired = slices.DeleteFunc(slow.fired, func(at time.Time) bool { return !at.After(from) })
		compare(t, rule, c.loc, from, until, slow)
	}
	for _, c := range changes {
		for _, rule := range []string{
			"30 2 * * *", "0 0 * * *", "45 1 * * *", "*/20 0-23 * * *", "15 * * * *", "0 */2 * * *", "0 12 30 12 *", "* 1-2 * * 0",
		} {
			around(t, c, rule, c.at.Add(-25*time.Hour))
		}
	}

	rapid.Check(t, func(rt *rapid.T) {
		c := rapid.SampledFrom(changes).Draw(rt, "change")
		rule := drawRule(rt, c.at)
		around(rt, c, rule, c.at.Add(-time.Duration(rapid.IntRange(0, 1500).Draw(rt, "minutes before"))*time.Minute))
	})
}

// drawRule draws a rule with ticks around a time.
func drawRule(t *rapid.T, at time.Time) string {
	minute := rapid.SampledFrom([]string{"0", "30", "59", "*", "*/7", "0,1,45", "10-50/20", "15-40"}).Draw(t, "minute")
	hour := rapid.SampledFrom([]string{
		"*", "*/2", "1-23/2", "0", "1", "2", "3", "0-23", "1,2", "0-3", "2-23", "*/3,2", "23,0,1",
	}).Draw(t, "hour")
	day := rapid.SampledFrom([]string{
		"*", "*/2", fmt.Sprint(at.Add(-time.Minute).Day()), fmt.Sprint(at.Day()), "30,31", "1-15",
	}).Draw(t, "day")
	weekday := rapid.SampledFrom([]string{"*", "0", "7", "1-5", "*/2", "SAT,SUN"}).Draw(t, "weekday")
	return fmt.Sprintf("%s %s %s * %s", minute, hour, day, weekday)
}

// errorf is a *testing.T or *rapid.T.
type errorf interface {
	Helper()
	Errorf(string, ...any)
}

func compare(t errorf, rule string, loc *time.Location, begin, end time.Time, slow *twin) {
	t.Helper()
	r, err := cron.Parse(rule)
	if err != nil {
		t.Errorf("%q: %v", rule, err)
		return
	}
	if diff := different(slow.fired, r.Between(begin, end, loc)); diff != "" {
		t.Errorf("%q in %s after %v (-twin +ours):\n%.1500s", rule, loc, begin, diff)
	}
}

// different returns a description of the times that only one list has, or "" if the lists are equal, which is the
// usual case.
func different(want, got []time.Time) string {
	if slices.Equal(want, got) {
		return ""
	}
	return cmp.Diff(texts(want), texts(got))
}

func texts(times []time.Time) []string {
	all := make([]string, len(times))
	for i, t := range times {
		all[i] = t.Format("2006-01-02 15:04 -07:00:00.999")
	}
	return all
}

func offsetAt(t time.Time) int {
	_, seconds := t.Zone()
	return seconds
}

// twin is a simple reference implementation of a rule that is called for every minute in turn.
type twin struct {
	minute, hour, day, month, weekday [60]bool
	both, fixed                       bool
	fired                             []time.Time
	shown                             map[string]bool // wall clock minutes that a fixed rule has already seen
}

func newTwin(rule string) *twin {
	f := strings.Fields(rule)
	w := &twin{
		minute:  members(f[0], 0, 59),
		hour:    members(f[1], 0, 23),
		day:     members(f[2], 1, 31),
		month:   members(f[3], 1, 12),
		weekday: members(f[4], 0, 7),
		both:    strings.HasPrefix(f[2], "*") || strings.HasPrefix(f[4], "*"),
		fixed:   !strings.ContainsAny(f[1], "*/"),
		shown:   map[string]bool{},
	}
	w.weekday[0] = w.weekday[0] || w.weekday[7]
	return w
}

// walk passes every minute of a period to the twin, including the minutes that the clock skipped.
func walk(begin, end time.Time, w *twin) {
	before, changing := begin, true
	for at := begin.Add(time.Minute); !at.After(end); at = at.Add(time.Minute) {
		// A clock that is set forward skips minutes: pass them too.
		jumped := offsetAt(at) - offsetAt(before)
		var minutes []time.Time
		for s := -jumped; s < 0; s += 60 {
			minutes = append(minutes, at.UTC().Add(time.Duration(offsetAt(at)+s)*time.Second))
		}
		if at.Unix()%3600 == 0 {
			changing = offsetAt(at.Add(-25*time.Hour)) != offsetAt(at.Add(25*time.Hour))
		}

		fires := w.names(at)
		if w.fixed {
			fires = slices.ContainsFunc(minutes, w.names) || fires
		}
		if w.fixed && changing {
			fires = w.first(at) && fires
		}
		if fires {
			w.fired = append(w.fired, at)
		}
		before = at
	}
}

// first reports whether the clock shows this minute for the first time.
func (w *twin) first(at time.Time) bool {
	shows := at.Format("2006-01-02 15:04")
	had := w.shown[shows]
	w.shown[shows] = true
	return !had
}

func (w *twin) names(at time.Time) bool {
	if !w.minute[at.Minute()] || !w.hour[at.Hour()] || !w.month[int(at.Month())] {
		return false
	}
	day, weekday := w.day[at.Day()], w.weekday[int(at.Weekday())]
	if w.both {
		return day && weekday
	}
	return day || weekday
}

func members(field string, low, high int) (all [60]bool) {
	for item := range strings.SplitSeq(strings.NewReplacer("SUN", "0", "SAT", "6").Replace(field), ",") {
		from, to, step := low, high, 1
		span, by, _ := strings.Cut(item, "/")
		if by != "" {
			fmt.Sscan(by, &step)
		}
		if span != "*" {
			a, b, isRange := strings.Cut(span, "-")
			fmt.Sscan(a, &from)
			if to = from; isRange {
				fmt.Sscan(b, &to)
			}
		}
		for n := from; n <= to; n += step {
			all[n] = true
		}
	}
	return all
}
