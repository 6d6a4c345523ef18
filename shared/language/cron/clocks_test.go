package cron_test

import (
	"strings"
	"testing"
	"time"
	_ "time/tzdata" // for machines without a time zone database

	"github.com/google/go-cmp/cmp"

	"minicloud/shared/language/cron"
)

// TestDaylightSavingExamples checks the ticks of G20 on single days with a clock change.
func TestDaylightSavingExamples(t *testing.T) {
	const newYork, lordHowe, havana, apia = "America/New_York", "Australia/Lord_Howe", "America/Havana", "Pacific/Apia"
	for _, c := range []struct{ why, rule, zone, day, want string }{
		{"a fixed time in the gap fires at its end", "30 2 * * *", newYork, "2026-03-08", "03:00-04"},
		{"once, however many it had", "*/10 2 * * *", newYork, "2026-03-08", "03:00-04"},
		{"and not twice when its end is named, too", "0 1-3 * * *", newYork, "2026-03-08", "01:00-05 03:00-04"},
		{"a step follows the clock", "0 */2 * * 0", newYork, "2026-03-08",
			"00:00-05 04:00-04 06:00-04 08:00-04 10:00-04 12:00-04 14:00-04 16:00-04 18:00-04 20:00-04 22:00-04"},
		{"a time that comes twice fires first", "30 1 * * *", newYork, "2026-11-01", "01:30-04"},
		{"also when it is a range", "30 0-2 * * *", newYork, "2026-11-01", "00:30-04 01:30-04 02:30-05"},
		{"every real hour of the clock's", "30 */23,1-2/1 * * *", newYork, "2026-11-01",
			"00:30-04 01:30-04 01:30-05 02:30-05 23:30-05"},
		{"half an hour forth", "15 2 * * *", lordHowe, "2026-10-04", "02:30+11"},
		{"half an hour back", "45 1 * * *", lordHowe, "2026-04-05", "01:45+11"},
		{"half an hour back, by the clock", "*/15 1/23 * * *", lordHowe, "2026-04-05",
			"01:00+11 01:15+11 01:30+11 01:45+11 01:30+1030 01:45+1030"},
		{"midnight in the gap", "0 0 * * *", havana, "2026-03-08", "01:00-04"},
		{"a day that is not there", "0 12 30 12 *", apia, "2011-12-31", "00:00+14"},
		{"by the clock it does not come", "0 */12 30 12 *", apia, "2011-12-31", ""},
	} {
		loc := zone(t, c.zone)
		begin, err := time.ParseInLocation(time.DateOnly, c.day, loc)
		if err != nil {
			t.Fatal(err)
		}
		ticks := parse(t, c.rule).Between(begin.Add(-time.Minute), begin.AddDate(0, 0, 1).Add(-time.Minute), loc)
		got := make([]string, len(ticks))
		for i, at := range ticks {
			got[i] = strings.TrimSuffix(at.Format("15:04-0700"), "00")
		}
		if diff := cmp.Diff(c.want, strings.Join(got, " ")); diff != "" {
			t.Errorf("%s: %q on %s in %s (-want +got):\n%s", c.why, c.rule, c.day, c.zone, diff)
		}
	}
}

// TestMissedTicks checks the ticks of the last hour, which a late timer still fires (D33).
func TestMissedTicks(t *testing.T) {
	now := time.Date(2026, 11, 22, 10, 0, 0, 0, time.UTC)
	got := parse(t, "*/20 * * * *").Between(now.Add(-time.Hour), now, time.UTC)
	if diff := cmp.Diff([]string{"09:20", "09:40", "10:00"}, clockTexts(got)); diff != "" {
		t.Error(diff)
	}
	if none := parse(t, "0 0 1 1 *").Between(now, now, time.UTC); len(none) > 0 {
		t.Errorf("%v", none)
	}
}

func clockTexts(times []time.Time) []string {
	all := make([]string, len(times))
	for i, t := range times {
		all[i] = t.Format("15:04")
	}
	return all
}

// FuzzParse checks that an accepted rule prints as an equivalent rule, and that its ticks are whole minutes in
// ascending order.
func FuzzParse(f *testing.F) {
	for _, rule := range []string{
		"* * * * *", "0 0 1 1 *", "*/5 1-3,7/2 L ? JAN-DEC", "0 0 30 2 *", "59 23 31 12 SUN-7",
	} {
		f.Add(rule, int64(1795309200), uint8(1))
	}
	f.Fuzz(func(t *testing.T, rule string, unix int64, place uint8) {
		r, err := cron.Parse(rule)
		if err != nil {
			return
		}
		again, err := cron.Parse(r.String())
		if err != nil || again != r {
			t.Fatalf("%q prints as %q, which is %+v, %v", rule, r, again, err)
		}

		loc := zone(t, zones[int(place)%len(zones)].name)
		at := time.Unix(unix%(1<<33), 0)
		for range 3 {
			next, ok := r.Next(at, loc)
			if !ok || !next.After(at) || next.Second() != 0 || next.Location() != loc {
				t.Fatalf("%q comes at %v, %t, after %v", rule, next, ok, at)
			}
			at = next
		}
	})
}

func BenchmarkParse(b *testing.B) {
	for b.Loop() {
		_, _ = cron.Parse("*/15 9-17 1,15 JAN-JUN MON-FRI")
	}
}

func BenchmarkNext(b *testing.B) {
	loc := zone(b, "Europe/Berlin")
	after := time.Date(2026, 11, 22, 10, 0, 0, 0, loc)
	for _, rule := range []string{"* * * * *", "0 0 * * *", "0 0 1 1 *", "0 0 29 2 */7"} {
		r := parse(b, rule)
		b.Run(rule, func(b *testing.B) {
			for b.Loop() {
				r.Next(after, loc)
			}
		})
	}
}
