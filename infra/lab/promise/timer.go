package promise

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
		if t.Missed != "all" {
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

// Tick is a minute that the program of timers was told of; Well is set where it has succeeded.
type Tick struct {
	Minute time.Time
	Well   bool
}

// Next is the first minute after a time that a timer of some minutes fires at.
func (t Timer) Next(after time.Time) time.Time {
	at := after.Truncate(time.Minute).Add(time.Minute)
	for !t.comes(at) {
		at = at.Add(time.Minute)
	}
	return at
}

// Need says whether a minute must have fired (D33), where ticks may fail. A tick that went well has served what was due,
// unless an earlier one had chosen minutes and died: then it has served those, and the next tick serves the rest.
func (t Timer) Need(at time.Time, ticks []Tick) Need {
	following := t.Next(at)
	told, well, before := map[time.Time]bool{}, map[time.Time]bool{}, false
	for _, tick := range ticks {
		if !tick.Minute.Before(at) && tick.Minute.Before(following) {
			told[tick.Minute] = true
			well[tick.Minute] = well[tick.Minute] || tick.Well
		}
		before = before || tick.Well && tick.Minute.Equal(at.Add(-time.Minute))
		if tick.Minute.Equal(at.Add(time.Minute)) { // late, but on time
			told[tick.Minute] = true
			well[tick.Minute] = well[tick.Minute] || tick.Well
		}
	}
	served := 0
	for _, ok := range well {
		if ok {
			served++
		}
	}

	soon := at.Add(time.Minute)
	switch {
	case t.Missed == "all":
		return t.hourNeed(at, ticks)
	case t.Missed == "once" && (len(told) == 0 || len(told) == 1 && told[soon] && t.Every == 1):
		return Never // when somebody looked there was a newer one
	case t.Missed == "once" && (served < 2 || t.Every == 1):
		return May
	case t.Missed == "skip" && !told[at] && !told[soon]:
		return Never
	case t.Missed == "skip" && (!well[at] || !well[soon] || t.Every == 1 && !before):
		return May // a tick that serves an earlier choice leaves its own minute to the next, which skips it
	}
	return Must
}

// hourNeed is the need of a timer that fires all minutes that were missed: those of the last hour.
func (t Timer) hourNeed(at time.Time, ticks []Tick) Need {
	told, well := 0, map[time.Time]bool{}
	for _, tick := range ticks {
		if late := tick.Minute.Sub(at); late >= 0 && late < time.Hour {
			told++
			if tick.Well && late < time.Hour-2*time.Minute { // a later one may be worked on when the hour is over
				well[tick.Minute] = true
			}
		}
	}

	switch {
	case told == 0:
		return Never
	case len(well) < 2: // the first may have served what an earlier one had chosen
		return May
	}
	return Must
}
