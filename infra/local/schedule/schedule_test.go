package schedule

import (
	"strings"
	"testing"
	"time"
)

func TestDue(t *testing.T) {
	tests := []struct {
		expression, at string
		want           bool
	}{
		{"rate(1 minute)", "2026-11-21T12:34:56Z", true},
		{"rate(5 minutes)", "2026-11-21T12:35:00Z", true},
		{"rate(5 minutes)", "2026-11-21T12:36:00Z", false},
		{"rate(1 hour)", "2026-11-21T12:00:59Z", true},
		{"rate(2 hours)", "2026-11-21T13:00:00Z", false},
		{"cron(* * * * ? *)", "2026-11-21T12:34:56Z", true},
		{"cron(0 10 * * ? *)", "2026-11-21T10:00:00Z", true},
		{"cron(0 10 * * ? *)", "2026-11-21T10:01:00Z", false},
		{"cron(0/15 * * * ? *)", "2026-11-21T10:45:00Z", true},
		{"cron(0 18 ? * MON-FRI *)", "2026-11-20T18:00:00Z", true},  // a Friday
		{"cron(0 18 ? * MON-FRI *)", "2026-11-21T18:00:00Z", false}, // a Saturday
		{"cron(0 18 ? * 7 *)", "2026-11-21T18:00:00Z", true},        // 7 is Saturday
		{"cron(0 18 ? * 1 *)", "2026-11-22T18:00:00Z", true},        // 1 is Sunday
		{"cron(0 18 ? * 2-6 *)", "2026-11-20T18:00:00Z", true},
		{"cron(0 18 ? * 1,7 *)", "2026-11-21T18:00:00Z", true},
		{"cron(0 18 ? * 6#3 *)", "2026-11-20T18:00:00Z", true}, // the third Friday
		{"cron(0 18 ? * 6#2 *)", "2026-11-20T18:00:00Z", false},
		{"cron(0 18 ? * 6L *)", "2026-11-27T18:00:00Z", true}, // the last Friday
		{"cron(0 18 ? * 6L *)", "2026-11-20T18:00:00Z", false},
		{"cron(0 0 L * ? *)", "2026-11-30T00:00:00Z", true},
		{"cron(0 0 1 JAN ? 2027)", "2027-01-01T00:00:00Z", true},
		{"cron(0 0 1 JAN ? 2027)", "2028-01-01T00:00:00Z", false},
		{"cron(0 0 15W * ? *)", "2026-11-16T00:00:00Z", true}, // the 15th is a Sunday
	}
	for _, tt := range tests {
		at, err := time.Parse(time.RFC3339, tt.at)
		if err != nil {
			t.Fatal(err)
		}
		s, err := Parse(tt.expression)
		if err != nil {
			t.Errorf("%s: %v", tt.expression, err)
			continue
		}
		if got := s.Due(at); got != tt.want {
			t.Errorf("%s at %s: %v", tt.expression, tt.at, got)
		}
	}
}

func TestEveryMinute(t *testing.T) {
	for expression, want := range map[string]bool{
		"rate(1 minute)": true, "rate(2 minutes)": false, "rate(1 hour)": false, "cron(* * * * ? *)": false,
	} {
		s, err := Parse(expression)
		if err != nil {
			t.Fatal(err)
		}
		if got := s.EveryMinute(); got != want {
			t.Errorf("%s: %v", expression, got)
		}
	}
}

func TestRefusals(t *testing.T) {
	const neither, rate, question = "is neither rate(…) nor cron(…)", "want rate(1 minute), rate(5 minutes), hours or days", "must be ?"
	for expression, want := range map[string]string{
		"": neither, "daily": neither, "every(1 minute)": neither, "rate(5 minutes": neither,
		"rate(1 minutes)": rate, "rate(2 minute)": rate, "rate(0 minutes)": rate, "rate(x minutes)": rate,
		"rate(5 weeks)":   rate,
		"cron(* * * * *)": "want six fields", "cron(* * * * * *)": question, "cron(* * ? * ? *)": question,
		"cron(99 * * * ? *)": "syntax error in minute field: '99'",
		"cron(0 0 ? * 8 *)":  "days of the week are 1 (Sunday) to 7, not 8",
		"cron(0 0 ? * 0 *)":  "days of the week are 1 (Sunday) to 7, not 0",
	} {
		if _, err := Parse(expression); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%q: %v, want %s", expression, err, want)
		}
	}
}

func FuzzParse(f *testing.F) {
	f.Add("cron(0 18 ? * MON-FRI *)")
	f.Add("rate(5 minutes)")
	at := time.Date(2026, 11, 21, 12, 0, 0, 0, time.UTC)
	f.Fuzz(func(t *testing.T, expression string) {
		if s, err := Parse(expression); err == nil {
			s.Due(at)
		}
	})
}
