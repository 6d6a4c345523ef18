package sms

import (
	"testing"
	"time"
)

func TestLimitsMessages(t *testing.T) {
	now := time.Date(2026, 11, 22, 12, 0, 0, 0, time.UTC)
	ago := func(all ...time.Duration) (sent []time.Time) {
		for _, d := range all {
			sent = append(sent, now.Add(-d))
		}
		return sent
	}

	ten := func(first time.Duration) (sent []time.Time) {
		for i := range perDay {
			sent = append(sent, now.Add(time.Duration(i)*time.Hour-first))
		}
		return sent
	}

	for _, c := range []struct {
		sent []time.Time
		want time.Duration
	}{
		{nil, 0},
		{ago(0), time.Minute},
		{ago(10 * time.Second), 50 * time.Second},
		{ago(time.Minute), 0},
		{ago(10*time.Second, time.Hour), 50 * time.Second}, // in any order
		{ago(25 * time.Hour), 0},
		{ten(20 * time.Hour), 4 * time.Hour},
		{ten(24 * time.Hour), 0},
		{ten(24 * time.Hour)[1:], 0},
		{append(ten(23*time.Hour), ago(2*time.Minute)...), 2 * time.Hour}, // eleven: the second oldest must age 24 h
	} {
		if got := Limit(c.sent, now); got != c.want {
			t.Errorf("limit(%v) = %v, want %v", c.sent, got, c.want)
		}
	}
}
