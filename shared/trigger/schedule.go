package trigger

import (
	"fmt"
	"time"

	"minicloud/shared/language/cron"
)

// Next returns the first minute of a timer after the given time. It is zero if the schedule has none.
func (t Trigger) Next(after time.Time) (time.Time, error) {
	rule, zone, err := t.schedule()
	if err != nil {
		return time.Time{}, err
	}
	at, ok := rule.Next(after, zone)
	if !ok {
		return time.Time{}, nil
	}
	return at, nil
}

// Planned returns the first minute of an enabled timer after the given time. It is zero for any other trigger.
func (t Trigger) Planned(after time.Time) (time.Time, error) {
	if t.Type != TypeTimer || !t.Enabled {
		return time.Time{}, nil
	}
	return t.Next(after)
}

// Between returns the minutes of a timer in the interval (after, until].
func (t Trigger) Between(after, until time.Time) ([]time.Time, error) {
	rule, zone, err := t.schedule()
	if err != nil {
		return nil, err
	}
	return rule.Between(after, until, zone), nil
}

// schedule returns the parsed cron rule and the time zone of a timer.
func (t Trigger) schedule() (rule cron.Rule, zone *time.Location, err error) {
	c, ok := t.Condition.(*TimerCondition)
	if !ok {
		return rule, nil, fmt.Errorf("trigger %d is no timer", t.ID)
	}
	if rule, err = cron.Parse(c.Cron); err != nil {
		return rule, nil, err
	}
	zone, err = t.Location()
	return rule, zone, err
}
