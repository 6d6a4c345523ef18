package expect

import (
	"fmt"
	"time"
)

// Timer fires every so many minutes of an hour, or at one minute of each day.
type Timer struct {
	Every        int // 0: once a day
	Hour, Minute int
	Zone         string
	Missed       string // "once", "skip" or "all"
}

// Cron is its condition.
func (t Timer) Cron() string {
	if t.Every > 0 {
		return fmt.Sprintf("*/%d * * * *", t.Every)
	}
	return fmt.Sprintf("%d %d * * *", t.Minute, t.Hour)
}

// Fires are the minutes that a tick fires when the last one, or the making of the timer, was at a time before.
func (t Timer) Fires(last, now time.Time) (minutes []time.Time, err error) {
	zone, err := time.LoadLocation(t.Zone)
	if err != nil {
		return nil, err
	}

	for at := last.Truncate(time.Minute).Add(time.Minute); !at.After(now); at = at.Add(time.Minute) {
		late := now.Sub(at)
		if !t.comes(at.In(zone)) || late >= time.Hour || t.Missed == "skip" && late >= 90*time.Second {
			continue
		}
		if t.Missed == "once" {
			minutes = minutes[:0] // only the newest
		}
		minutes = append(minutes, at)
	}
	return minutes, nil
}

func (t Timer) comes(at time.Time) bool {
	if t.Every > 0 {
		return at.Minute()%t.Every == 0
	}
	return at.Hour() == t.Hour && at.Minute() == t.Minute
}

// Event is the id of a timer's event, which names the minute.
func Event(trigger int64, minute time.Time) string {
	return fmt.Sprintf("timer#%d#%s", trigger, minute.UTC().Format("2006-01-02T15:04Z"))
}
